"""Paying people: a number that the link carries is one participant for ever; the code comes after the last page."""

import contextlib
import sqlite3
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.study.database import connect
from imprint.study.design import AnswerError, StudyError
from imprint.study.people import carried_id
from imprint.study.protocols import suggestion_design, ube_design
from imprint.study.records import create_study
from imprint.study.settings import Terms, is_short
from imprint.study.steps import Consent, Finish, Task
from imprint.study.store import Store

PROLIFIC = "5f2c1e9ab0d34a7788c6e001"
NOT_NUMBERS = ["", " ", "-1", "_1", "=1", "a b", "a\n", "é", "١", "{{%PROLIFIC_PID%}}", "a" * 65, "a\0", "<b>", "a/b"]
PAID = Terms(completion_code="C0FFEE-1", screen_out_code="SORRY-2")


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    path = tmp_path_factory.mktemp("panel") / "study.db"
    create_study(path, suggestion_design("gender"))
    with contextlib.closing(connect(path)) as connection:
        yield connection


@given(st.one_of(st.text(max_size=70), st.text("aZ09-_", max_size=66), st.sampled_from([PROLIFIC, *NOT_NUMBERS])))
def test_the_file_holds_numbers_and_codes_to_the_same_rule_as_the_program(raw, text):
    for statement in (
        "INSERT INTO participants (token_hash, consented, panel_id) VALUES (zeroblob(32), 1, ?)",
        "UPDATE study SET completion_code = ?",
        "UPDATE study SET screen_out_code = ?",
    ):
        raw.execute("BEGIN")
        try:
            raw.execute(statement, (text,))
            held = True
        except (sqlite3.IntegrityError, UnicodeEncodeError):
            held = False
        raw.execute("ROLLBACK")
        assert held == is_short(text)


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_no_number_or_code_is_refused_in_one_line(make_store, text):
    store = make_store("suggestion")
    for refuse in (lambda: carried_id([("participant", text)]), lambda: store.join(text)):
        with refuses(AnswerError, "participant number", got=text):
            refuse()
    assert store.overview().participants == 0
    for option in ("completion_code", "screen_out_code"):
        with refuses(StudyError, option=option, got=text):
            Terms(**{option: text})


def test_a_link_carries_one_number_under_either_name():
    others = [("STUDY_ID", "s1"), ("SESSION_ID", "s2"), ("Participant", "no")]
    assert carried_id(others) is None
    for field in ("participant", "PROLIFIC_PID"):
        assert carried_id([*others, (field, PROLIFIC)]) == PROLIFIC
    assert carried_id([("participant", PROLIFIC), ("PROLIFIC_PID", PROLIFIC)]) == PROLIFIC
    for second in ("participant", "PROLIFIC_PID"):
        with refuses(AnswerError, "two participant numbers"):
            carried_id([("participant", PROLIFIC), (second, "another")])


def test_a_number_that_comes_again_goes_on_where_it_was_and_keeps_its_answers(make_store):
    store = make_store("analogy", terms=PAID)
    first, other = store.join(PROLIFIC), store.join("another")
    assert store.step(first.number) == Consent()
    store.consent(first.number, first.token)
    while isinstance(task := store.step(first.number), Task):
        assert store.join(PROLIFIC) == first
        assert store.step(first.number) == task
        store.answer(first.number, {question.number: "yes" for question in task.questions})
    answers = store.answers()
    assert store.join(PROLIFIC) == first
    assert store.step(first.number) == Finish("answered", "C0FFEE-1")
    assert store.answers() == answers
    assert store.participant(first.token) == first.number != other.number
    assert store.panel_ids() == {first.number: PROLIFIC}, "the other one has not agreed"
    assert store.overview().participants == 2


def test_a_number_that_comes_at_once_in_many_windows_is_one_participant(make_store):
    store, joined = make_store("analogy"), []
    threads = [threading.Thread(target=lambda: joined.append(store.join(PROLIFIC))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(joined), len(set(joined))) == (8, 1)
    assert store.overview().participants == 1


def test_the_link_of_a_number_outlives_the_server_and_is_another_in_every_study(make_store, tmp_path):
    store, other = make_store("analogy"), make_store("analogy", name="other.db")
    joined = store.join(PROLIFIC)
    assert other.join(PROLIFIC).token != joined.token
    assert other.participant(joined.token) is None
    store.close()
    assert joined.token.encode() not in (tmp_path / "study.db").read_bytes()
    with Store.open(tmp_path / "study.db") as again:
        assert again.join(PROLIFIC) == joined


def test_a_full_study_still_lets_in_those_who_were_there(make_store, monkeypatch):
    store = make_store("analogy")
    joined = store.join(PROLIFIC)
    monkeypatch.setattr("imprint.study.people._MOST", 1)
    assert store.join(PROLIFIC) == joined
    with refuses(StudyError, "full", got=1):
        store.join("another")


def test_who_answered_the_last_page_there_was_gets_the_code_and_who_has_stopped_does_not(make_store, take_part):
    store = make_store("analogy", quota=1, terms=PAID)
    stopped, _ = take_part(store, lambda *_: "yes", pages=1)
    store.leave(stopped)
    assert store.step(stopped) == Finish("left")
    assert take_part(store, lambda *_: "yes")[1] == Finish("closed", "C0FFEE-1"), "one page was full already"
    assert take_part(store, lambda *_: "yes")[1] == Finish("closed", "C0FFEE-1"), "all of them were"
    assert take_part(make_store("analogy", name="unpaid.db"), lambda *_: "yes")[1] == Finish("answered")


def test_the_code_waits_while_others_hold_pages_open_that_still_want_answers(make_store, clock):
    store = make_store("analogy", quota=1, terms=PAID)
    joined = [store.join(f"panel-{n}") for n in range(4)]
    for one in joined:
        store.consent(one.number, one.token)
    *holders, last = [one.number for one in joined]
    held = [store.step(who) for who in holders]
    task = store.step(last)
    store.answer(last, {question.number: "yes" for question in task.questions})
    assert store.step(last) == Finish("waiting")
    assert not any(one.finished for one in store.payments())
    for who, page in zip(holders[:2], held, strict=False):
        store.answer(who, {question.number: "yes" for question in page.questions})
    assert store.step(last) == Finish("waiting"), "one page is still wanted"
    store.answer(holders[2], {question.number: "yes" for question in held[2].questions})
    assert store.step(last) == Finish("closed", "C0FFEE-1")


def test_a_code_once_shown_stays_when_others_withdraw(make_store):
    store = make_store("analogy", quota=1, terms=PAID)
    joined = [store.join(f"panel-{n}") for n in range(2)]
    for one in joined:
        store.consent(one.number, one.token)
    first, second = (one.number for one in joined)
    page = store.step(first)
    store.answer(first, {question.number: "yes" for question in page.questions})
    while isinstance(task := store.step(second), Task):
        store.answer(second, {question.number: "yes" for question in task.questions})
    assert task == store.step(first) == Finish("closed", "C0FFEE-1")
    store.withdraw(first)
    assert isinstance(store.step(second), Task)
    assert [(one.panel_id, one.finished) for one in store.payments()] == [("panel-1", True)]
    store.leave(second)
    assert store.step(second) == Finish("left", "C0FFEE-1")


@pytest.mark.parametrize("terms", [PAID, Terms(completion_code="C0FFEE-1")])
def test_who_places_too_few_names_gets_the_screen_out_code_alone(make_store, findings, terms):
    store = make_store(design=ube_design(findings), terms=terms)
    who = store.join(PROLIFIC).number
    store.consent(who, store.join(PROLIFIC).token)
    expected = {item.number: item.expected for item in store.items()}
    wrong = {"A": "B", "B": "C", "C": "D", "D": "A"}
    store.answer(who, {question.number: wrong[expected[question.number]] for question in store.step(who).questions})
    assert store.step(who) == Finish("not-qualified", terms.screen_out_code)
    assert [(one.finished, one.screened_out) for one in store.payments()] == [(False, True)]


def test_who_finds_every_page_full_is_paid_as_finished(make_store):
    store = make_store("analogy", quota=1, terms=PAID)
    first, late = (store.join(f"panel-{n}") for n in range(2))
    for one in (first, late):
        store.consent(one.number, one.token)
    while isinstance(task := store.step(first.number), Task):
        store.answer(first.number, {question.number: "yes" for question in task.questions})
    assert store.step(late.number) == Finish("closed", PAID.completion_code)
    paid = {one.panel_id: (one.finished, one.screened_out) for one in store.payments()}
    assert paid == {"panel-0": (True, False), "panel-1": (True, False)}
