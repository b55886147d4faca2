"""Threads, kills and arbitrary histories: an acknowledged answer is there exactly once, and quotas hold."""

import collections
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from systems import posix

from imprint.errors import ImprintError
from imprint.study.design import Design, Item, ItemBlock, LateError
from imprint.study.records import PATIENCE, create_study
from imprint.study.steps import Consent, Finish, Task
from imprint.study.store import Store

# Answers until it is killed, and says so line by line after each is acknowledged.
ANSWERER = """
import json, sys
from imprint.study.steps import Consent, Task
from imprint.study.store import Store

store = Store.open(sys.argv[1])
while True:
    who = store.join().number
    while not isinstance(step := store.step(who), Consent) or not store.consent(who):
        if not isinstance(step, (Consent, Task)):
            break
        if isinstance(step, Task):
            values = {question.number: "yes" for question in step.questions}
            store.answer(who, values)
            print(json.dumps([who, sorted(values)]), flush=True)
"""


def pairs(count, quota):
    blocks = tuple(
        ItemBlock(("he", "she"), (Item("sense", (f"a{n}", f"b{n}")), Item("stereotype", (f"a{n}", f"b{n}"))))
        for n in range(count)
    )
    return Design("analogy", "toy", "0" * 64, blocks, quota=quota, least=1)


@posix
@pytest.mark.parametrize("lines", [1, 25])
def test_a_killed_process_loses_no_acknowledged_answer(tmp_path, lines):
    path = tmp_path / "study.db"
    create_study(path, pairs(40, 10_000))
    acknowledged = set()
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", ANSWERER, str(path)], stdout=subprocess.PIPE, text=True) as child:
            told = [child.stdout.readline() for _ in range(lines)]
            child.send_signal(signal.SIGKILL)
            told += child.stdout.readlines()
        assert child.returncode == -signal.SIGKILL
        for line in told:
            if line.endswith("\n"):
                who, items = json.loads(line)
                acknowledged |= {(who, item) for item in items}
    assert len(acknowledged) >= 4 * lines
    with Store.open(path) as store:
        stored = [(answer.participant, answer.item) for answer in store.answers()]
        assert len(set(stored)) == len(stored)
        assert acknowledged <= set(stored)
        assert len(stored) - len(acknowledged) <= 2 * 2  # one page a kill may be stored and not told
        assert all(block.answered <= block.quota for block in store.overview().blocks)


@pytest.mark.parametrize("servers", [1, 4])
def test_threads_of_any_number_of_servers_keep_the_quota_and_give_nobody_a_page_twice(tmp_path, servers):
    path = tmp_path / "study.db"
    create_study(path, pairs(6, 5))
    given, broken = collections.Counter(), []
    with contextlib.ExitStack() as opened:
        stores = [opened.enter_context(Store.open(path)) for _ in range(servers)]
        store = stores[0]

        def take_part(store):
            try:
                who = store.join().number
                store.consent(who)
                while isinstance(task := store.step(who), Task):
                    given[who, task.block] += 1
                    store.answer(who, {question.number: "yes" for question in task.questions})
            except ImprintError as error:
                broken.append(error)

        threads = [threading.Thread(target=take_part, args=(stores[n % servers],)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert broken == []
        assert set(given.values()) == {1}
        assert [block.answered for block in store.overview().blocks] == [5] * 6
        answers = collections.Counter((answer.participant, answer.item) for answer in store.answers())
        assert set(answers.values()) == {1}
        assert len(answers) == 6 * 5 * 2


class AnyHistory(RuleBasedStateMachine):
    """People join, reload, answer, leave, come back and withdraw in any order while time passes."""

    people = Bundle("people")

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = 10**6
        path = Path(self.folder.name) / "study.db"
        create_study(path, pairs(2, 2))
        self.store = Store.open(path, clock=lambda: self.now)
        self.acknowledged = {}
        self.tasks = {}

    def teardown(self):
        self.store.close()
        self.folder.cleanup()

    @rule(target=people)
    def join(self):
        who = self.store.join().number
        self.store.consent(who)
        return who

    @rule(who=people)
    def look(self, who):
        step = self.store.step(who)
        assert not isinstance(step, Consent)
        if isinstance(step, Task):
            assert not any((who, question.number) in self.acknowledged for question in step.questions)
            self.tasks[who] = step
        elif step == Finish("answered"):
            assert sum(person == who for person, _ in self.acknowledged) == 4

    @rule(who=people, value=st.sampled_from(["yes", "no"]))
    def answer(self, who, value):
        task = self.tasks.get(who)
        if task is None or isinstance(self.store.step(who), Finish):
            return
        values = {question.number: value for question in task.questions}
        stored = {item: self.acknowledged.get((who, item)) for item in values}
        if set(stored.values()) - {None, value}:
            return
        try:
            receipt = self.store.answer(who, values)
        except LateError:
            assert not any(stored.values())
            return
        assert receipt.repeated == (None not in stored.values())
        self.acknowledged |= {(who, item): value for item, value in values.items()}

    @rule(who=people)
    def leave(self, who):
        self.store.leave(who)

    @rule(who=consumes(people))
    def withdraw(self, who):
        mine = {key for key in self.acknowledged if key[0] == who}
        assert self.store.withdraw(who) == len(mine)
        self.acknowledged = {key: value for key, value in self.acknowledged.items() if key not in mine}

    @rule(who=people)
    def come_back(self, who):
        self.store.consent(who)

    @rule(seconds=st.sampled_from([1, PATIENCE // 2, PATIENCE]))
    def wait(self, seconds):
        self.now += seconds

    @invariant()
    def everything_acknowledged_is_there_and_nothing_else(self):
        assert {(one.participant, one.item): one.value for one in self.store.answers()} == self.acknowledged

    @invariant()
    def no_block_has_more_people_than_wanted(self):
        assert all(block.answered + block.open <= block.quota for block in self.store.overview().blocks)


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(
    max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
