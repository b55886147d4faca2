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
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from scipy import stats

from imprint.association.evidence import SetVectors
from imprint.association.seat import in_sentences
from imprint.association.sentences import FramedSide
from imprint.association.weat import contrast_of, find_test, look_up
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.embeddings.vocabulary import frequent_words
from imprint.encoders.base import Encoder
from imprint.files import replacing
from imprint.significance.crossed import Spread
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import ShareOfDistance, change_of_size, mean_size
from imprint.stimuli.catalog import questions, read_tests
from imprint.stimuli.definition import WeatTest
from imprint.stimuli.names import RACES, first_names
from imprint.stimuli.templates import FRAMES, fill
from imprint.subjects.common import ranks_of
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import load, open_subject
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

_UNMATCHED = 0.1  # share of the names of a set that have no partner of their octave, at most
_AT_ONCE = 5  # repetitions, whose arrays stay in the processor's cache
_BORN_BETWEEN = 1980  # what names of questions are matched in besides their frequency
_OF_ONE_GENDER = 0.95
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


def decide(share: ShareOfDistance, truth: float) -> Decisions:
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


def simulated(runs: int, seed: int) -> Iterator[list[str]]:
    """Return what happens in every cell of the simulated space."""
    for distance, heavy, count, planted in product(DISTANCES, (False, True), SIZES, PLANTED):
        rng = np.random.default_rng([seed, *distance.encode(), heavy, count, round(100 * planted)])
        space = Space(planted, DISTANCES[distance], heavy)
        decisions = Decisions.joined([decide(space.draw(rng, count, some), planted) for some in chunks(runs)])
        yield [distance, NOISE[heavy], str(count), f"{planted:.1f}", *cells(decisions, planted)]


@dataclass(frozen=True)
class Asked:
    """A question as a subject has its words: targets before attributes; `alike` numbers the cells of the names."""

    name: str
    contrast: SetVectors
    words: tuple[str, ...]
    alike: np.ndarray

    @property
    def is_matched(self) -> bool:
        """Tell whether X and Y have nearly as many names in each cell; otherwise the cell would tell them apart."""
        sides = self.alike[: self.contrast.n_x], self.alike[self.contrast.n_x :]
        x, y = (np.bincount(side, minlength=self.alike.max() + 1) / len(side) for side in sides)
        return bool(np.abs(x - y).sum() / 2 <= _UNMATCHED)


@dataclass(frozen=True)
class Drawing:
    """What happens where so many words per set are drawn from a question's own, and a size is planted."""

    question: str
    count: int
    planted: float
    decisions: Decisions

    @property
    def row(self) -> list[str]:
        """The row of a table."""
        return [self.question, str(self.count), f"{self.planted:.1f}", *cells(self.decisions, self.planted)]


def of_pools(asked: Sequence[Asked], runs: int, seed: int) -> Iterator[Drawing]:
    """Return what happens where words are drawn from each question's own."""
    for (number, question), planted, count in product(enumerate(asked), PLANTED_IN_POOLS, SIZES_OF_POOLS):
        pools = Pools(question.contrast).planted(planted)
        rng = np.random.default_rng([seed, 1, number, count, round(100 * planted)])
        decisions = Decisions.joined([decide(drawn(rng, pools, count, some), planted) for some in chunks(runs)])
        yield Drawing(question.name, count, planted, decisions)


def cells(decisions: Decisions, planted: float) -> list[str]:
    """Return the end of a row: coverage, outcomes, and which outcomes are false at this size."""
    coverage = decisions.covered.mean()
    false = false_outcomes(decisions, planted)
    return [
        f"{coverage:.3f}",
        "ok" if COVERAGE[0] <= coverage <= COVERAGE[1] else "outside",
        f"{decisions.covered_finely.mean():.3f}",
        f"{1 - decisions.distinguished.mean():.3f}",
        *(f"{share.mean():.3f}" for share in (decisions.present, decisions.substantial, decisions.small, false)),
        verdict(int(false.sum()), len(false), FALSE_AT_MARGIN),
    ]


def false_outcomes(decisions: Decisions, planted: float) -> np.ndarray:
    """Tell which repetitions have an outcome that is false at this size; at the margin, small and substantial are."""
    return np.asarray((decisions.substantial & (planted <= MARGIN)) | (decisions.small & (planted >= MARGIN)))


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
class Copies:
    """How many copies have a finding in any question, where there is nothing to find; none if no lists are matched."""

    kind: str
    label: str
    findings: int
    copies: int
    mean: float
    questions: int

    @property
    def verdict(self) -> str:
        """Whether the rate of any of ten questions is too high."""
        return verdict(self.findings, self.copies, ANY_OF_TEN[self.kind])

    @property
    def row(self) -> list[str]:
        """The row of a table."""
        if not self.questions:
            return [self.kind, "no question has matched lists", "", "", "", ""]
        low, high = binomial_interval(self.findings, self.copies, 0.95)
        share = f"{self.findings / self.copies:.3f} [{low:.3f}, {high:.3f}]"
        of = f"{self.mean:.4f} of {self.questions}"
        return [self.kind, self.label, f"{self.findings}/{self.copies}", share, of, self.verdict]


def altered(asked: Sequence[Asked], background: Background, copies: int, seed: int) -> Iterator[Copies]:
    """Return how often any question finds something in copies in which nothing is there to find."""
    for kind in ANY_OF_TEN:
        # Exchanged within its cell, a name is only free of its side where both sides have as many there.
        usable = [question for question in asked if kind != "names exchanged" or question.is_matched]
        if not usable:
            yield Copies(kind, "", 0, copies, np.nan, 0)
            continue
        rng = np.random.default_rng([seed, 2, *kind.encode()])
        parts = [
            [decide(share, 0.0) for share in copied(kind, usable, background, some, rng)] for some in chunks(copies)
        ]
        by_question = [Decisions.joined(chunked) for chunked in zip(*parts, strict=True)]
        for label, shares in (
            ("present or substantial", [decisions.present for decisions in by_question]),
            ("d is not 0", [decisions.differs for decisions in by_question]),
        ):
            anywhere = int(np.any(shares, axis=0).sum())
            yield Copies(kind, label, anywhere, copies, float(np.mean(shares)), len(usable))


def copied(
    kind: str, asked: Sequence[Asked], background: Background, copies: int, rng: np.random.Generator
) -> list[ShareOfDistance]:
    """Return every question in altered copies; a word has the same new vector in all questions of a copy."""
    ranks: dict[str, int] = {}
    for question in asked:
        contrast = question.contrast
        every = [*contrast.target_ranks.tolist(), *contrast.attribute_ranks.tolist()]
        ranks |= dict(zip(question.words, every, strict=True))
    column = {word: number for number, word in enumerate(ranks)}
    if kind == "shuffled":
        replaced = rng.integers(int(background.starts[-1]), size=(copies, len(ranks)))
    else:
        replaced = background.draw(np.array(list(ranks.values())), copies, rng)
    keys = rng.random((copies, len(ranks)))
    rows = in_single_precision(background.rows)
    shares = []
    for question in asked:
        contrast, size = question.contrast, len(question.contrast.targets)
        columns = [column[word] for word in question.words]
        if kind == "names exchanged":
            targets = in_single_precision(contrast.targets)[exchanged(question.alike, keys[:, columns[:size]])]
            single = in_single_precision(contrast.attributes)
            attributes = np.broadcast_to(single, (copies, *single.shape))
        else:
            targets, attributes = (rows[replaced[:, part]] for part in (columns[:size], columns[size:]))
        shares.append(ShareOfDistance.of(targets, attributes, contrast.n_x, contrast.n_a))
    return shares


def alike(test: WeatTest, names: Sequence[str], ranks: np.ndarray) -> np.ndarray:
    """Return the cell of each name: its octave of frequency, and the strata that a question's names are matched in."""
    octaves = np.log2(ranks + 1.0).astype(np.int64)
    table = first_names()
    rows = [table.index.get(name, -1) for name in names]
    if not test.is_question or min(rows) < 0:
        return np.asarray(octaves)
    women = table.share_women[rows]
    gender = np.where(women >= _OF_ONE_GENDER, 2, np.where(women <= 1 - _OF_ONE_GENDER, 1, 0))
    late = table.mean_birth_year[rows] >= _BORN_BETWEEN
    race = np.argmax([table.races[race][rows] for race in RACES], axis=0)
    strata = {"gender": (race, late), "race": (gender, late), "age": (gender,)}[test.topics[0]]
    return np.asarray(np.unique(np.stack([octaves, *strata]), axis=1, return_inverse=True)[1])


def exchanged(cells: np.ndarray, keys: Rows) -> np.ndarray:
    """Return orders of the names of both sets, each exchanged with others of its cell alone."""
    places = np.argsort(cells, kind="stable")
    shuffled = np.argsort(cells + 0.5 * keys, axis=1)
    order = np.empty_like(shuffled)
    order[:, places] = shuffled
    return order


@dataclass(frozen=True)
class Opened:
    """A subject with the questions as it has their words, and words by frequency to exchange them with."""

    name: str
    asked: list[Asked]
    background: Background | None


def opened(source: str, tests: Sequence[WeatTest]) -> Opened:
    """Look the words of each test up; an encoder has them in frames."""
    subject = open_subject(source)
    if isinstance(subject, Embedding):
        return Opened(subject.name, [looked_up(subject, test) for test in tests], subject.background)
    return Opened(subject.name, framed(subject, tests), background_of(subject))


def looked_up(embedding: Embedding, test: WeatTest) -> Asked:
    """Look the words of a test up."""
    rows = look_up(embedding, test)
    words = tuple(word for lookup in rows.sets for word in lookup.words)
    contrast = contrast_of(embedding, rows)
    return Asked(test.id, contrast, words, alike(test, words[: len(contrast.targets)], contrast.target_ranks))


def framed(encoder: Encoder, tests: Sequence[WeatTest]) -> list[Asked]:
    """Encode the words of each test in frames: a word's vector is the mean of its unit vectors."""
    sentences = [in_sentences(test, "framed") for test in tests]
    encodings = encode_texts(encoder, [text for sentence_test in sentences for text in sentence_test.texts])
    asked = []
    for sentence_test in sentences:
        sides = [
            FramedSide.of(side, encodings, encoder.lacks(sentence_test.forms)) for side in sentence_test.sides.values()
        ]
        x, y, a, b = (side.rows.mean(axis=1) for side in sides)
        names, words = ([word for side in pair for word in side.words] for pair in (sides[:2], sides[2:]))
        ranks = ranks_of(names)[0], ranks_of(words)[0]
        contrast = SetVectors(np.concatenate([x, y]), np.concatenate([a, b]), len(x), len(a), *ranks)
        test = sentence_test.test
        asked.append(Asked(test.id, contrast, (*names, *words), alike(test, names, contrast.target_ranks)))
    return asked


def background_of(encoder: Encoder) -> Background | None:
    """Encode common words of every frequency in the same frames."""
    bundled = load("default")
    rows = frequent_words(bundled, len(bundled), leaving_out=set())

    def rows_at(kept: np.ndarray) -> np.ndarray:
        texts = [fill(frame, bundled.words[row]) for row in rows[kept] for frame in FRAMES["en"]]
        vectors = unit_rows(encode_texts(encoder, texts).rows(texts))
        return np.asarray(vectors.reshape(len(kept), len(FRAMES["en"]), -1).mean(axis=1), dtype=np.float32)

    return Background.of(rows_at, bundled.frequency_ranks[rows])


@dataclass(frozen=True)
class Rates:
    """What was measured on one subject."""

    subject: str
    drawings: list[Drawing]
    copies: list[Copies]


def rates_of(source: str, tests: Sequence[WeatTest], runs: int, copies: int, seed: int) -> Rates:
    """Measure every rate on a subject."""
    with single_threaded():
        subject = opened(source, tests)
        drawings = list(of_pools(subject.asked, runs, seed))
        of_copies = list(altered(subject.asked, subject.background, copies, seed)) if subject.background else []
    return Rates(subject.name, drawings, of_copies)


KINDS_OF_COPIES = {
    "shuffled": "vectors exchanged among all words",
    "shuffled by frequency": "vectors exchanged among words of like frequency",
    "names exchanged": "names exchanged among like names, words as they are",
}


def summary(measured: Sequence[Rates]) -> str:
    """Return the summary in Markdown: a row per goal, a column per subject, and a sentence on what is missed."""
    lines: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for rates in measured:
        for of_copies in rates.copies:
            meaning = KINDS_OF_COPIES[of_copies.kind]
            judged = of_copies.label == "present or substantial"
            finding = "any question `present` or `substantial`" if judged else "any question with *d* not 0"
            goal = f"at most {100 * ANY_OF_TEN[of_copies.kind]:.0f} % of copies" if judged else ""
            value = f"{100 * of_copies.findings / of_copies.copies:.1f} %"
            lines.setdefault((f"{meaning}: {finding}", goal), []).append((value, of_copies.verdict == "ok"))
        for label, goal, value, is_met in drawing_lines(rates.drawings):
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
    return "\n".join([*rows, "", *ending, ""])


def drawing_lines(drawings: Sequence[Drawing]) -> Iterator[tuple[str, str, str, bool]]:
    """Return a label, the goal, the rates and whether they meet it, of words drawn from the questions' own."""
    found = [
        (int(drawing.decisions.present.sum()), len(drawing.decisions.present))
        for drawing in drawings
        if drawing.planted > MARGIN and drawing.count == max(SIZES_OF_POOLS)
    ]
    false = [
        (int(wrong.sum()), len(wrong))
        for drawing in drawings
        if drawing.planted == MARGIN
        for wrong in [false_outcomes(drawing.decisions, MARGIN)]
    ]
    coverage = [float(drawing.decisions.covered.mean()) for drawing in drawings]
    outside = sum(not COVERAGE[0] <= share <= COVERAGE[1] for share in coverage)
    yield (
        f"a size of 20 % planted, {max(SIZES_OF_POOLS)} words drawn per set: `present` or `substantial`",
        f"at least {100 * POWER:.0f} % in each question",
        span([count / runs for count, runs in found]),
        all(verdict(runs - count, runs, 1 - POWER) == "ok" for count, runs in found),
    )
    yield (
        "a size of 10 % planted: `small` or `substantial`, which are false",
        f"at most {100 * FALSE_AT_MARGIN:.0f} % in each cell",
        span([count / runs for count, runs in false]),
        all(verdict(count, runs, FALSE_AT_MARGIN) == "ok" for count, runs in false),
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
    parser.add_argument("--copies", type=int, default=200, help="of the subject, of each kind")
    parser.add_argument("--seed", type=int, default=20_261, help="another gives other runs")
    parser.add_argument("--write", action="store_true", help="write the summary into docs/questions.md")
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
    tests = tests or [test for test in questions() if isinstance(test, WeatTest)]
    measure = partial(rates_of, tests=tests, runs=options.runs, copies=options.copies, seed=options.seed)
    measured = []
    with ProcessPoolExecutor(len(options.subject)) as processes:
        for rates in processes.map(measure, options.subject):
            heads = ["question", "per set", "planted", *ends]
            rows = (drawing.row for drawing in rates.drawings)
            table(f"{rates.subject}: words drawn from the questions' own", heads, rows)
            heads = ["copies", "any question", "of copies", "share", "per question", ""]
            table(f"{rates.subject}: altered copies", heads, (of_copies.row for of_copies in rates.copies))
            measured.append(rates)
    text = summary(measured)
    print(f"\n{text}")
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
