"""What a study tells: what a person sees next, and how far people have come."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from imprint.checks import Protocol
from imprint.study.design import CANNOT_TELL, ItemKind, NameGroup, Stage
from imprint.study.exam import ExamRule, exam_rule


@dataclass(frozen=True)
class Study:
    """What was fixed when the study was created; `parent` is the id of the study whose associations are rated."""

    id: str
    parent: str | None
    protocol: Protocol
    embedding: str
    embedding_sha256: str
    seed: int
    quota: int
    least: int
    n_found: int | None
    notes: tuple[str, ...]
    groups: tuple[NameGroup, ...]
    items: tuple["StoredItem", ...] = field(repr=False)

    @cached_property
    def blocks(self) -> dict[int, list["StoredItem"]]:
        """The items of each page."""
        blocks: dict[int, list[StoredItem]] = {}
        for item in self.items:
            blocks.setdefault(item.block, []).append(item)
        return blocks

    @property
    def exam(self) -> ExamRule:
        """How many lines the exam asks about, and how many must be right; none where there is no exam."""
        return exam_rule(sum(bool(group.cues) for group in self.groups) if self.protocol == "ube" else 0)


@dataclass(frozen=True)
class Visitor:
    """A participant, and the token of their private link, of which the study keeps only a hash."""

    number: int
    token: str


@dataclass(frozen=True)
class Consent:
    """The person has still to read what the study is about, and to agree."""


@dataclass(frozen=True)
class Question:
    """An item as a participant sees it: not what the embedding says."""

    number: int
    kind: ItemKind
    words: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """Questions to answer together, with the groups to choose from in this person's order.

    `cannot_tell`: a person may say so instead of choosing a group.
    """

    block: int
    stage: Stage
    title: tuple[str, ...]
    questions: tuple[Question, ...]
    groups: tuple[NameGroup, ...]
    cannot_tell: bool = False


@dataclass(frozen=True)
class Familiarise:
    """The groups to learn before the words are matched to them."""

    groups: tuple[NameGroup, ...]


@dataclass(frozen=True)
class Finish:
    """Nothing to answer: all is answered, or is by others, the exam was not passed, or the person has stopped.

    `closed`: the pages left have enough answers; `waiting`: other people have them open. `code` is the completion code
    for those whose pages have all enough answers, and the screen-out code for those who did not pass the exam.
    """

    reason: Literal["answered", "closed", "waiting", "not-qualified", "left"]
    code: str | None = None


Step = Consent | Task | Familiarise | Finish


@dataclass(frozen=True)
class Receipt:
    """The answers are on disk: how many of this person's, and whether these had been there before."""

    answered: int
    repeated: bool


@dataclass(frozen=True)
class PagesDone:
    """How many pages one person has answered, of all there are, and how many lines of the exam."""

    answered: int
    blocks: int
    exam_answered: int
    exam_questions: int


@dataclass(frozen=True)
class Payment:
    """How far somebody has come whom a panel pays.

    `finished` who has answered the last page there was for them, or found every page with enough answers;
    `screened_out` who did not pass the exam.
    """

    panel_id: str
    progress: PagesDone
    finished: bool
    screened_out: bool


@dataclass(frozen=True)
class BlockCount:
    """How many people have answered a block, and how many have it open."""

    number: int
    title: tuple[str, ...]
    answered: int
    open: int
    quota: int


@dataclass(frozen=True)
class Overview:
    """How far the study has come."""

    participants: int
    consented: int
    qualified: int
    not_qualified: int
    left: int
    answers: int
    blocks: tuple[BlockCount, ...]


@dataclass(frozen=True)
class StoredItem:
    """An item with its number and what its block says; `letters` are the answers of a page about groups."""

    number: int
    block: int
    stage: Stage
    kind: ItemKind
    words: tuple[str, ...]
    expected: str | None
    title: tuple[str, ...]
    letters: tuple[str, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """The letters of the groups that are offered."""
        return tuple(letter for letter in self.letters if letter != CANNOT_TELL)


@dataclass(frozen=True)
class StoredAnswer:
    """What one participant answered to one item."""

    participant: int
    item: int
    value: str
