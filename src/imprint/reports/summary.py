"""What findings come to: the verdict in a sentence, how sure we can be, and what to do next."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from imprint.debiasing import DEFAULT_METHOD
from imprint.evaluation.controls import ControlsRow, controls_among
from imprint.files import FilePath
from imprint.jobs.settings import NO_DEBIASING
from imprint.kinds import Kind, all_kinds, by_kind, find_kind
from imprint.kinds.audit import audit_row, in_language, judgement
from imprint.kinds.sections import by_part_and_kind, other_language
from imprint.kinds.verdict import of_people, say_leanings, tally, topic_tiles
from imprint.policies.kinds import GateRow, answers, decision, policies
from imprint.policies.policy import FILE
from imprint.rows import PartRow, Row, SkippedRow
from imprint.significance.outcomes import FOUND
from imprint.stimuli.swaps import DEFAULT_NAMES
from imprint.view import Marked, Prose, Section, Text, Tile, Tiles, join, say, title

Step = tuple[str, *tuple[str, ...]]  # what to do, and the commands

_DEBIASED = "gender"  # the topic of what `imprint debias` removes unless it gets other words
_REST = "Run the rest of the audit (the answers stay as they are)"


def people(rows: Sequence[Row]) -> Sequence[Any]:
    """Return the tests about people that the verdict is about: one row per test, of the first subject."""
    of_kinds = (of_people(own) for kind, own in by_part_and_kind(rows) if kind.asks_people)
    return next(filter(None, of_kinds), ())


def verdict(rows: Sequence[Row]) -> Text:
    """Say the decision if there is one; otherwise what was found, or why nothing can be said."""
    if failed := refused(rows):
        return say("{} cannot be judged{}.", title(failed[0].embedding), in_language(failed[0]))
    answered = answers(rows)
    return decision(answered) if answered else _finding(rows)


def certainty(rows: Sequence[Row]) -> list[Text]:
    """Say the largest size, how many differences chance alone would show, and whether the subject can be judged.

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
    tests = people(rows)
    return say_leanings(tests) if tests else join(_opening(rows), " ")


def _certainty(rows: Sequence[Row]) -> list[Text]:
    tests, judged = people(rows), [text for row in controls_among(rows) for text in judgement([row])]
    if refused(rows):
        return judged
    return [*(text for kind, of_kind in by_part_and_kind(rows) for text in kind.certainty(of_kind, tests)), *judged]


def refused(rows: Sequence[Row]) -> list[ControlsRow]:
    """Return the controls that the subject of the verdict, or of the audit, fails."""
    subjects = {row.embedding_sha256 for row in people(rows)}
    failed = [row for row in controls_among(rows) if row.judged is False]
    return [row for row in failed if row.tests_language is not None or row.embedding_sha256 in subjects]


def tiles(rows: Sequence[Row]) -> Tiles | None:
    """Return a tile per topic, with the outcomes of its tests, and those of other kinds."""
    if refused(rows):
        return None
    of_topics = topic_tiles(tests) if (tests := people(rows)) else []
    others = [
        replace(tile, title=say("{} (English)", tile.title)) if kind.part.english and other_language(rows) else tile
        for kind, of_kind in by_part_and_kind(rows)
        if kind.tile is not None and (tile := kind.tile(of_kind))
    ]
    return Tiles((*of_topics, *others)) if of_topics or others else None


def counts(rows: Sequence[Row]) -> Sequence[Marked]:
    """Return how many answers have each outcome."""
    return () if refused(rows) else tally(people(rows))


def steps(rows: Sequence[Row], file: FilePath | None = None) -> list[Step]:
    """Say what to do next, by commands that exist; limits can decide by a `file` that has these findings."""
    audit = audit_row(rows)
    if audit is None:
        opened = opening_kinds(rows)
        todo: list[Step] = [(said, *commands) for kind, of_kind in opened for said, *commands in kind.steps(of_kind)]
        return todo if opened else [("Run all tests", "imprint audit SUBJECT")]
    name = _quoted(audit.given) or audit.subject.upper()
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
    whole: list[Step] = [(_REST, f"imprint audit {name}{limits}")] if audit.settings.quick else []
    topics = {topic for row in people(rows) if row.outcome in FOUND for topic in row.topics}
    names = "".join(f" --names {topic}" for topic in DEFAULT_NAMES if topic in topics)
    scorer = "Test your product with names swapped (./score: your program, lines of text in, numbers out)"
    product = [(scorer, f"imprint swap command:./score{names}")]
    if audit.subject == "encoder":
        texts = "--queries queries.jsonl --documents documents.jsonl"
        product.append(("Used in search? Rank documents of yours", f"imprint retrieval {name} {texts}"))
    copy = "debiased" if audit.subject == "encoder" else "debiased.safetensors"
    left = ", ".join(filter(None, (kind.after_debiasing(of_kind) for kind, of_kind in by_kind(rows).items())))
    tried = audit.settings.debias if audit.subject == "embedding" else None
    method = "" if tried in (None, NO_DEBIASING, DEFAULT_METHOD) else f" --method {shlex.quote(tried)}"
    debiased = (f"Try a debiased copy{left and f' ({left})'}", f"imprint debias {name} {copy}{method}")
    if not answered:
        decide = f"gate {saved}" if (saved := _quoted(Path(file or "").name)) else f"audit {name}{spoken}"
        policy = ("Set limits, and let them decide", "imprint policy init", f"imprint {decide} --policy {FILE}")
        return [*product, policy, *([debiased] if _DEBIASED in topics else []), *whole]
    failed = [find_kind(row.test.partition(":")[0]) for row in answered if row.verdict == "failed"]
    if not failed:
        return [*product, *whole]
    # What needs no controls is quality, which debiasing does not improve.
    if any(kind is None or kind.part.controlled for kind in failed):
        # Of some encoders, a debiased copy is a transform of vectors that only its user can apply.
        held, model = ("the copy", copy) if audit.subject == "embedding" else ("the copy, or another model,", "OTHER")
        return [debiased, (f"Hold {held} to the same limits", f"imprint audit {model}{limits}"), *product, *whole]
    return [("Hold another model to the same limits", f"imprint audit OTHER{limits}"), *whole]


def _quoted(given: str | None) -> str:
    """Return what was given as a shell takes it; nothing where it cannot be shown."""
    return shlex.quote(given) if given and given.isprintable() else ""


def _option(row: GateRow) -> str:
    """Return the option that gave a condition, and what it was given."""
    option, given = ("policy", row.policy_file) if row.policy_sha256 else (row.rule, row.test)
    return f" --{option} {_quoted(given) or option.upper()}"


def brief(rows: Sequence[Row]) -> list[Text]:
    """Return the summary for a terminal, at most ten lines: the verdict, how sure we are, what else matters."""
    if refused(rows):
        return certainty(rows)  # which says so, and why
    told = [verdict(rows), *certainty(rows)]
    shown = tiles(rows)
    told += [join(map(_in_words, shown.tiles), " ")] if shown else []
    asked = {row.kind for row in people(rows)}
    others = {kind.name for kind in by_kind(rows) if kind.brief is not None} - asked
    for kind, own in by_part_and_kind(row for row in rows if row.kind in others):
        told += islice(kind.brief(own), 1) if kind.brief is not None else ()
    return told


def left_out(rows: Sequence[Row]) -> Text | None:
    """Name what was not run, None where everything was; the page says why."""
    left = [row.title for row in rows if isinstance(row, SkippedRow)]
    left += [row.title for row in rows if isinstance(row, PartRow) and row.why is not None]
    return say("not run (the page says why): {}", title("; ".join(dict.fromkeys(left)))) if left else None


def _in_words(tile: Tile) -> Text:
    counted = (say("{} ({})", mark.text, mark.meaning) if mark.meaning else mark.text for mark in tile.counts)
    return say("{}: {}.", tile.title, join(counted))


def opening_kinds(rows: Sequence[Row]) -> list[tuple[Kind, list[Row]]]:
    """Return the kinds that open a page without tests about people, with their rows."""
    return [] if people(rows) else [(kind, of_kind) for kind, of_kind in by_part_and_kind(rows) if kind.opens]


def _opening(rows: Sequence[Row]) -> list[Text]:
    """Say what rows without tests about people come to: the first sentences of kinds that open pages."""
    said = [text for kind, own in by_part_and_kind(rows) for text in list(kind.sentences(own))[: kind.opens]]
    if not said and any(row.about_people for row in rows):
        return ["Tests about people were run, but none of them has a size that can be judged."]
    why = _why_not(rows)
    return said if said and not why else [say("No test about people was run{}.", why), *said]


def _why_not(rows: Sequence[Row]) -> str:
    """Say why a part that asks about people did not run, or why the first question did not."""
    asking = {kind.part.name for kind in all_kinds() if kind.asks_people}
    why = [row.why for row in rows if isinstance(row, PartRow) and row.test in asking and row.why]
    why += [row.reason for row in rows if isinstance(row, SkippedRow) and row.is_question]
    return f": {why[0]}" if why else ""
