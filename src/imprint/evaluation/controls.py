"""Can a subject be judged at all? Controls that every subject that knows words passes.

Vectors of noise show no bias, and that is no merit. So a subject must first show what is not in dispute: flowers are
more pleasant than insects, instruments than weapons (Caliskan, Bryson and Narayanan, 2016); words that people call
pleasant are (ValNorm: Toney and Caliskan, 2021); words that people call similar are. And it must know the words. Each
language has its own controls, since what a subject knows in one says nothing about another. Besides English, ratings
of English words are used for their translations, and no list of similar words is used.

Measured on copies of the bundled embedding and encoder, 300 each, with noise as a share of their variance. With 50 %
noise 98 % of the embeddings and all encoders pass, with 70 % noise 79 % and all, with 90 % none and 0.3 %, and no
random vectors. An encoder has to part pleasant words better: by the limit of embeddings, 45 % with 90 % noise pass.
In German, of the encoder's copies all pass with 50 % noise, 95 % with 70 %, none with 90 %, and no random vectors; in
Spanish (150 copies each) all, 99 % and none, in Turkish all, 78 % and none, and no random vectors. The limit of
embeddings is that of English, since no vectors in these languages were at hand.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import msgspec
import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import ImprintError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks
from imprint.rows import Findings, Row, Rows, shown, skipped
from imprint.significance.dyads import spearman
from imprint.stimuli.catalog import catalogue, language_of, languages
from imprint.stimuli.definition import CONTROL, UNDETERMINED, Language, Test, WeatTest, words_of
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import EncoderLike, open_subject
from imprint.types import Floats

_COVERAGE = 0.8  # share of the controls' words that a subject must have
_ABOVE_CHANCE = 0.5  # both neutral tests
_PARTED = 0.65  # one of them
_VALENCE = 0.35
_ENCODER_VALENCE = 0.55
_SIMILARITY = 0.25
_FEWEST = 10  # words or pairs that a number can be made of

WordVectors = Mapping[str, Floats]


class Control(msgspec.Struct, frozen=True):
    """One control."""

    name: Annotated[str, shown("Control", "What every subject that knows the words of the language should show.")]
    value: Annotated[float | None, shown("Value", "Measured for this model.")]
    least: Annotated[float, shown("At least", "The smallest value that passes.")]
    passed: Annotated[bool, shown("Passed")]
    words: Annotated[int, shown("Words", "Words or pairs of the control.")]
    missing: Annotated[int, shown("Missing", "Words or pairs that are missing, of all of the control.")]


class ControlsRow(Row, frozen=True, kw_only=True, tag="controls"):
    """Whether a subject can be judged in a language, and the controls that say so."""

    judged: Annotated[bool | None, shown("Judged", "Whether it can be judged; not known without controls.")] = None
    controls: Annotated[tuple[Control, ...], shown("Controls")] = ()
    language: Annotated[str, shown("Language", "Language of the controls (ISO 639).")] = "en"

    @property
    def only_topics(self) -> tuple[str, ...]:
        """The topics that an audit's tests were limited to; none where the row is of controls alone."""
        return ()


class Controls(Rows[ControlsRow]):
    """Whether a subject can be judged, a row per language.

    Parameters
    ----------
    rows
        The controls of each language.
    """

    @property
    def judged(self) -> bool | None:
        """Whether it passes every control, in each language; None where it fails none, and a language has none."""
        return judged_by(self)

    def __repr__(self) -> str:
        said = {True: "can be judged", False: "cannot be judged", None: "no controls in its language"}[self.judged]
        return f"Controls({said})"


def controls(
    subject: EncoderLike,
    *,
    languages: Collection[str] = ("en",),
    tests: Collection[Test] = (),
    cache: EncodingStore | None = None,
) -> Controls:
    """Ask a subject what every subject that knows the words of a language knows: can it be judged at all?

    Parameters
    ----------
    subject
        An embedding or encoder, as `open_subject` takes it.
    languages
        ISO 639 codes of what it is asked in. There are controls in English, German, Spanish and Turkish; words of no
        stated language are asked for in English.
    tests
        Tests of your own. If their file describes a language without controls here, its neutral tests are these.
    cache
        Where encodings are kept between runs.

    Returns
    -------
    Controls
        Its rows, one per language, tell a gate whether findings about the subject count.

    Examples
    --------
    >>> imprint.controls("default")
    Controls(can be judged)
    """
    opened = open_subject(subject)
    rows = []
    for language in sorted({controlled_in(code) for code in languages}, key=lambda code: (code != "en", code)):
        checks = _checks(language, tests)
        measured = () if checks is None else _ask(opened, checks, cache)
        rows.append(
            ControlsRow(
                test="controls",
                embedding=opened.name,
                embedding_sha256=opened.sha256,
                judged=all(control.passed for control in measured) if measured else None,
                controls=measured,
                language=language,
            )
        )
    return Controls(rows)


def with_controls(
    rows: Findings, *subjects: EncoderLike, tests: Collection[Test] = (), cache: EncodingStore | None = None
) -> Rows[Row]:
    """Add to the rows of tests whether each subject can be judged, in the languages that it was asked in.

    Parameters
    ----------
    rows
        What a function such as `seat` or `run_battery` returned.
    subjects
        The embeddings and encoders that the rows are about.
    tests
        Tests of your own, whose file may have controls of their language.
    cache
        Where encodings are kept between runs.

    Returns
    -------
    Rows
        The rows, and those of the controls after them; where these could not be asked, a skipped row says why.

    Examples
    --------
    >>> imprint.with_controls(imprint.weat("default", "gender-career"), "default")
    Rows(1 weat: 1 substantial; 1 controls)
    """
    listed = list(rows.findings())
    for subject in map(open_subject, subjects):
        spoken = (row.language for row in listed if row.embedding_sha256 == subject.sha256)
        spoken_in = {language for language in spoken if language} or {"en"}
        try:
            listed += controls(subject, languages=spoken_in, tests=tests, cache=cache).findings()
        except ImprintError as error:
            question = f"Can {subject.name} be judged?"
            listed.append(skipped((subject.name, subject.sha256), "controls", question, error, part="audit"))
    return Rows(listed)


def controls_among(rows: Iterable[Row]) -> list[ControlsRow]:
    """Return the rows that say whether a subject can be judged; a whole audit's row is one of them."""
    return [row for row in rows if isinstance(row, ControlsRow)]


def judged_by(rows: Iterable[ControlsRow]) -> bool | None:
    """Tell whether a subject passes all of these; None where it fails none, and one or all are missing."""
    answers = {row.judged for row in rows} or {None}
    return False if False in answers else None if None in answers else True


def controlled_in(language: str) -> str:
    """Return the language whose controls speak for tests in this one: English, where none is stated."""
    return "en" if language == UNDETERMINED else language


@dataclass(frozen=True)
class _Checks:
    """What the controls of one language ask."""

    language: Language
    tests: Sequence[WeatTest]
    pairs: PairBenchmark | None

    @property
    def words(self) -> set[str]:
        """Every word that is asked about."""
        things = (word for nouns in self.language.things or () for word in nouns.words)
        paired = (word for pair in self.pairs.pairs for word in pair) if self.pairs else ()
        return {*self.language.valence, *words_of(self.tests), *things, *paired}


def _checks(language: str, others: Collection[Test] = ()) -> _Checks | None:
    """Return the controls of a language: the catalogue's, or those of other tests if it has none; None without any."""
    listed = catalogue() if language in languages() else others
    of_language = [test for test in listed if test.language == language]
    neutral = [test for test in of_language if isinstance(test, WeatTest) and CONTROL in test.topics]
    spoken = language_of(neutral[0]) if neutral else None
    return None if spoken is None or not spoken.valence else _Checks(spoken, neutral, _pairs(language))


def _ask(subject: Embedding | Encoder, checks: _Checks, cache: EncodingStore | None) -> tuple[Control, ...]:
    vectors = _vectors(subject, sorted(checks.words), cache)
    least = _VALENCE if isinstance(subject, Embedding) else _ENCODER_VALENCE
    return (
        _coverage(checks.words, vectors),
        *_neutral(checks.tests, vectors),
        _pleasant(checks.language.valence, checks.tests[0], vectors, least),
        *([_similar(checks.pairs, vectors)] if checks.pairs else []),
    )


def control_words(languages: Iterable[str] = ("en",), tests: Collection[Test] = ()) -> set[str]:
    """Return every word that the controls of these languages ask about."""
    every = (_checks(language, tests) for language in {controlled_in(code) for code in languages})
    return {word for checks in every if checks is not None for word in checks.words}


def _coverage(words: set[str], vectors: WordVectors) -> Control:
    count = sum(word in vectors for word in words)
    share = count / len(words)
    return Control("words found", share, _COVERAGE, share >= _COVERAGE, len(words), len(words) - count)


def _neutral(tests: Sequence[WeatTest], vectors: WordVectors) -> Iterator[Control]:
    """Say how often a word of X lies nearer to A, rather than B, than a word of Y; one test must part them well."""
    parted: list[tuple[str, float | None, int, int]] = []
    for test in tests:
        x, y, a, b = (_rows(words.words, vectors) for words in (test.x, test.y, test.a, test.b))
        count = sum(len(words) for words in (test.x, test.y, test.a, test.b))
        value = None
        if min(map(len, (x, y, a, b))) > 1:
            towards = a.mean(axis=0) - b.mean(axis=0)
            value = float(np.mean((x @ towards)[:, None] > y @ towards))
        parted.append((test.title, value, count, count - sum(map(len, (x, y, a, b)))))
    best = max((value for _, value, _, _ in parted if value is not None), default=None)
    for name, value, count, missing in parted:
        least = _PARTED if value == best else _ABOVE_CHANCE
        passed = value is not None and (value >= _PARTED if value == best else value > _ABOVE_CHANCE)
        yield Control(name, value, least, passed, count, missing)


def _pleasant(rated: Mapping[str, float], test: WeatTest, vectors: WordVectors, least: float) -> Control:
    """Correlate how much nearer words lie to pleasant words with how pleasant people call them."""
    present = [word for word in rated if word in vectors]
    a, b = _rows(test.a.words, vectors), _rows(test.b.words, vectors)
    value = None
    if len(present) >= _FEWEST and min(len(a), len(b)) > 1:
        rows = _rows(present, vectors)
        near = np.hstack([rows @ a.T, rows @ b.T])
        spread = near.std(axis=1, ddof=1)
        scores = (near[:, : len(a)].mean(axis=1) - near[:, len(a) :].mean(axis=1)) / np.where(spread > 0, spread, 1.0)
        if np.ptp(scores) > 0:
            value = float(np.corrcoef(scores, [rated[word] for word in present])[0, 1])
    return _least("pleasant words", value, least, len(rated), len(rated) - len(present))


def _similar(pairs: PairBenchmark, vectors: WordVectors) -> Control:
    """Correlate cosines with how similar people call two words."""
    both = [number for number, (first, second) in enumerate(pairs.pairs) if first in vectors and second in vectors]
    cosines = np.array([vectors[pairs.pairs[number][0]] @ vectors[pairs.pairs[number][1]] for number in both])
    enough = len(both) >= _FEWEST and np.ptp(cosines) > 0
    value = spearman(cosines, np.array(pairs.scores)[both]).value if enough else None
    return _least("similar words", value, _SIMILARITY, len(pairs.pairs), len(pairs.pairs) - len(both))


def _least(name: str, value: float | None, least: float, words: int, missing: int) -> Control:
    return Control(name, value, least, value is not None and value >= least, words, missing)


def _rows(words: Sequence[str], vectors: WordVectors) -> Floats:
    return np.array([vectors[word] for word in words if word in vectors])


def _vectors(subject: Embedding | Encoder, words: Sequence[str], cache: EncodingStore | None) -> WordVectors:
    """Return the unit vectors of the words that a subject has."""
    if isinstance(subject, Embedding):
        lookup = subject.lookup(words)
        return dict(zip(lookup.words, lookup.unit, strict=True))
    lacking = set(subject.lacks(words))
    present = [word for word in words if word not in lacking]
    if not present:
        return {}
    rows = encode_texts(subject, present, cache=cache).rows(present).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    return {word: row / length for word, row, length in zip(present, rows, lengths, strict=True) if length > 0}


@cache
def _pairs(language: str) -> PairBenchmark | None:
    if language != "en":
        return None
    (benchmark,) = bundled_benchmarks("rg-65")
    assert isinstance(benchmark, PairBenchmark)
    return benchmark
