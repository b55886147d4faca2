"""Whether what a study's file holds makes sense: a file from elsewhere may have our tables and nonsense in them."""

from collections import Counter
from collections.abc import Iterable

from imprint.choices import Protocol
from imprint.study.design import ItemKind, check_value
from imprint.study.refusals import AnswerError, StudyError
from imprint.study.steps import StoredAnswer, StoredItem, Study

_KINDS: dict[Protocol, tuple[ItemKind, ...]] = {
    "ube": ("name", "triple"),
    "offense": ("rating",),
    "analogy": ("sense", "stereotype"),
    "suggestion": ("words",),
}
_ENDS = 2  # of an axis, and of a pair


def check_sound(study: Study, items: Iterable[StoredItem], answers: Iterable[StoredAnswer]) -> None:
    """Refuse items that the protocol does not ask, and answers that their items do not allow."""
    letters = [group.letter for group in study.groups]
    by_number = {item.number: item for item in items}
    for item in by_number.values():
        if item.kind not in _KINDS[study.protocol] or not _is_sound(item, letters):
            raise StudyError(
                f"question {item.number} does not belong to a study of protocol {study.protocol}", got=item.number
            )
    if not any(item.stage == "main" for item in by_number.values()):
        raise StudyError("it has no questions")
    asked = Counter(item.expected for item in by_number.values() if item.stage == "exam")
    if len(asked) != study.exam.groups or min(asked.values(), default=0) < study.exam.each:
        raise StudyError("its exam has too few names")
    if study.protocol == "analogy":
        _check_pairs(by_number.values())
    for answer in answers:
        item = by_number[answer.item]
        try:
            sound = check_value(item.kind, answer.value, item.letters) == answer.value
        except AnswerError:
            sound = False
        if not sound:
            raise StudyError(
                f"participant {answer.participant} has an impossible answer to question {answer.item}", got=answer.item
            )


def _is_sound(item: StoredItem, letters: list[str]) -> bool:
    if (item.kind == "name") != (item.stage == "exam") or not item.words:
        return False
    if item.kind in ("name", "triple", "rating"):
        return item.expected in item.letters and set(item.letters) <= set(letters)
    if item.kind == "words":
        return bool(item.title)
    return len(item.title) == len(item.words) == _ENDS


def _check_pairs(items: Iterable[StoredItem]) -> None:
    blocks: dict[int, list[str]] = {}
    for item in items:
        blocks.setdefault(item.block, []).append(item.kind)
    if any(kinds != list(_KINDS["analogy"]) for kinds in blocks.values()):
        raise StudyError("a page does not ask both questions about its pair")
