"""How often the questions about more people are wrong, and what they can find: a line per question, a table in docs.

    python scripts/more_question_rates.py [--runs N] [--copies N] [--seed N] [--write]

Altered copies and planted sizes are those of scripts/question_rates.py. Words are drawn, with replacement, as many per
set as the question has. A rate fails only if its exact 99 % lower bound is above the figure that it is held against.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from question_rates import (
    COVERAGE,
    FALSE_AT_MARGIN,
    MARKS,
    PAGE,
    Pools,
    Repetitions,
    Sets,
    chunks,
    in_single_precision,
    of_sets,
    span,
    verdict,
)

from imprint.association.calibration import ANY, AskedTest, calibrate, original_of
from imprint.files import replacing
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.catalog import more_questions
from imprint.subjects.opening import open_subject
from imprint.threads import single_threaded

SUBJECTS = ("default", "default-encoder")
PLANTED = (MARGIN, 0.2)
OUR_MARKS = ("<!-- Written by scripts/more_question_rates.py -->\n", MARKS[1].replace("rates", "more rates"))


@dataclass(frozen=True)
class Line:
    """What was measured of one question: copies that find something, what it can find, and planted sizes."""

    question: str
    words: int
    exchanged: int  # copies with a finding
    detectable: float
    planted: tuple[Repetitions, ...]

    def cells(self, copies: int) -> list[str]:
        """Return the cells of a subject."""
        _, large = self.planted
        return [
            f"{100 * self.exchanged / copies:.1f}",
            f"{100 * self.detectable:.0f}",
            f"{100 * large.decisions.shows_difference.mean():.0f}",
        ]


def drawn(rng: np.random.Generator, pools: Sets, runs: int) -> ShareOfDistance:
    """Draw as many words for each set as it has."""
    x, y, a, b = (in_single_precision(rows)[rng.integers(len(rows), size=(runs, len(rows)))] for rows in pools)
    return of_sets((x, y), (a, b))


def planted(number: int, question: AskedTest, runs: int, seed: int) -> Iterator[Repetitions]:
    """Plant sizes into a question's own words."""
    for size in PLANTED:
        pools = Pools(question.words).planted(size)
        rng = np.random.default_rng([seed, 2, number, round(100 * size)])
        yield Repetitions.of(size, (drawn(rng, pools, some) for some in chunks(runs)))


def measured(source: str, runs: int, copies: int, seed: int) -> tuple[str, list[Line], dict[str, int]]:
    """Return the subject's name, a line per question, and the copies of each kind in which any finds something."""
    subject, tests = open_subject(source), more_questions()
    rows = calibrate(subject, tests=tests, copies=copies, seed=seed)
    any_of: dict[str, int] = {
        row.altered: row.copies_found or 0 for row in rows if row.test == ANY and row.altered != "mirrored"
    }
    exchanged = {row.test: row.copies_found or 0 for row in rows if row.altered == "names exchanged"}
    lines = []
    with single_threaded():
        for number, question in enumerate(original_of(subject, tests).asked):
            share, name = question.words.share, question.test.id
            repetitions = tuple(planted(number, question, runs, seed))
            lines.append(Line(name, question.words.n_x, exchanged[name], share.detectable() or np.nan, repetitions))
    return subject.name, lines, any_of


def text(subjects: Sequence[tuple[str, list[Line], dict[str, int]]], runs: int, copies: int) -> str:
    """Return the table of questions, then what holds of all of them."""
    names = [name for name, _, _ in subjects]
    heads = [f"{name}: {column}" for name in names for column in ("exchanged", "detectable", "power at 20")]
    rows = [f"| question | words | {' | '.join(heads)} |", f"|---|--:|{'--:|' * len(heads)}"]
    for lines in zip(*(lines for _, lines, _ in subjects), strict=True):
        cells = [cell for line in lines for cell in line.cells(copies)]
        rows.append(f"| `{lines[0].question}` | {lines[0].words} | {' | '.join(cells)} |")
    goal = (1 - CONFIDENCE) * len(subjects[0][1])
    said = [*rows, "", f"| what holds of all {len(subjects[0][1])} | goal | {' | '.join(names)} |"]
    said.append(f"|---|---|{'--:|' * len(names)}")
    for altered in subjects[0][2]:
        counts = [any_of[altered] for _, _, any_of in subjects]
        marked = [bold(f"{100 * count / copies:.1f} %", verdict(count, copies, goal) == "ok") for count in counts]
        said.append(f"| {altered}: any question | at most {100 * goal:.0f} % of copies | {' | '.join(marked)} |")
    of_all = [[repetitions for line in lines for repetitions in line.planted] for _, lines, _ in subjects]
    false = [[one.false for one in several if one.size == MARGIN] for several in of_all]
    marked = [
        bold(
            span([float(flags.mean()) for flags in several]),
            all(verdict(int(flags.sum()), runs, FALSE_AT_MARGIN) == "ok" for flags in several),
        )
        for several in false
    ]
    said.append(f"| 10 % planted: false outcomes | at most 1 % in each | {' | '.join(marked)} |")
    coverage = [[float(one.covered(0.95).mean()) for one in several] for several in of_all]
    marked = [
        bold(span(several), all(COVERAGE[0] <= share <= COVERAGE[1] for share in several)) for several in coverage
    ]
    said.append(f"| the 95 % interval contains the planted size | 92 to 98 % in each | {' | '.join(marked)} |")
    return "\n".join([*said, ""])


def bold(cell: str, is_met: bool) -> str:
    """Mark what misses its goal."""
    return cell if is_met else f"**{cell}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000, help="of each planted size")
    parser.add_argument("--copies", type=int, default=1_000, help="of each subject, of each kind")
    parser.add_argument("--seed", type=int, default=9_214, help="another gives other runs")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/questions.md")
    options = parser.parse_args()
    subjects = [measured(source, options.runs, options.copies, options.seed) for source in SUBJECTS]
    tables = text(subjects, options.runs, options.copies)
    print(tables)
    if options.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(OUR_MARKS[0])
        after = rest.split(OUR_MARKS[1])[1]
        with replacing(PAGE) as part:
            part.write_text(f"{before}{OUR_MARKS[0]}\n{tables}\n{OUR_MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
