"""Every published figure of the five works that can be computed here, beside ours.

Figures are computed on the models of the papers where given, and on the bundled ones beside them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from imprint.association.seat_battery import labelled
from imprint.checks import check_choice
from imprint.files import FilePath
from imprint.reproduction.bolukbasi import bolukbasi_rows
from imprint.reproduction.caliskan import caliskan_rows, talk_rows
from imprint.reproduction.rows import RemovedNamesRow, ReproductionRow
from imprint.reproduction.seat import seat_rows, seat_texts
from imprint.reproduction.subjects import Subjects
from imprint.reproduction.ube import ube_rows
from imprint.rows import Rows
from imprint.stimuli.published import papers as known_papers
from imprint.subjects.opening import EncoderLike
from imprint.types import Report

FigureRows = Iterable[ReproductionRow | RemovedNamesRow]


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
    Rows(14 reproduction: 7 equal, 6 other model, 1 differs)
    """
    for paper in papers:
        check_choice("paper", paper, known_papers())
    chosen = tuple(paper for paper in known_papers() if not papers or paper in papers)
    folder = None if benchmarks is None else Path(benchmarks)
    texts = list(seat_texts()) if "seat" in chosen and models else []
    subjects = Subjects(models or {}, chosen, folder, seed, texts)
    compute: dict[str, Callable[[], FigureRows]] = {
        "caliskan": lambda: caliskan_rows(subjects),
        "talk": lambda: talk_rows(subjects),
        "seat": lambda: seat_rows(subjects),
        "ube": lambda: ube_rows(subjects, labelled(report, "computing ube")),
        "bolukbasi": lambda: bolukbasi_rows(subjects, labelled(report, "computing bolukbasi")),
    }
    rows = [row for paper in chosen for row in compute[paper]()]
    return Rows(sorted(rows, key=lambda row: isinstance(row, RemovedNamesRow)))
