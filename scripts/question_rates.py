"""How often the outcomes of questions are wrong, on simulated words and on altered copies of a subject's own words.

    python scripts/question_rates.py [--runs N] [--seed N]
    python scripts/question_rates.py --subject default --test caliskan-6 caliskan-7 [--tests FILE] [--copies N]

Without a subject, words are drawn around the means of their sets, in a space of which everything is known. With one,
the words of each test, found in the subject, are pools that words are drawn from with replacement; and copies of the
subject exchange what the tests ask about. Prints tables in Markdown. A rate fails only if its exact 99 % lower bound
is above the figure that it is held against.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy import stats

from imprint.association.evidence import SetVectors
from imprint.association.weat import contrast_of, find_test, look_up
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import Embedding
from imprint.significance.crossed import Spread
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import Share, change_of_size, mean_size
from imprint.stimuli.catalog import read_tests
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import load
from imprint.threads import single_threaded

SIZES = (25, 50, 100, 200)
PLANTED = (0.0, 0.1, 0.2, 0.3)
DISTANCES = {"large": 0.30, "small": 0.08}  # |mean A - mean B|^2, where a word's deviations add up to 0.8
DIMENSIONS = 100
NOISE = {False: "normal", True: "t3"}
COVERAGE = (0.92, 0.98)
FALSE_AT_MARGIN = 0.01
ANY_OF_TEN = {"shuffled": 0.06, "shuffled by frequency": 0.06, "names exchanged": 0.08}

_UNMATCHED = 0.1  # share of the names of a set that have no partner of their octave, at most
_AT_ONCE = 50  # repetitions, which share one large array
_DISTANCE_OF_TARGETS = 0.30
_ALIKE = 0.6  # share of the variance that two versions of a space have in common
_DEVIATIONS = 0.8  # squared length of a word's deviation from the mean of its set

Rows = np.ndarray
Sets = tuple[Rows, Rows, Rows, Rows]


@dataclass(frozen=True)
class Decisions:
    """What repetitions decide, from tests at zero and at both margins; `covered`: the true size is not rejected."""

    covered: np.ndarray
    covered_finely: np.ndarray
    distinguished: np.ndarray
    substantial: np.ndarray
    small: np.ndarray
    excludes_zero: np.ndarray
    differs: np.ndarray  # d is not 0, whatever D is

    @property
    def present(self) -> np.ndarray:
        """Present or substantial."""
        return np.asarray(self.substantial | (self.excludes_zero & ~self.small))

    @classmethod
    def joined(cls, parts: Sequence["Decisions"]) -> "Decisions":
        """Put chunks of repetitions together."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))


def p_values(value: np.ndarray, spread: Spread) -> np.ndarray:
    """Return two-sided p-values, 1 where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stats.t.sf(np.abs(value) / np.sqrt(spread.variance), spread.df)
    return np.asarray(np.where(spread.variance > 0, p_value, 1.0))


def decide(share: Share, truth: float) -> Decisions:
    """Decide every repetition: an interval lies beyond a margin where the margin is rejected on that side."""
    level = 1 - CONFIDENCE
    distinguished = (share.distance > 0) & (p_values(share.distance, share.distance_spread()) < level)
    above = {}
    for margin in (-MARGIN, 0.0, MARGIN):
        value, spread = share.contrast(margin)
        rejected = p_values(value, spread) < level
        above[margin] = np.where(rejected, np.sign(value), 0)
    of_truth = p_values(*share.contrast(truth))
    return Decisions(
        covered=of_truth >= 0.05,
        covered_finely=of_truth >= level,
        distinguished=distinguished,
        substantial=distinguished & ((above[MARGIN] > 0) | (above[-MARGIN] < 0)),
        small=distinguished & (above[-MARGIN] > 0) & (above[MARGIN] < 0),
        excludes_zero=distinguished & (above[0.0] != 0),
        differs=above[0.0] != 0,
    )


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

    def draw(self, rng: np.random.Generator, count: int, runs: int) -> Share:
        """Draw so many words of each set, around means that are the same in all runs."""
        u, v = self.means()
        x, y, a, b = (self.noise(rng, runs, count) + mean / 2 for mean in (u, -u, v[0], -v[0]))
        return of_sets((x, y), (a, b))

    def questions(self, rng: np.random.Generator, count: int, questions: int = 3) -> list[Share]:
        """Draw questions about the same names, each with attributes of its own."""
        u, v = self.means(questions)
        targets = np.concatenate([self.noise(rng, count) + u / 2, self.noise(rng, count) - u / 2])
        shares = []
        for number, way in enumerate(v, start=1):
            attributes = np.concatenate([self.noise(rng, count) + way / 2, self.noise(rng, count) - way / 2])
            units = (range(2 * count), range(2 * count * number, 2 * count * (number + 1)))
            shares.append(Share.of(targets, attributes, count, count, units=units))
        return shares

    def versions(self, rng: np.random.Generator, count: int) -> tuple[Share, Share]:
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

    contrast: SetVectors

    def planted(self, size: float) -> Sets:
        """Return the four sets, so that the size over their words is exactly this."""
        contrast = self.contrast
        u, v = contrast.u, contrast.v
        move = (size - u @ v / (v @ v)) * v / 2
        targets, attributes = contrast.targets, contrast.attributes
        return (
            targets[: contrast.n_x] + move,
            targets[contrast.n_x :] - move,
            attributes[: contrast.n_a],
            attributes[contrast.n_a :],
        )


def drawn(rng: np.random.Generator, pools: Sets, count: int, runs: int) -> Share:
    """Draw so many words for each set."""
    x, y, a, b = (rows[rng.integers(len(rows), size=(runs, count))] for rows in pools)
    return of_sets((x, y), (a, b))


def of_sets(targets: tuple[Rows, Rows], attributes: tuple[Rows, Rows]) -> Share:
    """Return the share of sets of rows."""
    n_x, n_a = targets[0].shape[-2], attributes[0].shape[-2]
    return Share.of(np.concatenate(targets, axis=-2), np.concatenate(attributes, axis=-2), n_x, n_a)


def chunks(runs: int) -> Iterator[int]:
    """Return how many runs each chunk has."""
    for start in range(0, runs, _AT_ONCE):
        yield min(_AT_ONCE, runs - start)


def verdict(count: int, runs: int, most: float) -> str:
    """Tell whether a rate is surely above the figure it is held against."""
    return "fails" if count and binomial_interval(count, runs, 0.98)[0] > most else "ok"


def simulated(runs: int, seed: int) -> Iterator[list[str]]:
    """Return what happens in every cell of the simulated space."""
    for distance, heavy, count, planted in product(DISTANCES, (False, True), SIZES, PLANTED):
        rng = np.random.default_rng([seed, *distance.encode(), heavy, count, round(100 * planted)])
        space = Space(planted, DISTANCES[distance], heavy)
        decisions = Decisions.joined([decide(space.draw(rng, count, some), planted) for some in chunks(runs)])
        yield [distance, NOISE[heavy], str(count), f"{planted:.1f}", *cells(decisions, planted)]


def of_pools(names: Sequence[str], contrasts: Sequence[SetVectors], runs: int, seed: int) -> Iterator[list[str]]:
    """Return what happens where words are drawn from each question's own."""
    for (number, name), planted, count in product(enumerate(names), PLANTED, SIZES):
        pools = Pools(contrasts[number]).planted(planted)
        rng = np.random.default_rng([seed, 1, number, count, round(100 * planted)])
        decisions = Decisions.joined([decide(drawn(rng, pools, count, some), planted) for some in chunks(runs)])
        yield [name, str(count), f"{planted:.1f}", *cells(decisions, planted)]


def cells(decisions: Decisions, planted: float) -> list[str]:
    """Return the end of a row: coverage, outcomes, and which outcomes are false at this size."""
    coverage = decisions.covered.mean()
    false = (decisions.substantial & (planted <= MARGIN)) | (decisions.small & (planted >= MARGIN))
    return [
        f"{coverage:.3f}",
        "ok" if COVERAGE[0] <= coverage <= COVERAGE[1] else "outside",
        f"{decisions.covered_finely.mean():.3f}",
        f"{1 - decisions.distinguished.mean():.3f}",
        *(f"{share.mean():.3f}" for share in (decisions.present, decisions.substantial, decisions.small, false)),
        verdict(int(false.sum()), len(false), FALSE_AT_MARGIN),
    ]


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


def altered(
    contrasts: Sequence[SetVectors], words: Sequence[Sequence[str]], background: Background, copies: int, seed: int
) -> Iterator[list[str]]:
    """Return how often any question finds something in copies in which nothing is there to find."""
    for kind, most in ANY_OF_TEN.items():
        # Exchanged within its octave, a name is only free of its side where both sides have as many there.
        usable = [
            number for number, contrast in enumerate(contrasts) if kind != "names exchanged" or is_matched(contrast)
        ]
        if not usable:
            yield [kind, "no question has matched lists", "", "", "", ""]
            continue
        rng = np.random.default_rng([seed, 2, *kind.encode()])
        asked_contrasts, asked_words = [contrasts[number] for number in usable], [words[number] for number in usable]
        parts = [
            [decide(share, 0.0) for share in copied(kind, asked_contrasts, asked_words, background, some, rng)]
            for some in chunks(copies)
        ]
        by_question = [Decisions.joined(chunked) for chunked in zip(*parts, strict=True)]
        for label, shares in (
            ("present or substantial", [decisions.present for decisions in by_question]),
            ("d is not 0", [decisions.differs for decisions in by_question]),
        ):
            anywhere = int(np.any(shares, axis=0).sum())
            mean = np.mean(shares)
            judged = verdict(anywhere, copies, most)  # of ten questions, as many as there should be
            low, high = binomial_interval(anywhere, copies, 0.95)
            yield [
                kind,
                label,
                f"{anywhere}/{copies}",
                f"{anywhere / copies:.3f} [{low:.3f}, {high:.3f}]",
                f"{mean:.4f} of {len(usable)}",
                judged,
            ]


def copied(
    kind: str,
    contrasts: Sequence[SetVectors],
    words: Sequence[Sequence[str]],
    background: Background,
    copies: int,
    rng: np.random.Generator,
) -> list[Share]:
    """Return every question in altered copies; a word has the same new vector in all questions of a copy."""
    ranks: dict[str, int] = {}
    for contrast, every in zip(contrasts, words, strict=True):
        ranks |= dict(zip(every, [*contrast.target_ranks.tolist(), *contrast.attribute_ranks.tolist()], strict=True))
    column = {word: number for number, word in enumerate(ranks)}
    if kind == "shuffled":
        replaced = rng.integers(int(background.starts[-1]), size=(copies, len(ranks)))
    else:
        replaced = background.draw(np.array(list(ranks.values())), copies, rng)
    keys = rng.random((copies, len(ranks)))
    shares = []
    for contrast, every in zip(contrasts, words, strict=True):
        size = len(contrast.targets)
        if kind == "names exchanged":
            order = exchanged(contrast, keys[:, [column[word] for word in every[:size]]])
            targets = contrast.targets[order]
            attributes = np.broadcast_to(contrast.attributes, (copies, *contrast.attributes.shape))
        else:
            targets, attributes = (
                background.rows[replaced[:, [column[word] for word in part]] + offsets].astype(np.float64)
                for part, offsets in (
                    (every[:size], contrast.target_offsets),
                    (every[size:], contrast.attribute_offsets),
                )
            )
        shares.append(Share.of(targets, attributes, contrast.n_x, contrast.n_a))
    return shares


def is_matched(contrast: SetVectors) -> bool:
    """Tell whether X and Y have nearly as many names in each octave; otherwise frequency would tell them apart."""
    octaves = octaves_of(contrast)
    x, y = (
        np.bincount(side, minlength=octaves.max() + 1) / len(side)
        for side in (octaves[: contrast.n_x], octaves[contrast.n_x :])
    )
    return bool(np.abs(x - y).sum() / 2 <= _UNMATCHED)


def octaves_of(contrast: SetVectors) -> np.ndarray:
    """Return the octave of frequency of each name."""
    return np.asarray(np.log2(contrast.target_ranks + 1.0).astype(np.int64))


def exchanged(contrast: SetVectors, keys: Rows) -> np.ndarray:
    """Return orders of the names of both sets, each exchanged with others of its octave of frequency alone."""
    octaves = octaves_of(contrast)
    places = np.argsort(octaves, kind="stable")
    shuffled = np.argsort(octaves + 0.5 * keys, axis=1)
    order = np.empty_like(shuffled)
    order[:, places] = shuffled
    return order


def opened(embedding: Embedding, tests: Sequence[WeatTest]) -> tuple[list[SetVectors], list[tuple[str, ...]]]:
    """Return the vectors of each test, and its words: targets before attributes."""
    rows = [look_up(embedding, test) for test in tests]
    words = [tuple(word for lookup in sets.sets for word in lookup.words) for sets in rows]
    return [contrast_of(embedding, sets) for sets in rows], words


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", help="an embedding")
    parser.add_argument("--test", nargs="+", default=[], help="tests of the catalogue, by id")
    parser.add_argument("--tests", type=Path, help="a file of tests, all of which are asked")
    parser.add_argument("--runs", type=int, default=1_000, help="of each cell")
    parser.add_argument("--copies", type=int, default=200, help="of the subject, of each kind")
    parser.add_argument("--seed", type=int, default=20_261, help="another gives other runs")
    options = parser.parse_args()
    ends = [
        "coverage, 95 %",
        "",
        "coverage, 99.5 %",
        "no interval",
        "present or more",
        "substantial",
        "small",
        "false",
        "",
    ]
    with single_threaded():
        if options.subject is None:
            names = ["A from B", "words", "per set", "planted"]
            table("Simulated words", [*names, *ends], simulated(options.runs, options.seed))
            names = ["of", "A from B", "words", "per set", "planted", "coverage, 95 %", "no interval"]
            table("Sizes that share words", names, of_shared_names(options.runs, options.seed))
            return
        asked_tests = [find_test(name) for name in options.test]
        if options.tests is not None:
            asked_tests += [test for test in read_tests(options.tests) if isinstance(test, WeatTest)]
        embedding = load(options.subject)
        contrasts, words = opened(embedding, asked_tests)
        names = [test.id for test in asked_tests]
        heads = ["question", "per set", "planted", *ends]
        table("Words drawn from the questions' own", heads, of_pools(names, contrasts, options.runs, options.seed))
        if embedding.background is not None:
            heads = ["copies", "any question", "of copies", "share", "per question", ""]
            rows = altered(contrasts, words, embedding.background, options.copies, options.seed)
            table("Altered copies", heads, rows)


if __name__ == "__main__":
    main()
