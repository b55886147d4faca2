"""One person's turn: what they are asked, and which of their answers are taken.

Everybody has an exam of their own first, then the pages that the fewest people hold or have answered. Of a page all
answers are taken or none, each once, and only from a person who was given it. A turn lasts within the caller's
transaction, so that two people are never given the same last place.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace

from imprint.study.design import AnsweredError, AnswerError, LateError, NameGroup, Stage, check_value, shuffled
from imprint.study.people import person
from imprint.study.records import PATIENCE
from imprint.study.settings import Terms
from imprint.study.steps import Consent, Familiarise, Finish, PagesDone, Question, Receipt, Step, Study, Task

_MOST = 1_000  # answers at once, far more than a page asks for


def ordered_groups(
    study: Study, participant: int, letters: Collection[str] | None = None, stage: Stage = "main"
) -> tuple[NameGroup, ...]:
    """Return groups in a person's order, on every page the same; in the exam with the names that represent them."""
    chosen = {group.letter: group for group in study.groups if letters is None or group.letter in letters}
    order = shuffled(chosen, study.seed, participant, "groups")
    return tuple(
        NameGroup(letter, chosen[letter].cues if stage == "exam" else chosen[letter].names) for letter in order
    )


def page_of(study: Study, participant: int, block: int) -> Task:
    """Return a page as a person sees it, with questions and groups in their order.

    Of the exam's lines as many are drawn from each group as it asks for.
    """
    first, by_number = study.blocks[block][0], {item.number: item for item in study.blocks[block]}
    order = [*by_number]
    if first.stage == "exam":
        key = (study.seed, participant, "exam")
        pools: dict[str | None, list[int]] = defaultdict(list)
        for item in by_number.values():
            pools[item.expected].append(item.number)
        drawn = [number for pool in pools.values() for number in shuffled(pool, *key)[: study.exam.each]]
        order = shuffled(drawn, *key, "order")
    elif study.protocol == "ube":
        order = shuffled(order, study.seed, participant, "items")
    questions = tuple(Question(number, by_number[number].kind, by_number[number].words) for number in order)
    groups = ordered_groups(study, participant, first.groups, first.stage)
    return Task(block, first.stage, first.title, questions, groups, cannot_tell=first.letters != first.groups)


class Turn:
    """A participant at a moment; every query knows both, the study's quota and its exam's block by their names."""

    def __init__(self, connection: sqlite3.Connection, study: Study, participant: int, now: int) -> None:
        self._connection, self._study, self._participant = connection, study, participant
        self._person = person(connection, participant)
        self._exam = next((item.block for item in study.items if item.stage == "exam"), None)
        self._known = {
            "participant": participant,
            "quota": study.quota,
            "exam": self._exam,
            "now": now,
            "since": now - PATIENCE,
        }

    def step(self, terms: Terms) -> Step:
        """Return what this person sees now; asked again, the same."""
        code = terms.completion_code
        if self._person.away:
            return Finish("left", code if self._person.finished else None)
        if not self._person.consented:
            return Consent()
        if self._exam is not None:
            if page := self._open_exam(self._exam):
                return page
            if self.is_screened_out():
                return Finish("not-qualified", terms.screen_out_code)
            if not self._person.familiar:
                return Familiarise(ordered_groups(self._study, self._participant))
        if task := self._open_page():
            return task
        told, finished = self.progress(), self.is_finished()
        if finished and not self._person.finished:  # told once, the code is theirs, whoever withdraws later
            self._run("UPDATE participants SET finished = 1 WHERE participant = :participant")
        if told.answered == told.blocks:
            return Finish("answered", code)
        if self._is_wanted():
            return Finish("waiting", code if finished else None)
        return Finish("closed", code)

    def progress(self) -> PagesDone:
        """Count the pages this person has answered."""
        answered, blocks = self._run(
            "SELECT coalesce(sum(state = 'answered'), 0), count(*) FROM blocks LEFT JOIN assignments "
            "ON assignments.block = blocks.block AND participant = :participant WHERE stage = 'main'"
        ).fetchone()
        if self._exam is None:
            return PagesDone(answered, blocks, 0, 0)
        return PagesDone(answered, blocks, self._exam_score()[1], self._study.exam.lines)

    def is_finished(self) -> bool:
        """Tell whether this person has done the exam, and all pages that they have not answered have enough answers.

        So has who found the study full: that is not their doing.
        """
        if self._person.finished or not self._person.consented or self._is_at_exam() or self.is_screened_out():
            return self._person.finished
        return not self._is_wanted()

    def is_screened_out(self) -> bool:
        """Tell whether this person has answered the exam and did not pass it."""
        if self._exam is None:
            return False
        return not self._is_at_exam() and self._exam_score()[0] < self._study.exam.mark

    def _is_at_exam(self) -> bool:
        return self._exam is not None and self._exam_score()[1] < self._study.exam.lines

    def _open_exam(self, block: int) -> Task | None:
        """Return the exam's page, None when it is done."""
        self._run("INSERT OR IGNORE INTO assignments VALUES (:participant, :exam, 'open', :now)")
        page = self._page(block)
        return page if page.questions else None

    def _exam_score(self) -> tuple[int, int]:
        """Return how many lines this person put into their group, and how many were answered."""
        right, asked = self._run(
            "SELECT coalesce(sum(value = expected), 0), count(*) FROM answers JOIN items USING (item) "
            "WHERE participant = :participant AND answers.block = :exam"
        ).fetchone()
        return right, asked

    def _open_page(self) -> Task | None:
        """Return the page this person has open, or else give the one with the fewest people; None when none is open.

        The time runs from when the page was given: looking at it again does not hold it for longer.
        """
        held = self._run(
            "SELECT block FROM assignments WHERE participant = :participant AND state = 'open'"
        ).fetchone()
        block = None if held is None else int(held[0])
        if block is not None and not self._has_place(block):
            self._mark("freed", block)
            block = None
        if block is None:
            block = self._emptiest()
            if block is None:
                return None
            self._run(
                "INSERT INTO assignments VALUES (:participant, :block, 'open', :now) "
                "ON CONFLICT (participant, block) DO UPDATE SET state = 'open', given = excluded.given",
                block=block,
            )
        return self._page(block)

    def _is_wanted(self) -> bool:
        """Tell whether there is a page with too few answers that this person has not answered, given out or not."""
        row = self._run(
            "SELECT 1 FROM blocks LEFT JOIN assignments ON assignments.block = blocks.block AND state = 'answered' "
            "WHERE stage = 'main' GROUP BY blocks.block "
            "HAVING count(participant) < :quota AND coalesce(sum(participant = :participant), 0) = 0"
        ).fetchone()
        return row is not None

    def answer(self, values: Mapping[int, str]) -> Receipt:
        """Store a page's answers; the same ones sent again change nothing."""
        if self._person.away or not self._person.consented:
            raise AnswerError("you are not taking part at the moment", hint="open your link to begin")
        if not 0 < len(values) <= _MOST:
            raise AnswerError(
                f"{len(values)} answers arrived", got=len(values), hint="answer every question of the page"
            )
        answers = {item: self._checked(item, value) for item, value in values.items()}
        before = self._answers()
        if any(before.get(item, value) != value for item, value in answers.items()):
            raise AnsweredError("you have already answered this differently", hint="your first answer is kept")
        repeated = answers.keys() <= before.keys()
        if not repeated:
            block = self._check_page(answers.keys())
            self._connection.executemany(
                "INSERT INTO answers (participant, item, block, value) VALUES (?, ?, ?, ?)",
                [(self._participant, item, block, value) for item, value in answers.items()],
            )
            self._mark("answered", block)
        return Receipt(len(before | answers), repeated)

    def _checked(self, item: int, value: str) -> str:
        for asked in self._study.items:
            if asked.number == item:
                return check_value(asked.kind, value, asked.letters)
        raise AnswerError("this study has no such question", got=item, hint="open your link again")

    def _check_page(self, items: Collection[int]) -> int:
        """Return the block that these unanswered items are a whole page of, if this person may still answer it."""
        blocks = {item.block for item in self._study.items if item.number in items}
        if len(blocks) != 1:
            raise AnswerError("these answers belong to several pages", hint="answer one page at a time")
        block = blocks.pop()
        given = "SELECT 1 FROM assignments WHERE participant = :participant AND block = :block"
        if self._run(given, block=block).fetchone() is None:
            raise AnswerError("that page was not given to you", hint="open your link again for the next one")
        page = self._page(block)
        if set(items) != {question.number for question in page.questions}:
            raise AnswerError(
                f"{len(items)} answers arrived, but the page has {len(page.questions)} questions",
                got=len(items),
                hint="answer all of them",
            )
        if page.stage == "main" and not self._has_place(block):
            raise LateError(
                "the page was open for too long and was given to another person", hint="continue with the next one"
            )
        return block

    def _page(self, block: int) -> Task:
        """Return a page with the questions that are still to be answered: all, or none."""
        page, answered = page_of(self._study, self._participant, block), self._answers()
        return replace(page, questions=tuple(one for one in page.questions if one.number not in answered))

    def _has_place(self, block: int) -> bool:
        """Tell whether a person's page is still theirs: open in time, or nobody has taken its place."""
        (free,) = self._run(
            "SELECT count(*) < :quota FROM assignments WHERE block = :block AND participant != :participant "
            "AND (state = 'answered' OR state = 'open' AND given > :since)",
            block=block,
        ).fetchone()
        return bool(free)

    def _emptiest(self) -> int | None:
        """Return the block with the fewest people that this person has not answered; chance decides between equals."""
        rows = self._run(
            "SELECT block, coalesce(sum(state = 'answered' OR state = 'open' AND given > :since), 0) AS people, "
            "coalesce(sum(participant = :participant), 0) AS seen "
            "FROM blocks LEFT JOIN assignments USING (block) WHERE stage = 'main' AND block NOT IN "
            "(SELECT block FROM assignments WHERE participant = :participant AND state != 'freed') "
            "GROUP BY block HAVING people < :quota"
        ).fetchall()
        if not rows:
            return None
        fewest = min((seen, people) for _, people, seen in rows)
        equals = [int(block) for block, people, seen in rows if (seen, people) == fewest]
        return shuffled(equals, self._study.seed, self._participant, "block")[0]

    def _answers(self) -> dict[int, str]:
        return dict(self._run("SELECT item, value FROM answers WHERE participant = :participant").fetchall())

    def _mark(self, state: str, block: int) -> None:
        self._run(
            "UPDATE assignments SET state = :state WHERE participant = :participant AND block = :block",
            state=state,
            block=block,
        )

    def _run(self, query: str, **given: object) -> sqlite3.Cursor:
        return self._connection.execute(query, self._known | given)
