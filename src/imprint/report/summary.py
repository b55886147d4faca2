"""What findings come to: the verdict in a sentence, how sure we can be, and what to do next."""

from collections import Counter
from collections.abc import Sequence

from imprint.association.calibration import CalibrationRow
from imprint.association.rows import AssociationRow, JudgedRow
from imprint.association.topics import TopicRow
from imprint.association.verdicts import FOUND
from imprint.association.wefat import WefatRow
from imprint.audit.kinds import AuditRow
from imprint.evaluation.controls import ControlsRow
from imprint.evaluation.leakage import NAMES, LeakageRow
from imprint.kinds import find_kind, part_of
from imprint.kinds.controls import in_language
from imprint.kinds.sections import by_part_and_kind
from imprint.kinds.tests import REVERSED, found_counts, matched_sets, one_family, strongest_row
from imprint.policy.kinds import GateRow, decision, policies
from imprint.rows import PartRow, Row, SkippedRow
from imprint.view import Text, Tile, Tiles, join, number, say, title

Step = tuple[str, str]  # what to do, and the command

_FAMILIES = ("weat", "seat")  # kinds whose tests about people are counted, the first that there is
_BRIEF = ("seat", "wefat", "ube-overview", "debiasing", "change")  # kinds with a sentence in the terminal's summary
_NO_LEVEL = "not judged"


def people(rows: Sequence[Row]) -> list[AssociationRow]:
    """Return the tests about people that the verdict is about: one row per test, of the first subject."""
    for kind in _FAMILIES:
        asked = (row for row in rows if isinstance(row, AssociationRow) and row.kind == kind)
        if own := one_family(asked):
            return own
    return []


def verdict(rows: Sequence[Row]) -> Text:
    """Say the decision if there is one; otherwise what was found, or why nothing can be said."""
    if failed := refused(rows):
        return say("{} cannot be judged{}.", title(failed[0].embedding), in_language(failed[0]))
    answers = _answers(rows)
    return decision(answers) if answers else _finding(rows)


def certainty(rows: Sequence[Row]) -> list[Text]:
    """Say whether the subject can be judged, and what copies without the associations show.

    Below a decision, say first who decides, and what was found.
    """
    answers = _answers(rows)
    found = [] if refused(rows) or not answers else [_finding(rows)]
    return [*policies(answers), *found, *_certainty(rows)]


def _answers(rows: Sequence[Row]) -> list[GateRow]:
    return [row for row in rows if isinstance(row, GateRow)]


def _finding(rows: Sequence[Row]) -> Text:
    tests = people(rows)
    return join([*_found(tests), *_correlated(rows, tests)] if tests else _opening(rows), " ")


def _certainty(rows: Sequence[Row]) -> list[Text]:
    tests = people(rows)
    asked = by_part_and_kind(row for row in rows if isinstance(row, ControlsRow))
    said = [text for kind, own in asked for text in kind.sentences(own)]
    copies = [row for row in rows if isinstance(row, CalibrationRow)]
    if copies and not refused(rows):
        found = sum(row.found for row in tests)
        matching = tests and copies[0].embedding_sha256 == tests[0].embedding_sha256
        levels = found_counts(tests)
        here = say(" Here: {}{}.", f"{found}", f" ({levels})" if levels else "") if matching else ""
        said += [say("{}{}", text, here) for kind, own in by_part_and_kind(copies) for text in kind.sentences(own)]
    return said


def refused(rows: Sequence[Row]) -> list[ControlsRow]:
    """Return the controls that the subject of the verdict, or of the audit, fails."""
    subjects = {row.embedding_sha256 for row in people(rows)}
    failed = [row for row in rows if isinstance(row, ControlsRow) and row.judged is False]
    return [row for row in failed if isinstance(row, AuditRow) or row.embedding_sha256 in subjects]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 test, 2 tests."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def tiles(rows: Sequence[Row]) -> Tiles | None:
    """Return a tile per topic: its size, and the evidence of its tests."""
    tests = people(rows)
    if refused(rows):
        return None
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
        other = not people(rows) and any(kind.opens for kind, _ in by_part_and_kind(rows))
        return [] if other else [("Run all tests", "imprint audit SUBJECT")]
    name = audit.subject.upper()
    language = audit.settings.language
    spoken = f" --language {language}" if language != "en" and language.isalpha() else ""
    if refused(rows):
        usable = "default-encoder" if audit.subject == "encoder" else "default"
        return [
            ("See what the vectors are good for", f"imprint evaluate {name}"),
            ("Try with vectors that pass the controls", f"imprint audit {usable}"),
        ]
    answers = _answers(rows)
    limits = spoken + "".join(dict.fromkeys(map(_option, answers)))
    whole = [("Run the whole audit", f"imprint audit {name}{limits}")] if audit.settings.quick else []
    copy = "OUT/" if audit.subject == "encoder" else "OUT.safetensors"
    left = [row.accuracy for row in rows if isinstance(row, LeakageRow) and row.word_list == NAMES and row.against]
    recovered = f" (even there, gender is recognised from {100 * max(left):.0f} % of names)" if left else ""
    debiased = (f"Try a debiased copy{recovered}", f"imprint debias {name} {copy}")
    if not answers:
        decide = f"imprint audit {name}{spoken} --policy imprint.toml"
        own = [("Set limits for your own use", "imprint policy init"), ("Let the limits decide", decide)]
        return [*whole, *own, debiased][:3]
    failed = [find_kind(row.test.partition(":")[0]) for row in answers if row.verdict == "failed"]
    if not failed:
        return [*whole, debiased]
    # What needs no controls is quality, which debiasing does not improve.
    own = [debiased] if any(kind is None or kind.part.controlled for kind in failed) else []
    held = "the copy, or another model," if own else "another model"
    return [*own, (f"Hold {held} to the same limits", f"imprint audit OTHER{limits}"), *whole]


def _option(row: GateRow) -> str:
    """Return the option that gave a condition, without what it was given."""
    return " --policy POLICY" if row.policy_sha256 else f" --{row.rule} CONDITION"


def brief(rows: Sequence[Row]) -> list[Text]:
    """Return the summary for a terminal, about a dozen lines: the verdict, how sure we are, what else matters."""
    if refused(rows):
        return certainty(rows)  # which says so, and why
    told = [verdict(rows), *certainty(rows)]
    shown = tiles(rows)
    found = [say("{}: {}", one.title, one.text) for one in shown.tiles if one.level in FOUND] if shown else []
    told += [say("By topic: {}.", join(found, "; "))] if found else []
    asked = {row.kind for row in people(rows)}
    for kind, own in by_part_and_kind(row for row in rows if row.kind in {*_BRIEF} - asked):
        if kind.name != "change" or part_of(own[0]) == kind.part.name:
            told += list(kind.sentences(own))[:1]
    left = [row.test for row in rows if isinstance(row, SkippedRow)]
    left += [row.test for row in rows if isinstance(row, PartRow) and row.why is not None]
    named = title(", ".join(dict.fromkeys(left)))
    return [*told, *([say("Not run (the page says why): {}.", named)] if left else [])]


def _opening(rows: Sequence[Row]) -> list[Text]:
    """Say what rows without tests about people come to: the first sentences of kinds that open pages."""
    said = [text for kind, own in by_part_and_kind(rows) for text in list(kind.sentences(own))[: kind.opens]]
    return said or ["No test about people was run."]


def _correlated(rows: Sequence[Row], tests: Sequence[AssociationRow]) -> list[Text]:
    """Name the correlation with the strongest evidence, where no test about people has any."""
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
        asked = f"{counted(len(tests), 'test')} about people"
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


def _tile(topic: TopicRow, tests: Sequence[JudgedRow]) -> Tile:
    levels = Counter(row.evidence or _NO_LEVEL for row in tests)
    best = min(levels, key=_rank, default=_NO_LEVEL)
    asked = counted(len(tests), "test")
    size = (topic.mean_difference, topic.words_low, topic.words_high)
    return Tile(title(topic.topic.capitalize()), asked, found_counts(tests) or best, best, *size)


def _rank(level: str) -> int:
    known = [*FOUND, "none shown", "too few words"]
    return known.index(level) if level in known else len(known)
