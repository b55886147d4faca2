"""The store: who is asked what, what is taken, and what is refused."""

import collections
import contextlib

import pytest
from refusals import refuses

from imprint.study.database import connect, fold
from imprint.study.design import AnsweredError, AnswerError, LateError, StudyError, WithdrawnError
from imprint.study.records import PATIENCE
from imprint.study.steps import Consent, Familiarise, Finish, Task
from imprint.study.store import Store


def right(who, question, task):
    """Answer yes, or the letter that the toy's words begin with."""
    return question.words[0][0].upper() if question.kind == "triple" else "yes"


def begin(store):
    who = store.join().number
    store.consent(who)
    return who


def values(task, answer="yes"):
    return {question.number: answer for question in task.questions}


def test_a_person_goes_through_consent_exam_groups_and_pages_in_the_papers_order(make_store):
    store = make_store()
    who = store.join().number
    seen = []
    expected = {item.number: item.expected for item in store.items()}
    while not isinstance(step := store.step(who), Finish):
        assert store.step(who) == step  # a reload changes nothing
        seen.append(step.stage if isinstance(step, Task) else type(step).__name__)
        if isinstance(step, Consent):
            store.consent(who)
        elif isinstance(step, Familiarise):
            store.familiarised(who)
        else:
            store.answer(who, {question.number: expected[question.number] for question in step.questions})
    assert seen == ["Consent", "exam", "Familiarise", "main", "main", "main"]
    assert step == Finish("answered")
    assert store.progress(who).answered == store.progress(who).blocks == 3


def test_the_exam_asks_three_names_of_every_group_on_pages_of_twelve(make_store, findings):
    from imprint.study.protocols import ube_design

    known = {letter: [f"{letter}other{n}" for n in range(40)] for letter in "ABCD"}
    store = make_store(design=ube_design(findings, names=known))
    items = {item.number: item for item in store.items()}
    exams = []
    for _ in range(3):
        task = store.step(begin(store))
        assert task.stage == "exam"
        assert len(task.questions) == 8
        asked = [question.number for question in task.questions]
        assert collections.Counter(items[number].expected for number in asked) == dict.fromkeys("ABCD", 2)
        exams.append(asked)
    assert len({frozenset(asked) for asked in exams}) == 3  # everybody has their own


@pytest.mark.parametrize(("correct", "passes"), [(4, False), (5, True)])
def test_the_exam_is_passed_from_its_mark_on(make_store, correct, passes):
    store = make_store()
    expected = {item.number: item.expected for item in store.items()}
    who = begin(store)
    task = store.step(who)
    wrong = {"A": "B", "B": "C", "C": "D", "D": "A"}
    letters = [expected[question.number] for question in task.questions]
    answers = [letter if n < correct else wrong[letter] for n, letter in enumerate(letters)]
    store.answer(who, dict(zip((question.number for question in task.questions), answers, strict=True)))
    step = store.step(who)
    assert isinstance(step, Familiarise) if passes else step == Finish("not-qualified")
    assert (store.overview().qualified, store.overview().not_qualified) == (int(passes), int(not passes))


def test_nobody_who_failed_or_skipped_the_exam_can_answer_a_page(make_store):
    store = make_store()
    who = begin(store)
    main = [item.number for item in store.items() if item.stage == "main" and item.block == 2]
    with refuses(AnswerError, "not given to you"):
        store.answer(who, dict.fromkeys(main, "A"))
    store.familiarised(who)  # too early: ignored
    assert store.step(who).stage == "exam"


def test_orders_follow_from_seed_and_number(make_store):
    def orders(seed, name):
        store = make_store(seed=seed, name=name)
        tasks = [store.step(begin(store)) for _ in range(4)]
        return [([q.number for q in task.questions], [g.letter for g in task.groups]) for task in tasks]

    first = orders(1, "a.db")
    assert orders(1, "b.db") == first
    assert orders(2, "c.db") != first
    assert len({tuple(groups) for _, groups in first}) > 1


def test_participants_see_no_expected_answer_and_the_exam_shows_cues_only(make_store):
    store = make_store()
    task = store.step(begin(store))
    assert not hasattr(task.questions[0], "expected")
    assert all(len(group.names) == 2 for group in task.groups)
    assert {question.words[0] for question in task.questions}.isdisjoint(n for g in task.groups for n in g.names)


def test_pages_are_given_evenly(make_store):
    store = make_store("analogy", quota=10)
    for people in range(1, 9):
        store.step(begin(store))
        held = [block.open for block in store.overview().blocks]
        assert sum(held) == people
        assert max(held) - min(held) <= 1


def test_a_block_takes_as_many_people_as_were_wanted_and_no_more(make_store, take_part):
    store = make_store("analogy", quota=2)
    last = [take_part(store, right)[1] for _ in range(4)]
    assert last == [Finish("answered")] * 2 + [Finish("closed")] * 2
    assert [block.answered for block in store.overview().blocks] == [2, 2, 2, 2]


def test_a_page_that_is_not_answered_within_half_an_hour_goes_to_somebody_else(make_store, clock):
    store = make_store("suggestion", quota=1)
    slow, quick = begin(store), begin(store)
    task = store.step(slow)
    clock.now += PATIENCE - 1
    assert store.step(quick) == Finish("waiting")
    clock.now += 1
    assert store.step(quick) == task
    with refuses(LateError):
        store.answer(slow, values(task, "nurse"))
    assert store.answers() == ()
    assert store.step(slow) == Finish("waiting")


def test_a_late_answer_is_taken_while_nobody_has_the_place(make_store, clock):
    store = make_store("suggestion", quota=1)
    slow = begin(store)
    task = store.step(slow)
    clock.now += 10 * PATIENCE
    assert store.answer(slow, values(task, "nurse")).answered == 1


def test_a_reload_does_not_hold_the_page_for_longer(make_store, clock):
    store = make_store("suggestion", quota=1)
    slow, quick = begin(store), begin(store)
    task = store.step(slow)
    clock.now += PATIENCE - 1
    assert store.step(slow) == task
    assert store.step(quick) == Finish("waiting")
    clock.now += 1
    assert store.step(slow) == task, "it stays while nobody else wants it"
    assert store.step(quick) == task
    assert store.step(slow) == Finish("waiting")
    with refuses(LateError):
        store.answer(slow, values(task, "nurse"))


def test_a_late_answer_is_taken_when_the_other_was_late_too(make_store, clock):
    store = make_store("suggestion", quota=1)
    slow, quick = begin(store), begin(store)
    task = store.step(slow)
    clock.now += PATIENCE
    assert store.step(quick) == task
    clock.now += PATIENCE
    assert store.answer(slow, values(task, "nurse")).answered == 1
    with refuses(LateError):
        store.answer(quick, values(task, "nurse"))


def test_a_freed_page_comes_back_to_its_person_when_the_other_leaves_too(make_store, clock):
    store = make_store("suggestion", quota=1)
    slow, quick = begin(store), begin(store)
    task = store.step(slow)
    clock.now += PATIENCE
    store.step(quick)
    assert store.step(slow) == Finish("waiting")
    store.leave(quick)
    assert store.step(slow) == task


def test_somebody_who_leaves_keeps_the_answers_and_frees_the_page(make_store):
    store = make_store("analogy", quota=1)
    who, other = begin(store), begin(store)
    store.answer(who, values(store.step(who)))
    store.step(who)
    store.leave(who)
    assert store.step(who) == Finish("left")
    assert [block.open for block in store.overview().blocks] == [0] * 4
    with refuses(AnswerError, "taking part"):
        store.answer(who, {1: "no"})
    answered = 0
    while isinstance(task := store.step(other), Task):
        store.answer(other, values(task))
        answered += 1
    assert answered == 3
    assert len(store.answers()) == 8


def test_somebody_who_left_by_mistake_can_go_on(make_store):
    store = make_store("suggestion")
    who = begin(store)
    task = store.step(who)
    store.leave(who)
    store.consent(who)
    assert store.step(who) == task


def test_the_same_answer_again_changes_nothing_and_another_is_refused(make_store):
    store = make_store("analogy")
    who = begin(store)
    task = store.step(who)
    assert not store.answer(who, values(task)).repeated
    before = store.answers()
    again = store.answer(who, values(task))
    assert again.repeated
    assert again.answered == 2
    with refuses(AnsweredError):
        store.answer(who, values(task, "no"))
    assert store.answers() == before


def test_a_page_is_answered_whole_or_not_at_all(make_store):
    store = make_store("analogy")
    who = begin(store)
    task = store.step(who)
    first = task.questions[0].number
    elsewhere = next(item.number for item in store.items() if item.block != task.block)
    for wrong, got in (
        ({}, 0),
        ({first: "yes"}, 1),
        (values(task) | {elsewhere: "yes"}, None),
        (values(task, "perhaps"), "perhaps"),
        (values(task) | {10**30: "yes"}, 10**30),
        (values(task) | {-(10**30): "yes"}, -(10**30)),
        (dict.fromkeys(range(2000), "yes"), 2000),
    ):
        with refuses(AnswerError, got=got):
            store.answer(who, wrong)
    assert store.answers() == ()


def test_nobody_answers_before_agreeing_or_without_being_there(make_store):
    store = make_store("analogy")
    with refuses(AnswerError, "taking part"):
        store.answer(store.join().number, {1: "yes"})
    for act in (store.step, store.leave, store.consent, store.progress, lambda who: store.answer(who, {1: "yes"})):
        with refuses(WithdrawnError, got=99):
            act(99)


def test_tokens_open_their_own_door_only(tmp_path, findings):
    from imprint.study.protocols import analogy_design
    from imprint.study.records import create_study
    from imprint.study.store import Store

    token = create_study(tmp_path / "s.db", analogy_design(findings))
    with Store.open(tmp_path / "s.db") as store:
        one, other = store.join(), store.join()
        assert store.participant(one.token) == one.number != other.number
        assert store.participant(token) is None
        assert store.participant("x" * 10_000) is None
        assert store.participant("\ud800") is None
        assert store.is_admin(token)
        assert not store.is_admin(one.token)
        secret = store.secret
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for told in (token, one.token, other.token):
        assert told.encode() not in raw
    with Store.open(tmp_path / "s.db") as again:
        assert again.secret == secret


def test_a_study_is_full_at_some_point(make_store, monkeypatch):
    store = make_store("analogy")
    monkeypatch.setattr("imprint.study.people._MOST", 1)
    store.join()
    with refuses(StudyError, "full", got=1):
        store.join()


def test_a_study_deleted_under_a_server_gives_one_line(make_store, tmp_path):
    from imprint.study.database import remove

    store = make_store("analogy")
    remove(tmp_path / "study.db")
    with refuses(StudyError, where=tmp_path / "study.db"):
        store.join()


def test_who_withdraws_is_gone_with_everything_and_nobody_else_is(make_store, take_part, tmp_path):
    store = make_store("suggestion", quota=2)
    take_part(store, lambda *_: "nurse")
    one = store.join("panel-number-7")
    store.consent(one.number, one.token)
    task = store.step(one.number)
    store.answer(one.number, values(task, "xylophonist"))
    before = store.answers()
    assert store.overview().blocks[0].answered == 2
    assert store.withdraw(one.number) == 1
    assert store.answers() == tuple(answer for answer in before if answer.participant != one.number)
    assert (store.overview().participants, store.overview().blocks[0].answered) == (1, 1)
    assert store.participant(one.token) is None
    assert store.panel_ids() == {}
    for act in (store.step, store.withdraw, store.leave, store.consent):
        with refuses(WithdrawnError, got=one.number):
            act(one.number)
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"nurse" in left
    assert b"xylophonist" not in left
    assert b"panel-number-7" not in left
    other = begin(store)
    assert other > one.number, "a number is never given twice"
    assert store.step(other) == task, "the place is free again"


def test_a_number_that_has_withdrawn_does_not_come_again_and_is_kept_as_a_fingerprint_only(make_store, tmp_path):
    store = make_store("analogy")
    first = store.join("panel-number-7")
    store.consent(first.number, first.token)
    store.answer(first.number, values(store.step(first.number)))
    store.withdraw(first.number)
    for _ in range(2):
        with refuses(WithdrawnError):
            store.join("panel-number-7")
    assert store.participant(first.token) is None
    assert store.overview().participants == 0
    store.close()
    assert b"panel-number-7" not in (tmp_path / "study.db").read_bytes()
    with Store.open(tmp_path / "study.db") as again, pytest.raises(WithdrawnError):
        again.join("panel-number-7")
    assert make_store("analogy", name="other.db").join("panel-number-7").number == 1, "each study for itself"


def test_who_never_agreed_leaves_no_number_and_may_come_again(make_store, tmp_path):
    store = make_store("analogy")
    joined = store.join("panel-number-7")
    assert store.step(joined.number) == Consent()
    assert (store.panel_ids(), store.payments()) == ({}, ())
    assert b"panel-number-7" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    store.withdraw(joined.number)
    assert store.join("panel-number-7").token == joined.token
    store.consent(store.join("panel-number-7").number, joined.token)
    assert [one.panel_id for one in store.payments()] == ["panel-number-7"]


def test_a_number_is_stored_for_the_bearer_of_its_link_alone(make_store):
    store, other = make_store("analogy"), make_store("analogy", name="other.db")
    who = store.join("7")
    for token in ("", "x.7", ".7", "7", other.join("7").token, f"{who.token}8", "\ud800.7"):
        store.consent(who.number, token)
        assert store.panel_ids() == {}
    store.consent(who.number, who.token)
    assert store.panel_ids() == {who.number: "7"}


def test_while_another_program_reads_what_was_deleted_is_overwritten_later_and_nobody_waits(
    make_store, tmp_path, monkeypatch
):
    store, waited = make_store("suggestion"), []
    one, other = begin(store), begin(store)
    store.answer(one, values(store.step(one), "xylophonist"))

    def stored():
        return b"".join(file.read_bytes() for file in tmp_path.iterdir())

    def folded(path, *, wait=0):
        waited.append(wait)
        return fold(path, wait=wait)

    monkeypatch.setattr("imprint.study.database.fold", folded)
    with contextlib.closing(connect(tmp_path / "study.db")) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM answers").fetchone() == (1,)
        store.withdraw(one)
        store.step(other)
        assert b"xylophonist" in stored(), "the reader may still ask for it"
        assert len(waited) >= 2, "it is tried again with the next change"
        assert max(waited) <= 100, "milliseconds"
    store.leave(other)
    assert b"xylophonist" not in stored()
    tries = len(waited)
    store.consent(other)
    assert len(waited) == tries, "and no more once it is done"


def test_what_a_reader_kept_in_the_log_is_overwritten_when_the_study_is_closed(make_store, tmp_path):
    store = make_store("suggestion")
    one = begin(store)
    store.answer(one, values(store.step(one), "xylophonist"))
    with contextlib.closing(connect(tmp_path / "study.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM answers").fetchall()
        store.withdraw(one)
        reader.execute("COMMIT")
        store.close()
        assert b"xylophonist" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("reached", ["consent", "task", "left"])
def test_a_person_withdraws_from_wherever_they_are(make_store, reached):
    store = make_store()
    who = store.join().number
    if reached != "consent":
        store.consent(who)
        store.step(who)
    if reached == "left":
        store.leave(who)
    assert store.withdraw(who) == 0
    assert store.overview().participants == 0


def test_withdrawing_is_all_or_nothing(make_store, take_part):
    """Broken off after the answers are deleted, it has deleted nothing."""
    store = make_store("analogy")
    who, last = take_part(store, lambda *_: "yes")
    before = store.answers()
    with contextlib.closing(connect(store._path)) as other:
        other.execute("CREATE TRIGGER t BEFORE DELETE ON participants BEGIN SELECT RAISE(ABORT, 'no'); END")
        with refuses(StudyError, "nothing was stored"):
            store.withdraw(who)
        other.execute("DROP TRIGGER t")
    assert store.answers() == before
    assert store.step(who) == last
