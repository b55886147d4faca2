"""Every published figure of the five works that can be computed here, beside ours."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from imprint.checks import check_choice
from imprint.files import FilePath
from imprint.reproduction.rows import RemovedNamesRow, ReproductionRow
from imprint.reproduction.subjects import Subjects
from imprint.rows import Result
from imprint.stimuli.published import papers as known_papers
from imprint.subjects.opening import EncoderLike
from imprint.types import Progress, Report

FigureRows = Iterable[ReproductionRow | RemovedNamesRow]


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The figures of one work or more, each beside ours.

    Attributes
    ----------
    rows
        One row per published figure.
    removed_names
        The names that the enumeration's cleaning removes, as in the appendix of Swinger et al.; None if not asked.
    """

    rows: tuple[ReproductionRow, ...]
    removed_names: RemovedNamesRow | None = None

    def findings(self) -> list[ReproductionRow | RemovedNamesRow]:
        """Return one row per figure."""
        return [*self.rows, *([] if self.removed_names is None else [self.removed_names])]

    def __repr__(self) -> str:
        counts = Counter(row.outcome for row in self.rows)
        return f"Reproduction({len(self.rows)} figures: {', '.join(f'{n} {what}' for what, n in counts.items())})"


def reproduce(
    papers: Collection[str] = (),
    *,
    models: Mapping[str, EncoderLike] | None = None,
    benchmarks: FilePath | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> Reproduction:
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
    Reproduction
        One row per figure: equal, differs, other model, or cannot be computed, with the reason.

    Examples
    --------
    >>> imprint.reproduce(["talk"])
    Reproduction(14 figures: 1 differs, 7 equal, 2 other model, 4 cannot be computed)
    """
    for paper in papers:
        check_choice("paper", paper, known_papers())
    chosen = tuple(paper for paper in known_papers() if not papers or paper in papers)
    from imprint.reproduction.seat import seat_texts

    folder = None if benchmarks is None else Path(benchmarks)
    texts = list(seat_texts()) if "seat" in chosen and models else []
    subjects = Subjects(models or {}, chosen, folder, seed, texts)
    found = [row for paper in chosen for row in _rows_of(paper)(subjects, _step(report, paper))]
    removed = next((row for row in found if isinstance(row, RemovedNamesRow)), None)
    return Reproduction(tuple(row for row in found if isinstance(row, ReproductionRow)), removed)


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
