"""Protocols: from findings to what people are asked about them.

`ube` and `offense` follow Swinger et al. (2019), section 4.1; `analogy` and `suggestion` Bolukbasi et al. (2016),
sections 2 and 3.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from imprint.choices import Protocol
from imprint.finding import Finding
from imprint.study.design import EXAM_NAMES, Design, Item, ItemBlock, NameGroup
from imprint.study.refusals import StudyError

CATEGORIES = 12  # the paper's top 12
PARTICIPANTS: dict[Protocol, int] = {"ube": 18, "offense": 15, "analogy": 10, "suggestion": 50}

_LEAST: dict[Protocol, int] = {"ube": 18, "offense": 13, "analogy": 10, "suggestion": 1}
_MOST_PARTICIPANTS = 10_000
_CUES = 2  # names that stand for a group in the exam where the others are asked about
_LONGEST_ABOUT = 80
_STUDY = re.compile("[0-9a-f]{32}")


def ube_design(
    findings: Iterable[Finding],
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    categories: int = CATEGORIES,
    participants: int = PARTICIPANTS["ube"],
) -> Design:
    """Ask which words society associates with which group of names, for the categories with the largest scores.

    `names` gives all names of each group for the exam. Without it only those in the findings are known: the first two
    then stand for the group in the exam, and the others are asked about. A category with one significant association
    leaves nothing to choose, and is left out.
    """
    rows = list(findings)
    cells = [row for row in rows if row.kind == "ube" and row.details.get("significant") is True]
    cells = [row for row in cells if "groups_of" not in row.details]  # comparisons measure other groups' names
    embedding = _one_embedding(cells, "ube", "imprint enumerate")
    by_category: dict[Any, list[Finding]] = defaultdict(list)
    for row in cells:
        by_category[repr(row.details.get("category"))].append(row)
    matched = sorted((held for held in by_category.values() if len(held) > 1), key=_total, reverse=True)[:categories]
    if not matched:
        raise StudyError(
            "no category has two significant associations; there is nothing to match, enumerate more words"
        )
    groups = _groups([row for row in rows if row.kind == "ube-group"] or cells, names or {})
    blocks = tuple(
        ItemBlock(
            title=_words(held[0], "category_words"),
            items=tuple(Item("triple", _words(row, "words"), _word(row, "group")) for row in held),
            groups=tuple(sorted({_word(row, "group") for row in held}, key=lambda letter: (len(letter), letter))),
        )
        for held in matched
    )
    _check_blocks(blocks, groups)
    alone = sum(len(held) == 1 for held in by_category.values())
    notes = [f"{len(blocks)} of {len(by_category)} categories are asked about, those with the largest scores."]
    notes += [f"{alone} categories have one significant association and cannot be matched."] if alone else []
    notes += [] if names else [f"The exam knows only the illustrative names: {_CUES} stand for each group."]
    return Design(
        "ube",
        *embedding,
        blocks=blocks,
        quota=_participants(participants),
        least=_LEAST["ube"],
        groups=groups,
        exam=_exam(groups, names),
        significant=len(cells),
        notes=tuple(notes),
    )


def offense_design(findings: Iterable[Finding], *, participants: int = PARTICIPANTS["offense"]) -> Design:
    """Ask how offensive the associations are on which the crowd agreed with the embedding."""
    found = list(findings)
    rows = [row for row in found if row.kind == "study-association"]
    embedding = _one_embedding(rows, "study-association", "imprint study score --json")
    parent = _one_study(rows)
    agreed = [row for row in rows if row.details.get("accurate") is True]
    if not agreed:
        raise StudyError("the crowd agreed with none of the associations; there is nothing to rate")
    groups = {_word(row, "group"): NameGroup(_word(row, "group"), _words(row, "names")) for row in agreed}
    blocks = tuple(
        ItemBlock(
            title=_words(row, "category_words"),
            items=(Item("rating", _words(row, "words"), _word(row, "group")),),
            groups=(_word(row, "group"),),
        )
        for row in agreed
    )
    return Design(
        "offense",
        *embedding,
        blocks=blocks,
        quota=_participants(participants),
        least=_LEAST["offense"],
        groups=tuple(groups.values()),
        notes=(
            f"{len(agreed)} of {len(rows)} associations are rated: those on which the crowd agreed.",
            *_unfinished(found, rows),
        ),
        parent=parent,
    )


def analogy_design(
    findings: Iterable[Finding], *, pairs: int | None = None, participants: int = PARTICIPANTS["analogy"]
) -> Design:
    """Ask of each analogy, the best `pairs` of them, whether it makes sense and whether it is a stereotype.

    Two words of the axis itself, as in he : she, are no analogy and are left out.
    """
    rows = [row for row in findings if row.kind == "analogy"]
    embedding = _one_embedding(rows, "analogy", "imprint analogies")
    rows = sorted((row for row in rows if not _is_axis(row)), key=_score, reverse=True)[:pairs]
    if not rows:
        raise StudyError("the only analogies are the axis's own words; there is nothing to judge, find more of them")
    blocks = []
    for row in rows:
        words = (_word(row, "first"), _word(row, "second"))
        ends = (_words(row, "positive")[0], _words(row, "negative")[0])
        blocks.append(ItemBlock(ends, (Item("sense", words), Item("stereotype", words))))
    if len(set(blocks)) < len(blocks):
        raise StudyError("an analogy is there twice; give the findings of one run of imprint analogies")
    return Design("analogy", *embedding, tuple(blocks), _participants(participants), _LEAST["analogy"])


def suggestion_design(about: str, *, participants: int = PARTICIPANTS["suggestion"]) -> Design:
    """Ask for words that carry a stereotype about something, such as gender."""
    about = " ".join(about.split())
    if not about or len(about) > _LONGEST_ABOUT or not about.isprintable():
        raise StudyError(f"suggestions about {about[:_LONGEST_ABOUT]!r}; say in at most {_LONGEST_ABOUT} characters")
    block = ItemBlock((about,), (Item("words", (about,)),))
    return Design("suggestion", "", "", (block,), _participants(participants), _LEAST["suggestion"])


def _unfinished(findings: Iterable[Finding], rows: Sequence[Finding]) -> tuple[str, ...]:
    """Tell how many associations were judged by fewer people than the first study wants, where it says how many."""
    wanted = next((row.details.get("quota") for row in findings if row.kind == "study-matching"), None)
    judges = [row.details.get("judges") for row in rows]
    fewer = sum(isinstance(count, int) and isinstance(wanted, int) and count < wanted for count in judges)
    told = f"{fewer} of {len(rows)} associations were judged by fewer than the {wanted} people wanted."
    return (told,) if fewer else ()


def _is_axis(row: Finding) -> bool:
    return {_word(row, "first"), _word(row, "second")} <= {*_words(row, "positive"), *_words(row, "negative")}


def _groups(rows: Sequence[Finding], names: Mapping[str, Sequence[str]]) -> tuple[NameGroup, ...]:
    groups = {}
    for row in rows:
        letter, shown = _word(row, "group"), _words(row, "names")
        groups[letter] = NameGroup(letter, shown, shown if letter in names else shown[:_CUES])
    return tuple(groups.values())


def _exam(groups: Sequence[NameGroup], names: Mapping[str, Sequence[str]] | None) -> tuple[Item, ...]:
    items = []
    for group in groups:
        known = (names or {}).get(group.letter, group.names)
        asked = [name for name in dict.fromkeys(known) if name not in group.cues]
        if len(asked) < EXAM_NAMES:
            raise StudyError(
                f"group {group.letter}: {len(asked)} names to ask about; {EXAM_NAMES} besides those shown are wanted"
            )
        items += [Item("name", (name,), group.letter) for name in asked]
    return tuple(items)


def _check_blocks(blocks: Iterable[ItemBlock], groups: Sequence[NameGroup]) -> None:
    known = {group.letter for group in groups}
    for block in blocks:
        if len(block.groups) < len(block.items) or not known.issuperset(block.groups):
            raise StudyError(
                f"category {', '.join(block.title)!r} names a group twice or one without names; "
                "give the findings of one enumeration"
            )


def _one_embedding(rows: Sequence[Finding], kind: str, command: str) -> tuple[str, str]:
    measured = {(str(row.embedding), str(row.embedding_sha256)) for row in rows}
    if not measured:
        raise StudyError(f"these findings hold no {kind!r} row to ask about; {command} writes them")
    if len(measured) > 1:
        raise StudyError(f"these {kind!r} findings measure {len(measured)} embeddings; give those of one")
    return measured.pop()


def _one_study(rows: Sequence[Finding]) -> str:
    scored = {str(row.details.get("study", "")) for row in rows}
    if len(scored) > 1:
        raise StudyError(f"these findings score {len(scored)} studies; give those of one")
    (only,) = scored
    if not _STUDY.fullmatch(only):
        raise StudyError("these findings do not say which study they score; score it again, or give the study itself")
    return only


def _participants(count: int) -> int:
    if not 1 <= count <= _MOST_PARTICIPANTS:
        raise StudyError(f"{count} people a page; from 1 to {_MOST_PARTICIPANTS:,} are possible")
    return count


def _total(rows: Sequence[Finding]) -> float:
    return sum(map(_score, rows))


def _score(row: Finding) -> float:
    if not isinstance(row.statistic, (int, float)):
        raise StudyError(
            f"finding {row.test!r} has the score {row.statistic!r}; a number was wanted, as imprint writes it"
        )
    return row.statistic


def _word(row: Finding, field: str) -> str:
    value = row.details.get(field)
    if not isinstance(value, str) or not value:
        raise StudyError(f"finding {row.test!r} says {value!r} for {field}; a word was wanted, as imprint writes it")
    return value


def _words(row: Finding, field: str) -> tuple[str, ...]:
    value = row.details.get(field)
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(word, str) for word in value):
        raise StudyError(f"finding {row.test!r} says {value!r} for {field}; words were wanted, as imprint writes them")
    return tuple(value)
