"""What leaves a study: answers, scores, and tasks for crowdsourcing platforms."""

import csv
import stat

import pytest
from msgspec.structs import replace

from imprint.kinds.findings import read_findings
from imprint.study.analysis import EXPORTS, bonuses, score, write_csv, write_jsonl, write_payments, write_tasks
from imprint.study.protocols import analogy_design, ube_design
from imprint.study.settings import Terms
from imprint.study.steps import Finish


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_answer_is_one_line(make_store, take_part, tmp_path):
    store = make_store("analogy")
    take_part(store, lambda *_: "yes")
    take_part(store, lambda *_: "no")
    write_csv(store, tmp_path / "answers.csv")
    rows = read(tmp_path / "answers.csv")
    assert sorted((row["participant"], int(row["item"]), row["answer"]) for row in rows) == sorted(
        (store.pseudonym(one.participant), one.item, one.value) for one in store.answers()
    )
    assert rows[0]["title"] == "he, she"
    assert rows[0]["words"] == "first0, second0"


def test_whom_to_pay_is_told_apart_from_the_answers(make_store, findings, tmp_path):
    store = make_store(design=ube_design(findings))
    expected = {item.number: item.expected for item in store.items()}
    people = [store.join(panel_id) for panel_id in ("5f2c1e9ab0d34a7788c6e001", None, "007", "008")]
    joined = [one.number for one in people]
    for who, one in zip(joined[:3], people, strict=False):
        store.consent(who, one.token)
        task = store.step(who)
        store.answer(who, {question.number: expected[question.number] for question in task.questions})
    store.familiarised(joined[0])
    task = store.step(joined[0])
    store.answer(joined[0], {question.number: "C" for question in task.questions})
    write_payments(store, tmp_path / "pay.csv")
    assert [[*row.values()] for row in read(tmp_path / "pay.csv")] == [
        ["007", "8", "0", "3", "no", "no"],
        ["5f2c1e9ab0d34a7788c6e001", "8", "1", "3", "no", "no"],
    ], "who has not agreed is not there"
    assert stat.S_IMODE((tmp_path / "pay.csv").stat().st_mode) == 0o600
    write_csv(store, tmp_path / "answers.csv")
    write_jsonl(store, tmp_path / "scores.jsonl")
    for name in ("answers.csv", "scores.jsonl"):
        assert "5f2c1e9ab0d34a7788c6e001" not in (tmp_path / name).read_text(), "to be published as it is"


def test_nothing_that_names_a_panels_number_names_a_row_of_the_answers(make_store, findings, tmp_path):
    """Not the payments, not the bonuses, and not the order of rows, which would be that of joining."""
    store = make_store(quota=30)
    expected = {item.number: item.expected for item in store.items()}
    people = [store.join(f"panel-{n:02}") for n in range(20)]
    for one in people:
        store.consent(one.number, one.token)
        task = store.step(one.number)
        store.answer(one.number, {question.number: expected[question.number] for question in task.questions})
    write_csv(store, tmp_path / "answers.csv")
    write_payments(store, tmp_path / "pay.csv")
    published = [row["participant"] for row in read(tmp_path / "answers.csv")]
    assert len(set(published)) == 20
    assert not any(name.isdigit() for name in published)
    joined = [store.pseudonym(one.number) for one in people]
    assert list(dict.fromkeys(published)) != joined != sorted(joined)
    assert "participant" not in read(tmp_path / "pay.csv")[0]
    assert not set(published) & {cell for row in read(tmp_path / "pay.csv") for cell in row.values()}
    assert [(one.participant, one.panel_id) for one in bonuses(store)] == [(None, f"panel-{n:02}") for n in range(20)]
    write_csv(store, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "answers.csv").read_bytes()


def test_who_has_finished_is_told_to_those_who_pay(make_store, tmp_path):
    store = make_store("analogy", quota=1, terms=Terms(completion_code="C0FFEE"))
    one, late = store.join("one"), store.join("late")
    for who in (one, late):
        store.consent(who.number, who.token)
    for _ in range(4):
        write_payments(store, tmp_path / "pay.csv")
        assert {row["finished"] for row in read(tmp_path / "pay.csv")} == {"no"}
        store.answer(one.number, {question.number: "yes" for question in store.step(one.number).questions})
    for last in (None, Finish("answered", "C0FFEE")):  # whether or not they have opened the last page
        write_payments(store, tmp_path / "pay.csv")
        assert {row["panel_id"]: row["finished"] for row in read(tmp_path / "pay.csv")} == {
            "one": "yes",
            "late": "yes",
        }
        assert last is None or store.step(one.number) == last
    assert store.step(late.number) == Finish("closed", "C0FFEE"), "who found it full is paid too"


def test_scores_are_findings(make_store, take_part, tmp_path):
    store = make_store("analogy")
    take_part(store, lambda *_: "yes")
    write_jsonl(store, tmp_path / "scores.jsonl")
    assert read_findings(tmp_path / "scores.jsonl") == [*score(store)]


def test_the_text_that_people_agreed_to_goes_with_the_scores(make_store, tmp_path):
    plain, own = make_store("analogy"), make_store("analogy", name="own.db", terms=Terms(consent=("One.", "=Two")))
    for store in (plain, own):
        write_jsonl(store, tmp_path / "scores.jsonl")
        *scores, last = read_findings(tmp_path / "scores.jsonl")
        assert (last.kind == "study-consent") == (store is own)
    assert (last.study, last.paragraphs) == (own.study.id, ("One.", "=Two"))
    assert [row.kind for row in scores] == [row.kind for row in score(own).findings()]


@pytest.mark.parametrize(("platform", "number"), [("mturk", "task"), ("prolific", "META_TASK")])
def test_a_task_is_one_line_that_does_not_tell_the_embeddings_group(make_store, tmp_path, platform, number):
    store = make_store()
    write_tasks(store, tmp_path / "tasks.csv", platform=platform)
    rows = read(tmp_path / "tasks.csv")
    assert [sum(bool(row[f"words_{n}"]) for n in range(1, 5)) for row in rows] == [4, 3, 2]
    assert [row["group_1"] for row in rows] == [
        "A: Aname0, Aname1, Aname2, Aname3, Aname4",
        "A: Aname0, Aname1, Aname2, Aname3, Aname4",
        "C: Cname0, Cname1, Cname2, Cname3, Cname4",
    ]
    assert [row["group_5"] or row["group_4"] or row["group_3"] for row in rows] == ["I cannot tell"] * 3
    assert next(iter(rows[0])) == number
    assert len({row[number] for row in rows}) == 3


def test_the_order_of_words_in_a_task_is_the_alphabets(make_store, findings, tmp_path):
    store = make_store(design=ube_design(reversed(findings)))
    write_tasks(store, tmp_path / "tasks.csv", platform="mturk")
    row = read(tmp_path / "tasks.csv")[0]
    assert [row[f"words_{n}"][0] for n in range(1, 5)] == ["a", "b", "c", "d"]


def test_tasks_of_the_other_protocols_name_what_is_asked(make_store, tmp_path):
    write_tasks(make_store("analogy"), tmp_path / "pairs.csv", platform="mturk")
    assert read(tmp_path / "pairs.csv")[0] == {
        "task": "1", "end_1": "he", "end_2": "she", "word_1": "first0", "word_2": "second0"
    }  # fmt: skip
    write_tasks(make_store("suggestion", name="s.db"), tmp_path / "about.csv", platform="prolific")
    assert read(tmp_path / "about.csv") == [{"META_TASK": "1", "about": "gender"}]


def test_all_cells_are_quoted(make_store, tmp_path):
    """Else a semicolon begins a new cell in some spreadsheets, and with it a formula."""
    write_tasks(make_store("suggestion"), tmp_path / "tasks.csv", platform="mturk")
    assert (tmp_path / "tasks.csv").read_bytes() == b'"task","about"\n"1","gender"\n'


def test_half_characters_of_a_vocabulary_are_exported(make_store, take_part, findings, tmp_path):
    """An embedding may hold half of a character pair, which UTF-8 cannot write."""
    odd = [replace(row, first="\ud800") for row in findings if row.kind == "analogy"][:1]
    store = make_store(design=analogy_design(odd))
    take_part(store, lambda *_: "yes")
    for form, write in EXPORTS.items():
        if form != "seeds":
            write(store, tmp_path / form)
            assert ("\\ud800" in (tmp_path / form).read_text()) == (form != "payments")


@pytest.mark.parametrize("word", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_is_a_formula(make_store, take_part, findings, tmp_path, word):
    hostile = [replace(one, first=word) for one in findings if one.kind == "analogy"][:1]
    store = make_store(design=analogy_design(hostile))
    take_part(store, lambda *_: "yes")
    write_csv(store, tmp_path / "answers.csv")
    write_tasks(store, tmp_path / "tasks.csv", platform="mturk")
    for path in (tmp_path / "answers.csv", tmp_path / "tasks.csv"):
        for row in read(path):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values())
            assert any(word in cell for cell in row.values())
    write_jsonl(store, tmp_path / "scores.jsonl")
    assert read_findings(tmp_path / "scores.jsonl")[1].first == word
