"""Queries and documents for retrieval: bundled, or read from JSON lines, CSV or Parquet.

Queries have the columns `id` and `text`, documents the same and some of these: `query`, the id of the query that a
document belongs to; `relevant`, true or false; `topic`, which queries have too: documents are relevant to the queries
of their topic; `version`, such as male, female or neutral. Without versions, a text has {name}, or {he}, {him}, {his}.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress
from pathlib import Path
from typing import Any

from imprint.checks import did_you_mean
from imprint.errors import StimulusError, raising_as
from imprint.files import FilePath, bundled_file, flat_columns, open_parquet, parquet_rows
from imprint.stimuli.definition import WordSet
from imprint.stimuli.files import read_rows, read_text
from imprint.stimuli.swaps import Swap, fill_in, find_swap, slot_problem, two_by_two

GREP_BIASIR, CVS = "grep-biasir", "cvs"
BUNDLED = (GREP_BIASIR, CVS)
OWN = "documents"  # what ids of comparisons of a user's documents begin with
NEUTRAL = "neutral"
PAIR = ("first", "second")

_DATA = "stimuli/data/retrieval"
_TEXTS = ("text", *PAIR)
_OF_QUERIES = ("id", "text", "topic")
_OF_DOCUMENTS = (*_OF_QUERIES, "query", "relevant", "version", "document")
_OF_PAIRS = (*PAIR, "unit", "control")
_MOST = 2_000_000  # pairs of a query and a document in all its versions
_IRRELEVANT_TOPICS = 9  # whose documents are irrelevant to a query: the next ones in the order of the queries
_LARGEST = 256 * 1024 * 1024  # characters of texts in a Parquet file


@dataclass(frozen=True)
class Document:
    """A document in its versions, or with slots; `topic` and `is_relevant` are None where the file does not say."""

    id: str
    versions: Mapping[str, str]
    topic: str | None
    is_relevant: bool | None = None

    def text(self, level: str) -> str:
        """Return the document in a version, or with a name in its slots."""
        return self.versions.get(level) or fill_in(self.versions[""], level)

    @property
    def unnamed(self) -> str:
        """The text that neutral edits change: neutral, with slots, or the first version."""
        return self.versions.get(NEUTRAL) or next(iter(self.versions.values()))


@dataclass(frozen=True)
class RetrievalSet:
    """Queries, documents, the groups of names or versions that are compared, and what is asked of them.

    `queries` are pairs of a text and a topic. Names are `drawn`, versions and pronouns are these alone. Documents are
    `nested` where each belongs to one query.
    """

    id: str
    title: str
    source: str
    queries: tuple[tuple[str, str | None], ...]
    documents: tuple[Document, ...]
    groups: tuple[WordSet, ...]
    comparisons: tuple[Swap, ...]
    drawn: bool
    nested: bool
    is_matched: bool = True

    @property
    def levels(self) -> tuple[str, ...]:
        """The names, or versions, of all groups."""
        return tuple(word for group in self.groups for word in group.words)

    @property
    def is_crossed(self) -> bool:
        """Whether nothing says what is relevant: every document is scored for every query."""
        return all(topic is None for _, topic in self.queries)

    def without(self, texts: Collection[str]) -> "RetrievalSet":
        """Return it without queries of these texts, and documents of topics that have no other."""
        queries = tuple((text, topic) for text, topic in self.queries if text not in texts)
        topics = {topic for _, topic in queries}
        is_left = [self.is_crossed or document.topic in topics for document in self.documents]
        return replace(self, queries=queries, documents=tuple(compress(self.documents, is_left)))

    def pairs(self) -> list[tuple[int, int, bool]]:
        """Return the queries and documents to score, by their places, and whether they are relevant.

        Where nothing says what is relevant, every document is scored for every query, as if it were.
        """
        topics = list(dict.fromkeys(topic for _, topic in self.queries))
        position = {topic: index for index, topic in enumerate(topics)}
        of_topic: dict[str | None, list[int]] = defaultdict(list)
        for number, document in enumerate(self.documents):
            of_topic[None if self.is_crossed else document.topic].append(number)
        by_topic = not (self.is_crossed or self.nested)
        reach = min(_IRRELEVANT_TOPICS + 1, len(topics)) if by_topic else 1
        scored = [
            [topics[(position[topic] + step) % len(topics)] for step in range(reach)] for _, topic in self.queries
        ]
        count = sum(len(of_topic[topic]) for listed in scored for topic in listed) * len(self.levels)
        if count > _MOST:
            hint = "give fewer queries, documents or names"
            raise StimulusError(option="the pairs to score", got=count, expected=f"at most {_MOST:,}", hint=hint)
        return [
            (number, other, document.topic == topic if by_topic else document.is_relevant is not False)
            for (number, (_, topic)), listed in zip(enumerate(self.queries), scored, strict=True)
            for other in sorted(other for near in listed for other in of_topic[near])
            for document in [self.documents[other]]
        ]


@cache
def bundled_set(name: str) -> RetrievalSet:
    """Return Grep-BiasIR, or short CVs with names."""
    if name not in BUNDLED:
        hint = did_you_mean(name, BUNDLED)
        raise StimulusError(option="sets", got=name, expected=f"one of {', '.join(BUNDLED)}", hint=hint or None)
    queries, documents = (_bundled(f"{name}-{what}") for what in ("queries", "documents"))
    if name == GREP_BIASIR:
        return make_set(name, "Grep-BiasIR", "Krieg et al. (2023)", queries, documents, topics=("gender",))[0]
    by_topic: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in documents:
        by_topic[row["occupation"]].append(row)
    # One per occupation: with three, every name in each would take three times as long, and say little more.
    chosen = [listed[number % len(listed)] for number, listed in enumerate(by_topic.values())]
    queries, documents = ([row | {"topic": row["occupation"]} for row in rows] for rows in (queries, chosen))
    return make_set(name, "CVs", "written for imprint", queries, documents)[0]


def read_sets(queries: FilePath, documents: FilePath, swaps: Sequence[Swap] = ()) -> tuple[RetrievalSet, ...]:
    """Read a user's queries and documents: one set for their versions, or for each pair of groups of names."""
    rows = list(read_rows_of(queries)), list(read_rows_of(documents, _OF_DOCUMENTS))
    names = " and ".join(Path(path).name for path in (queries, documents))
    parts = make_set(OWN, names, names, *rows, swaps=swaps)
    relevant = {document.topic for document in parts[0].documents if document.is_relevant is not False}
    if (text := next((text for text, topic in parts[0].queries if topic not in relevant), None)) is not None:
        said, hint = f"the query {text!r} has no relevant document", "write one, or leave the query out"
        raise StimulusError(said, option="documents", hint=hint)
    return parts


def read_pairs(queries: FilePath, pairs: FilePath) -> RetrievalSet:
    """Read pairs of texts: columns `first`, `second`, `unit` and perhaps `control`, which is true of control pairs."""
    query_texts = _queries((row["text"], None) for row in read_rows_of(queries))
    documents: list[Document] = []
    seen = set[tuple[str, ...]]()
    for number, row in enumerate(read_rows_of(pairs, _OF_PAIRS, needed=(*PAIR, "unit")), start=1):
        versions = {side: row[side] for side in PAIR}
        if len({*versions.values()}) == 1 or tuple(versions.values()) in seen:
            said = f"pair {number} is one that was before, or has one text twice"
            raise StimulusError(said, where=pairs, hint="leave it out")
        seen.add(tuple(versions.values()))
        documents.append(Document(f"{row['unit']}, pair {number}", versions, row["unit"], not row.get("control")))
    documents.sort(key=lambda document: not document.is_relevant)  # control pairs last
    if not documents[0].is_relevant:
        raise StimulusError("has control pairs alone", where=pairs, hint="leave control empty in the others")
    groups = tuple(WordSet.of(f"{side} texts", [side]) for side in PAIR)
    source = Path(pairs).name
    comparison = Swap("pairs", f"Pairs of {source}", groups[0], groups[1])
    return RetrievalSet(
        "pairs", source, source, query_texts, tuple(documents), groups, (comparison,), drawn=False, nested=False
    )


def make_set(
    name: str,
    title: str,
    source: str,
    queries: Sequence[Mapping[str, Any]],
    documents: Sequence[Mapping[str, Any]],
    *,
    swaps: Sequence[Swap] = (),
    topics: tuple[str, ...] = (),
) -> tuple[RetrievalSet, ...]:
    """Make sets of rows; without `swaps`, names are the bundled ones, four groups of a 2 x 2."""
    nested = any("query" in row for row in documents)
    query_topics = _queries((row["text"], row["id"] if nested else row.get("topic")) for row in queries)
    listed = _documents(documents, nested, source)
    topics_asked = {topic for _, topic in query_topics}
    if (lost := next((each for each in listed if each.topic not in topics_asked), None)) is not None:
        what = "query" if nested else "topic"
        raise StimulusError(f"the {what} {lost.topic!r} of {lost.id!r} is not among the queries", option="documents")
    if None in topics_asked and len(topics_asked) > 1:
        text = next(text for text, topic in query_topics if topic is None)
        raise StimulusError(f"the query {text!r} has no topic, and others have one", option="queries")
    no = next((each for each in listed if each.is_relevant is False), None)
    if no is not None and not nested and topics_asked != {None}:
        said = f"the document {no.id!r} is not relevant, although its topic is that of a query"
        raise StimulusError(said, option="documents", hint="leave 'relevant' out, or give 'query' in place of 'topic'")
    part = RetrievalSet(name, title, source, query_topics, listed, (), (), drawn=False, nested=nested)
    versions = list(dict.fromkeys(version for document in listed for version in document.versions))
    if versions != [""]:
        compared = sorted(set(versions) - {NEUTRAL}, key=["male", "female", *versions].index)
        if len(compared) != 2 or "" in versions:
            raise StimulusError(option="versions", got=versions, expected="two versions, and neutral")
        whole = tuple(document for document in listed if set(compared) <= document.versions.keys())
        if name not in BUNDLED and len(whole) < len(listed):
            lacking = next(document for document in listed if document not in whole)
            said = f"the document {lacking.id!r} has the version {min(lacking.versions)!r}, and not both of {compared}"
            raise StimulusError(said, option="documents", hint="write both, or leave it out")
        levels = [*compared, *([NEUTRAL] if all(NEUTRAL in document.versions for document in whole) else [])]
        groups = tuple(WordSet.of(f"{each} versions", [each]) for each in levels)
        # Neutral versions count in the distance alone.
        effect = Swap(name, f"{title}: {groups[0].name} and {groups[1].name}", groups[0], groups[1], topics)
        return (replace(part, documents=whole, groups=groups, comparisons=(effect,)),)
    is_named = {"{name}" in document.unnamed for document in listed}
    if len(is_named) > 1:
        hint = "measure them one after the other, so that one thing changes at a time"
        raise StimulusError("some documents have {name} and others pronouns", option="documents", hint=hint)
    if False in is_named:
        swaps = [find_swap("pronouns")]
    return tuple(
        replace(
            part,
            groups=together[0].groups,
            comparisons=tuple(
                replace(swap, id=f"{name}-{swap.id}", title=f"{title}: {swap.title}") for swap in together
            ),
            drawn=not together[0].of_pronouns,
            is_matched=together[0].is_matched or together[0].of_pronouns,
        )
        for together in ([[swap] for swap in swaps] or [two_by_two()])
    )


def _queries(rows: Iterable[tuple[str, str | None]]) -> tuple[tuple[str, str | None], ...]:
    """Return texts with topics; a text that comes again would count as another query."""
    queries = tuple(rows)
    if (text := _repeated(text for text, _ in queries)) is not None:
        raise StimulusError(f"the query {text!r} is duplicated", option="queries", hint="keep one")
    return queries


def _repeated(values: Iterable[Any]) -> Any:
    """Return a value that comes again; None where there is none."""
    value, count = Counter(values).most_common(1)[0]
    return value if count > 1 else None


def _documents(rows: Sequence[Mapping[str, Any]], nested: bool, source: str) -> tuple[Document, ...]:
    """Return documents; versions of one query and relevance, or of one `document`, belong together."""
    listed: dict[object, Document] = {}
    for row in rows:
        key: object = row["id"]
        if "version" in row:
            key = row.get("document") or (row.get("query"), row.get("topic"), row.get("relevant"))
        version, text = str(row.get("version", "")), row["text"]
        if not version and (problem := slot_problem(text)):
            said = f"the document {row['id']!r} {problem}"
            raise StimulusError(said, option="documents", where=source, hint="or give versions")
        earlier = listed.get(key)
        if earlier is not None and version in earlier.versions:
            raise StimulusError(f"the document {row['id']!r} repeats a version, or an id", option="documents")
        topic = row.get("query") if nested else row.get("topic")
        if earlier is not None and (earlier.topic, earlier.is_relevant) != (topic, row.get("relevant")):
            said = f"the versions of {row['id']!r} and {earlier.id!r} differ in query, topic or relevance"
            raise StimulusError(said, option="documents", hint="give each document its own name in 'document'")
        versions = {**(earlier.versions if earlier else {}), version: text}
        listed[key] = Document(str(row["id"]), versions, topic, row.get("relevant"))
    documents = tuple(listed.values())
    if copy := _repeated((document.topic, *sorted(document.versions.items())) for document in documents):
        raise StimulusError(f"the text {copy[-1][1]!r} is that of two documents", option="documents", hint="keep one")
    return documents


def read_rows_of(
    path: FilePath, columns: Collection[str] = _OF_QUERIES, *, needed: Sequence[str] = ("id", "text")
) -> Iterator[dict[str, Any]]:
    """Read rows with the columns that are needed, and others of these, from JSON lines, CSV or Parquet."""
    ids, unread = Counter[str](), set[str]()
    for number, parsed in _parsed(Path(path)):
        for key in parsed.keys() - unread - {*columns}:
            if hint := did_you_mean(key, [column for column in columns if column not in parsed]):
                said = f"has the column {key!r}, which is not read"
                raise StimulusError(said, where=(path, number), hint=f"{hint[:-1]}, or give it another name?")
            unread.add(key)
        row: dict[str, Any] = {
            key: _as_text(key, value, (path, number)) for key, value in parsed.items() if key in columns
        }
        row = {key: value for key, value in row.items() if value}
        for column in needed:
            if column not in parsed:
                hint = f"its columns are: {', '.join(list(map(str, parsed))[:8])}"
                raise StimulusError(f"has no column {column!r}", where=(path, number), hint=hint)
            if not row.get(column, "").isprintable() or column not in row:
                raise StimulusError(f"has no {column} that can be printed", where=(path, number), hint="write it")
        for column in row.keys() & {"relevant", "control"}:
            flag = {"true": True, "1": True, "false": False, "0": False}.get(row[column].lower())
            if flag is None:
                raise StimulusError(option=column, got=row[column], expected="true or false", where=(path, number))
            row[column] = flag
        ids[row.get("id", "")] += 1
        if "id" in row and ids[row["id"]] > 1:
            raise StimulusError(f"the id {row['id']!r} is duplicated", where=(path, number), hint="keep one")
        yield row
    if not ids:
        raise StimulusError("has no rows", where=path, hint="write the columns " + " and ".join(needed))


def _as_text(column: str, value: Any, where: tuple[FilePath, int]) -> str:
    """Return a cell as text, in one line; what is missing is empty."""
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if not isinstance(value, str | None) and (column in _TEXTS or not is_number):
        expected = "text" if column in _TEXTS else "text or a number"
        raise StimulusError(option=column, got=value, expected=expected, where=where)
    return "" if value is None else " ".join(str(value).split())


def _parsed(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield rows, each with the number of its line, or of Parquet its own."""
    ending = path.suffix.lower()
    if ending == ".parquet":
        file, size = open_parquet(path, StimulusError), 0
        columns = flat_columns(file)
        rows = parquet_rows(file, columns, range(file.num_row_groups), path, StimulusError)
        for number, values in enumerate(rows, start=1):
            size += sum(len(value) if isinstance(value, str | bytes) else 8 for value in values)
            if size > _LARGEST:
                raise StimulusError(f"has more than {_LARGEST >> 20} MiB of texts", where=path, hint="give fewer rows")
            yield number, dict(zip(columns, values, strict=True))
        return
    if ending == ".csv":
        lines = read_rows(path)
        heading, _, columns = next(lines, (0, "", []))
        if columns and (column := _repeated(columns)):
            raise StimulusError(f"the column {column!r} is duplicated", where=(path, heading), hint="keep one")
        for number, _, cells in lines:
            if len(cells) > len(columns):
                hint = "put quotation marks around texts with commas or semicolons"
                said = f"has {len(cells)} cells for {len(columns)} columns"
                raise StimulusError(said, where=(path, number), hint=hint)
            yield number, dict(zip(columns, cells, strict=False))
        return
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            with raising_as(
                (ValueError, RecursionError), StimulusError, "is not valid JSON ({})", where=(path, number)
            ):
                row = json.loads(line, object_pairs_hook=_once)
            if not isinstance(row, dict):
                raise StimulusError(option="each line", got=row, expected="a JSON object", where=(path, number))
            yield number, row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; of two values of one key, none can be the one that is meant."""
    if pairs and (key := _repeated(key for key, _ in pairs)) is not None:
        raise ValueError(f"the key {key!r} is duplicated")
    return dict(pairs)


def _bundled(name: str) -> list[dict[str, Any]]:
    lines = bundled_file(f"{_DATA}/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
