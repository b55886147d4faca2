"""A hundred people at once against the real server, which is killed in the midst of it and started again."""

import asyncio
import random
import re
from collections import Counter

import pytest

from imprint.study.design import Design, Item, ItemBlock
from imprint.study.records import create_study
from imprint.study.store import Store

pytest.importorskip("fastapi", reason="the study's server needs fastapi")
import httpx

PEOPLE, PAIRS, KILLS = 100, 3, 5
TRIES = 10 * KILLS  # a killing takes one from whoever asks at that moment, and a connection that died with it another


class Crowd:
    """People who answer page after page; each keeps what the server acknowledged, and only that."""

    def __init__(self, server, client):
        self.server, self.client = server, client
        self.acknowledged = Counter()
        self.values = {}
        self.up = asyncio.Event()
        self.up.set()
        self.progress = asyncio.Condition()
        self.unanswered = 0

    async def ask(self, method, path, **options):
        """Ask until an answer comes, as often as the server may be away."""
        for _ in range(TRIES):
            await self.up.wait()
            try:
                return await self.client.request(method, f"{self.server.address}{path}", **options)
            except httpx.TransportError as error:
                self.unanswered += 1
                last = error
                await asyncio.sleep(0)
        raise last

    async def take_part(self, number):
        chance = random.Random(number)
        link = (await self.ask("POST", "/join")).headers["location"]
        page = (await self.ask("GET", link)).text
        form = re.search(r'name="form" value="(\w+)"', page)[1]
        await self.ask("POST", f"{link}/consent", data={"form": form})
        while fields := sorted(set(re.findall(r'name="answer-(\d+)"', await self.page(link)))):
            given = {int(field): chance.choice(("yes", "no")) for field in fields}
            data = {"form": form} | {f"answer-{item}": value for item, value in given.items()}
            answer = await self.ask("POST", f"{link}/answers", data=data)
            assert answer.status_code == 303, answer.text
            async with self.progress:
                self.acknowledged[link] += 1
                for item, value in given.items():
                    assert (link, item) not in self.values, "no question comes twice"
                    self.values[link, item] = value
                self.progress.notify_all()

    async def page(self, link):
        page = await self.ask("GET", link)
        assert page.status_code == 200
        return page.text

    async def run(self):
        async with asyncio.TaskGroup() as people:
            for number in range(PEOPLE):
                people.create_task(self.take_part(number))
            people.create_task(self.trouble())

    async def trouble(self):
        """Kill the server each time that so many more pages were acknowledged, with requests in flight."""
        for life in range(1, KILLS + 1):
            due = life * PEOPLE * PAIRS // (KILLS + 1)
            async with self.progress:
                await self.progress.wait_for(lambda due=due: self.acknowledged.total() >= due)
            self.up.clear()
            self.server.kill()
            await asyncio.to_thread(self.server.start)
            self.up.set()


async def gather(server):
    limits = httpx.Limits(max_connections=PEOPLE)
    async with httpx.AsyncClient(timeout=60, limits=limits, verify=False) as client:
        crowd = Crowd(server, client)
        await crowd.run()
        return crowd


@pytest.mark.slow
def test_every_acknowledged_answer_survives_five_killings_exactly_once(tmp_path, serve_study):
    pairs = [(f"word{n}", f"other{n}") for n in range(PAIRS)]
    blocks = tuple(ItemBlock(("he", "she"), (Item("sense", pair), Item("stereotype", pair))) for pair in pairs)
    create_study(tmp_path / "study.db", Design("analogy", "tiny", "0" * 64, blocks, quota=PEOPLE + 20, least=1))
    server = serve_study(tmp_path / "study.db")
    crowd = asyncio.run(gather(server))
    server.kill()
    assert crowd.unanswered > 0, "the killings hit somebody"
    with Store.open(tmp_path / "study.db") as store:
        answers = store.answers()
        numbers = {link: store.participant(link.removeprefix("/p/")) for link, _ in crowd.values}
    found = Counter((answer.participant, answer.item) for answer in answers)
    assert set(found.values()) == {1}
    told = {(numbers[link], item): value for (link, item), value in crowd.values.items()}
    assert len(told) == PEOPLE * PAIRS * 2
    assert {(answer.participant, answer.item): answer.value for answer in answers} == told
