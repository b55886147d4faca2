"""Every published figure of the five works that can be computed here, beside ours.

Figures are computed on the models of the papers where given, and on the bundled ones beside them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from imprint.association.weat import WeatRow, measure
from imprint.association.wefat import WefatRow, wefat
from imprint.checks import check_choice
from imprint.embeddings.embedding import Embedding
from imprint.encoders.bag_of_words import entries_for
from imprint.encoders.base import Encoder
from imprint.errors import SettingError, VocabularyError
from imprint.files import FilePath
from imprint.reproduction.rows import Ours, RemovedNamesRow, ReproductionRow, identity, lacking
from imprint.rows import Rows
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import Test, WeatTest, words_of
from imprint.stimuli.published import models
from imprint.stimuli.published import papers as known_papers
from imprint.subjects.opening import EncoderLike, load, open_encoder
from imprint.types import Progress, Report

GLOVE, WORD2VEC = "glove-840b", "word2vec"
BUNDLED_GLOVE = "glove-840b-stimuli"

_WHOLE = ("ube", "bolukbasi")  # papers whose figures are of whole vocabularies

FigureRows = Iterable[ReproductionRow | RemovedNamesRow]


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
        found = self._opened[model]
        assert isinstance(found, Embedding)
        return found

    def encoder(self, model: str) -> Encoder | None:
        """Return an encoder of the papers; None where it is not given."""
        if model not in self.given:
            return None
        pooling = models()[model].pooling
        name = f"encoder {model}"
        if name not in self._opened:
            options = {} if pooling is None or callable(self.given[model]) else {"pooling": pooling}
            self._opened[name] = open_encoder(self.given[model], **options)  # type: ignore[arg-type]
        found = self._opened[name]
        assert isinstance(found, Encoder)
        return found

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

    @cached_property
    def default(self) -> Embedding:
        """The bundled embedding, to be put beside models that are not here."""
        return load("default")

    @cached_property
    def default_encoder(self) -> Encoder:
        """The bundled encoder, likewise."""
        return open_encoder("default-encoder")


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


def parse_models(given: Iterable[str]) -> dict[str, str]:
    """Read NAME=SOURCE; refuse what is not so, or names no model of the papers."""
    found: dict[str, str] = {}
    for one in given:
        name, equals, source = one.partition("=")
        if not equals or not source:
            raise SettingError(option="--model", got=one, expected="NAME=SOURCE, such as word2vec=vectors.bin")
        check_choice("--model", name, models())
        found[name] = source
    return found


def reproduce(
    papers: Collection[str] = (),
    *,
    models: Mapping[str, EncoderLike] | None = None,
    benchmarks: FilePath | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> Rows[ReproductionRow | RemovedNamesRow]:
    """Compute the published figures of the five works, and put each beside the printed one.

    Figures of models that are not bundled are computed where the model is given. Where a bundled model is a relative
    of the paper's, its number is put beside the printed one as `other model`.

    Parameters
    ----------
    papers
        Any of caliskan, talk, seat, ube, bolukbasi; by default all.
    models
        Models of the papers, by name: glove-840b, word2vec, fasttext, word2vec-debiased, infersent, gensen, use, elmo,
        gpt, bert. Each a file, a folder or an object, as `load` or `open_encoder` accepts it.
    benchmarks
        A folder with Rare Words (rw.tsv) and the MSR analogies (msr.txt).
    seed
        Seed of everything random.
    report
        Called with the name of the step, the work done and the total work.

    Returns
    -------
    Rows
        One row per figure: equal, differs, other model, or cannot be computed, with the reason. With ube, the row of
        names that cleaning removes too, as in the appendix of Swinger et al.

    Examples
    --------
    >>> imprint.reproduce(["talk"])
    Rows(14 reproduction: 7 equal, 4 cannot be computed, 2 other model, 1 differs)
    """
    for paper in papers:
        check_choice("paper", paper, known_papers())
    chosen = tuple(paper for paper in known_papers() if not papers or paper in papers)
    from imprint.reproduction.seat import seat_texts

    folder = None if benchmarks is None else Path(benchmarks)
    texts = list(seat_texts()) if "seat" in chosen and models else []
    subjects = Subjects(models or {}, chosen, folder, seed, texts)
    found = [row for paper in chosen for row in _rows_of(paper)(subjects, _step(report, paper))]
    return Rows(sorted(found, key=lambda row: isinstance(row, RemovedNamesRow)))


def _rows_of(paper: str) -> Callable[[Subjects, Progress | None], FigureRows]:
    if paper == "ube":
        from imprint.reproduction.ube import ube_rows

        return ube_rows
    if paper == "bolukbasi":
        from imprint.reproduction.bolukbasi import bolukbasi_rows

        return bolukbasi_rows
    if paper == "seat":
        from imprint.reproduction.seat import seat_rows

        return lambda subjects, _: seat_rows(subjects)
    from imprint.reproduction.caliskan import caliskan_rows, talk_rows

    own = caliskan_rows if paper == "caliskan" else talk_rows
    return lambda subjects, _: own(subjects)


def _step(report: Report | None, paper: str) -> Progress | None:
    return None if report is None else lambda done, total: report(f"computing {paper}", done, total)
