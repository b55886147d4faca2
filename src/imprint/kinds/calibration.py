"""Calibration as a kind: what a subject without these associations would show."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from imprint import view
from imprint.association.calibration import CalibrationRow, Share
from imprint.association.copies import Null
from imprint.association.rows import AssociationRow
from imprint.association.verdicts import FOUND, Evidence
from imprint.kinds import Kind, Part
from imprint.kinds.tests import found_counts
from imprint.rows import Row
from imprint.tables import Columns, Field, as_text, draw_field, table

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

CHANCE = Part("calibration", "What chance shows", 15)

_IMPURE: Null = "clusters"  # random neighbours are still about something
# What a copy is, and what it keeps of the subject.
_MADE: dict[Null, tuple[str, str]] = {
    "shuffled": ("vectors exchanged among all words", "nothing"),
    "by frequency": ("vectors exchanged among words of similar frequency", "word frequency"),
    "rotated": ("one pair of word sets turned in a random direction", "how similar the words of a set are"),
    "flipped": ("one pair of word sets mirrored at random along the main directions", "that, and the space's shape"),
    "flipped but frequency": ("the same, but not mirrored along directions of word frequency", "all of these"),
    _IMPURE: ("groups of neighbouring words instead (not counted above: they share topics)", "real associations"),
}
_STRONGER = {
    "strong": "Copies with at least one strong finding, with 95 % bounds.",
    "moderate": "Copies with at least one finding that is moderate or strong.",
    "limited": "Copies with at least one finding of any level.",
}


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Calibrate the association tests of the language."""
    from imprint.association.calibration import calibrate
    from imprint.embeddings.embedding import Embedding
    from imprint.stimuli.definition import WeatTest

    plan = job.plan
    embedded = isinstance(job.subject, Embedding)
    tests = [test for test in plan.asked if isinstance(test, WeatTest)] if embedded else job.sentence_tests
    return list(
        calibrate(
            job.subject,
            tests=tests,
            copies=plan.copies if embedded else plan.copies // 2,  # each has several times the dimensions
            alpha=plan.alpha,
            cache=job.encodings,
            seed=plan.seed,
            executor=job.executor,
            report=lambda _, done, total: progress(done, total),
        ).findings()
    )


def blocks(rows: Sequence[CalibrationRow]) -> Iterator[view.Block]:
    """Show how many copies of each kind have findings of each level."""
    caption = view.say(
        "Findings in {} copies of each kind, {} tests about people",
        view.count(rows[0].copies),
        view.count(rows[0].family_size),
    )
    shares = [
        Field(title=level.capitalize(), meaning=_STRONGER[level], cell=_share_of(level), numeric=True)
        for level in FOUND
    ]
    columns: Columns = [Field("null", cell=lambda row: _made(row)[0]), *shares, "findings"]
    kept = Field(title="What they keep", cell=lambda row: _made(row)[1])
    yield table(CalibrationRow, caption, rows, columns, more=[kept])
    yield view.Prose(
        "Even vectors without any of these associations can look biased by chance. Each kind of copy keeps something "
        "of the original and breaks what the tests ask about. If such copies often reach a level of evidence, one "
        "finding of that level says little."
    )


def sentences(rows: Sequence[CalibrationRow]) -> Iterator[view.Text]:
    """Say what copies without the associations show, at worst."""
    pure = [row for row in rows if row.null != _IMPURE] or list(rows)
    worst = {level: max((row.share(level) for row in pure), key=lambda one: one.share) for level in FOUND}
    yield view.say(
        "Could this be chance? Altered copies without these associations ({} of each of {} kinds) have up to {} "
        "findings on average. In the worst kind, {} have at least one of any level, {} a moderate or strong one, and "
        "{} a strong one.",
        view.count(rows[0].copies),
        view.count(len(pure)),
        view.number(max(row.findings for row in pure), 1),
        *(_text(worst[level]) for level in ("limited", "moderate", "strong")),
    )


def certainty(rows: Sequence[CalibrationRow], tests: Sequence[AssociationRow]) -> Iterator[view.Text]:
    """Say what copies show, beside what the subject itself does."""
    found = sum(row.found for row in tests)
    matching = tests and rows[0].embedding_sha256 == tests[0].embedding_sha256
    levels = found_counts(tests)
    here = view.say(" Here: {}{}.", f"{found}", f" ({levels})" if levels else "") if matching else ""
    for text in sentences(rows):
        yield view.say("{}{}", text, here)


def _made(row: CalibrationRow) -> tuple[str, str]:
    """Return how copies were made, and what they keep."""
    return _MADE.get(row.null, (row.null, ""))


def _share_of(level: Evidence) -> "Callable[[CalibrationRow], view.Cell | view.Text]":
    return lambda row: draw_field(row.share(level), "share")


def _text(share: Share) -> view.Text:
    return as_text(draw_field(share, "share"))


CALIBRATION = Kind(
    "calibration",
    row=CalibrationRow,
    part=CHANCE,
    blocks=blocks,
    sentences=sentences,
    run=run,
    seconds=6.0,
    quick_seconds=2.0,
    card=True,
    method="The tests were repeated on altered copies of the model that keep frequency, coherence and covariance "
    "but break the tested alignment.",
    certainty=certainty,
)
