"""What is asked of a scorer or a ranker, and what a scorer's name means: for options of commands and for Python.

Nothing is imported, opened or run here.
"""

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from imprint.checks import check_whole
from imprint.errors import SettingError
from imprint.settings import option
from imprint.stimuli.retrieval import BUNDLED
from imprint.stimuli.swaps import DEFAULT_NAMES
from imprint.subjects.settings import OpeningSettings

if TYPE_CHECKING:
    from imprint.encoders.cache import EncodingStore
    from imprint.files import FilePath
    from imprint.types import Report

    Texts: TypeAlias = FilePath | Sequence[str]
else:  # their modules import numpy, which `imprint retrieval --help` does without
    EncodingStore = Report = Texts = object
    FilePath = Path

Adapter = Literal["function", "command", "http", "valence", "encoder"]

EXPECTED = (
    "module:function, command:PROGRAM ARGUMENTS, the URL of an endpoint, valence:EMBEDDING or encoder:ENCODER (with a "
    "query)"
)
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_URL = re.compile("https?://", re.IGNORECASE)
_PREFIXES = ("command", "valence", "encoder")


@dataclass(frozen=True, kw_only=True)
class ScoredOptions:
    """What commands that compare scores are asked alike."""

    names: Annotated[
        Sequence[str], option("Names for your documents, as in swap. [default: a 2 x 2]", metavar="NAME")
    ] = ()
    groups: Annotated[
        Sequence[Texts] | None,
        option(
            "Names of your own, a file or a list such as Ann,Eve; give it twice, or four times for a 2 x 2.",
            "--group",
            names_a="words",
            metavar="WORDS",
        ),
    ] = None
    top: Annotated[int, option("Places at the top of a ranking, at most half of the names.", min=1)] = 10
    per_second: Annotated[
        float | None, option("Texts, or pairs, per second that the model may get. [default: any]")
    ] = None

    def __post_init__(self) -> None:
        """Refuse numbers out of range, another number of groups, and names besides."""
        check_whole("top", self.top)
        if self.per_second is not None and not self.per_second > 0:
            raise SettingError(option="per_second", got=self.per_second, expected="above 0")
        if self.groups and len(self.groups) not in (2, 4):
            raise SettingError(
                option="groups", got=len(self.groups), expected="given twice, or four times for a 2 x 2"
            )
        if self.groups and self.names != type(self).names:
            raise SettingError("groups and names cannot be used together", option="groups", hint="give one of them")


@dataclass(frozen=True)
class SwapOptions(ScoredOptions):
    """What is put into texts, and what ranks them."""

    names: Annotated[
        Sequence[str],
        option(
            "race, gender, gender-by-race (a 2 x 2), pronouns, or a question or test that compares names, such as "
            "black-pleasant; may repeat. [default: race and gender]",
            metavar="NAME",
            show_default=False,
        ),
    ] = DEFAULT_NAMES
    _: KW_ONLY
    templates: Annotated[
        Texts | None,
        option("Texts of your own, one per line, with {name} in each.", names_a="file", metavar="<path>"),
    ] = None
    query: Annotated[str | None, option("What texts are ranked by, such as 'CVs for a nurse'.")] = None


@dataclass(frozen=True)
class RetrievalOptions(ScoredOptions):
    """Which queries and documents are scored, and with which names."""

    sets: Annotated[
        Sequence[str],
        option("grep-biasir or cvs; may repeat. [default: both]", "--set", metavar="NAME", show_default=False),
    ] = BUNDLED
    _: KW_ONLY
    queries: Annotated[
        FilePath | None,
        option("Queries of your own: JSON lines, CSV or Parquet, id and text.", names_a="file", metavar="<path>"),
    ] = None
    documents: Annotated[
        FilePath | None,
        option("Documents of your own, with {name} or versions.", names_a="file", metavar="<path>"),
    ] = None
    pairs: Annotated[
        FilePath | None,
        option("In place of documents, pairs of texts: first, second, unit.", names_a="file", metavar="<path>"),
    ] = None
    edits: Annotated[bool, option("Do not score neutral edits for comparison.", "--no-edits")] = True
    query_prompt: Annotated[str | None, option("A text before each query.")] = None
    document_prompt: Annotated[str | None, option("The same for documents.")] = None

    def __post_init__(self) -> None:
        """Refuse queries without documents, two ways to say which documents, and what they would not use."""
        super().__post_init__()
        if (self.queries is None) != (self.documents is None and self.pairs is None) or (
            self.documents and self.pairs
        ):
            said = "--queries goes with --documents, or with --pairs"
            raise SettingError(said, option="queries", hint="give queries and one of them")
        if self.documents is None and (self.names or self.groups):
            raise SettingError("names go with documents of your own", option="names", hint="leave them out")
        if self.queries is not None and tuple(self.sets) != BUNDLED:
            raise SettingError(
                "queries of your own take the place of sets", option="sets", hint="leave one of them out"
            )


@dataclass(frozen=True, kw_only=True)
class _Running(OpeningSettings):
    """What Python has besides: how the model is opened, and what only a running job has."""

    cache: Annotated[
        EncodingStore | None, option("Where scores are kept: a run that was interrupted goes on from there.")
    ] = None
    report: Annotated[Report | None, option("Called with what is done, how much of it, and how much there is.")] = None


@dataclass(frozen=True)
class SwapSettings(_Running, SwapOptions):
    """How scores of texts are compared."""


@dataclass(frozen=True)
class RetrievalSettings(_Running, RetrievalOptions):
    """How rankings of documents are compared."""

    @property
    def given(self) -> dict[str, Any]:
        """What was said about the model itself, prompts included."""
        prompts = {"query_prompt": self.query_prompt, "document_prompt": self.document_prompt}
        return super().given | {name: prompt for name, prompt in prompts.items() if prompt is not None}


@dataclass(frozen=True)
class ScorerSource:
    """How a scorer is reached, and where it is."""

    adapter: Adapter
    place: str


def find_scorer(name: str) -> ScorerSource:
    """Return what a scorer's name means; refuse what means nothing, and subjects that do not exist."""
    prefix, _, rest = name.partition(":")
    if _URL.match(name):
        return ScorerSource("http", name)
    if prefix in _PREFIXES and rest.strip():
        if prefix != "command":
            from imprint.subjects.sources import find_source

            find_source(rest, "embedding" if prefix == "valence" else "encoder")
        return ScorerSource(cast(Adapter, prefix), rest.strip())
    if prefix not in _PREFIXES and _FUNCTION.fullmatch(name):
        return ScorerSource("function", name)
    raise SettingError(option="the scorer", got=name, expected=EXPECTED)


def is_pair_scorer(name: str) -> bool:
    """Tell whether a name is that of what scores pairs of a query and a document; all others are encoders."""
    prefix, _, rest = name.partition(":")
    return bool(rest) and (
        prefix in ("command", "scorer") or (not _URL.match(name) and bool(_FUNCTION.fullmatch(name)))
    )
