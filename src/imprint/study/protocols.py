"""Protocols: from findings to what people are asked about them.

`ube` and `offense` follow Swinger et al. (2019), section 4.1; `analogy` and `suggestion` Bolukbasi et al. (2016),
sections 2 and 3.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from imprint.checks import Protocol, check_whole
from imprint.directions.analogies import AnalogyRow, analogies
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.result import Enumeration
from imprint.enumeration.rows import MOST_RUNS, UbeGroupRow, UbeRow
from imprint.kinds.findings import read_findings
from imprint.rows import Row
from imprint.stimuli.names import are_surnames
from imprint.study.analysis import score
from imprint.study.design import CANNOT_TELL, Design, Item, ItemBlock, ItemKind, NameGroup, StudyError
from imprint.study.exam import choose_groups, majority_rate
from imprint.study.rows import MatchedRow, MatchingRow
from imprint.study.settings import StudySettings
from imprint.study.store import Store
from imprint.subjects.opening import load
from imprint.types import Progress, Report
from imprint.workers import threads

CATEGORIES = 12  # the paper's top 12
ANALOGIES = 100  # of an embedding; the paper asks about 1,000
FINDINGS = ".jsonl"
PARTICIPANTS: dict[Protocol, int] = {"ube": 18, "offense": 15, "analogy": 10, "suggestion": 50}

_LEAST: dict[Protocol, int] = {"ube": 18, "offense": 13, "analogy": 10, "suggestion": 1}
_SKILL = 0.6  # share of people who know an association, in the note on what the study finds
_FALSE = 0.05  # false discoveries among associations at least as strong, at most
_MOST_PARTICIPANTS = 10_000
_LONGEST_ABOUT = 80
_STUDY = re.compile("[0-9a-f]{32}")

AnyRow = TypeVar("AnyRow", bound=Row)


def make_design(
    source: str | Embedding, settings: StudySettings, *, progress: Report = lambda what, done, total: None
) -> Design:
    """Ask about what is found in an embedding, about findings in a .jsonl file, or what `source` names.

    For `offense` it is a finished study or its scores, for `suggestion` what the words are about.
    """
    settings.check()
    people, pages = settings.participants, settings.pages
    if settings.protocol == "suggestion":
        return suggestion_design(str(source), participants=people)
    findings: Sequence[Row] | None = read_findings(str(source)) if _is_findings(source) else None
    if settings.protocol == "offense":
        return offense_design(_scores(str(source)) if findings is None else findings, participants=people)
    if settings.protocol == "analogy":
        if findings is None:
            pages = pages or ANALOGIES
            # One more: he : she, which is left out, may be among them.
            findings = _analogies(load(source), pages + 1, partial(progress, "comparing all pairs"))
        return analogy_design(findings, pairs=pages, participants=people)
    names = None
    if findings is None:
        enumeration = _enumerate(load(source), settings.seed, partial(progress, "enumerating"))
        findings, names = enumeration.findings(), enumeration.names
    return ube_design(findings, names=names, categories=pages or CATEGORIES, participants=people)


def asks_embedding(source: str, protocol: Protocol) -> bool:
    """Tell whether `make_design` asks about an embedding of this name."""
    return protocol in ("ube", "analogy") and not _is_findings(source)


def ube_design(
    findings: Iterable[Row],
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    categories: int = CATEGORIES,
    participants: int | None = None,
) -> Design:
    """Ask which words society associates with which group of names, for the categories with the largest scores.

    Only groups that common names point to are asked about, with associations that recur and of which few are false,
    where that was tried, and not with family names, which texts put beside first names. `names` gives all names of
    each group; without it only those in the findings are known. Every page offers all these groups. Where the table
    of names knows too few, a page offers its own: a category with one association leaves nothing to choose then, and
    is left out.
    """
    rows = list(findings)
    # Comparisons measure other groups' names.
    cells = [row for row in _of(UbeRow, rows) if row.stands_out and row.groups_of is None]
    embedding = _one_embedding(cells, "ube", "imprint enumerate")
    shown = {row.group: _some(row, row.names) for row in _of(UbeGroupRow, rows) or cells}
    pooled = {letter: tuple(dict.fromkeys((*held, *(names or {}).get(letter, ())))) for letter, held in shown.items()}
    exam, is_clear = choose_groups(pooled)
    asks: ItemKind = "triple" if is_clear else "name"
    if is_clear:  # people see the names that the exam knows they know
        shown = {group.letter: group.shown for group in exam}
    by_category: dict[int, list[UbeRow]] = defaultdict(list)
    for row in cells:
        recurs = row.recurrence is None or row.recurrence > MOST_RUNS
        is_sure = row.q is None or row.q <= _FALSE
        if row.group in shown and recurs and is_sure and not are_surnames(row.words):
            by_category[row.category].append(row)
    several = [held for held in by_category.values() if is_clear or len(held) > 1]
    matched = sorted(several, key=lambda held: sum(row.score for row in held), reverse=True)[:categories]
    if not matched:
        lacking = (
            "association of these groups recurs and is clear of chance"
            if is_clear
            else "category has two associations"
        )
        raise StudyError(f"no {lacking}, so there is nothing to match", hint="enumerate more names or words")
    cues = {group.letter: group.shown for group in exam}
    groups = tuple(NameGroup(letter, held, cues.get(letter, ())) for letter, held in shown.items())
    blocks = tuple(
        ItemBlock(
            title=_some(held[0], held[0].category_words),
            items=tuple(Item("triple", _some(row, row.words), row.group) for row in held),
            groups=(*sorted(sorted(shown if is_clear else {row.group for row in held}), key=len), CANNOT_TELL),
        )
        for held in matched
    )
    _check_blocks(blocks, groups)
    quota, choices = _quota("ube", participants), min(len(block.groups) for block in blocks) - 1
    notes = [f"{len(blocks)} of {len(by_category)} categories are asked about, those with the largest scores."]
    if is_clear:
        notes.append(f"{len(shown)} of {len(pooled)} groups are asked about: those that common names point to.")
    else:
        alone = sum(len(held) == 1 for held in by_category.values())
        notes += [f"{alone} categories have one association and cannot be matched."] if alone else []
        notes.append("The exam's names are not in the census table: check in the preview that people can place them.")
    told, guessed = (majority_rate(_SKILL, choices, quota, telling=telling) for telling in (1.0, 0.0))
    notes.append(
        f"If {_SKILL:.0%} of the people know an association, it counts as shared with probability {told:.2f} if the "
        f"others say that they cannot tell, and {guessed:.2f} if they guess."
    )
    return Design(
        "ube",
        *embedding,
        blocks=blocks,
        quota=quota,
        least=_LEAST["ube"],
        groups=groups,
        exam=tuple(Item(asks, line, group.letter) for group in exam for line in group.asked),
        n_found=len(cells),
        notes=tuple(notes),
    )


def offense_design(findings: Iterable[Row], *, participants: int | None = None) -> Design:
    """Ask how offensive the associations are on which the crowd agreed with the embedding."""
    found = list(findings)
    rows = _of(MatchedRow, found)
    embedding = _one_embedding(rows, "study-association", "imprint study score --json")
    parent = _one_study(rows)
    agreed = [row for row in rows if row.accurate]
    if not agreed:
        raise StudyError("participants agreed with none of the associations, so there is nothing to rate")
    groups = {row.group: NameGroup(row.group, _some(row, row.names)) for row in agreed}
    blocks = tuple(
        ItemBlock(
            title=_some(row, row.category_words),
            items=(Item("rating", _some(row, row.words), row.group),),
            groups=(row.group,),
        )
        for row in agreed
    )
    return Design(
        "offense",
        *embedding,
        blocks=blocks,
        quota=_quota("offense", participants),
        least=_LEAST["offense"],
        groups=tuple(groups.values()),
        notes=(
            f"{len(agreed)} of {len(rows)} associations are rated: those on which the crowd agreed.",
            *_unfinished(found, rows),
        ),
        parent=parent,
    )


def analogy_design(findings: Iterable[Row], *, pairs: int | None = None, participants: int | None = None) -> Design:
    """Ask of each analogy, the best `pairs` of them, whether it makes sense and whether it is a stereotype.

    Two words of the axis itself, as in he : she, are not an analogy and are left out.
    """
    rows = _of(AnalogyRow, findings)
    embedding = _one_embedding(rows, "analogy", "imprint analogies")
    rows = sorted((row for row in rows if not _is_axis(row)), key=lambda row: row.score, reverse=True)[:pairs]
    if not rows:
        raise StudyError(
            "the only analogies are the axis's own words, so there is nothing to judge", hint="find more analogies"
        )
    blocks = []
    for row in rows:
        words = _some(row, (row.first, row.second))
        ends = (_some(row, row.positive)[0], _some(row, row.negative)[0])
        blocks.append(ItemBlock(ends, (Item("sense", words), Item("stereotype", words))))
    if len(set(blocks)) < len(blocks):
        raise StudyError("an analogy is duplicated", hint="give the findings of one run of imprint analogies")
    return Design("analogy", *embedding, tuple(blocks), _quota("analogy", participants), _LEAST["analogy"])


def suggestion_design(about: str, *, participants: int | None = None) -> Design:
    """Ask for words that carry a stereotype about something, such as gender."""
    about = " ".join(about.split())
    if not about or len(about) > _LONGEST_ABOUT or not about.isprintable():
        raise StudyError(option="about", got=about, expected=f"1 to {_LONGEST_ABOUT} printable characters")
    block = ItemBlock((about,), (Item("words", (about,)),))
    return Design("suggestion", "", "", (block,), _quota("suggestion", participants), _LEAST["suggestion"])


def _is_findings(source: object) -> bool:
    return isinstance(source, str) and source.endswith(FINDINGS)


def _scores(study: str) -> Sequence[Row]:
    with Store.open(study) as store:
        return score(store).findings()


def _analogies(embedding: Embedding, pairs: int, progress: Progress) -> Sequence[Row]:
    """Find the best analogies along he and she, without first names, of which there is nothing to judge."""
    return analogies(embedding, ("he", "she"), k=pairs, no_names=True, progress=progress).findings()


def _enumerate(embedding: Embedding, seed: int, progress: Progress) -> Enumeration:
    """Find associations of name groups with words."""
    with threads(None) as executor:
        return enumerate_biases(embedding, seed=seed, workers=executor, progress=progress)


def _unfinished(findings: Iterable[Row], rows: Sequence[MatchedRow]) -> tuple[str, ...]:
    """Count the associations that fewer people judged than the first study asks for, where it says how many."""
    quota = next((row.quota for row in _of(MatchingRow, findings)), 0)
    fewer = sum(row.judges < quota for row in rows)
    return (f"{fewer} of {len(rows)} associations were judged by fewer than {quota} people.",) if fewer else ()


def _is_axis(row: AnalogyRow) -> bool:
    return {row.first, row.second} <= {*row.positive, *row.negative}


def _check_blocks(blocks: Iterable[ItemBlock], groups: Sequence[NameGroup]) -> None:
    known = {*(group.letter for group in groups), CANNOT_TELL}
    for block in blocks:
        if len({item.expected for item in block.items}) < len(block.items) or not known.issuperset(block.groups):
            raise StudyError(
                "names a group twice, or one without names",
                where=f"category {', '.join(block.title)!r}",
                hint="give the findings of one enumeration",
            )


def _one_embedding(rows: Sequence[Row], kind: str, command: str) -> tuple[str, str]:
    measured = {(str(row.embedding), str(row.embedding_sha256)) for row in rows}
    if not measured:
        raise StudyError(
            f"these findings have no {kind!r} row to ask about", expected=kind, hint=f"{command} writes them"
        )
    if len(measured) > 1:
        raise StudyError(
            f"these {kind!r} findings measure {len(measured)} embeddings", expected="one", got=len(measured)
        )
    return measured.pop()


def _one_study(rows: Sequence[MatchedRow]) -> str:
    scored = {row.study for row in rows}
    if len(scored) > 1:
        raise StudyError(f"these findings score {len(scored)} studies", expected="one", got=len(scored))
    (only,) = scored
    if not _STUDY.fullmatch(only):
        raise StudyError(
            "these findings do not say which study they score", hint="score it again, or give the study itself"
        )
    return only


def _quota(protocol: Protocol, participants: int | None) -> int:
    count = PARTICIPANTS[protocol] if participants is None else participants
    return check_whole("participants", count, most=_MOST_PARTICIPANTS)


def _of(kind: type[AnyRow], rows: Iterable[Row]) -> list[AnyRow]:
    return [row for row in rows if isinstance(row, kind)]


def _some(row: Row, words: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a list without words, or with an empty one: nothing could be asked about it."""
    if not all(words) or not words:
        raise StudyError("has no words to ask about", where=f"finding {row.test!r}", got=words, hint="enumerate again")
    return words
