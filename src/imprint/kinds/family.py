"""What tests about people say together, by their levels of evidence: the verdict, topics, methods and card."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.association.rows import AssociationRow, JudgedRow
from imprint.association.verdicts import FOUND
from imprint.kinds import Family, part_of
from imprint.kinds.tests import (
    REVERSED,
    evidence_notes,
    found_counts,
    matched_sets,
    one_family,
    one_sided,
    strongest_row,
)
from imprint.rows import Row
from imprint.view import Text, Tile, Tiles, number, say, title

if TYPE_CHECKING:
    from imprint.association.topics import TopicRow

_NO_LEVEL = "not judged"


def verdict(tests: Sequence[AssociationRow], rows: Sequence[Row]) -> list[Text]:
    """Say what tests about people found; where they found nothing, the strongest correlation with facts."""
    return [*_found(tests), *_correlated(rows, tests)]


def tiles(tests: Sequence[AssociationRow], rows: Sequence[Row]) -> Tiles | None:
    """Return a tile per topic: its size, and the evidence of its tests."""
    from imprint.association.topics import TopicRow

    subjects = {row.embedding_sha256 for row in tests}
    topics = [row for row in rows if type(row) is TopicRow and row.embedding_sha256 in subjects]
    topics = [row for row in topics if part_of(row) == part_of(tests[0])]
    made = tuple(_tile(row, [test for test in tests if row.topic in test.topics]) for row in topics)
    ordered = sorted(made, key=lambda tile: (_rank(tile.level), -abs(tile.estimate or 0.0)))
    return Tiles(tuple(ordered)) if made else None


def method(rows: Sequence[AssociationRow]) -> Iterator[Text]:
    """Say where p-values come from and what evidence means, for the methods section of a paper."""
    judged = [row for row in rows if row.family_size is not None]
    if judged:
        yield say(
            "p-values of association tests are two-sided and come from permutations of the words' labels. {} "
            "Evidence (alpha {}) is moderate where the difference also exceeds that of random words of the "
            "same frequencies and holds over words. It is strong where the difference also exceeds that of "
            "unrelated contrasts in the same space.",
            _corrected(judged),
            number(judged[0].alpha, 2),
        )


def card_notes(rows: Sequence[AssociationRow]) -> Iterator[str]:
    """Say in which direction p-values count."""
    yield f"p is {one_sided(rows)}. Evidence is two-sided."


def _corrected(judged: Sequence[AssociationRow]) -> str:
    """Say over how many tests p-values are corrected: in the part that comes first, then in others."""
    sizes: dict[str, set[int]] = defaultdict(set)
    for row in judged:
        sizes[part_of(row)].add(row.family_size or 0)
    (_, first), *others = ((part, " or ".join(map(str, sorted(known)))) for part, known in sizes.items())
    besides = ", ".join(f"{part}: {size}" for part, size in others if size != first)
    if first == "1" and not besides:
        return "Each test was judged alone."
    tests = "1 test" if first == "1" else f"{first} tests"
    return f"They were corrected by Holm's method over {tests}{besides and f' ({besides})'}."


def _correlated(rows: Sequence[Row], tests: Sequence[AssociationRow]) -> list[Text]:
    """Name the correlation with the strongest evidence, where no test about people has any."""
    from imprint.association.wefat import WefatRow

    found = [row for row in rows if isinstance(row, WefatRow) and row.found]
    if not found or any(row.found for row in tests):
        return []
    best = max(found, key=lambda row: (-_rank(str(row.evidence)), abs(row.r or 0.0)))
    size = (str(best.evidence), number(best.r), title(best.title))
    return [say("But there is {} evidence of a correlation with facts (r = {}): {}.", *size)]


def _found(tests: Sequence[AssociationRow]) -> list[Text]:
    largest = strongest_row(tests)
    if largest is None or largest.evidence is None:
        levels = Counter(row.evidence for row in tests)
        asked = f"{_counted(len(tests))} about people"
        if set(levels) == {None}:
            return [f"{asked}, without the checks that evidence needs."]
        if "none shown" not in levels:
            return [f"{asked}, with too few words to tell."]
        return [f"{asked}, no evidence of an association.", "This does not mean that there is no bias."]
    best = [row for row in tests if row.evidence == largest.evidence]
    level = largest.evidence.capitalize()
    turned = ", the opposite of the stereotype" if largest.direction == REVERSED else ""
    sets = matched_sets(largest)
    what = say("{} associates {} with {}, and {} with {}{}.", title(largest.embedding), *sets, turned)
    lead = (
        f"{level} evidence that "
        if len(best) == 1
        else f"{level} evidence of {len(best)} associations; in the largest, "
    )
    said: list[Text] = [say("{}{}", lead, what)]
    for lower in FOUND[FOUND.index(largest.evidence) + 1 :]:
        if more := sum(row.evidence == lower for row in tests):
            has = "association has" if more == 1 else "associations have"
            said.append(f"{more} more {has} {lower} evidence.")
    return said


def _tile(topic: "TopicRow", tests: Sequence[JudgedRow]) -> Tile:
    levels = Counter(row.evidence or _NO_LEVEL for row in tests)
    best = min(levels, key=_rank, default=_NO_LEVEL)
    size = (topic.mean_difference, topic.words_low, topic.words_high)
    return Tile(title(topic.topic.capitalize()), _counted(len(tests)), found_counts(tests) or best, best, *size)


def _counted(tests: int) -> str:
    return f"{tests} test{'' if tests == 1 else 's'}"


def _rank(level: str) -> int:
    known = [*FOUND, "none shown", "too few words"]
    return known.index(level) if level in known else len(known)


TESTS_ABOUT_PEOPLE = Family(one_family, verdict, tiles, evidence_notes, method, card_notes)
