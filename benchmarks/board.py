"""How often a board is wrong about two models whose sizes are known.

    python benchmarks/board.py [--runs N] [--seed N] [--write]

The words of the questions about gender, with their vectors in a model, are pools that words are drawn from with
replacement, the same words for both models. Two copies of the bundled GloVe get noise of their own, and sizes by
moving names along the line between the two kinds of words. GloVe and the bundled encoder are also compared as they
are. What is counted is what the board itself says. Then whole boards of such copies are made, and what their headlines
say of gender is counted. Prints two tables in Markdown; `--write` also puts them into docs/board.md.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from imprint.association.rows import AssociationRow, Measured
from imprint.association.sizes import size_fields
from imprint.association.vectors import SetVectors, shares_of, words_of_both
from imprint.boards.comparing import DifferenceRow, differences
from imprint.boards.rows import BoardDifferenceRow, BoardTopicDifferenceRow
from imprint.boards.sentences import ModelChoice, choose
from imprint.boards.subjects import Asked, BoardEntry, MeasuredModel, measure_subject
from imprint.files import replacing
from imprint.rows import WordList
from imprint.significance.outcomes import MARGIN
from imprint.significance.shares import change_of_size
from imprint.stimuli.catalog import questions
from imprint.threads import single_threaded
from imprint.types import Floats

PAGE = Path(__file__).resolve().parents[1] / "docs" / "board.md"
MARKS = ("<!-- Written by benchmarks/board.py -->\n", "<!-- end of rates -->\n")
HEADLINE_MARKS = ("<!-- Headlines, by benchmarks/board.py -->\n", "<!-- end of headlines -->\n")

TOPIC = "gender"
WORDS = (25, 200)  # in each set
NOISE = 0.5  # of a vector's length

Pool = Sequence[Measured[AssociationRow]]


@dataclass(frozen=True)
class World:
    """Two models: the sizes that they get, or None for those that they have."""

    title: str
    sizes: tuple[float, float] | None


# The sizes of the models of whole boards, in percent.
BOARDS = ((20, 20, 20, 20), (0, 20, 20, 20), (5, 10, 15, 20), (15, 20, 20, 20), (20,) * 8)

WORLDS = (
    World("no association in either", (0.0, 0.0)),
    World("20 % in both", (0.2, 0.2)),
    World("20 % and -20 %", (0.2, -0.2)),
    World("10 % and 20 %", (0.1, 0.2)),
    World("0 % and 20 %", (0.0, 0.2)),
    World("GloVe and USE as they are", None),
)


@dataclass(frozen=True)
class Said:
    """What a board says of two models: whether they differ, and which of them has less bias, of which true sizes."""

    is_topic: bool
    sizes: tuple[float, float]
    row: DifferenceRow
    covered: bool  # by the interval at 95 %

    @property
    def difference(self) -> float:
        """The true difference."""
        return round(self.sizes[1] - self.sizes[0], 9)

    @property
    def covered_finely(self) -> bool:
        """Whether the row's own interval holds the true difference."""
        low, high = self.row.size_low, self.row.size_high
        return low is None or high is None or low <= self.difference <= high

    @property
    def right(self) -> str | None:
        """The model that has less bias; None where both have the same."""
        less = round(abs(self.sizes[1]) - abs(self.sizes[0]), 9)
        return None if less == 0 else self.row.change_from if less > 0 else self.row.change_to

    @property
    def is_wrong(self) -> bool:
        """Whether equal models are said to differ, or a difference to be on the wrong side of 0 or of the margin."""
        far, differs = abs(self.difference), self.row.found
        wrong_side = differs and (self.row.size or 0.0) * self.difference <= 0
        return wrong_side or {"small": far >= MARGIN, "substantial": far <= MARGIN}.get(self.row.outcome or "", False)


RATES: dict[str, Callable[[Said], bool]] = {
    "said to differ": lambda said: said.row.found,
    "wrong": lambda said: said.is_wrong,
    "less bias, right": lambda said: said.row.less is not None and said.row.less == said.right,
    "less bias, wrong": lambda said: said.row.less is not None and said.row.less != said.right,
    "95 % interval": lambda said: said.covered,
    "99.5 % interval": lambda said: said.covered_finely,
}


def pool_of(source: str) -> Pool:
    """Measure a subject as a board does, in the questions."""
    tests = tuple(test for test in questions() if TOPIC in test.topics)
    model = MeasuredModel.read(measure_subject(BoardEntry(source), Asked(tests, 0)))
    return model.measured([row for row in model.rows() if isinstance(row, AssociationRow) and row.is_question])


def pools_of(first: str, second: str) -> tuple[Pool, Pool]:
    """Measure two subjects, and keep the words that both have."""
    pairs = []
    for one, other in zip(pool_of(first), pool_of(second), strict=True):
        words = None if one.words is None or other.words is None else words_of_both(one.words, other.words)
        if words is None:
            raise SystemExit(f"{one.row.test}: the models do not have its words")
        pairs.append((Measured(one.row, words[0]), Measured(other.row, words[1])))
    return tuple(one for one, _ in pairs), tuple(other for _, other in pairs)


def measured_words(pool: Pool) -> list[tuple[AssociationRow, SetVectors]]:
    """Return the rows of tests with their words."""
    return [(row, words) for row, words in pool if words is not None]


def true_size(words: SetVectors) -> float:
    """Return the size of all words of the pools."""
    u, v = words.share.u, words.share.v
    return float(u @ v / (v @ v))


def drawn_indices(pool: Pool, count: int, rng: np.random.Generator) -> Mapping[tuple[str, ...], np.ndarray]:
    """Draw words of each set of targets and of attributes; questions about the same names share them."""
    found: dict[tuple[str, ...], np.ndarray] = {}
    for _, words in measured_words(pool):
        for listed, first in ((words.target_words, words.n_x), (words.attribute_words, words.n_a)):
            if listed not in found:
                halves = rng.integers(first, size=count), rng.integers(first, len(listed), size=count)
                found[listed] = np.concatenate(halves)
    return found


@dataclass(frozen=True)
class Headline:
    """What a board's headline comes to, beside the true sizes of its models, which are called by their numbers."""

    sizes: tuple[int, ...]
    choice: ModelChoice

    @property
    def is_wrong(self) -> bool:
        """Whether a model is said to have less bias than one that has no more."""
        return any(
            self.sizes[int(less)] >= self.sizes[int(more)]
            for more, smaller in self.choice.smaller.items()
            for less in smaller
        )

    @property
    def takes_smallest(self) -> bool:
        """Whether it says which to take, and one of these has the smallest size of all."""
        return self.choice.is_complete and min(self.sizes) in {self.sizes[int(name)] for name in self.choice.take}

    @property
    def takes_another(self) -> bool:
        """Whether it says which to take, and none of these has the smallest size."""
        return self.choice.is_complete and not self.takes_smallest


HEADLINES: dict[str, Callable[[Headline], bool]] = {
    "the words do not decide": lambda said: not said.choice.smaller,
    "says which to avoid": lambda said: bool(said.choice.smaller) and not said.choice.is_ordered,
    "says which have less than which": lambda said: said.choice.is_ordered and not said.choice.is_complete,
    "says to take the smallest, alone or with others": lambda said: said.takes_smallest,
    "says to take others": lambda said: said.takes_another,
    "a wrong order": lambda said: said.is_wrong,
}


def headlines(pool: Pool, sizes: tuple[int, ...], count: int, runs: int, seed: int) -> Iterator[Headline]:
    """Make boards of copies of the model, and yield what each says of the topic."""
    for child in np.random.SeedSequence([seed, BOARDS.index(sizes), count, len(sizes)]).spawn(runs):
        rng = np.random.default_rng(child)
        indices = drawn_indices(pool, count, rng)
        models = [made_model(pool, str(number), size / 100, indices, rng) for number, size in enumerate(sizes)]
        rows = [row for first, second in combinations(models, 2) for row in differences(first, second)]
        yield Headline(sizes, choose([row for row in rows if isinstance(row, BoardTopicDifferenceRow)]))


def headline_lines(pool: Pool, runs: int, seed: int) -> Iterator[str]:
    """Return the lines of the table of headlines."""
    yield f"| true sizes | {' | '.join(HEADLINES)} |"
    yield f"|---|{'--:|' * len(HEADLINES)}"
    for sizes in BOARDS:
        with single_threaded():
            said = [*headlines(pool, sizes, max(WORDS), runs, seed)]
        shown = f"{sizes[0]} % in all {len(sizes)}" if len({*sizes}) == 1 else ", ".join(f"{size} %" for size in sizes)
        cells = (f"{100 * np.mean([rate(headline) for headline in said]):.1f}" for rate in HEADLINES.values())
        yield f"| {shown} | {' | '.join(cells)} |"


def made_model(
    pool: Pool,
    name: str,
    size: float | None,
    indices: Mapping[tuple[str, ...], np.ndarray],
    rng: np.random.Generator,
) -> list[Measured[AssociationRow]]:
    """Return a model's rows and vectors of drawn words; with a size, of a copy with noise."""

    def noisy(rows: Floats) -> Floats:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        noise = rng.standard_normal(rows.shape) / np.sqrt(rows.shape[1])
        return rows if size is None else np.asarray(rows + NOISE * lengths * noise)

    made = []
    names: dict[tuple[str, ...], Floats] = {}  # the same in all questions about them
    for row, words in measured_words(pool):
        chosen, other = indices[words.target_words], indices[words.attribute_words]
        half = len(chosen) // 2
        shift = 0.0 if size is None else (size - true_size(words)) / 2
        if words.target_words not in names:
            names[words.target_words] = noisy(words.targets[chosen])
        targets = names[words.target_words] + shift * np.repeat([1.0, -1.0], half)[:, None] * words.share.v
        # A word that is drawn twice is two words.
        named = [
            tuple(f"{listed[index]} {place}" for place, index in enumerate(own))
            for listed, own in ((words.target_words, chosen), (words.attribute_words, other))
        ]
        drawn = SetVectors(named[0], named[1], half, half, targets, noisy(words.attributes[other]))
        halves = [side[at] for side in named for at in (slice(half), slice(half, None))]
        sets = tuple(WordList(role, role, side) for role, side in zip("xyab", halves, strict=True))
        fields: dict[str, Any] = {"embedding": name, "sets": sets} | size_fields(drawn.share.size())
        made.append(Measured(msgspec.structs.replace(row, **fields), drawn))
    return made


def said_of(
    first: Pool, second: Pool, sizes: tuple[float, float] | None, count: int, rng: np.random.Generator
) -> Iterator[Said]:
    """Draw words, and yield what a board says of two models in each question and in the topic."""
    indices = drawn_indices(first, count, rng)
    models = [
        made_model(pool, name, None if sizes is None else sizes[index], indices, rng)
        for index, (pool, name) in enumerate(((first, "first"), (second, "second")))
    ]
    true = {
        row.test: sizes or (true_size(words), true_size(others))
        for (row, words), (_, others) in zip(measured_words(first), measured_words(second), strict=True)
    }
    vectors = [{row.test: words for row, words in measured_words(model)} for model in models]
    for row in differences(*models):
        tests = [row.test] if isinstance(row, BoardDifferenceRow) else [*row.tests]
        if not tests:
            continue
        own = np.mean([true[test] for test in tests], axis=0)
        before, after = (shares_of([side[test] for test in tests]) for side in vectors)
        at_95 = change_of_size(before, after, confidence=0.95)
        covered = at_95.low is None or at_95.high is None or at_95.low <= own[1] - own[0] <= at_95.high
        yield Said(not isinstance(row, BoardDifferenceRow), (float(own[0]), float(own[1])), row, covered)


def simulate(pools: tuple[Pool, Pool], world: World, count: int, runs: int, seed: int) -> list[Said]:
    """Return what is said in many draws."""
    first, second = pools if world.sizes is None else (pools[0], pools[0])
    children = np.random.SeedSequence([seed, WORLDS.index(world), count]).spawn(runs)
    with single_threaded():
        return [
            said
            for child in children
            for said in said_of(first, second, world.sizes, count, np.random.default_rng(child))
        ]


def lines(pools: tuple[Pool, Pool], runs: int, seed: int) -> Iterator[str]:
    """Return the lines of the table of pairs."""
    yield f"| true sizes | words per set | {' | '.join(RATES)} |"
    yield f"|---|--:|{'--:|' * len(RATES)}"
    for world in WORLDS:
        for count in WORDS:
            said = simulate(pools, world, count, runs, seed)
            cells = []
            for rate in RATES.values():
                by_kind = [[rate(one) for one in said if one.is_topic == is_topic] for is_topic in (False, True)]
                cells.append(", ".join(f"{100 * np.mean(kind):.1f}" for kind in by_kind))
            yield f"| {world.title} | {count} | {' | '.join(cells)} |"


def write(table: Sequence[str], marks: tuple[str, str]) -> None:
    """Put a table into the page, in place of the one that is there."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(marks[0])
    _, after = rest.split(marks[1])
    with replacing(PAGE) as part:
        part.write_text("".join([before, marks[0], "\n".join(table), "\n", marks[1], after]), encoding="utf-8")


def main() -> None:
    """Print the tables, and write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=37)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--boards", type=int, default=60, help="whole boards of each line")
    parser.add_argument("--headlines", action="store_true", help="only the table of headlines")
    given = parser.parse_args()
    pools = pools_of("default", "default-encoder")
    tables = {} if given.headlines else {MARKS: lines(pools, given.runs, given.seed)}
    for marks, table in (tables | {HEADLINE_MARKS: headline_lines(pools[0], given.boards, given.seed)}).items():
        printed = []
        for line in table:
            print(line, flush=True)
            printed.append(line)
        if given.write:
            write(printed, marks)


if __name__ == "__main__":
    main()
