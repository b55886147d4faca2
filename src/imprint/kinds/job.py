"""What an audit is asked to do, and what it is asked of: made once, shared by the kinds that run."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from imprint.association.verdicts import check_alpha
from imprint.enumeration import settings as enumeration
from imprint.enumeration.targets import FEWEST_BEARERS
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.analogy import MOST_WORDS
from imprint.evaluation.resampling import RESAMPLES
from imprint.kinds import Part
from imprint.rows import Row, SkippedRow, skipped
from imprint.stimuli.catalog import SEAT_TESTS, about, catalogue, choose, tests_in
from imprint.stimuli.definition import Test, WeatTest
from imprint.types import Progress, Report

if TYPE_CHECKING:
    from imprint.debiasing.transform import Transform
    from imprint.directions.axis import Axis
    from imprint.embeddings.embedding import Embedding
    from imprint.encoders.base import Encoder
    from imprint.encoders.cache import EncodingStore
    from imprint.kinds.words import AskedWords
    from imprint.subjects.sources import SourceKind

# A quick look: the same questions, less sure of the answers.
QUICK_ROTATIONS = 500
QUICK_REPEATS = 0
QUICK_WORDS = 15_000
QUICK_RESAMPLES = 200
QUICK_COPIES = 40
QUICK_ENCODED = 2_500  # words that an encoder, for which each costs time, is asked about
QUICK_BEARERS = 20_000  # of a name, at the least

ENCODED_WORDS = 10_000  # the same in a whole audit; `imprint enumerate` asks about more
ENCODED_ROTATIONS = 2_000  # of several hundred dimensions

AUDIT_COPIES = 100  # of each kind; `imprint calibrate` makes more

_FINE = 1_000  # steps of a part's progress

Attempt = tuple[str, str, Callable[[], Iterable[Row]]]  # id, title, work


@dataclass(frozen=True)
class Plan:
    """The settings of an audit.

    Parameters
    ----------
    language
        Run the tests of this language (ISO 639), or of all.
    alpha
        Chance of any false discovery among the association tests.
    rotations
        Random rotations behind each p-value of the enumeration.
    quick
        Make fewer rotations and resamples, search fewer words, do not repeat the enumeration, and do not try to
        recover gender after debiasing.
    debias
        The name of a debiaser to try, or None.
    seed
        Seed of everything random.
    tests
        Tests of your own, besides the catalogue's.
    topics
        Run only the catalogue's tests about these, such as `gender`; the correction is over these alone.

    Examples
    --------
    >>> imprint.Plan(quick=True).resamples
    200
    """

    language: str = "en"
    alpha: float = 0.05
    rotations: int = 10_000
    quick: bool = False
    debias: str | None = "linear"
    seed: int = 0
    tests: tuple[Test, ...] = ()
    topics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _ = self.catalogued
        check_alpha(self.alpha)
        if self.debias is not None:
            from imprint.debiasing import DEBIASERS

            DEBIASERS.get(self.debias)
        _ = self.enumeration

    @property
    def catalogued(self) -> tuple[Test, ...]:
        """The catalogue's tests to run: those of the language, about the topics."""
        return about(tests_in(self.language), self.topics)

    @property
    def asked(self) -> tuple[Test, ...]:
        """The tests to run: the catalogue's, and your own."""
        return (*self.catalogued, *self.tests)

    @property
    def languages(self) -> set[str]:
        """The languages of the tests that are run."""
        return {test.language for test in (*tests_in(self.language), *self.tests)}

    @property
    def enumeration(self) -> enumeration.Settings:
        """How biases are enumerated."""
        rotations = min(self.rotations, QUICK_ROTATIONS) if self.quick else self.rotations
        settings = enumeration.Settings(rotations=rotations, seed=self.seed)
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

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, with the rotations that are really made; rows give the words of tests."""
        settings = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "tests"}
        return settings | {"rotations": self.enumeration.rotations, "fdr": self.enumeration.fdr}


@dataclass(frozen=True, eq=False)
class Job:
    """The subject of an audit and its plan, and what several kinds need of it, made once.

    `beside` is a sentence encoder asked too where the subject is an embedding.
    """

    subject: "Embedding | Encoder"
    plan: Plan
    beside: "Encoder | None" = None
    against: "Embedding | Encoder | None" = None
    cache: "EncodingStore | None" = None
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
    def kind(self) -> "SourceKind":
        """What is audited."""
        from imprint.embeddings.embedding import Embedding

        return "embedding" if isinstance(self.subject, Embedding) else "encoder"

    @property
    def encoder(self) -> "Encoder | None":
        """The encoder that is asked in sentences: the subject, or the one beside it."""
        from imprint.encoders.base import Encoder

        return self.subject if isinstance(self.subject, Encoder) else self.beside

    @property
    def embedding(self) -> "Embedding":
        """Word vectors of the subject; an encoder's are of the words that tests ask about, in sentences."""
        return self.words.tests

    @property
    def vocabulary(self) -> "Embedding":
        """The same with names and frequent words; refused where an encoder may not be sent so many texts."""
        if isinstance(self.words.vocabulary, ImprintError):
            raise self.words.vocabulary
        return self.words.vocabulary

    @property
    def enumeration(self) -> enumeration.Settings:
        """How biases are enumerated; of an encoder, over fewer words and rotations."""
        settings = self.plan.enumeration
        if self.kind == "embedding":
            return settings
        rotations = min(settings.rotations, ENCODED_ROTATIONS)
        return replace(settings, words=self.plan.encoded_words, rotations=rotations)

    @cached_property
    def encodings(self) -> "EncodingStore":
        """The cache, or what holds encodings for this run where there is none."""
        from imprint.encoders.cache import HeldEncodings

        return HeldEncodings() if self.cache is None else self.cache

    @cached_property
    def words(self) -> "AskedWords":
        """The words of the subject that kinds ask about; their sentences, which no other kind needs, are not held."""
        from imprint.kinds.words import asked_words

        return asked_words(self.subject, self.plan, self.cache, self.progress, enumerated=self.enumerated)

    @cached_property
    def sentence_tests(self) -> "list[WeatTest]":
        """The tests to ask in sentences: the paper's and those in other languages that the plan has, and your own."""
        papers = {test.id for test in choose(catalogue(), SEAT_TESTS)}
        known = [test for test in self.plan.catalogued if test.language != "en" or test.id in papers]
        own = self.plan.tests if self.beside is None else ()
        return [test for test in (*known, *own) if isinstance(test, WeatTest)]

    def asked(self, part: Part) -> bool:
        """Tell whether a part was asked for, of a subject that it can ask; most always are."""
        if self.kind not in part.asks:
            return False
        needed = {"encoder": self.encoder, "against": self.against, "debias": self.plan.debias}
        return part.needs is None or needed[part.needs] is not None

    @cached_property
    def axis(self) -> "Axis":
        """The axis he - she."""
        from imprint.debiasing.debiaser import GENDER
        from imprint.directions.axis import pair_axis

        return pair_axis(self.embedding, GENDER)

    @cached_property
    def transform(self) -> "Transform":
        """The debiasing asked for, fitted."""
        from imprint.debiasing.debiaser import debiaser

        if self.plan.debias is None or self.kind == "encoder":
            raise SettingError("no debiasing was asked for", option="debias")
        return debiaser(self.plan.debias).fit_gender(self.embedding)

    @cached_property
    def debiased(self) -> "Embedding":
        """The embedding after debiasing."""
        return self.transform.apply(self.embedding)

    def skip(self, test: str, title: str, error: ImprintError, part: Part) -> SkippedRow:
        """Return the row of something that could not be done, with the reason."""
        return skipped(self.measured, test, title, error, part=part.name, seed=self.plan.seed)

    def gather(self, part: Part, attempts: Iterable[Attempt]) -> list[Row]:
        """Do one thing after the other; what cannot be done becomes a row, or raises if nothing can be."""
        found: list[Row] = []
        refused: list[tuple[SkippedRow, ImprintError]] = []
        for test, title, work in attempts:
            try:
                found += work()
            except ImprintError as error:
                refused.append((self.skip(test, title, error, part), error))
        if not found and refused:
            raise refused[0][1]
        return [*found, *(row for row, _ in refused)]


def stretch(progress: Progress, low: float, high: float) -> Progress:
    """Let some work of a part go from one share of it to another."""
    return lambda done, total: progress(round(_FINE * (low + (high - low) * done / max(total, 1))), _FINE)


def by_label(progress: Progress, shares: Sequence[float]) -> Report:
    """Let each phase of work, known by its label, take its share; what comes after the last share is not reported."""
    labels: list[str] = []

    def report(label: str, done: int, total: int) -> None:
        if label not in labels:
            labels.append(label)
        place = labels.index(label)
        if place < len(shares):
            stretch(progress, sum(shares[:place]), sum(shares[: place + 1]))(done, total)

    return report
