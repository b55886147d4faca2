"""The JSON API against its own description, and against the pages."""

import asyncio

import pytest

from imprint.study.design import CANNOT_TELL, Design, Item, ItemBlock, NameGroup
from imprint.study.records import create_study
from imprint.study.store import Store
from imprint.web.serving import Hosts

pytest.importorskip("fastapi", reason="the study's API needs fastapi")
pytest.importorskip("httpx", reason="the API's test needs httpx")
pytest.importorskip("schemathesis", reason="the API's test needs schemathesis")
import httpx
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from imprint.study.app import make_study_app

GROUPS = tuple(NameGroup(letter, (f"{letter}name",), (f"{letter}cue",)) for letter in "AB")
DESIGN = Design(
    "ube",
    "tiny",
    "0" * 64,
    blocks=(
        ItemBlock(("c",), tuple(Item("triple", (f"{letter}word",), letter) for letter in "AB"), (*"AB", CANNOT_TELL)),
    ),
    quota=2,
    least=1,
    groups=GROUPS,
    exam=tuple(Item("name", (f"{letter}-asked{n}",), letter) for letter in "AB" for n in range(7)),
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "study.db"
    token = create_study(path, DESIGN)
    with Store.open(path) as store:
        yield make_study_app(store, hosts=Hosts.bound_to("127.0.0.1")), store, token


OPERATIONS = (
    "POST /api/join", "GET /api/p/{token}", "POST /api/p/{token}/consent", "POST /api/p/{token}/familiarised",
    "POST /api/p/{token}/leave", "POST /api/p/{token}/answers", "POST /api/p/{token}/withdraw",
    "GET /api/overview",
)  # fmt: skip


@pytest.fixture(scope="module")
def described(served):
    schema = schemathesis.openapi.from_asgi("/openapi.json", served[0], headers={"host": "127.0.0.1"})
    return {result.ok().label: result.ok() for result in schema.get_all_operations()}


def test_the_description_names_every_operation(described):
    assert set(described) == set(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_whatever_comes_the_answer_is_one_that_the_description_names(described, served, operation):
    _, store, _ = served

    @given(case=described[operation].as_strategy(), known=st.booleans())
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def ask(case, known):
        # A real participant's link in half of the requests: without one, all would end at "no such link".
        if "token" in case.path_parameters and known:
            case.path_parameters["token"] = store.join().token
        # That answers fit the description does not make them answers to this person's questions.
        case.call_and_validate(
            headers={"host": "127.0.0.1"}, excluded_checks=[positive_data_acceptance] if case.body else []
        )

    ask()


def test_a_whole_journey_goes_through_the_api(served):
    app, store, token = served

    async def travel():
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api") as client:
            joined = (await client.post("/join")).json()
            link = f"/p/{joined['token']}"
            steps = [(await client.get(link)).json()]
            steps.append((await client.post(f"{link}/consent")).json())
            receipts = []
            while (step := (await client.get(link)).json())["step"] != "finish":
                steps.append(step)
                if step["step"] == "familiarise":
                    await client.post(f"{link}/familiarised")
                    continue
                unsure = [{"question": q["number"], "answer": CANNOT_TELL} for q in step["questions"]]
                if not step["cannot_tell"]:
                    refused = await client.post(f"{link}/answers", json={"answers": unsure})
                    assert refused.status_code == 422, "the exam has an answer"
                answers = [{"question": q["number"], "answer": q["words"][0][0]} for q in step["questions"]]
                for _ in range(2):
                    answer = await client.post(f"{link}/answers", json={"answers": answers})
                    assert answer.status_code == 200, answer.text
                    receipts.append(answer.json())
                other = [given | {"answer": "B" if given["answer"] == "A" else "A"} for given in answers]
                assert (await client.post(f"{link}/answers", json={"answers": other})).status_code == 409
            leaving = (await client.post("/join", json={"participant": "7"})).json()
            gone = f"/p/{leaving['token']}"
            assert (await client.get(gone)).json()["panel_id"] == "7"
            assert (await client.post(f"{gone}/withdraw")).json() == {"deleted": 0}
            assert (await client.get(gone)).status_code == 404
            headers = {"authorization": f"Bearer {token}"}
            refused, overview = await client.get("/overview"), await client.get("/overview", headers=headers)
            return joined, steps, receipts, refused, overview.json()

    joined, steps, receipts, refused, overview = asyncio.run(travel())
    assert [step["step"] for step in steps] == ["consent", "task", "task", "familiarise", "task"]
    assert "expected" not in str(steps)
    assert [(step["stage"], step["cannot_tell"]) for step in steps if step["step"] == "task"] == [
        ("exam", False), ("exam", False), ("main", True)
    ]  # fmt: skip
    assert [receipt["answered"] for receipt in receipts] == [14, 14, 16, 16]
    assert [receipt["repeated"] for receipt in receipts] == [False, True] * 2
    assert set(joined) == {"token"}, "a number would tell whose the exported answers are"
    assert sum(answer.participant == store.participant(joined["token"]) for answer in store.answers()) == 16
    assert refused.status_code == 403
    assert overview["qualified"] == 1
    assert overview["blocks"][0]["answered"] == 1
