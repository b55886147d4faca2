"""The subjects of a board: who they are, and what is measured of each, as bytes that any process can make.

    [[model]]
    name = "MiniLM"                     # by default the subject's own name
    subject = "models/minilm"           # as on the command line; paths start at this file
    prefix = "query: "                  # any option of an encoder
    findings = "minilm-swap.jsonl"      # what other commands measured of it

is an entry of a models.toml. One unit of work measures one subject: its tests about people, alone or (encoders) in
sentences, its controls and its benchmarks. It keeps the vectors of the tests' words, so that models are compared
without being opened again.
"""

import copy
import glob
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from imprint.announcing import Listener, announced_to
from imprint.association.rows import AssociationRow, Measured
from imprint.association.topics import topic_rows
from imprint.association.vectors import SetVectors
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache, HeldEncodings
from imprint.encoders.http import base_of, refuse_credentials
from imprint.encoders.onnx import external_files
from imprint.encoders.onnx_files import inspect
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks, pair_words
from imprint.evaluation.controls import control_words, controls
from imprint.files import FilePath, hash_file
from imprint.rows import Row, read_row, skipped
from imprint.stimuli.definition import Language, WeatTest, words_of
from imprint.stimuli.files import read_table
from imprint.subjects.encodings import announce_texts
from imprint.subjects.opening import EncoderLike, EncoderOptions, Subject, load, open_subject
from imprint.subjects.sources import BAG_OF_WORDS, EMBEDDING, ENCODERS, SourceKind, find_source, is_url
from imprint.work import WorkUnit, unit_key

_OPTIONS = tuple(EncoderOptions.__annotations__)
_KEYS = ("name", "subject", "findings", *_OPTIONS)
_PLACES = ("subject", "tokenizer", "findings")
_VECTOR, _INDEX = np.dtype("<f4"), np.dtype("<i4")


@dataclass(frozen=True)
class BoardEntry:
    """A subject as it was asked for: a name to show, what it is, the options of an encoder, and findings about it."""

    source: EncoderLike = field(repr=False)
    name: str | None = None
    options: EncoderOptions = field(default_factory=EncoderOptions)
    findings: FilePath | None = None

    def __post_init__(self) -> None:
        """Refuse a URL that a server's encoder refuses: with a password, it would be in every file of a board."""
        if self.remote:
            source = str(self.source)
            (base_of if is_url(source) else refuse_credentials)(source)

    @property
    def remote(self) -> bool:
        """Whether it is at a URL, where it may change unseen."""
        return isinstance(self.source, str) and "://" in self.source

    @property
    def shown(self) -> str:
        """What it is called while it is not open."""
        return self.name or (str(self.source) if isinstance(self.source, str | os.PathLike) else "object")


@dataclass(frozen=True)
class Asked:
    """What every subject is asked, and where encodings are kept."""

    tests: tuple[WeatTest, ...]
    seed: int
    cache: Path | None = None
    listener: Listener | None = None


class _TestWords(msgspec.Struct, frozen=True):
    """The words of a test that a model has, and which of its vectors are theirs."""

    test: str
    targets: tuple[str, ...]
    attributes: tuple[str, ...]
    n_x: int
    n_a: int
    indices: bytes

    def opened(self, vectors: bytes, dimension: int) -> SetVectors:
        """Return the words with their vectors, out of all those of the model."""
        every = np.frombuffer(vectors, dtype=_VECTOR).reshape(-1, dimension)
        rows = every[np.frombuffer(self.indices, dtype=_INDEX)].astype(np.float64)
        targets, attributes = np.split(rows, [len(self.targets)])
        return SetVectors(self.targets, self.attributes, self.n_x, self.n_a, targets, attributes)


class MeasuredModel(msgspec.Struct, frozen=True):
    """What a unit returns of its subject; vectors are kept once each, in single precision."""

    name: str
    sha256: str
    subject: SourceKind
    lines: tuple[str, ...]
    dimension: int
    vectors: bytes
    tests: tuple[_TestWords, ...]

    def rows(self) -> list[Row]:
        """Return the model's rows, under the name that it has on the board."""
        from imprint.kinds import row_type

        read = (read_row(json.loads(line), row_type) for line in self.lines)
        return [msgspec.structs.replace(row, embedding=self.name) for row in read]

    def measured(self, rows: Iterable[AssociationRow]) -> list[Measured[AssociationRow]]:
        """Return the tests of these rows with their vectors, where they have any."""
        words = {one.test: one.opened(self.vectors, self.dimension) for one in self.tests}
        return [Measured(row, words.get(row.test)) for row in rows]

    @classmethod
    def read(cls, data: bytes) -> "MeasuredModel":
        """Return what `measure_subject` wrote."""
        return msgspec.msgpack.decode(data, type=cls)


def is_list_of_models(source: object) -> bool:
    """Tell whether a subject of a board is a file that lists models."""
    return isinstance(source, str | os.PathLike) and os.fspath(source).endswith(".toml")


def read_models(path: FilePath) -> list[BoardEntry]:
    """Read a models.toml."""
    file = Path(path)
    found = []
    for table in read_table(file).allow(["model"]).tables("model"):
        values = {key: _beside(file, key, value) for key, value in table.allow(_KEYS).values.items()}
        _ = table.need("subject", str), table.get("name", str), table.get("findings", str)
        options: Any = {key: value for key, value in values.items() if key in _OPTIONS}
        found.append(BoardEntry(values["subject"], values.get("name"), options, values.get("findings")))
    if not found:
        raise SettingError("lists no models", where=file, hint="write at least one [[model]] with its subject")
    return found


def _beside(file: Path, key: str, value: Any) -> Any:
    """Return a value, and of one that names a file beside this one, its path."""
    place = file.parent / value if key in _PLACES and isinstance(value, str) else None
    return str(place) if place is not None and place.exists() else value


def board_unit(entry: BoardEntry, asked: Asked) -> WorkUnit:
    """Return the unit of work that measures a subject."""
    tests = [repr((test, sorted(words_of([test])), _spoken(test.spoken))) for test in asked.tests]
    options = sorted((name, str(value)) for name, value in entry.options.items())
    identity = [
        _identity(entry.source),
        options,
        [_contents(Path(value)) for name, value in options if name in _PLACES],
    ]
    key = unit_key("board", identity, entry.name, tests, asked.seed)
    return WorkUnit(key, measure_subject, (_whole(entry), asked), entry.shown, kept=_can_resume(entry))


def _spoken(language: Language | None) -> object:
    """Return what a file says of its language, which decides sentences and controls."""
    if language is None:
        return None
    return language.frames, sorted(language.valence.items()), [words.words for words in language.things or ()]


def _can_resume(entry: BoardEntry) -> bool:
    """Tell whether the next run can know that a subject is still the same."""
    if isinstance(entry.source, str | os.PathLike):
        return not entry.remote
    return _is_certain(open_subject(entry.source))


def _is_certain(subject: Subject) -> bool:
    """Tell whether a subject's hash says all of it; that of a function is its name."""
    return isinstance(subject, Embedding) or subject.cacheable


def _whole(entry: BoardEntry) -> BoardEntry:
    """Return an entry with absolute paths, without findings: a worker may run in another folder."""
    source, options = entry.source, entry.options
    if isinstance(source, str | os.PathLike) and not entry.remote and _is_path(source):
        source = Path(source).absolute()
    if "tokenizer" in options:
        options = options | {"tokenizer": str(Path(options["tokenizer"]).absolute())}
    return replace(entry, source=source, options=options, findings=None)


def _is_path(source: FilePath) -> bool:
    """Tell a file or folder from the name of a model that is bundled, installed or cached."""
    try:
        return find_source(source).place == Path(source)
    except ImprintError:
        return False  # the unit says what is wrong with it


def _identity(source: EncoderLike) -> list[Any]:
    """Return what changes when a subject does: the hashes of files, a package's version, an object's hash."""
    if not isinstance(source, str | os.PathLike):
        subject = open_subject(source)
        return [subject.sha256] if _is_certain(subject) else [subject.sha256, id(source)]
    try:
        found = find_source(source)
    except ImprintError:
        return [str(source)]  # the unit says what is wrong with it
    known = [str(source), str(found.place), *_package(found.adapter)]
    return known if found.place is None else [*known, *_contents(Path(found.place))]


def _package(adapter: str) -> list[Any]:
    """Return the version of the package that an encoder is in, and the hashes of weights that come with it."""
    if adapter == "universal":
        from imprint.encoders.universal import weight_files

        try:
            return [[name, _hash(path)] for name, path in weight_files().items()]
        except ImportError:
            return []  # the unit says so
    if adapter in (EMBEDDING, BAG_OF_WORDS) or adapter in ENCODERS.builtin:
        return []
    from importlib.metadata import entry_points  # it takes long to import, and most boards need none of it

    packages = (point.dist for point in entry_points(group=ENCODERS.group, name=adapter))
    return [[package.name, package.version] for package in packages if package is not None]


def _contents(place: Path) -> list[tuple[str, str]]:
    """Return the paths and hashes of a file and of what may be read with it, or of a folder's files."""
    files = sorted(place.rglob("*") if place.is_dir() else [place, *_read_with(place)])
    return [(str(file), _hash(file)) for file in files if file.is_file()]


def _read_with(file: Path) -> list[Path]:
    """Return the files that are read with one: gensim's matrices, an ONNX graph's tokenizer and tensors."""
    files = list(file.parent.glob(f"{glob.escape(file.name)}.*"))
    if file.suffix.lower() == ".onnx":
        files.append(file.with_name("tokenizer.json"))
        with suppress(ImprintError):  # the unit says what is wrong with it
            files += external_files(file, inspect(file))
    return files


def _hash(file: Path) -> str:
    with suppress(OSError):  # where the file is needed, the unit says that it cannot be read
        return hash_file(file)
    return ""


def measure_subject(entry: BoardEntry, asked: Asked) -> bytes:
    """Ask a subject everything that a board shows of it."""
    from imprint.evaluation.evaluate import evaluate

    benchmarks = [one for one in bundled_benchmarks() if isinstance(one, PairBenchmark)]
    languages = {test.language for test in asked.tests}
    subject = _open(entry, [*words_of(asked.tests), *control_words(languages, asked.tests), *pair_words(benchmarks)])
    caching = nullcontext(HeldEncodings()) if asked.cache is None else EncodingCache(asked.cache)
    with announced_to(asked.listener), caching as cache:
        if isinstance(subject, Encoder) and subject.max_texts is not None:
            from imprint.association.seat_battery import framed_texts
            from imprint.subjects.framed import texts_of_words

            words = texts_of_words(subject, pair_words(benchmarks))
            announce_texts(subject, [control_words(languages, asked.tests), *framed_texts(asked.tests), words], cache)
        rows: list[Row] = [*controls(subject, languages=languages, tests=asked.tests, cache=cache).findings()]
        measured_tests, found = _tested(subject, asked, cache)
        rows += found
        try:
            rows += evaluate(subject, benchmarks, cache=cache, seed=asked.seed).findings()
        except ImprintError as error:
            measured = (subject.name, subject.sha256)
            rows.append(skipped(measured, "benchmarks", "Benchmarks", error, part="benchmarks", seed=asked.seed))
    kind: SourceKind = "embedding" if isinstance(subject, Embedding) else "encoder"
    lines = tuple(row.to_json() for row in rows)
    model = MeasuredModel(subject.name, subject.sha256, kind, lines, *_stored(measured_tests))
    return msgspec.msgpack.encode(model)


def _open(entry: BoardEntry, words: Iterable[str]) -> Subject:
    """Open a subject, of an embedding file these words and a sample of others, under the name asked for."""
    source = entry.source
    named = isinstance(source, str | os.PathLike)
    if named and find_source(source).adapter == EMBEDDING and not entry.options:  # type: ignore[arg-type]
        subject: Subject = load(source, only=words, background=True)  # type: ignore[arg-type]
    else:
        subject = open_subject(source, **entry.options)
    if entry.name is None:
        return subject
    if isinstance(subject, Embedding):
        return replace(subject, name=entry.name)
    subject = copy.copy(subject)
    subject.name = entry.name
    return subject


def _tested(
    subject: Subject, asked: Asked, cache: EncodingCache | HeldEncodings
) -> tuple[Sequence[Measured[Any]], Sequence[Row]]:
    """Ask the tests, each in one way: an embedding about words, an encoder about words in the same sentences."""
    if isinstance(subject, Embedding):
        from imprint.association.battery import run_battery

        battery = run_battery(subject, asked.tests, seed=asked.seed)
        topics = topic_rows(battery.measured, battery.skipped)
        return battery.measured, [*(row for row, _ in battery.measured), *topics, *battery.skipped]
    from imprint.association.seat_battery import run_seat_battery

    seats = run_seat_battery([subject], asked.tests, context="framed", units=("word",), cache=cache, seed=asked.seed)
    return seats.measured, seats.findings()


def _stored(measured: Sequence[Measured[Any]]) -> tuple[int, bytes, tuple[_TestWords, ...]]:
    """Return the dimension of vectors, every different vector once, and which of them each test's words have."""
    dimension = 0
    indices: dict[bytes, int] = {}
    tests = []
    for row, words in measured:
        if words is not None:
            vectors = np.concatenate([words.targets, words.attributes]).astype(_VECTOR)
            dimension = vectors.shape[1]
            of_words = [indices.setdefault(vector.tobytes(), len(indices)) for vector in vectors]
            sets = (words.target_words, words.attribute_words, words.n_x, words.n_a)
            tests.append(_TestWords(row.test, *sets, np.array(of_words, dtype=_INDEX).tobytes()))
    return dimension, b"".join(indices), tuple(tests)
