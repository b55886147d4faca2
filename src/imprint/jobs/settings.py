"""The settings of an audit, and the numbers of a quick one."""

from dataclasses import dataclass, fields, replace
from typing import Any

from imprint.enumeration import settings as enumeration
from imprint.enumeration.targets import FEWEST_BEARERS
from imprint.evaluation.analogy import MOST_WORDS
from imprint.evaluation.resampling import RESAMPLES
from imprint.stimuli.catalog import about, tests_in
from imprint.stimuli.definition import Test

# A quick look: the same questions, less sure of the answers.
QUICK_REPEATS = 0
QUICK_WORDS = 15_000
QUICK_RESAMPLES = 200
QUICK_COPIES = 40
QUICK_ENCODED = 2_500  # words that an encoder, for which each costs time, is asked about
QUICK_BEARERS = 20_000  # of a name, at the least

ENCODED_WORDS = 10_000  # the same in a whole audit; `imprint enumerate` asks about more

AUDIT_COPIES = 100  # of each kind; `imprint calibrate` makes more


@dataclass(frozen=True)
class Plan:
    """The settings of an audit.

    Parameters
    ----------
    language
        Run the tests of this language (ISO 639), or of all.
    quick
        Make fewer resamples, search fewer words, do not repeat the enumeration, and do not try to
        recover gender after debiasing.
    debias
        The name of a debiaser to try, or None.
    seed
        Seed of everything random.
    tests
        Tests of your own, besides the catalogue's.
    topics
        Run only the catalogue's tests about these, such as `gender`.

    Examples
    --------
    >>> imprint.Plan(quick=True).resamples
    200
    """

    language: str = "en"
    quick: bool = False
    debias: str | None = "linear"
    seed: int = 0
    tests: tuple[Test, ...] = ()
    topics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _ = self.catalogued
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

    def to_dict(self) -> dict[str, Any]:
        """Return the settings; rows give the words of tests."""
        settings = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "tests"}
        return settings | {"fdr": self.enumeration.rate}
