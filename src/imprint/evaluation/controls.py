"""Can a subject be judged at all? Controls that every subject that knows words passes.

Vectors of noise show no bias, and that is no merit. So a subject must first show what is not in dispute: flowers are
more pleasant than insects, instruments than weapons (Caliskan, Bryson and Narayanan, 2016); words that people call
pleasant are (ValNorm: Toney and Caliskan, 2021); words that people call similar are. And it must know the words.

Measured on copies of the bundled embedding with noise in them, 60 each: all with half of their variance noise pass,
three quarters of those with 70 %, none with 90 %, and no random vectors.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec
import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.encodings import encode_texts
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks
from imprint.significance.ranks import spearman
from imprint.stimuli import catalog
from imprint.stimuli.definition import CONTROL, WeatTest, words_of
from imprint.types import Floats

LANGUAGE = "en"  # of the words that controls ask about

_COVERAGE = 0.8  # share of the controls' words that a subject must have
_ABOVE_CHANCE = 0.5  # both neutral tests
_PARTED = 0.65  # one of them
_VALENCE = 0.35
_SIMILARITY = 0.25
_FEWEST = 10  # words or pairs that a number can be made of
_BENCHMARK = "rg-65"

WordVectors = Mapping[str, Floats]


class Control(msgspec.Struct, frozen=True):
    """One control: its value, None if it could not be made, the least that passes, and whether it did."""

    name: str
    value: float | None
    least: float
    passed: bool
    words: int
    missing: int


class Controls(msgspec.Struct, frozen=True):
    """Whether a subject can be judged, and the controls that say so."""

    judged: bool
    controls: tuple[Control, ...]

    @property
    def failed(self) -> tuple[Control, ...]:
        """The controls that were not passed."""
        return tuple(one for one in self.controls if not one.passed)


def check_controls(subject: Embedding | Encoder, *, cache: EncodingCache | None = None) -> Controls:
    """Ask a subject what every subject that knows English words knows."""
    tests, valence, pairs = _tests(), _valence(), _pairs()
    words = control_words()
    vectors = _vectors(subject, sorted(words), cache)
    found = [_coverage(words, vectors), *_neutral(tests, vectors), _pleasant(valence, tests[0], vectors)]
    controls = (*found, _similar(pairs, vectors))
    return Controls(all(one.passed for one in controls), controls)


def control_words() -> set[str]:
    """Return every word that the controls ask about."""
    return {*_valence(), *(word for pair in _pairs().pairs for word in pair), *words_of(_tests())}


def _tests() -> list[WeatTest]:
    return [test for test in catalog.catalogue() if isinstance(test, WeatTest) and CONTROL in test.topics]


def _coverage(words: set[str], vectors: WordVectors) -> Control:
    known = sum(word in vectors for word in words)
    share = known / len(words)
    return Control("words found", share, _COVERAGE, share >= _COVERAGE, len(words), len(words) - known)


def _neutral(tests: Sequence[WeatTest], vectors: WordVectors) -> Iterator[Control]:
    """Say how often a word of X lies nearer to A, rather than B, than a word of Y; one test must part them well."""
    parted: list[tuple[str, float | None, int, int]] = []
    for test in tests:
        x, y, a, b = (_rows(words.words, vectors) for words in (test.x, test.y, test.a, test.b))
        asked = sum(len(words) for words in (test.x, test.y, test.a, test.b))
        value = None
        if min(map(len, (x, y, a, b))) > 1:
            towards = a.mean(axis=0) - b.mean(axis=0)
            value = float(np.mean((x @ towards)[:, None] > y @ towards))
        parted.append((test.title, value, asked, asked - sum(map(len, (x, y, a, b)))))
    best = max((value for _, value, _, _ in parted if value is not None), default=None)
    for name, value, asked, missing in parted:
        least = _PARTED if value == best else _ABOVE_CHANCE
        passed = value is not None and (value >= _PARTED if value == best else value > _ABOVE_CHANCE)
        yield Control(name, value, least, passed, asked, missing)


def _pleasant(valence: Mapping[str, float], test: WeatTest, vectors: WordVectors) -> Control:
    """Correlate how much nearer words lie to pleasant words with how pleasant people call them."""
    known = [word for word in valence if word in vectors]
    a, b = _rows(test.a.words, vectors), _rows(test.b.words, vectors)
    value = None
    if len(known) >= _FEWEST and min(len(a), len(b)) > 1:
        rows = _rows(known, vectors)
        near = np.hstack([rows @ a.T, rows @ b.T])
        spread = near.std(axis=1, ddof=1)
        scores = (near[:, : len(a)].mean(axis=1) - near[:, len(a) :].mean(axis=1)) / np.where(spread > 0, spread, 1.0)
        if np.ptp(scores) > 0:
            value = float(np.corrcoef(scores, [valence[word] for word in known])[0, 1])
    return _least("pleasant words", value, _VALENCE, len(valence), len(valence) - len(known))


def _similar(pairs: PairBenchmark, vectors: WordVectors) -> Control:
    """Correlate cosines with how similar people call two words."""
    both = [place for place, (one, two) in enumerate(pairs.pairs) if one in vectors and two in vectors]
    cosines = np.array([vectors[pairs.pairs[place][0]] @ vectors[pairs.pairs[place][1]] for place in both])
    enough = len(both) >= _FEWEST and np.ptp(cosines) > 0
    value = spearman(cosines, np.array(pairs.scores)[both])[0] if enough else None
    return _least("similar words", value, _SIMILARITY, len(pairs.pairs), len(pairs.pairs) - len(both))


def _least(name: str, value: float | None, least: float, words: int, missing: int) -> Control:
    return Control(name, value, least, value is not None and value >= least, words, missing)


def _rows(words: Sequence[str], vectors: WordVectors) -> Floats:
    return np.array([vectors[word] for word in words if word in vectors])


def _vectors(subject: Embedding | Encoder, words: Sequence[str], cache: EncodingCache | None) -> WordVectors:
    """Return the unit vectors of the words that a subject has."""
    if isinstance(subject, Embedding):
        found = subject.lookup(words)
        return dict(zip(found.words, found.unit, strict=True))
    lacking = set(subject.lacks(words))
    known = [word for word in words if word not in lacking]
    if not known:
        return {}
    rows = encode_texts(subject, known, cache=cache).rows(known).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    return {word: row / length for word, row, length in zip(known, rows, lengths, strict=True) if length > 0}


@cache
def _valence() -> dict[str, float]:
    text = (resources.files("imprint.evaluation") / "data" / "valence.tsv").read_text("utf-8")
    return {word: float(value) for word, value in (line.split("\t") for line in text.splitlines())}


@cache
def _pairs() -> PairBenchmark:
    return next(one for one in bundled_benchmarks() if isinstance(one, PairBenchmark) and one.name == _BENCHMARK)
