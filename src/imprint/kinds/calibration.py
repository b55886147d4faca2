"""Calibration as a kind: how often a subject in which nothing is to be found would seem to show a difference."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from imprint import view
from imprint.association.calibration import ANY, Altered, CalibrationRow
from imprint.association.rows import AssociationRow
from imprint.kinds import Kind, NamedTests, Part
from imprint.rows import Row
from imprint.stimuli.catalog import without_more
from imprint.stimuli.definition import Test, WeatTest
from imprint.tables import Columns, Field, table

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

CHANCE = Part("calibration", "What chance shows", 15)

_MADE: dict[Altered, str] = {
    "shuffled": "vectors exchanged among all words",
    "shuffled by frequency": "vectors exchanged among words of like frequency",
    "names exchanged": "names exchanged among like names; the other words keep their vectors",
    "mirrored": "names mirrored along random axes of the space",
}


def run(job: "Job", progress: "Progress") -> Iterable[Row]:
    """Calibrate the questions of the verdict, and the user's own tests; in languages without questions, the tests."""
    from imprint.association.calibration import calibrate
    from imprint.embeddings.embedding import Embedding

    plan = job.plan
    tests = [test for test in without_more(plan.asked, plan.topics) if isinstance(test, WeatTest)]
    return calibrate(
        job.subject,
        tests=[test for test in tests if test.is_question or test in plan.tests] or tests,
        copies=plan.copies if isinstance(job.subject, Embedding) else plan.copies // 2,  # more dimensions
        cache=job.encodings,
        seed=plan.seed,
        workers=job.executor,
        report=lambda _, done, total: progress(done, total),
    )


def blocks(rows: Sequence[CalibrationRow]) -> Iterator[view.Block]:
    """Show how often any question has a finding in each kind of copy; single questions are one click away."""
    found = [row for row in rows if row.altered != "mirrored"]
    mirrored = [row for row in rows if row.altered == "mirrored"]
    if overall := _overall(found):
        caption = view.say(
            "Copies with a finding in {}, of {} of each kind", _asked(overall), view.count(overall[0].copies)
        )
        listed = table(CalibrationRow, caption, overall, _COLUMNS, more=_MORE)
        yield view.Details("Copies with a finding", (listed, view.footnote(_NOTHING_THERE)))
    single = [row for row in found if row not in overall]
    if single:
        yield table(CalibrationRow, "The same, by question", single, [_TITLE, *_COLUMNS], more=_MORE, folded=True)
    if mirrored:
        reached = "What differences between random groups reach, in mirrored copies"
        listed = table(CalibrationRow, reached, mirrored, [_TITLE, "size_reached"])
        yield view.Details("How large differences are in this space", (view.footnote(_MIRRORED), listed))


_NOTHING_THERE = (
    "Where vectors or names are exchanged, nothing is to be found. A question is counted if it is present or "
    "substantial, as in the model itself. If many more copies than expected have such a question, one finding in this "
    "model says little."
)
_MIRRORED = (
    "Mirrored copies keep the shape of the space, but put the groups of names where chance would. The groups do "
    "differ there, so this is not an error rate. Nineteen of 20 copies stay below the size given. A finding below it "
    "is not a false alarm, and holds for other such names. It is just not unusual in this model."
)
_TITLE = Field("title", "Question")
_COLUMNS: Columns = (
    Field("altered", cell=lambda row: _MADE.get(row.altered, row.altered)),
    "copies_found",
    "share",
    "share_expected",
)
_MORE: Columns = ("copies_differing",)


def sentences(rows: Sequence[CalibrationRow]) -> Iterator[view.Text]:
    """Say how often copies have a finding, in the worst kind."""
    if overall := _overall(row for row in rows if row.altered != "mirrored"):
        worst = max(overall, key=lambda row: row.share or 0.0)
        yield view.say(
            "Could this be chance? {} copies without any bias showed a finding in {} (the worst of {} kinds); at "
            "most about {} are expected.",
            _share(worst),
            _asked(overall),
            view.count(len(overall)),
            f"{worst.copies * (worst.share_expected or 0.0):.2g}",
        )


def certainty(rows: Sequence[CalibrationRow], tests: Sequence[AssociationRow]) -> Iterator[view.Text]:
    """Warn where copies have findings more often than chance gives."""
    if not tests or rows[0].embedding_sha256 != tests[0].embedding_sha256:
        return
    too_many = [row for row in _overall(rows) if (row.share_low or 0.0) > (row.share_expected or 0.0)]
    for row in too_many[:1]:
        yield view.say(
            "Findings are less certain than they should be: {} copies without any difference have one ({}).",
            _share(row),
            _MADE[row.altered],
        )


def names(tests: Sequence[Test], rows: Sequence[Row]) -> NamedTests:
    """Return the ids of tests, and the name of them all."""
    return NamedTests("test", [ANY, *(test.id for test in tests)])


def _overall(rows: "Iterator[CalibrationRow] | Sequence[CalibrationRow]") -> list[CalibrationRow]:
    """Return the first row of each kind of copy, which is about any question."""
    return list({row.altered: row for row in reversed(list(rows))}.values())[::-1]


def _asked(rows: Sequence[CalibrationRow]) -> view.Text:
    most = max(row.questions for row in rows)
    return view.title(rows[0].title) if most == 1 else view.say("any of {} questions", view.count(most))


def _share(row: CalibrationRow) -> view.Text:
    return view.say("{} of {}", view.count(row.copies_found), view.count(row.copies))


CALIBRATION = Kind(
    row=CalibrationRow,
    part=CHANCE,
    blocks=blocks,
    sentences=sentences,
    run=run,
    seconds=3.0,
    quick_seconds=1.0,
    card=True,
    method="The questions were repeated on altered copies of the model in which there is nothing to find.",
    certainty=certainty,
    names=names,
)
