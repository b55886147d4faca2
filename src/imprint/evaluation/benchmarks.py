"""Benchmarks of word similarity and analogy: those that come with imprint, and those of a folder of yours.

A file of pairs has three columns, two words and people's score (tabs or, in .csv, commas); a file of analogies has
four words a line and lines ": name" that begin a section, as the analogies of word2vec have. Rows of all benchmarks
share the measures of an embedding, alone or against another one. It loads without numpy, for the command line's sake.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from imprint.checks import check_whole
from imprint.errors import SettingError, StimulusError, raising_as
from imprint.files import FilePath, bundled_file
from imprint.rows import Row, shown
from imprint.settings import SEED, option
from imprint.stimuli.files import read_text
from imprint.stimuli.published import figures, published_pair

if TYPE_CHECKING:
    from imprint.embeddings.embedding import Embedding
    from imprint.evaluation.resampling import Estimate

AnalogyQuestion = tuple[str, str, str, str]

Whose = Literal["", "against_", "change_"]  # whose measure: this embedding's, the other's, or the change

# Each measure of the other embedding, A, and of this one, B, less that.
OtherValue = Annotated[float | None, shown("A", "Measured for the other embedding, A.", digits=3)]
ValueChange = Annotated[float | None, shown("B - A", "B less A, with the 95 % interval of this difference.", digits=3)]

MOST_WORDS = 300_000  # searched for analogies: gensim's own limit
RESAMPLES = 1_000
SUFFIXES = (".tsv", ".csv", ".txt")
PART = "benchmarks"  # the part of an audit that measures the debiased copy against the embedding audited

_BUNDLED = ("rg-65.tsv", "ws-353.tsv", "men.tsv.gz", "google.txt.gz")
_NO_SECTION = "all"


@dataclass(frozen=True, repr=False)
class PairBenchmark:
    """Pairs of words and how similar, or how related, people say they are."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    scores: tuple[float, ...]

    def __repr__(self) -> str:
        return f"PairBenchmark({self.name!r}, {len(self.pairs):,} pairs)"


@dataclass(frozen=True, repr=False)
class AnalogyBenchmark:
    """Questions (a, b, c, d): a is to b as c is to d; `sections` gives the section of each."""

    name: str
    questions: tuple[AnalogyQuestion, ...]
    sections: tuple[str, ...]

    def __repr__(self) -> str:
        return f"AnalogyBenchmark({self.name!r}, {len(self.questions):,} questions)"


Benchmark = PairBenchmark | AnalogyBenchmark


@dataclass(frozen=True, kw_only=True)
class BenchmarkSettings:
    """How analogies are answered."""

    most_words: Annotated[int, option("Number of most frequent words to search for analogies.", min=1)] = MOST_WORDS
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse to search no words."""
        check_whole("most_words", self.most_words)


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings(BenchmarkSettings):
    """How benchmarks are run."""

    resamples: Annotated[int, option("Resamples behind intervals of analogies.", min=1)] = RESAMPLES

    def __post_init__(self) -> None:
        """Refuse intervals of no resamples."""
        super().__post_init__()
        check_whole("resamples", self.resamples)


def bundled_benchmarks(*names: str) -> tuple[Benchmark, ...]:
    """Return RG-65, WordSim-353, MEN and Google's analogies, whose licences let imprint carry them; or those named."""
    return tuple(_bundled(file) for file in _BUNDLED if not names or _stem(file) in names)


def pair_words(benchmarks: Iterable[Benchmark]) -> list[str]:
    """Return the words of pairs."""
    listed = (benchmark.pairs for benchmark in benchmarks if isinstance(benchmark, PairBenchmark))
    return list(dict.fromkeys(word for pairs in listed for pair in pairs for word in pair))


def read_benchmarks(folder: FilePath) -> tuple[Benchmark, ...]:
    """Read every .tsv, .csv and .txt file of a folder, packed by gzip or not, in the order of their names."""
    path = Path(folder)
    if not path.is_dir():
        raise SettingError("is not a folder", where=path, hint="give one that holds benchmarks")
    files = sorted(file for file in path.iterdir() if _stem(file.name) is not None and file.is_file())
    if not files:
        raise SettingError(f"has no {', '.join(SUFFIXES)} file", where=path, hint="give a folder of benchmarks")
    benchmarks = tuple(_read(file) for file in files)
    _refuse_twice([benchmark.name for benchmark in benchmarks], path)
    return benchmarks


def read_benchmark(path: FilePath, name: str) -> Benchmark:
    """Read one file, and call the benchmark by this name."""
    return replace(_read(Path(path)), name=name)


def all_benchmarks(folder: FilePath | None = None) -> tuple[Benchmark, ...]:
    """Return the bundled benchmarks, and those of a folder after them."""
    if folder is None:
        return bundled_benchmarks()
    others = read_benchmarks(folder)
    every = bundled_benchmarks() + others
    _refuse_twice([benchmark.name for benchmark in every], Path(folder))
    return every


class BenchmarkRow(Row, frozen=True, kw_only=True):
    """A benchmark on one embedding; `against` another, both on the same pairs or questions.

    The effect size is the first of `measures`.
    """

    measures: ClassVar[tuple[str, ...]]

    test: Annotated[str, shown("Benchmark")]
    found: Annotated[int, shown("Found", "Pairs or questions all of whose words the embedding has.")]
    asked: Annotated[int, shown("Asked", "Pairs or questions of the benchmark.")]
    n_words: Annotated[int, shown("Words", "Words of the pairs, or those searched for answers.")]
    against: Annotated[str | None, shown("A", "Name of the other embedding.")] = None
    against_sha256: Annotated[str | None, shown("SHA-256 of A", "Hash of the other embedding.", shape="word")] = None
    against_missing: Annotated[tuple[str, ...], shown("Missing in A", "Words without a vector there.")] = ()
    published_before: Annotated[
        float | None,
        shown("Published (Google News)", "Before and after debiasing, for other vectors than these.", digits=3),
    ] = None
    published_after: Annotated[
        float | None, shown("Published, after", "After debiasing, for Google News vectors.", digits=3)
    ] = None

    @property
    def audited(self) -> str:
        """The name of the embedding that the row is about: in an audit, the one its debiased copy is held against."""
        return self.against if self.against is not None and self.part == PART else self.embedding

    @property
    def audited_sha256(self) -> str:
        """Its hash."""
        return (self.part == PART and self.against_sha256) or self.embedding_sha256

    def own_field(self, field: str) -> str:
        """Return the field, by its name in JSON, with a number of the embedding audited, not of a debiased copy."""
        before = f"against_{self.measures[0] if field == 'effect_size' else field}"
        of_a_copy = self.against is not None and self.part == PART
        return before if of_a_copy and before in self.__struct_encode_fields__ else field

    def measured(self, measure: str, of: Whose = "") -> tuple[float | None, float | None, float | None]:
        """Return a measure of the embedding, of the other one, or of the change, and the ends of its interval."""
        value, low, high = (getattr(self, f"{field_of(measure, of)}{end}") for end in ("", "_low", "_high"))
        return value, low, high


def field_of(measure: str, of: Whose = "") -> str:
    """Return the field of a measure; no name in Python begins with a digit."""
    return f"{of}{measure}".removeprefix("3")


def benchmark_fields(
    benchmark: str,
    embeddings: Sequence["Embedding"],
    missing: Sequence[tuple[str, ...]],
    measured: Sequence[Mapping[str, "Estimate"]],
    change: Mapping[str, "Estimate"],
) -> dict[str, Any]:
    """Return what rows of all benchmarks have; of two embeddings, the last is measured against the first."""
    from imprint.evaluation.resampling import flatten  # loads numpy, which reading benchmarks does without

    printed = f"bolukbasi-{benchmark}"
    before, after = published_pair(printed) if f"{printed}-before" in figures() else (None, None)
    fields = {
        "test": benchmark,
        "embedding": embeddings[-1].name,
        "embedding_sha256": embeddings[-1].sha256,
        "effect_size": next(iter(measured[-1].values())).value,
        "missing": missing[-1],
        "published_before": before,
        "published_after": after,
        **flatten(measured[-1]),
    }
    if len(embeddings) > 1:
        fields |= {
            "against": embeddings[0].name,
            "against_sha256": embeddings[0].sha256,
            "against_missing": missing[0],
            **flatten(measured[0], "against_"),
            **flatten(change, "change_"),
        }
    return fields


@cache
def _bundled(file: str) -> Benchmark:
    return _read(bundled_file(f"evaluation/data/{file}"))


def _stem(name: str) -> str | None:
    """Return the benchmark's name for a file's, None where the file is none."""
    path = Path(name.lower().removesuffix(".gz"))
    return path.stem if path.suffix in SUFFIXES and not name.startswith(".") else None


def _refuse_twice(names: list[str], folder: Path) -> None:
    twice = sorted(name for name in set(names) if names.count(name) > 1)
    if twice:
        raise SettingError(
            f"there are two benchmarks {twice[0]!r}", where=folder, got=twice[0], hint="rename or remove a file"
        )


def _read(path: Path) -> Benchmark:
    name = _stem(path.name)
    assert name is not None
    rows: list[tuple[int, tuple[str, ...]]] = []
    sections: list[str] = []
    section = _NO_SECTION
    for number, line in enumerate(read_text(str(path)).splitlines(), start=1):
        if line.startswith(":"):
            section = line[1:].strip() or _NO_SECTION
        elif line.strip() and not line.startswith("#"):
            rows.append((number, _fields(path, number, line)))
            sections.append(section)
    if not rows:
        raise StimulusError(
            "has no pairs and no questions", where=str(path), hint="write lines such as 'car<tab>train<tab>6.31'"
        )
    width = len(rows[0][1])
    if width == 3:
        return _pairs(path, name, rows)
    if width == 4:
        return AnalogyBenchmark(name, tuple(_questions(path, rows)), tuple(sections))
    raise _malformed(path, *rows[0])


def _fields(path: Path, number: int, line: str) -> tuple[str, ...]:
    """Split a line; copies of RG-65 have two tabs between columns, so empty columns count for nothing."""
    if ".csv" not in path.name.lower():
        return tuple(line.split())
    with raising_as(csv.Error, StimulusError, "is not valid CSV ({})", where=(str(path), number)):
        parts = next(csv.reader([line], strict=True))
    return tuple(part.strip() for part in parts if part.strip())


def _pairs(path: Path, name: str, rows: list[tuple[int, tuple[str, ...]]]) -> PairBenchmark:
    if _number(rows[0][1][2]) is None:
        rows = rows[1:]  # it names the columns
    scores = []
    for number, fields in rows:
        score = _number(fields[2]) if len(fields) == 3 else None
        if score is None:
            raise _malformed(path, number, fields)
        if not math.isfinite(score):
            raise StimulusError(
                option="the score", got=fields[2], expected="a finite number", where=(str(path), number)
            )
        scores.append(score)
    if len(set(scores)) < 2:
        raise StimulusError(
            f"no two of {len(scores)} scores differ, so nothing can correlate with them", where=str(path)
        )
    return PairBenchmark(name, tuple((fields[0], fields[1]) for _, fields in rows), tuple(scores))


def _questions(path: Path, rows: list[tuple[int, tuple[str, ...]]]) -> Iterator[AnalogyQuestion]:
    for number, fields in rows:
        # A third column of numbers is a score, and the fourth something that belongs to pairs.
        if len(fields) != 4 or _number(fields[2]) is not None:
            raise _malformed(path, number, fields)
        a, b, c, d = fields
        yield a, b, c, d


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _malformed(path: Path, number: int, fields: tuple[str, ...]) -> StimulusError:
    shown = " ".join(fields)[:60]
    return StimulusError(
        f"is {shown!r}", expected="two words and a score, or the four words of an analogy", where=(str(path), number)
    )
