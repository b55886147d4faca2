"""What is asked of a sentence encoder, described once: for the command and for Python."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from imprint.checks import Alternative, Context, check_choice
from imprint.settings import SEED, option

if TYPE_CHECKING:
    from typing import TypeAlias

    from imprint.files import FilePath
    from imprint.stimuli.templates import Templates

    TemplatesLike: TypeAlias = FilePath | Templates
else:  # their modules import numpy, which `imprint --help` does without
    TemplatesLike = object
    FilePath = Path

PROGRESS = option("Called with the name of the step, the work done and the total work.")


@dataclass(frozen=True, kw_only=True)
class SentenceSettings:
    """How one test is asked in sentences."""

    templates: Annotated[
        TemplatesLike | None,
        option("A TOML file of sentence templates by kind of word.", names_a="file", metavar="PATH"),
    ] = None
    context: Annotated[
        Context | None,
        option("Words alone, or one kind of sentences alone. [default: all a test has; of one test, framed]"),
    ] = None
    alternative: Annotated[Alternative, option("Alternative hypothesis of the p-value.")] = "greater"
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse a context that there is not."""
        if self.context is not None:
            check_choice("context", self.context, get_args(Context))

    @property
    def patterns(self) -> "Templates | None":
        """The templates, of a file too."""
        from imprint.stimuli.templates import Templates, read_templates

        given = self.templates
        return given if given is None or isinstance(given, Templates) else read_templates(given)


@dataclass(frozen=True, kw_only=True)
class SeatSettings(SentenceSettings):
    """How many tests are asked in sentences."""

    by_gender: Annotated[bool, option("Also split the names of X and Y by gender: main effects, and interaction.")] = (
        False
    )
