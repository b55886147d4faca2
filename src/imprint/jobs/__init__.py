"""JOBS: what an audit is asked to do: its settings, what it measures, its parts, and how far it is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from imprint.subjects.sources import SourceKind


@dataclass(frozen=True)
class Part:
    """A part of an audit and a section of its page; `needs` is what must be given for it to run.

    `asks` says which subjects it can ask; of another it says `why_not`, or nothing where another part asks the same.
    Where no part asks an embedding's tests, `order_alone` is its place. A gate counts its rows only for subjects that
    pass their controls, unless they are a control of their own. An `english` part has word lists or names in English
    alone, whatever the language of the tests. A card lists the tests that were not run of a part that `asks_tests` of
    the catalogue. Pages and cards with its rows explain its `terms`, and say what numbers cannot show by its `limits`.
    If all its parts are `alone`, as people's answers are, a page leaves out what other pages say of vectors.
    """

    name: str
    title: str
    order: int
    offensive: bool = False
    needs: Literal["encoder", "against", "debias"] | None = None
    controlled: bool = True
    asks: "tuple[SourceKind, ...]" = ("embedding", "encoder")
    why_not: str | None = None
    order_alone: int | None = None
    english: bool = False
    asks_tests: bool = False
    alone: bool = False
    terms: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
