"""What an audit is asked to do, checked before any work."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from imprint.association.verdicts import check_alpha
from imprint.debiasing import METHODS, Method
from imprint.enumeration import settings as enumeration
from imprint.errors import SettingError
from imprint.evaluation.analogy import MOST_WORDS
from imprint.evaluation.resampling import RESAMPLES
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import Test

# A quick look: the same questions, less sure of the answers.
QUICK_ROTATIONS = 500
QUICK_WORDS = 15_000
QUICK_RESAMPLES = 200


@dataclass(frozen=True)
class Plan:
    """The settings of an audit; `debias` is None where nothing is to be debiased.

    A `quick` audit makes fewer rotations and resamples, looks for analogies among fewer words, and does not try to
    recover gender after debiasing.
    """

    language: str = "en"
    alpha: float = 0.05
    rotations: int = 10_000
    quick: bool = False
    debias: Method | None = "linear"
    seed: int = 0

    def __post_init__(self) -> None:
        tests_in(self.language)
        check_alpha(self.alpha)
        if self.debias is not None and self.debias not in METHODS:
            raise SettingError(f"debias is {self.debias!r}; {', '.join(METHODS)} or none is wanted")
        _ = self.enumeration

    @property
    def enumeration(self) -> enumeration.Settings:
        """How biases are enumerated."""
        rotations = min(self.rotations, QUICK_ROTATIONS) if self.quick else self.rotations
        settings = enumeration.Settings(rotations=rotations, seed=self.seed)
        return replace(settings, words=QUICK_WORDS) if self.quick else settings

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
        """How many resamples stand behind each interval of benchmarks."""
        return QUICK_RESAMPLES if self.quick else RESAMPLES

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, with the rotations that are really made."""
        return asdict(self) | {"rotations": self.enumeration.rotations, "fdr": self.enumeration.fdr}


def tests_in(language: str) -> tuple[Test, ...]:
    """Return the catalogue's tests of one language (ISO 639 code), or of all."""
    tests = catalogue()
    languages = sorted({test.language for test in tests})
    if language not in (*languages, "all"):
        raise SettingError(f"no tests in language {language!r}; use one of {', '.join(languages)} or all")
    return tuple(test for test in tests if language in (test.language, "all"))
