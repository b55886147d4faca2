"""KINDS: one module per kind of finding, with its row, how it is run, its tables, charts and sentences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from imprint.errors import ImprintError
from imprint.jobs import Part as Part  # a plug-in's kind needs both
from imprint.registry import Registry
from imprint.rows import RawRow, Row, grouped
from imprint.view import Block, Claim, Text, Tile

if TYPE_CHECKING:
    from imprint.jobs.job import Job, Plan
    from imprint.stimuli.definition import Test
    from imprint.types import Progress

REGISTRY = Registry(
    "imprint.kinds",
    {
        "controls": "imprint.kinds.audit:CONTROLS",
        "part": "imprint.kinds.audit:PART",
        "skipped": "imprint.kinds.audit:SKIPPED",
        "weat": "imprint.kinds.weat:WEAT",
        "topic": "imprint.kinds.topics:TOPIC",
        "interaction": "imprint.kinds.topics:INTERACTION",
        "change": "imprint.kinds.comparison:CHANGE",
        "topic-change": "imprint.kinds.comparison:TOPIC_CHANGE",
        "wefat": "imprint.kinds.wefat:WEFAT",
        "calibration": "imprint.kinds.calibration:CALIBRATION",
        "seat": "imprint.kinds.seat:SEAT",
        "seat-coherence": "imprint.kinds.seat:COHERENCE",
        "seat-anisotropy": "imprint.kinds.seat:ANISOTROPY",
        "ube": "imprint.kinds.enumeration:CELL",
        "ube-group": "imprint.kinds.name_groups:GROUP",
        "ube-overview": "imprint.kinds.enumeration:OVERVIEW",
        "ube-indirect": "imprint.kinds.enumeration:INDIRECT",
        "pairs": "imprint.kinds.directions:PAIRS",
        "projection": "imprint.kinds.directions:PROJECTION",
        "projection comparison": "imprint.kinds.directions:COMPARISON",
        "analogy": "imprint.kinds.analogies:ANALOGY",
        "debiasing": "imprint.kinds.debiasing:DEBIASING",
        "frontier": "imprint.kinds.debiasing:FRONTIER",
        "debiased projection": "imprint.kinds.debiasing:MOVED",
        "debias-comparison": "imprint.kinds.debiasers:DEBIASERS",
        "leakage": "imprint.kinds.leakage:LEAKAGE",
        "sentence-leakage": "imprint.kinds.leakage:SENTENCE_LEAKAGE",
        "similarity": "imprint.kinds.benchmarks:SIMILARITY",
        "analogy_benchmark": "imprint.kinds.benchmarks:ANALOGIES",
        "agreement": "imprint.kinds.comparison:AGREEMENT",
        "neighbours": "imprint.kinds.analogies:NEIGHBOURS",
        "name-ranking": "imprint.kinds.analogies:NAME_RANKING",
        "reproduction": "imprint.kinds.reproduction:REPRODUCTION",
        "removed-names": "imprint.kinds.reproduction:REMOVED_NAMES",
        "metric": "imprint.kinds.metrics:METRIC",
        "metric-agreement": "imprint.kinds.metrics:METRIC_AGREEMENT",
        "swap": "imprint.kinds.swap:SWAP",
        "retrieval": "imprint.kinds.retrieval:RETRIEVAL",
        "translation": "imprint.kinds.translation:TRANSLATION",
        "corpus": "imprint.kinds.corpus:CORPUS",
        "corpus-topic": "imprint.kinds.corpus:TOPIC",
        "corpus-change": "imprint.kinds.corpus:CHANGE",
        "audit": "imprint.kinds.audit:AUDIT",
    },
)


def _nothing(*_: Sequence[Any]) -> Iterable[Any]:
    return ()


class NamedTests(NamedTuple):
    """What can be named in a condition: what it is, and all names; `fixed` where no file of tests adds any."""

    what: str
    known: Sequence[str]
    fixed: bool = False


@dataclass(frozen=True, eq=False)
class Kind:
    """Everything that belongs to one kind of finding.

    `blocks` draws rows as tables, charts and paragraphs for page, terminal and card, together with rows of the kinds
    it `joins`. `sentences` says what they mean, the most important first. `claims` pairs what can be concluded with
    what cannot; where that is one thing, `cannot` says it beside the first sentence. `run` asks an audit's subject,
    and takes `seconds` on two cores (`quick_seconds` in a quick audit). A long one that shares nothing with others
    runs `beside` them. `aliases` are short names of fields in conditions; `card` puts the tables on a model card. In a
    section, kinds come by `rank`. The first sentences, as many as `opens` says, are the verdict of a page without
    tests about people. `about` is written beside the name of such a page, and `steps` say what to do next: a sentence
    and commands. `method` says in a sentence or two how it was measured, for the methods section of a paper. No
    condition can be about a kind that is not `measured`.

    The first sentence of `brief` is its line in the terminal's summary, unless the verdict is about these rows. The
    verdict of a page is about the first kind that `asks_people` and has an answer, see `imprint.kinds.verdict`.
    `certainty` says how sure one can be of it. Another kind may add a `tile` to those of the first screen.
    `after_debiasing` says, in brackets, what a debiased copy still shows. Conditions can name what `names` returns of
    tests and findings. Where a sentence encoder was audited, they are about the kind and the part `of_encoder`.

    A sentence encoder is sent first what a kind with `texts` asks: groups of texts, the most important first.
    """

    row: type[Row]
    part: Part
    blocks: Callable[[Sequence[Any]], Iterable[Block]] = _nothing
    sentences: Callable[[Sequence[Any]], Iterable[Text]] = _nothing
    claims: Callable[[Sequence[Any]], Iterable[Claim]] | None = None
    cannot: str | None = None
    run: "Callable[[Job, Progress], Iterable[Row]] | None" = None
    seconds: "float | Callable[[Plan], float]" = 1.0
    quick_seconds: float | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    card: bool = False
    beside: bool = False
    joins: tuple[str, ...] = ()
    rank: int = 0
    opens: int = 0
    about: Callable[[Sequence[Any]], Iterable[Text]] = _nothing
    steps: Callable[[Sequence[Any]], Iterable[tuple[str, ...]]] = _nothing
    method: str = ""
    measured: bool = True
    brief: Callable[[Sequence[Any]], Iterable[Text]] | None = None
    asks_people: bool = False
    tile: Callable[[Sequence[Any]], Tile] | None = None
    certainty: Callable[[Sequence[Any], Sequence[Any]], Iterable[Text]] = _nothing
    after_debiasing: Callable[[Sequence[Any]], str] = lambda rows: ""
    names: "Callable[[Sequence[Test], Sequence[Row]], NamedTests] | None" = None
    of_encoder: tuple[str, str] | None = None
    texts: "Callable[[Job], Iterable[Sequence[str]]] | None" = None

    @property
    def name(self) -> str:
        """The kind that its rows say."""
        return str(self.row.__struct_config__.tag)

    def concluded(self, rows: Sequence[Any]) -> Iterable[Claim]:
        """Return what can be concluded from rows, with what cannot: its claims, or its first sentence alone."""
        if self.claims is not None:
            return self.claims(rows)
        first = () if self.cannot is None else islice(self.sentences(rows), 1)
        return ((sentence, self.cannot or "") for sentence in first)


def find_kind(name: str) -> Kind | None:
    """Return a kind by its name; None where neither this version nor a plug-in knows it."""
    if not REGISTRY.is_own(name) and name not in _plugins():
        return None
    kind = REGISTRY.get(name)
    if not isinstance(kind, Kind):
        raise ImprintError(
            f"the plug-in {name!r} must offer a Kind, got {type(kind).__name__}; reinstall or remove it"
        )
    return kind


def all_kinds() -> list[Kind]:
    """Return every kind, those of plug-ins last."""
    return [kind for name in REGISTRY.names() if (kind := find_kind(name)) is not None]


def row_type(name: str, part: object = None) -> type[Row] | None:
    """Return the type of a kind's rows; None for a kind, or a part of an audit, that is not known."""
    kind = find_kind(name)
    if kind is None:
        return None
    return kind.row if part in (None, kind.part.name) or part in _part_names() else None


def part_of(row: Row) -> str:
    """Return the part a row belongs to: the one it says, or its kind's; none for a kind that is not known."""
    if isinstance(row, RawRow):
        return ""
    kind = None if row.part else find_kind(row.kind)
    return row.part or ("" if kind is None else kind.part.name)


def kind_of(row: Row) -> Kind | None:
    """Return the kind of a row; None where it is not known."""
    return None if isinstance(row, RawRow) else find_kind(row.kind)


def by_kind(rows: Iterable[Row]) -> dict[Kind, list[Row]]:
    """Return rows by their kinds, which come in the order they have in a section; unknown kinds are left out."""
    listed = grouped((row for row in rows if not isinstance(row, RawRow)), key=lambda row: row.kind)
    kinds = [kind for name in listed if (kind := find_kind(name)) is not None]
    return {kind: listed[kind.name] for kind in sorted(kinds, key=lambda kind: kind.rank)}


def tests_of_people(rows: Iterable[Row]) -> list[Any]:
    """Return the rows of kinds whose tests are about people, in their own order."""
    return [row for row in rows if (kind := kind_of(row)) is not None and kind.asks_people]


def parts_of(rows: Iterable[Row], besides: Iterable[str] = ()) -> list[Part]:
    """Return the parts that rows belong to, and others by name, in the order of the page."""
    listed = list(rows)
    names = {*map(part_of, listed), *besides} - {""}
    by_name = {kind.part.name: kind.part for kind in by_kind(listed)}
    if not names <= by_name.keys():  # some tests are run again in parts that are not their kind's own
        by_name = {kind.part.name: kind.part for kind in all_kinds()}
    alone = not any(
        by_name[name].asks == ("embedding",) and by_name[name].why_not is None for name in names & {*by_name}
    )
    parts = (by_name[name] for name in names if name in by_name)
    return sorted(parts, key=lambda part: (alone and part.order_alone) or part.order)


@cache
def _part_names() -> Sequence[str]:
    return tuple(dict.fromkeys(kind.part.name for kind in all_kinds()))


@cache
def _plugins() -> Sequence[str]:
    return tuple(REGISTRY.plugins())
