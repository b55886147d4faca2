"""What a scorer's name means. Nothing is imported, opened or run here."""

import re
from dataclasses import dataclass
from typing import Literal, cast

from imprint.errors import SettingError

Adapter = Literal["function", "command", "http", "valence", "encoder"]

EXPECTED = (
    "module:function, command:PROGRAM ARGUMENTS, the URL of an endpoint, valence:EMBEDDING or encoder:ENCODER (with a "
    "query)"
)
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_URL = re.compile("https?://", re.IGNORECASE)
_PREFIXES = ("command", "valence", "encoder")


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
