"""How often the outcomes of questions are wrong, on simulated words and on altered copies of a subject's own words.

    python scripts/question_rates.py [--runs N] [--seed N]
    python scripts/question_rates.py --subject default default-encoder --write
    python scripts/question_rates.py --subject default --test caliskan-6 caliskan-7 [--tests FILE] [--copies N]

Without a subject, words are drawn around the means of their sets, in a space of which everything is known. With
subjects, embeddings or encoders, the words of each test, found in the subject, are pools that words are drawn from
with replacement; and copies of the subject exchange what the tests ask about. The tests are the ten questions unless
others are named. Prints tables in Markdown; `--write` also writes the summary into docs/questions.md. A rate fails
only if its exact 99 % lower bound is above the figure that it is held against.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from imprint.association.calibration import AskedTest, CalibrationRow, calibrate, original_of
from imprint.association.vectors import SetVectors
from imprint.association.weat import find_test
from imprint.files import replacing
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import Decisions, ShareOfDistance, change_of_size, mean_size, p_values
from imprint.stimuli.catalog import questions, read_tests
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import open_subject
from imprint.threads import single_threaded

PAGE = Path(__file__).resolve().parents[1] / "docs" / "questions.md"
MARKS = ("<!-- Written by scripts/question_rates.py -->\n", "<!-- end of rates -->\n")

SIZES = (25, 50, 100, 200)
PLANTED = (0.0, 0.1, 0.2, 0.3)
SIZES_OF_POOLS = (25, 100, 200)
PLANTED_IN_POOLS = (MARGIN, 0.2)
DISTANCES = {"large": 0.30, "small": 0.08}  # |mean A - mean B|^2, where a word's deviations add up to 0.8
DIMENSIONS = 100
NOISE = {False: "normal", True: "t3"}
COVERAGE = (0.92, 0.98)
FALSE_AT_MARGIN = 0.01
POWER = 0.95  # with 200 words and a planted size of 20 %
ANY_OF_TEN = {"shuffled": 0.06, "shuffled by frequency": 0.06, "names exchanged": 0.08}

_AT_ONCE = 5  # repetitions, whose arrays stay in the processor's cache
_DISTANCE_OF_TARGETS = 0.30
_ALIKE = 0.6  # share of the variance that two versions of a space have in common
_DEVIATIONS = 0.8  # squared length of a word's deviation from the mean of its set

Rows = np.ndarray
Sets = tuple[Rows, Rows, Rows, Rows]


@dataclass(frozen=True)
class Repetitions:
    """What repetitions with a known size decide, and the p-value of that size in each."""

    size: float
    decisions: Decisions
    p_values: np.ndarray

    @classmethod
    def of(cls, size: float, shares: Iterable[ShareOfDistance]) -> "Repetitions":
        """Decide chunks of repetitions."""
        pairs = [(Decisions.of(share), p_values(*share.contrast(size))) for share in shares]
        decisions, p_of_size = zip(*pairs, strict=True)
        joined = (np.concatenate([getattr(part, one.name) for part in decisions]) for one in fields(Decisions))
        return cls(size, Decisions(*joined), np.concatenate(p_of_size))

    def covered(self, confidence: float) -> np.ndarray:
        """Tell which intervals contain the size: those that do not reject it."""
        return np.asarray(self.p_values >= 1 - confidence)

    @property
    def false(self) -> np.ndarray:
        """Tell which outcomes are false at this size; at the margin, small and substantial are."""
        substantial, small = self.decisions.substantial, self.decisions.small
        return np.asarray((substantial & (self.size <= MARGIN)) | (small & (self.size >= MARGIN)))

    @property
    def cells(self) -> list[str]:
        """The end of a row: coverage, outcomes, and how many of these are false."""
        decided = self.decisions
        coverage = self.covered(0.95).mean()
        outcomes = (decided.shows_difference, decided.substantial, decided.small, self.false)
        return [
            f"{coverage:.3f}",
            "ok" if COVERAGE[0] <= coverage <= COVERAGE[1] else "outside",
            f"{self.covered(CONFIDENCE).mean():.3f}",
            f"{1 - decided.distinguished.mean():.3f}",
            *(f"{flags.mean():.3f}" for flags in outcomes),
            verdict(int(self.false.sum()), len(self.false), FALSE_AT_MARGIN),
        ]


@dataclass(frozen=True)
class Space:
    """A space in which sets of words have known means: deviations are wider along some axes than along others."""

    size: float
    distance: float
    heavy: bool

    @property
    def widths(self) -> Rows:
        """The standard deviation along each axis."""
        variances = 1 / (1 + np.arange(DIMENSIONS) / 10)
        return np.asarray(np.sqrt(variances * (_DEVIATIONS / variances.sum())))

    def noise(self, rng: np.random.Generator, *shape: int) -> Rows:
        """Draw deviations of words from the mean of their set."""
        whole = (*shape, DIMENSIONS)
        drawn = rng.standard_t(3, whole) / np.sqrt(3) if self.heavy else rng.standard_normal(whole)
        return np.asarray(drawn * self.widths)

    def means(self, questions: int = 1) -> tuple[Rows, Rows]:
        """Return u, and v of each question: unrelated sets differ along the axes along which words do."""
        ways = np.random.default_rng(7).standard_normal((questions + 1, DIMENSIONS)) * self.widths
        v = ways[1:] * (np.sqrt(self.distance) / np.linalg.norm(ways[1:], axis=1, keepdims=True))
        u = ways[0] * np.sqrt(_DISTANCE_OF_TARGETS) / np.linalg.norm(ways[0])
        return u + np.linalg.pinv(v) @ (self.size * np.sum(v**2, axis=1) - v @ u), v

    def draw(self, rng: np.random.Generator, count: int, runs: int) -> ShareOfDistance:
        """Draw so many words of each set, around means that are the same in all runs."""
        u, v = self.means()
        x, y, a, b = (self.noise(rng, runs, count) + mean / 2 for mean in (u, -u, v[0], -v[0]))
        return of_sets((x, y), (a, b))

    def questions(self, rng: np.random.Generator, count: int, questions: int = 3) -> list[ShareOfDistance]:
        """Draw questions about the same names, each with attributes of its own."""
        u, v = self.means(questions)
        targets = np.concatenate([self.noise(rng, count) + u / 2, self.noise(rng, count) - u / 2])
        shares = []
        for number, way in enumerate(v, start=1):
            attributes = np.concatenate([self.noise(rng, count) + way / 2, self.noise(rng, count) - way / 2])
            units = (range(2 * count), range(2 * count * number, 2 * count * (number + 1)))
            shares.append(ShareOfDistance.of(targets, attributes, count, count, units=units))
        return shares

    def versions(self, rng: np.random.Generator, count: int) -> tuple[ShareOfDistance, ShareOfDistance]:
        """Draw one question in two versions of a space, with the same words and deviations that are alike."""
        u, v = self.means()
        means = np.stack([u, -u, v[0], -v[0]])[:, None] / 2
        common, *changed = (self.noise(rng, 4, count) for _ in range(3))
        first, second = (np.sqrt(_ALIKE) * common + np.sqrt(1 - _ALIKE) * own + means for own in changed)
        return of_sets((first[0], first[1]), (first[2], first[3])), of_sets(
            (second[0], second[1]), (second[2], second[3])
        )


@dataclass(frozen=True)
class Pools:
    """The words of a real question, of which words are drawn with replacement; X and Y are moved to plant a size."""

    words: SetVectors

    def planted(self, size: float) -> Sets:
        """Return the four sets, so that the size over their words is exactly this."""
        x, y = np.split(self.words.targets, [self.words.n_x])
        a, b = np.split(self.words.attributes, [self.words.n_a])
        u, v = (first.mean(axis=0) - second.mean(axis=0) for first, second in ((x, y), (a, b)))
        move = (size - u @ v / (v @ v)) * v / 2
        return x + move, y - move, a, b


def in_single_precision(rows: Rows) -> Rows:
    """Return rows as precise as subjects have them, which takes half the time."""
    return np.asarray(rows, dtype=np.float32)


def drawn(rng: np.random.Generator, pools: Sets, count: int, runs: int) -> ShareOfDistance:
    """Draw so many words for each set."""
    x, y, a, b = (in_single_precision(rows)[rng.integers(len(rows), size=(runs, count))] for rows in pools)
    return of_sets((x, y), (a, b))


def of_sets(targets: tuple[Rows, Rows], attributes: tuple[Rows, Rows]) -> ShareOfDistance:
    """Return the share of sets of rows."""
    n_x, n_a = targets[0].shape[-2], attributes[0].shape[-2]
    return ShareOfDistance.of(np.concatenate(targets, axis=-2), np.concatenate(attributes, axis=-2), n_x, n_a)


def chunks(runs: int) -> Iterator[int]:
    """Return how many runs each chunk has."""
    for start in range(0, runs, _AT_ONCE):
        yield min(_AT_ONCE, runs - start)


def verdict(count: int, runs: int, most: float) -> str:
    """Tell whether a rate is surely above the figure it is held against."""
    return "fails" if count and binomial_interval(count, runs, 0.98)[0] > most else "ok"


def most_accepted(runs: int, most: float) -> int:
    """Return the highest count that does not fail."""
    return next(count for count in range(runs) if verdict(count + 1, runs, most) == "fails")


def simulated(runs: int, seed: int) -> Iterator[list[str]]:
    """Return what happens in every cell of the simulated space."""
    for distance, heavy, count, planted in product(DISTANCES, (False, True), SIZES, PLANTED):
        rng = np.random.default_rng([seed, *distance.encode(), heavy, count, round(100 * planted)])
        space = Space(planted, DISTANCES[distance], heavy)
        repetitions = Repetitions.of(planted, (space.draw(rng, count, some) for some in chunks(runs)))
        yield [distance, NOISE[heavy], str(count), f"{planted:.1f}", *repetitions.cells]


@dataclass(frozen=True)
class Drawing:
    """What happens where so many words per set are drawn from a question's own, and a size is planted."""

    question: str
    count: int
    repetitions: Repetitions

    @property
    def row(self) -> list[str]:
        """The row of a table."""
        return [self.question, str(self.count), f"{self.repetitions.size:.1f}", *self.repetitions.cells]


def of_pools(asked: Sequence[AskedTest], runs: int, seed: int) -> Iterator[Drawing]:
    """Return what happens where words are drawn from each question's own."""
    for (number, question), planted, count in product(enumerate(asked), PLANTED_IN_POOLS, SIZES_OF_POOLS):
        pools = Pools(question.words).planted(planted)
        rng = np.random.default_rng([seed, 1, number, count, round(100 * planted)])
        repetitions = Repetitions.of(planted, (drawn(rng, pools, count, some) for some in chunks(runs)))
        yield Drawing(question.test.id, count, repetitions)


def of_shared_names(runs: int, seed: int) -> Iterator[list[str]]:
    """Return the coverage of the mean of three sizes that share their names, and of the change of one size."""
    for distance, heavy, count, planted in product(DISTANCES, (False, True), (25, 100), (0.0, 0.2)):
        rng = np.random.default_rng([seed, 3, *distance.encode(), heavy, count, round(100 * planted)])
        space = Space(planted, DISTANCES[distance], heavy)
        covered: dict[str, list[bool]] = {"mean of three": [], "change": []}
        for _ in range(runs):
            first, second = space.versions(rng, count)
            for label, size, truth in (
                ("mean of three", mean_size(space.questions(rng, count), 0.95), planted),
                ("change", change_of_size([first], [second], 0.95), 0.0),
            ):
                if size.low is not None and size.high is not None:
                    covered[label].append(size.low <= truth <= size.high)
        for label, inside in covered.items():
            share = np.mean(inside) if inside else np.nan
            row = [label, distance, NOISE[heavy], str(count), f"{planted:.1f}", f"{share:.3f}"]
            yield [*row, f"{1 - len(inside) / runs:.3f}"]


@dataclass(frozen=True)
class Rates:
    """What was measured on one subject."""

    subject: str
    drawings: Sequence[Drawing]
    copies: Sequence[CalibrationRow]  # of any question, one per kind of copies


def rates_of(source: str, tests: Sequence[WeatTest], runs: int, copies: int, seed: int) -> Rates:
    """Measure every rate on a subject."""
    subject = open_subject(source)
    of_copies = of_altered_copies(calibrate(subject, tests=tests, copies=copies, seed=seed))
    with single_threaded():
        drawings = list(of_pools(original_of(subject, tests).asked, runs, seed))
    return Rates(subject.name, drawings, of_copies)


def of_altered_copies(rows: Iterable[CalibrationRow]) -> list[CalibrationRow]:
    """Return the first row of each kind of copies in which nothing is to be found: that of any question."""
    first: dict[str, CalibrationRow] = {}
    for row in rows:
        if row.altered in ANY_OF_TEN:
            first.setdefault(row.altered, row)
    return list(first.values())


def judged(row: CalibrationRow) -> str:
    """Tell whether too many copies have a finding."""
    return verdict(row.copies_found or 0, row.copies, ANY_OF_TEN[row.altered])


def copies_row(row: CalibrationRow) -> list[str]:
    """Return the row of a table."""
    share = f"{row.share:.3f} [{row.share_low:.3f}, {row.share_high:.3f}]"
    counts = [str(count) for count in (row.copies, row.questions, row.copies_found, row.copies_differing)]
    return [row.altered, *counts, share, judged(row)]


KINDS_OF_COPIES = {
    "shuffled": "vectors exchanged among all words",
    "shuffled by frequency": "vectors exchanged among words of like frequency",
    "names exchanged": "names exchanged among like names, words as they are",
}


def summary(measured: Sequence[Rates]) -> str:
    """Return the summary in Markdown: a row per goal, a column per subject, and a sentence on what is missed."""
    lines: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for rates in measured:
        for label, goal, value, is_met in (*copies_lines(rates.copies), *drawing_lines(rates.drawings)):
            lines.setdefault((label, goal), []).append((value, is_met))
    names = [rates.subject for rates in measured]
    rows = [f"| what is measured | goal | {' | '.join(names)} |", f"|---|---|{'--:|' * len(names)}"]
    missed = []
    for (label, goal), values in lines.items():
        marked = [value if is_met or not goal else f"**{value}**" for value, is_met in values]
        rows.append(f"| {label} | {goal} | {' | '.join(marked)} |")
        for name, (value, is_met) in zip(names, values, strict=True):
            if goal and not is_met:
                missed.append(f"- {name}: {label}: {value}; the goal is {goal}.")
    ending = ["Goals that are missed, in bold above:", "", *missed] if missed else ["All goals are met."]
    return "\n".join([*rows, "", limits(measured[0]), "", *ending, ""])


def limits(rates: Rates) -> str:
    """Return the counts up to which the goals are met."""
    copies, runs = rates.copies[0].copies, len(rates.drawings[0].repetitions.p_values)
    of_copies = [f"{most_accepted(copies, most)} for {100 * most:.0f} %" for most in sorted({*ANY_OF_TEN.values()})]
    return (
        f"Of {copies:,} copies, at most {' and '.join(of_copies)} may have a finding. Of {runs:,} runs, at most "
        f"{most_accepted(runs, FALSE_AT_MARGIN)} may have a false outcome."
    )


def copies_lines(rows: Sequence[CalibrationRow]) -> Iterator[tuple[str, str, str, bool]]:
    """Return a label, the goal, the rate and whether it meets it; the mean difference alone has no goal."""
    for row in rows:
        meaning = KINDS_OF_COPIES[row.altered]
        goal = f"at most {100 * ANY_OF_TEN[row.altered]:.0f} % of copies"
        found, differing = (
            f"{100 * (count or 0) / row.copies:.1f} %" for count in (row.copies_found, row.copies_differing)
        )
        yield f"{meaning}: any question `present` or `substantial`", goal, found, judged(row) == "ok"
        yield f"{meaning}: any question with *d* not 0", "", differing, True


def drawing_lines(drawings: Sequence[Drawing]) -> Iterator[tuple[str, str, str, bool]]:
    """Return a label, the goal, the rates and whether they meet it, of words drawn from the questions' own."""
    found = [
        drawing.repetitions.decisions.shows_difference
        for drawing in drawings
        if drawing.repetitions.size > MARGIN and drawing.count == max(SIZES_OF_POOLS)
    ]
    false = [drawing.repetitions.false for drawing in drawings if drawing.repetitions.size == MARGIN]
    coverage = [float(drawing.repetitions.covered(0.95).mean()) for drawing in drawings]
    outside = sum(not COVERAGE[0] <= share <= COVERAGE[1] for share in coverage)
    yield (
        f"a size of 20 % planted, {max(SIZES_OF_POOLS)} words drawn per set: `present` or `substantial`",
        f"at least {100 * POWER:.0f} % in each question",
        span([float(flags.mean()) for flags in found]),
        all(verdict(int((~flags).sum()), len(flags), 1 - POWER) == "ok" for flags in found),
    )
    yield (
        "a size of 10 % planted: `small` or `substantial`, which are false",
        f"at most {100 * FALSE_AT_MARGIN:.0f} % in each cell",
        span([float(flags.mean()) for flags in false]),
        all(verdict(int(flags.sum()), len(flags), FALSE_AT_MARGIN) == "ok" for flags in false),
    )
    yield (
        "the 95 % interval, computed in the same way, contains the planted size",
        f"{100 * COVERAGE[0]:.0f} to {100 * COVERAGE[1]:.0f} % in each cell",
        span(coverage) + (f", {outside} of {len(coverage)} cells outside" if outside else ""),
        not outside,
    )


def span(shares: Sequence[float]) -> str:
    """Return the lowest and the highest of shares, and their mean."""
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f} %, mean {100 * np.mean(shares):.1f} %"


def write(text: str) -> None:
    """Write the summary into the page, between its marks."""
    whole = PAGE.read_text(encoding="utf-8")
    before, rest = whole.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with replacing(PAGE) as part:
        part.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}", encoding="utf-8")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", nargs="+", default=[], help="embeddings or encoders")
    parser.add_argument("--test", nargs="+", default=[], help="tests of the catalogue, by id")
    parser.add_argument("--tests", type=Path, help="a file of tests, all of which are asked")
    parser.add_argument("--runs", type=int, default=1_000, help="of each cell")
    parser.add_argument("--copies", type=int, default=1_000, help="of the subject, of each kind")
    parser.add_argument("--seed", type=int, default=8_823, help="another gives other runs")
    parser.add_argument("--write", action="store_true", help="write the summary into docs/questions.md")
    options = parser.parse_args()
    ends = ["coverage, 95 %", "", "coverage, 99.5 %", "no interval", "present or more", "substantial", "small"]
    ends += ["false", ""]
    if not options.subject:
        with single_threaded():
            names = ["A from B", "words", "per set", "planted"]
            table("Simulated words", [*names, *ends], simulated(options.runs, options.seed))
            names = ["of", "A from B", "words", "per set", "planted", "coverage, 95 %", "no interval"]
            table("Sizes that share words", names, of_shared_names(options.runs, options.seed))
        return
    tests = [find_test(name) for name in options.test]
    if options.tests is not None:
        tests += [test for test in read_tests(options.tests) if isinstance(test, WeatTest)]
    tests = tests or list(questions())
    measure = partial(rates_of, tests=tests, runs=options.runs, copies=options.copies, seed=options.seed)
    measured = []
    with ProcessPoolExecutor(len(options.subject)) as processes:
        for rates in processes.map(measure, options.subject):
            heads = ["question", "per set", "planted", *ends]
            rows = (drawing.row for drawing in rates.drawings)
            table(f"{rates.subject}: words drawn from the questions' own", heads, rows)
            heads = ["kind", "copies", "questions", "with a finding", "*d* not 0", "share with a finding", ""]
            table(f"{rates.subject}: altered copies", heads, (copies_row(row) for row in rates.copies))
            measured.append(rates)
    text = summary(measured)
    print(f"\n{text}")
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
