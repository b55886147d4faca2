"""What findings come to: the verdict in a sentence, how sure we can be, and what to do next."""

import shlex
from collections.abc import Sequence
from itertools import islice
from typing import Any

from imprint.evaluation.controls import ControlsRow, controls_among
from imprint.kinds import Family, by_kind, find_kind
from imprint.kinds.audit import audit_row
from imprint.kinds.controls import in_language, judgement
from imprint.kinds.sections import by_part_and_kind
from imprint.policies.kinds import GateRow, answers, decision, policies
from imprint.rows import PartRow, Row, SkippedRow
from imprint.significance.outcomes import FOUND
from imprint.view import Block, Marked, Prose, Section, Text, Tile, Tiles, join, say, title

Step = tuple[str, str]  # what to do, and the command


def people(rows: Sequence[Row]) -> Sequence[Any]:
    """Return the tests about people that the verdict is about: one row per test, of the first subject."""
    return _tests(rows)[1]


def _tests(rows: Sequence[Row]) -> tuple[Family | None, Sequence[Any]]:
    """Return the tests about people of the first kind that has any, and its family."""
    for kind, own in by_part_and_kind(rows):
        if kind.family is not None and (tests := kind.family.tests(own)):
            return kind.family, tests
    return None, ()


def verdict(rows: Sequence[Row]) -> Text:
    """Say the decision if there is one; otherwise what was found, or why nothing can be said."""
    if failed := refused(rows):
        return say("{} cannot be judged{}.", title(failed[0].embedding), in_language(failed[0]))
    answered = answers(rows)
    return decision(answered) if answered else _finding(rows)


def certainty(rows: Sequence[Row]) -> list[Text]:
    """Say whether the subject can be judged, the largest size, and how many differences chance alone would show.

    Below a decision, say first who decides, and what was found.
    """
    answered = answers(rows)
    found = [] if refused(rows) or not answered else [_finding(rows)]
    return [*policies(answered), *found, *_certainty(rows)]


def opening(rows: Sequence[Row]) -> Section:
    """Return what opens an audit in a notebook: the verdict, how sure we can be, and the tiles."""
    shown = tiles(rows)
    said = (Prose(verdict(rows), "lead"), *map(Prose, certainty(rows)))
    return Section("verdict", "Verdict", (*said, *((shown,) if shown else ())))


def _finding(rows: Sequence[Row]) -> Text:
    family, tests = _tests(rows)
    return join(_opening(rows) if family is None else family.verdict(tests, rows), " ")


def _certainty(rows: Sequence[Row]) -> list[Text]:
    tests = people(rows)
    said = [text for row in controls_among(rows) for text in judgement([row])]
    if not refused(rows):
        said += [text for kind, own in by_part_and_kind(rows) for text in kind.certainty(own, tests)]
    return said


def refused(rows: Sequence[Row]) -> list[ControlsRow]:
    """Return the controls that the subject of the verdict, or of the audit, fails."""
    subjects = {row.embedding_sha256 for row in people(rows)}
    failed = [row for row in controls_among(rows) if row.judged is False]
    return [row for row in failed if row.tests_language is not None or row.embedding_sha256 in subjects]


def tiles(rows: Sequence[Row]) -> Tiles | None:
    """Return a tile per topic, with the outcomes of its tests."""
    family, tests = _tests(rows)
    return None if family is None or refused(rows) else family.tiles(tests, rows)


def counts(rows: Sequence[Row]) -> Sequence[Marked]:
    """Return how many answers have each outcome."""
    family, tests = _tests(rows)
    return () if family is None or refused(rows) else family.counts(tests)


def notes(rows: Sequence[Row]) -> Sequence[Block]:
    """Explain the words of the verdict and the tiles."""
    family, tests = _tests(rows)
    return () if family is None else tuple(family.notes(tests))


def steps(rows: Sequence[Row]) -> list[Step]:
    """Say what to do next, by commands that exist."""
    audit = audit_row(rows)
    if audit is None:
        other = not people(rows) and any(kind.opens for kind, _ in by_part_and_kind(rows))
        return [] if other else [("Run all tests", "imprint audit SUBJECT")]
    name = shlex.quote(audit.given) if audit.given and audit.given.isprintable() else audit.subject.upper()
    language = audit.settings.language
    spoken = f" --language {language}" if language != "en" and language.isalpha() else ""
    if refused(rows):
        usable = "default-encoder" if audit.subject == "encoder" else "default"
        return [
            ("See what the vectors are good for", f"imprint evaluate {name}"),
            ("Try with vectors that pass the controls", f"imprint audit {usable}"),
        ]
    answered = answers(rows)
    limits = spoken + "".join(dict.fromkeys(map(_option, answered)))
    whole = [("Run the whole audit", f"imprint audit {name}{limits}")] if audit.settings.quick else []
    copy = "debiased" if audit.subject == "encoder" else "debiased.safetensors"
    left = ", ".join(filter(None, (kind.after_debiasing(own) for kind, own in by_kind(rows).items())))
    debiased = (f"Try a debiased copy{left and f' ({left})'}", f"imprint debias {name} {copy}")
    if not answered:
        decide = f"imprint audit {name}{spoken} --policy imprint.toml"
        own = [("Set limits for your own use", "imprint policy init"), ("Let the limits decide", decide)]
        return [*whole, *own, debiased][:3]
    failed = [find_kind(row.test.partition(":")[0]) for row in answered if row.verdict == "failed"]
    if not failed:
        return [*whole, debiased]
    # What needs no controls is quality, which debiasing does not improve.
    own = [debiased] if any(kind is None or kind.part.controlled for kind in failed) else []
    held = "the copy, or another model," if own else "another model"
    return [*own, (f"Hold {held} to the same limits", f"imprint audit OTHER{limits}"), *whole]


def _option(row: GateRow) -> str:
    """Return the option that gave a condition, and what it was given."""
    option, given = ("policy", row.policy_file) if row.policy_sha256 else (row.rule, row.test)
    return f" --{option} {shlex.quote(given) if given and given.isprintable() else option.upper()}"


def brief(rows: Sequence[Row]) -> list[Text]:
    """Return the summary for a terminal, about a dozen lines: the verdict, how sure we are, what else matters."""
    if refused(rows):
        return certainty(rows)  # which says so, and why
    told = [verdict(rows), *certainty(rows)]
    told += [say("{}.", join(mark.text for mark in counts(rows)))] if counts(rows) else []
    shown = tiles(rows)
    found = [_in_words(tile) for tile in shown.tiles if tile.outcome in FOUND] if shown else []
    told += [say("By topic: {}.", join(found, "; "))] if found else []
    asked = {row.kind for row in people(rows)}
    others = {kind.name for kind in by_kind(rows) if kind.brief is not None} - asked
    for kind, own in by_part_and_kind(row for row in rows if row.kind in others):
        told += islice(kind.brief(own), 1) if kind.brief is not None else ()
    left = [row.test for row in rows if isinstance(row, SkippedRow)]
    left += [row.test for row in rows if isinstance(row, PartRow) and row.why is not None]
    named = title(", ".join(dict.fromkeys(left)))
    return [*told, *([say("Not run (the page says why): {}.", named)] if left else [])]


def _in_words(tile: Tile) -> Text:
    return say("{}: {}", tile.title, join(count.text for count in tile.counts))


def _opening(rows: Sequence[Row]) -> list[Text]:
    """Say what rows without tests about people come to: the first sentences of kinds that open pages."""
    said = [text for kind, own in by_part_and_kind(rows) for text in list(kind.sentences(own))[: kind.opens]]
    return said or ["No test about people was run."]
