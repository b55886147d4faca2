"""How tests are run, asked in sentences and altered copies made, described once: for commands and for Python."""

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from imprint.checks import MOST_DRAWS, Alternative, Context, check_choice, check_whole
from imprint.errors import SettingError
from imprint.settings import SEED, option
from imprint.subjects.settings import FEWEST_CONTEXTS, FieldSettings

if TYPE_CHECKING:
    from typing import TypeAlias

    from imprint.files import FilePath
    from imprint.stimuli.templates import Templates

    TemplatesLike: TypeAlias = FilePath | Templates
else:  # their modules import numpy, which `imprint --help` does without
    TemplatesLike = object
    FilePath = Path

COPIES = 200
MOST_COPIES = 100_000
CORPUS: Context = "corpus"
_OF_TEXTS = ("per_word", "draws", "field", "column")
PROGRESS = option("Called with the name of the step, the work done and the total work.")


@dataclass(frozen=True, kw_only=True)
class WeatSettings:
    """How the p-value of a test is found."""

    alternative: Annotated[Alternative, option("Which side p counts.")] = "greater"
    draws: Annotated[
        int | None,
        option("Estimate p from this many random partitions instead of counting.", "--sampled", min=1),
    ] = None
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse a side that is none of the three, and numbers out of range."""
        check_choice("alternative", self.alternative, get_args(Alternative))
        check_whole("seed", self.seed, 0)
        if self.draws is not None:
            check_whole("draws", self.draws, most=MOST_DRAWS)


@dataclass(frozen=True, kw_only=True)
class GenderSplit:
    """Whether a 2 x 2 is asked about, too."""

    by_gender: Annotated[bool, option("Also split the names of X and Y by gender: main effects, and interaction.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class BatterySettings(GenderSplit, WeatSettings):
    """How many tests are run."""


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings:
    """How many altered copies are made."""

    copies: Annotated[int, option("How many copies of each kind to make.", min=1)] = COPIES
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        check_whole("copies", self.copies, most=MOST_COPIES)
        check_whole("seed", self.seed, 0)


@dataclass(frozen=True, kw_only=True)
class SentenceSettings(FieldSettings):
    """How one test is asked in sentences."""

    templates: Annotated[
        TemplatesLike | None,
        option("A TOML file of sentence templates by kind of word.", names_a="file", metavar="PATH"),
    ] = None
    context: Annotated[
        Context | None,
        option("Words alone, or one kind of sentences alone. [default: all a test has]"),
    ] = None
    contexts: Annotated[
        tuple[str, ...],
        option(
            "Sample sentences of each word from this text, a file, a folder or - (CEAT); may repeat.",
            metavar="TEXT",
        ),
    ] = ()
    per_word: Annotated[int, option("Sentences of a word that are sampled from the text.", min=FEWEST_CONTEXTS)] = 20
    draws: Annotated[int, option("Random choices of a sentence per word that CEAT combines.", min=2)] = 10_000
    alternative: Annotated[Alternative, option("Alternative hypothesis of the p-value.")] = "greater"
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse a context that there is not, and numbers out of range."""
        check_choice("alternative", self.alternative, get_args(Alternative))
        check_whole("seed", self.seed, 0)
        if self.context is not None:
            check_choice("context", self.context, get_args(Context))
        if self.contexts and self.context not in (None, CORPUS):
            problem = f"{self.context} sentences are not from a text"
            raise SettingError(problem, option="context", got=self.context, hint="leave it out, or leave contexts out")
        if self.context == CORPUS and not self.contexts:
            raise SettingError("there is no text", option="context", got=CORPUS, hint="give one with --contexts TEXT")
        check_whole("per_word", self.per_word, FEWEST_CONTEXTS)
        check_whole("draws", self.draws, 2)
        for field in fields(SentenceSettings):
            value = getattr(self, field.name)
            if not self.contexts and field.name in _OF_TEXTS and value != field.default:
                raise SettingError(
                    f"{field.name} is for sentences of a text",
                    option=field.name,
                    got=value,
                    hint="give a text with --contexts, or leave it out",
                )

    @property
    def sources(self) -> "list[FilePath]":
        """The files and folders of the text."""
        return [self.contexts] if isinstance(self.contexts, str | os.PathLike) else list(self.contexts)

    @property
    def patterns(self) -> "Templates | None":
        """The templates, of a file too."""
        from imprint.stimuli.templates import Templates, read_templates

        given = self.templates
        return given if given is None or isinstance(given, Templates) else read_templates(given)


@dataclass(frozen=True, kw_only=True)
class SeatSettings(GenderSplit, SentenceSettings):
    """How many tests are asked in sentences."""
