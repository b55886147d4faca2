"""Rows: what every measurement returns, one typed struct per kind, and JSON lines in and out.

A row type names its kind as its tag. One key has one type in all kinds; numbers that do not exist (an effect of scores
that do not vary, an unbounded end) are None; counts that may exceed 2**53 are decimal strings; nothing is keyed by
data, so that every table library can read a file of rows.
"""

import html
import json
import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, Self, TypeVar

import msgspec

from imprint.descriptions import Shape, table_fields
from imprint.errors import ImprintError, requiring
from imprint.version import __version__
from imprint.writing import ESCAPES, write_findings

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

Count = Annotated[str, msgspec.Meta(pattern="^[0-9]{1,4000}$")]  # a whole number that may exceed 2**53

SCHEMA_VERSION = 3  # rows of the first one, of version 0.1 of this package, do not say so


def shown(
    title: str,
    meaning: str = "",
    *,
    shape: Shape | None = None,
    digits: int | None = None,
    ends: str | None = None,
    method: str = "",
) -> msgspec.Meta:
    """Describe a field where it is declared: tables, hover texts, JSON Schema and documentation take it from here.

    Names say something too: a number whose name begins with `p_` is a p-value, and a field with neighbours NAME_low
    and NAME_high is drawn with that interval.

    Parameters
    ----------
    title
        What heads its column.
    meaning
        What it is, in a sentence.
    shape
        How it is drawn; by default as its type and its name say.
    digits
        Decimals that are drawn.
    ends
        The NAME whose fields NAME_low and NAME_high are the ends of its interval, if it is not the field's own; "" for
        fields low and high.
    method
        The field that says how a p-value was found, of rows that have it.

    Examples
    --------
    >>> class LengthRow(Row, frozen=True, kw_only=True, tag="length"):
    ...     mean_length: Annotated[float, shown("Mean length", "Mean length of the vectors.", digits=3)]
    """
    drawn = {"shape": shape, "digits": digits, "ends": ends, "method": method}
    return msgspec.Meta(title=title, description=meaning or f"{title}.", extra={"meaning": meaning, **drawn})


# Both ends of the interval of the field before them.
LowEnd = Annotated[float | None, shown("Low", "Low end of its 95 % interval.")]
HighEnd = Annotated[float | None, shown("High", "High end of its 95 % interval.")]


class WordValue(msgspec.Struct, frozen=True):
    """A word with its number."""

    word: Annotated[str, shown("Word", shape="word")]
    value: Annotated[float | None, shown("Value", digits=3)]


class WordPoint(msgspec.Struct, frozen=True):
    """A word with two numbers."""

    word: Annotated[str, shown("Word", shape="word")]
    x: Annotated[float, shown("x", "From left to right.", digits=3)]
    y: Annotated[float, shown("y", "From bottom to top.", digits=3)]


class TemplateValue(msgspec.Struct, frozen=True):
    """A sentence template with its number."""

    template: Annotated[str, shown("Text", "The sentence, with a place for the word.")]
    value: Annotated[float | None, shown("Value", digits=3)]


class Label(msgspec.Struct, frozen=True):
    """A name with a text: a setting of an encoder, the version of a library."""

    name: Annotated[str, shown("Name")]
    value: Annotated[str, shown("Value")]


class WordList(msgspec.Struct, frozen=True):
    """A word set of a test."""

    role: Annotated[str, shown("Role", "The role that it plays in the test: x, y, a, b or words.")]
    name: Annotated[str, shown("Name", "What the words have in common.")]
    words: Annotated[tuple[str, ...], shown("Words")]


class Findings:
    """What rows, and results of several, can do: become tables and files, and draw themselves."""

    def findings(self) -> "Sequence[Row]":
        """Return the rows."""
        raise NotImplementedError

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of one line per row that was measured, without the lists of single words."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        measured = [row for row in self.findings() if not isinstance(row, SkippedRow)]
        columns = {kind: table_fields(kind) | {"kind"} for kind in {type(row) for row in measured}}
        return pd.DataFrame(
            [{key: value for key, value in row.to_dict().items() if key in columns[type(row)]} for row in measured]
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as JSON lines."""
        write_findings(path, self.findings())

    def chart(self) -> "alt.Chart":
        """Return the main chart of the rows, for Altair: show it in a notebook, change it, or save it.

        A result without a chart raises `ImprintError`.
        """
        chart = _drawings[0].chart(self.findings()) if _drawings else None
        if chart is None:
            raise ImprintError(f"{type(self).__name__} has no chart", hint="draw its to_frame() as you like")
        return chart

    def _repr_html_(self) -> str:
        rows = self.findings()
        return _drawings[0].page(rows) if rows and _drawings else f"<code>{html.escape(repr(self))}</code>"


class Row(Findings, msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """One finding: the fields that rows of every kind have. A number that does not exist is None."""

    test: Annotated[str, shown("Test", "What was asked: the id of a test, or the name of a measurement.")]
    embedding: Annotated[str, shown("Model", "Name of the embedding or encoder.")]
    embedding_sha256: Annotated[str, shown("SHA-256", "Hash of the embedding or encoder.", shape="word")]
    effect_size: Annotated[float | None, shown("Effect size", "The size of the effect.")] = None
    statistic: Annotated[float | None, shown("Statistic", "The statistic behind the effect.")] = None
    p_value: Annotated[float | None, shown("p", "The p-value.")] = None
    seed: Annotated[int, shown("Seed", "Seed of everything random.")] = 0
    missing: Annotated[tuple[str, ...], shown("Missing", "Words without a vector.")] = ()
    part: Annotated[str | None, shown("Part", "The part of an audit that the row belongs to.")] = None
    version: Annotated[str, shown("Version", "Version of imprint that made the row.")] = __version__
    schema_version: Annotated[int, shown("Schema", "Version of the row's fields.")] = SCHEMA_VERSION

    def __post_init__(self) -> None:
        """Keep None for numbers that do not exist, so that a row made here is the row that is read back."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, float) and not math.isfinite(value):
                msgspec.structs.force_setattr(self, name, None)

    def check_lengths(self, *fields: str) -> None:
        """Require that lists belonging together are equally long: a row may be read from a file."""
        lengths = [len(getattr(self, field)) for field in fields]
        if len(set(lengths)) > 1:
            raise ValueError(f"{', '.join(fields)} must be equally long, got {', '.join(map(str, lengths))} entries")

    @property
    def kind(self) -> str:
        """The kind of finding."""
        return str(self.__struct_config__.tag)

    @property
    def audited(self) -> str:
        """The name of the embedding that the row is about."""
        return self.embedding

    @property
    def audited_sha256(self) -> str:
        """Its hash."""
        return self.embedding_sha256

    @property
    def tests_language(self) -> str | None:
        """The language of a whole audit's tests, or "all"; None where the row is of one measurement."""
        return None

    @property
    def language(self) -> str | None:
        """The language of the words that the row is about; None where it does not say."""
        return None

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that it asks about."""
        return ()

    @property
    def sets(self) -> tuple[WordList, ...]:
        """The word sets behind it."""
        return ()

    @property
    def tests_asked(self) -> tuple[str, ...]:
        """The tests whose words it counts."""
        return (self.test,)

    @property
    def about_people(self) -> bool:
        """Whether it asks about people."""
        return False

    @property
    def is_control(self) -> bool:
        """Whether a difference is right in it, as between flowers and insects: it counts only where it is named."""
        return False

    def answers(self, field: str, *, named: bool = False) -> bool:
        """Tell whether a condition on this field is about it, where its author did not name it in full.

        `named` says that the author gave a pattern, and so named some.
        """
        return True

    @property
    def by_words(self) -> bool:
        """Whether words are its units: a row by sentences of the same words counts for nothing alone."""
        return True

    @property
    def context(self) -> str | None:
        """Whether words were alone or in which sentences, where that differs between rows of one test."""
        return None

    @property
    def p_method(self) -> str | None:
        """How its p was found."""
        return None

    @property
    def p_floor(self) -> float | None:
        """The smallest p that so many words could give."""
        return None

    @property
    def outcome(self) -> str | None:
        """What its interval says, where it has one that decides."""
        return None

    @property
    def reason(self) -> str | None:
        """Why it has no outcome, where more than its interval is why."""
        return None

    @property
    def obstacle(self) -> str | None:
        """What keeps it from an outcome above `small`, whatever its interval."""
        return None

    def lost_most(self) -> str | None:
        """Say what lost more than half of its words, or of its tests; the rest is not what was asked."""
        return None

    def own_field(self, field: str) -> str:
        """Return the field whose number is of the embedding audited, where the row has numbers of a copy too."""
        return field

    def in_part(self, part: str) -> Self:
        """Return the row as belonging to a part of an audit."""
        return msgspec.structs.replace(self, part=part)

    def findings(self) -> "Sequence[Row]":
        """Return the row in a list, as every result does."""
        return [self]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.test!r} on {self.embedding})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values only: texts, numbers, None, lists and dictionaries."""
        plain: dict[str, Any] = _plain(msgspec.to_builtins(self, builtin_types=(), enc_hook=_from_numpy))
        return plain

    def to_json(self) -> str:
        """Return one line of JSON. Floats are written so that reading gives the same number back."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False).translate(ESCAPES)


class SkippedRow(Row, frozen=True, kw_only=True, tag="skipped"):
    """Something that could not be measured."""

    title: Annotated[str, shown("What", "What could not be measured.")]
    reason: Annotated[str, shown("Why", "Why it could not be measured.")]
    topics: Annotated[tuple[str, ...], shown("Topics", "What a test would have asked about.")] = ()
    is_question: Annotated[bool, shown("Question", "Whether it is a standard question.")] = False


class PartRow(Row, frozen=True, kw_only=True, tag="part"):
    """A part of an audit, named by `test`."""

    title: Annotated[str, shown("Part")]
    ran: Annotated[bool, shown("Ran", "Whether it ran.")]
    why: Annotated[str | None, shown("Why not", "Why it did not run; nothing where it was not asked for.")] = None


class RawRow(Row, frozen=True, kw_only=True, tag="raw"):
    """A row of a kind, part or schema that this version does not know, with every field as it was read."""

    fields: Annotated[dict[str, Any], shown("Fields", "Every field as it was read.")]

    @property
    def kind(self) -> str:
        """The kind that the row names."""
        return str(self.fields.get("kind"))

    def in_part(self, part: str) -> Self:
        """Return the row as belonging to a part of an audit."""
        return msgspec.structs.replace(self, part=part, fields=self.fields | {"part": part})

    def to_dict(self) -> dict[str, Any]:
        """Return every field as it was read, with None for numbers that JSON does not have."""
        plain: dict[str, Any] = _plain(self.fields)
        return plain


RowType = TypeVar("RowType", bound=Row, covariant=True)
Wanted = TypeVar("Wanted", bound=Row)
Key = TypeVar("Key")


class Result(Findings, ABC):
    """The result of a measurement that is more than one row."""

    @abstractmethod
    def findings(self) -> Sequence[Row]:
        """Return one row per thing measured."""

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary, or several under the key "findings"."""
        rows = [row.to_dict() for row in self.findings()]
        return rows[0] if len(rows) == 1 else {"findings": rows}


class Rows(Result, Generic[RowType]):
    """The rows of a measurement that gives several, in the order of its tables; what could not be measured is last."""

    def __init__(self, rows: Iterable[RowType]) -> None:
        self._rows = tuple(rows)

    def findings(self) -> tuple[RowType, ...]:
        """Return the rows."""
        return self._rows

    def of(self, *kinds: type[Wanted]) -> tuple[Wanted, ...]:
        """Return the rows of a type, or of several."""
        return tuple(row for row in self._rows if isinstance(row, kinds))

    @property
    def skipped(self) -> tuple[SkippedRow, ...]:
        """What could not be measured, each with the reason."""
        return self.of(SkippedRow)

    def __iter__(self) -> Iterator[RowType]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int | str) -> RowType:
        """Return a row by its place, or the first of a test by its name."""
        by_test = {row.test: row for row in reversed(self._rows)}
        return by_test[index] if isinstance(index, str) else self._rows[index]

    def __repr__(self) -> str:
        counts = []
        for kind, number in Counter(row.kind for row in self._rows).items():
            outcomes = Counter(row.outcome for row in self._rows if row.kind == kind and row.outcome is not None)
            said = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
            counts.append(f"{number:,} {kind}: {said}" if said else f"{number:,} {kind}")
        return f"Rows({'; '.join(counts)})"


class Drawing(NamedTuple):
    """How results draw themselves: as a part of a page, and as a chart."""

    page: Callable[[Sequence[Row]], str]
    chart: "Callable[[Sequence[Row]], alt.Chart | None]"


_drawings: list[Drawing] = []


def draw_results_with(drawing: Drawing) -> None:
    """Let results draw themselves in notebooks with these functions."""
    _drawings[:] = [drawing]


def skipped(
    measured: tuple[str, str],
    test: str,
    title: str,
    reason: object,
    *,
    part: str,
    seed: int = 0,
    topics: tuple[str, ...] = (),
    is_question: bool = False,
) -> SkippedRow:
    """Return the row of something that could not be measured; `measured` is a name and its hash."""
    name, digest = measured
    return SkippedRow(
        test=test,
        embedding=name,
        embedding_sha256=digest,
        title=title,
        reason=str(reason),
        part=part,
        seed=seed,
        topics=topics,
        is_question=is_question,
    )


def read_row(fields: object, find: Callable[[str, object], type[Row] | None]) -> Row:
    """Make a row of what JSON holds; `find` gives the type of a kind in a part, or None where it knows no such."""
    if not isinstance(fields, Mapping):
        raise ImprintError(
            option="a finding", got=fields, expected="a JSON object", hint="give a file that imprint wrote"
        )
    kind, schema = fields.get("kind"), fields.get("schema_version")
    row = find(kind, fields.get("part")) if isinstance(kind, str) and schema == SCHEMA_VERSION else None
    try:
        if row is not None:
            return msgspec.convert(fields, row)
        common = {"schema_version": 1} | {name: fields[name] for name in Row.__struct_fields__ if name in fields}
        return msgspec.convert(common | {"kind": "raw", "fields": dict(fields)}, RawRow)
    except msgspec.ValidationError as error:
        raise ImprintError(str(error), hint="give a file as imprint wrote it") from error


def grouped(rows: Iterable[Wanted], key: Callable[[Wanted], Key]) -> dict[Key, list[Wanted]]:
    """Return the rows of each value of a key, as they come."""
    groups: dict[Key, list[Wanted]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def word_values(numbers: Mapping[str, float]) -> tuple[WordValue, ...]:
    """Return words with their numbers."""
    return tuple(WordValue(word, float(value)) for word, value in numbers.items())


def word_points(points: Mapping[str, Sequence[float]]) -> tuple[WordPoint, ...]:
    """Return words with their two numbers."""
    return tuple(WordPoint(word, float(x), float(y)) for word, (x, y) in points.items())


def _from_numpy(value: object) -> object:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a row")


def _plain(value: Any) -> Any:
    """Turn tuples into lists, numpy's numbers into Python's, and numbers that do not exist into None."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
