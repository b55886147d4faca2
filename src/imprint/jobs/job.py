"""The subject of an audit and its plan, and what kinds need of it: made once, shared by those that run."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import msgspec

from imprint.debiasing.debiaser import GENDER
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore, HeldEncodings
from imprint.enumeration import settings as enumeration
from imprint.enumeration.enumerate import vocabulary_words
from imprint.enumeration.targets import FEWEST_BEARERS, Names
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.benchmarks import MOST_WORDS, RESAMPLES
from imprint.evaluation.comparison import comparison_words
from imprint.evaluation.controls import control_words
from imprint.evaluation.leakage import leakage_words
from imprint.evaluation.left import fit_gender
from imprint.jobs import Part
from imprint.jobs.settings import NO_DEBIASING, AuditSettings
from imprint.rows import Row, SkippedRow, skipped
from imprint.settings import explained, option
from imprint.stimuli.catalog import MORE_QUESTIONS, SEAT_TESTS, catalogue, choose, tests_in
from imprint.stimuli.definition import Test, WeatTest, WefatTest, words_of
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import definitional_pairs
from imprint.subjects.encodings import encode_texts
from imprint.subjects.framed import word_vectors
from imprint.subjects.sources import SourceKind
from imprint.types import Progress


class Attempt(NamedTuple):
    """Something that a part tries, by an id and a title; a quick audit leaves out what is `slow`."""

    test: str
    title: str
    work: Callable[[], Iterable[Row]]
    slow: bool = False


# A quick look: the same questions, less sure of the answers.
QUICK_REPEATS = 0
QUICK_WORDS = 15_000
QUICK_RESAMPLES = 200
QUICK_COPIES = 40
QUICK_ENCODED = 2_500  # words that an encoder, for which each costs time, is asked about
QUICK_BEARERS = 20_000  # of a name, at the least

QUICK_TEXTS = 8_000  # that a server is sent

ENCODED_WORDS = 10_000  # the same in a whole audit; `imprint enumerate` asks about more

AUDIT_COPIES = 100  # of each kind; `imprint calibrate` makes more


@explained
class Plan(AuditSettings, frozen=True, kw_only=True):
    """The settings of an audit, tests of your own, and the numbers that follow from them.

    Examples
    --------
    >>> imprint.Plan(quick=True).resamples
    200
    """

    tests: Annotated[tuple[Test, ...], option("Tests of your own, besides the catalogue's.")] = ()

    def __post_init__(self) -> None:
        self.check()
        if self.debias == NO_DEBIASING:
            msgspec.structs.force_setattr(self, "debias", None)
        _ = self.enumeration

    @property
    def own_tests(self) -> tuple[Test, ...]:
        """Tests beside the catalogue's."""
        return self.tests

    @property
    def asked(self) -> tuple[Test, ...]:
        """The tests to run: the catalogue's, and your own."""
        return (*self.catalogued, *self.tests)

    @property
    def languages(self) -> set[str]:
        """The languages of the tests that are run."""
        return {test.language for test in (*tests_in(self.language, self.tests), *self.tests)}

    @property
    def enumeration(self) -> enumeration.Settings:
        """How biases are enumerated."""
        settings = enumeration.Settings(seed=self.seed)
        return replace(settings, words=QUICK_WORDS, repeats=QUICK_REPEATS) if self.quick else settings

    @property
    def analogy_words(self) -> int:
        """How many of the most frequent words are paired."""
        return QUICK_WORDS if self.quick else 50_000

    @property
    def most_words(self) -> int:
        """How many of the most frequent words are searched for answers of benchmarks."""
        return QUICK_WORDS if self.quick else MOST_WORDS

    @property
    def resamples(self) -> int:
        """How many resamples are behind each interval of benchmarks."""
        return QUICK_RESAMPLES if self.quick else RESAMPLES

    @property
    def encoded_words(self) -> int:
        """How many frequent words of a sentence encoder are measured."""
        return QUICK_ENCODED if self.quick else ENCODED_WORDS

    @property
    def fewest_bearers(self) -> int:
        """How many people bear a name that a sentence encoder is asked about, at the least."""
        return QUICK_BEARERS if self.quick else FEWEST_BEARERS

    @property
    def copies(self) -> int:
        """How many altered copies of each kind the tests are run on."""
        return QUICK_COPIES if self.quick else AUDIT_COPIES


@dataclass(frozen=True, eq=False)
class AskedWords:
    """Vectors of the words of tests, and of `names` and frequent words: one table, unless these are too many."""

    tests: Embedding
    vocabulary: Embedding | ImprintError
    names: Names = "first"


@dataclass(frozen=True, eq=False)
class Job:
    """The subject of an audit and its plan, and what several kinds need of it, made once.

    `beside` is a sentence encoder asked too where the subject is an embedding.
    """

    subject: Embedding | Encoder
    plan: Plan
    beside: Encoder | None = None
    against: Embedding | Encoder | None = None
    cache: EncodingStore | None = None
    executor: Executor | None = None
    progress: Progress | None = None  # of encoding the words
    enumerated: bool = True  # whether the enumeration is run

    def __post_init__(self) -> None:
        _ = self.encodings  # made before threads ask for it at once

    @property
    def measured(self) -> tuple[str, str]:
        """The name of what is audited, and its hash."""
        return self.subject.name, self.subject.sha256

    @property
    def kind(self) -> SourceKind:
        """What is audited."""
        return "embedding" if isinstance(self.subject, Embedding) else "encoder"

    @property
    def encoder(self) -> Encoder | None:
        """The encoder that is asked in sentences: the subject, or the one beside it."""
        return self.subject if isinstance(self.subject, Encoder) else self.beside

    @property
    def embedding(self) -> Embedding:
        """Word vectors of the subject; an encoder's are of the words that tests ask about, in sentences."""
        return self.words.tests

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; of an encoder, by a word of the controls, which it was asked before."""
        if isinstance(self.subject, Embedding):
            return self.subject.dimension
        # A language of the user may have no controls, so that English ones are asked about.
        words = sorted(control_words({*self.plan.languages, "en"}, self.plan.tests))
        return int(encode_texts(self.subject, words[:1], cache=self.encodings).matrix.shape[1])

    @property
    def vocabulary(self) -> Embedding:
        """The same with names and frequent words; refused where an encoder may not be sent so many texts."""
        if isinstance(self.words.vocabulary, ImprintError):
            raise self.words.vocabulary
        return self.words.vocabulary

    @property
    def enumeration(self) -> enumeration.Settings:
        """How biases are enumerated; of an encoder, over fewer words."""
        settings = self.plan.enumeration
        return settings if self.kind == "embedding" else replace(settings, words=self.plan.encoded_words)

    @cached_property
    def encodings(self) -> EncodingStore:
        """The cache, or what holds encodings for this run where there is none."""
        return HeldEncodings() if self.cache is None else self.cache

    @cached_property
    def words(self) -> AskedWords:
        """An embedding as it is; of an encoder, the words that kinds ask about.

        Those that are only enumerated are left out where no enumeration is run. Their sentences, which no other kind
        needs, are not held.
        """
        subject, plan = self.subject, self.plan
        if isinstance(subject, Embedding):
            return AskedWords(subject, subject)
        names = first_names().at_least(plan.fewest_bearers)
        tests, vocabulary = self.asked_words
        try:
            table = word_vectors(subject, vocabulary, cache=self.cache, progress=self.progress)
        except SettingError as error:
            if error.option != "max_texts":
                raise
            return AskedWords(word_vectors(subject, tests, cache=self.cache, progress=self.progress), error, names)
        return AskedWords(table, table, names)

    @property
    def asked_words(self) -> tuple[list[str], list[str]]:
        """The words that tests ask an encoder about, and these with the words that are enumerated."""
        tests = test_words(self.plan)
        names = first_names().at_least(self.plan.fewest_bearers)
        more = vocabulary_words(self.plan.encoded_words, names) if self.enumerated else ()
        return tests, list(dict.fromkeys((*tests, *more)))

    @cached_property
    def sentence_tests(self) -> list[WeatTest]:
        """The tests to ask in sentences: the paper's and those in other languages that the plan has, and your own."""
        papers = {test.id for test in choose(catalogue(), (*SEAT_TESTS, MORE_QUESTIONS))}
        catalogued = [test for test in self.plan.catalogued if test.language != "en" or test.id in papers]
        yours = self.plan.tests if self.beside is None else ()
        tests = [test for test in (*catalogued, *yours) if isinstance(test, WeatTest)]
        if self.plan.quick and self.encoder is not None and self.encoder.max_texts is not None:
            return [test for test in tests if test.is_question or test in yours] or tests
        return tests

    def asked(self, part: Part) -> bool:
        """Tell whether a part was asked for, of a subject that it can ask; most always are."""
        if self.kind not in part.asks:
            return False
        needed = {"encoder": self.encoder, "against": self.against, "debias": self.plan.debias}
        return part.needs is None or needed[part.needs] is not None

    @cached_property
    def axis(self) -> Axis:
        """The axis he - she."""
        return pair_axis(self.embedding, GENDER)

    @cached_property
    def transform(self) -> Transform:
        """The debiasing asked for, fitted."""
        if self.plan.debias is None or self.kind == "encoder":
            raise SettingError("no debiasing was asked for", option="debias")
        transform, _ = fit_gender(self.embedding, self.plan.debias, seed=self.plan.seed)
        return transform

    @cached_property
    def debiased(self) -> Embedding:
        """The embedding after debiasing."""
        return self.transform.apply(self.embedding)

    def skip(self, test: str, title: str, error: ImprintError, part: Part) -> SkippedRow:
        """Return the row of something that could not be done, with the reason."""
        return skipped(self.measured, test, title, error, part=part.name, seed=self.plan.seed)

    def gather(self, part: Part, attempts: Iterable[Attempt]) -> list[Row]:
        """Do one thing after the other; what cannot be done becomes a row, or raises if nothing can be."""
        rows: list[Row] = []
        refused: list[tuple[SkippedRow, ImprintError]] = []
        for attempt in attempts:
            try:
                if attempt.slow and self.plan.quick:
                    raise SettingError("a quick audit leaves this out", option="quick", hint="run a full audit")
                rows += attempt.work()
            except ImprintError as error:
                refused.append((self.skip(attempt.test, attempt.title, error, part), error))
        if not rows and refused:
            raise refused[0][1]
        return [*rows, *(row for row, _ in refused)]


def test_words(plan: Plan) -> list[str]:
    """Return the words that tests, axes, benchmarks and classifiers ask about."""
    wefats = [test for test in plan.asked if isinstance(test, WefatTest)]
    pairs = (word for pair in definitional_pairs() for word in pair)
    return list(
        dict.fromkeys(
            (*sorted(words_of(wefats)), *pairs, *comparison_words(), *(() if plan.quick else leakage_words()))
        )
    )
