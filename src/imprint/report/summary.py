"""What findings come to: the verdict in a sentence, how sure we can be, and what to do next."""

from collections import Counter
from collections.abc import Sequence

from imprint.association.calibration import CalibrationRow
from imprint.association.rows import AssociationRow, JudgedRow
from imprint.association.topics import TopicRow
from imprint.association.verdicts import FOUND
from imprint.evaluation.controls import ControlsRow
from imprint.kinds import part_of
from imprint.kinds.audit import AuditRow
from imprint.kinds.gate import GateRow, decision
from imprint.kinds.sections import by_part_and_kind
from imprint.kinds.tests import REVERSED, strongest_row
from imprint.kinds.topics import say_topics
from imprint.rows import PartRow, Row, SkippedRow
from imprint.view import Text, Tile, Tiles, join, say, title

Step = tuple[str, str]  # what to do, and the command

_FAMILIES = ("weat", "seat")  # kinds whose tests about people are counted, the first that there is
_BRIEF = ("seat", "wefat", "ube-overview", "debiasing", "change")  # kinds with a sentence in the terminal's summary
_NO_LEVEL = "not judged"


def people(rows: Sequence[Row]) -> list[AssociationRow]:
    """Return the tests about people that the verdict is about: one row per test, of the first subject."""
    for kind in _FAMILIES:
        own = [
            row
            for row in rows
            if isinstance(row, AssociationRow)
            and row.kind == kind
            and row.about_people
            and part_of(row) == kind
            and getattr(row, "unit", "word") == "word"
        ]
        if own:
            framed = [row for row in own if getattr(row, "context", None) != "word"] or own
            return [row for row in framed if row.embedding_sha256 == framed[0].embedding_sha256]
    return []


def verdict(rows: Sequence[Row]) -> Text:
    """Say in a sentence or two what was found, or why nothing can be said."""
    tests = people(rows)
    if refused := _refused(rows, tests):
        return say(
            "{} cannot be judged: it fails controls that every usable subject passes.", title(refused[0].embedding)
        )
    answers = [row for row in rows if isinstance(row, GateRow)]
    decided = [decision(answers)] if answers else []
    return join([*decided, *(_found(tests) if tests else ["No test about people was run."])], " ")


def certainty(rows: Sequence[Row]) -> list[Text]:
    """Say whether the subject can be judged, and what copies without the associations show."""
    sure = (ControlsRow,) if _refused(rows, people(rows)) else (ControlsRow, CalibrationRow)
    own = by_part_and_kind(row for row in rows if isinstance(row, sure))
    return [text for kind, listed in own for text in kind.sentences(listed)]


def _refused(rows: Sequence[Row], tests: Sequence[AssociationRow]) -> list[ControlsRow]:
    """Return the controls that the subject of these tests, or of the audit, fails."""
    subjects = {row.embedding_sha256 for row in tests}
    failed = [row for row in rows if isinstance(row, ControlsRow) and row.judged is False]
    return [row for row in failed if isinstance(row, AuditRow) or row.embedding_sha256 in subjects]


def tiles(rows: Sequence[Row]) -> Tiles | None:
    """Return a tile per topic: its size, and the evidence of its tests."""
    tests = people(rows)
    subjects = {row.embedding_sha256 for row in tests}
    topics = [row for row in rows if type(row) is TopicRow and row.embedding_sha256 in subjects]
    topics = [row for row in topics if part_of(row) == part_of(tests[0])]
    made = tuple(_tile(row, [test for test in tests if row.topic in test.topics]) for row in topics)
    ordered = sorted(made, key=lambda tile: (_rank(tile.level), -abs(tile.estimate or 0.0)))
    return Tiles(tuple(ordered)) if made else None


def steps(rows: Sequence[Row]) -> list[Step]:
    """Say what to do next, by commands that exist."""
    audit = next((row for row in rows if isinstance(row, AuditRow)), None)
    if audit is None:
        return [("Run all tests, with the controls", "imprint audit SUBJECT")]
    encoded = audit.subject == "encoder"
    name = audit.subject.upper()
    if audit.judged is False:
        usable = "default-encoder" if encoded else "default"
        return [
            ("See what the vectors are good for", f"imprint evaluate {name}"),
            ("Try with vectors that pass the controls", f"imprint audit {usable}"),
        ]
    found = [("Run the whole audit", f"imprint audit {name}")] if audit.settings.quick else []
    if not any(isinstance(row, GateRow) for row in rows):
        found.append(("Set limits for your own use", "imprint policy init"))
    own = "seat ENCODER --tests FILE" if encoded else "weat EMBEDDING --x X --y Y --a A --b B"
    found.append(("Ask about words of your own", f"imprint {own}"))
    if encoded:
        found.append(("Compare it with another", "imprint compare ENCODER OTHER"))
    else:
        found.append(("Write a debiased copy", "imprint debias EMBEDDING OUT.safetensors"))
    return found[:3]


def brief(rows: Sequence[Row]) -> list[Text]:
    """Return the summary for a terminal, some ten lines: the verdict, how sure we are, and what else matters most."""
    told = [verdict(rows), *certainty(rows)[:2]]
    told += say_topics([row for row in rows if type(row) is TopicRow])
    asked = {row.kind for row in people(rows)}
    for kind, own in by_part_and_kind(row for row in rows if row.kind in {*_BRIEF} - asked):
        if kind.name != "change" or part_of(own[0]) == kind.part.name:
            told += list(kind.sentences(own))[:1]
    left = {row.test for row in rows if isinstance(row, SkippedRow)}
    left |= {row.test for row in rows if isinstance(row, PartRow) and row.why is not None}
    return [*told, *([f"Not run: {len(left)} tests or parts; the page says why."] if left else [])]


def _found(tests: Sequence[AssociationRow]) -> list[Text]:
    largest = strongest_row(tests)
    if largest is None or largest.evidence is None:
        levels = Counter(row.evidence for row in tests)
        if set(levels) == {None}:
            return [f"{len(tests)} tests about people were run, but without the checks that evidence needs."]
        return [
            f"None of {len(tests)} tests about people shows evidence of an association.",
            "This does not mean that there is no bias.",
        ]
    best = [row for row in tests if row.evidence == largest.evidence]
    level = largest.evidence.capitalize()
    turned = ", the opposite of the stereotype" if largest.direction == REVERSED else ""
    roles = "xbya" if largest.direction == REVERSED else "xayb"
    sets = (title(largest.set_name(role)) for role in roles)
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


def _tile(topic: TopicRow, tests: Sequence[JudgedRow]) -> Tile:
    levels = Counter(row.evidence or _NO_LEVEL for row in tests)
    best = min(levels, key=_rank, default=_NO_LEVEL)
    found = [f"{levels[level]} {level}" for level in FOUND if levels[level]]
    asked = f"{len(tests)} test{'' if len(tests) == 1 else 's'}"
    size = (topic.mean_difference, topic.words_low, topic.words_high)
    return Tile(title(topic.topic.capitalize()), asked, ", ".join(found) or best, best, *size)


def _rank(level: str) -> int:
    known = [*FOUND, "none shown", "too few words"]
    return known.index(level) if level in known else len(known)
