"""Unsupervised bias enumeration: the algorithm of Swinger et al. (2019), section 3, from names to a table.

Two embeddings are asked the same question: the groups and categories of the first, scored in both. Clustering the
second anew would count what K-means moved as lost. Here only words within a cell are chosen anew, by the second
embedding's own scores, and compared with its own mirrored copies, so that they are judged as the first's are.

The paper asks embeddings of words. A sentence encoder is asked like one: names and words go into the frames of
`imprint.subjects.framed`.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, get_args

import numpy as np

from imprint.checks import Device, check_choice, check_whole
from imprint.clusters import WORKERS, Workers, working
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.enumeration.checkpoint import Done, open_checkpoint
from imprint.enumeration.conclusion import conclude, order_categories
from imprint.enumeration.problem import build_problem, transfer_problem
from imprint.enumeration.result import Enumeration, beside
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import count_work, problem_seeds, solve
from imprint.enumeration.targets import WITHIN, Names, asked_names
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.settings import option, settable
from imprint.significance.rotations import scores_of
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike, load, open_encoder, open_subject
from imprint.types import Progress
from imprint.version import __version__
from imprint.workers import executor_or_threads


@dataclass(frozen=True, kw_only=True)
class EnumerationPlan(Settings):
    """All that a running enumeration is given."""

    names: Annotated[
        Names,
        option('Whose names: "first" or "surnames" (bundled tables), "embedding" (found in it), a file or a list.'),
    ] = "first"
    against: Annotated[
        EncoderLike | None,
        option(
            "A second embedding or encoder, such as a debiased one, scored over the same groups and categories. It "
            "may lack names and words and have another dimension."
        ),
    ] = None
    workers: Annotated[Workers | None, option(WORKERS)] = None
    device: Annotated[
        Device, option('"cpu" or "cuda"; a GPU draws its own rotations, and makes no mirrored copies.')
    ] = "cpu"
    checkpoint: Annotated[
        FilePath | None, option("A file that saves finished work, so that an interrupted run can continue.")
    ] = None
    progress: Annotated[Progress | None, option("Called with the work done and the total work, in scored copies.")] = (
        None
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("device", self.device, get_args(Device))
        if self.device == "cuda" and (
            self.method != "paper" or self.correction == "max" or self.checkpoint is not None
        ):
            raise SettingError(
                "mirrored copies, correction 'max' and a checkpoint do not work on a GPU",
                option="device",
                got=self.device,
                hint="use device cpu for them",
            )
        if self.against is not None and self.checkpoint is not None:
            raise SettingError(
                "a checkpoint works with one embedding only", option="checkpoint", got=str(self.checkpoint)
            )

    @property
    def settings(self) -> Settings:
        """What decides the result, besides the data."""
        return Settings(**{field.name: getattr(self, field.name) for field in fields(Settings)})

    def opened(self, subject: EncoderLike) -> Embedding:
        """Open an embedding, or make one of an encoder."""
        opened = open_subject(subject)
        if isinstance(opened, Encoder):
            return embed_vocabulary(opened, words=self.words, names=self.names)
        return opened


@settable(EnumerationPlan)
def enumerate_biases(embedding: EncoderLike, plan: EnumerationPlan) -> Enumeration:
    """Find associations between groups of names and words, none of them named in advance.

    Beside a second embedding, an association is left if it stands out in both, lost if only in the first, new if only
    in the other.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is given names and words in sentences.

    Returns
    -------
    Enumeration
        Every association, and whether it stands out.

    Examples
    --------
    >>> imprint.enumerate_biases("default", categories=16, words=10_000, repeats=0)
    Enumeration(glove.6B.100d: 12 associations of 12 groups with 16 categories)
    >>> debiased = imprint.HardDebiaser().fit("default").apply("default")
    >>> found = imprint.enumerate_biases("default", against=debiased, categories=16, words=10_000, repeats=0)
    >>> [row.test for row in found.standing_out if not row.left]
    ['A-2', 'A-8']
    """
    settings, subject = plan.settings, plan.opened(embedding)
    other = None if plan.against is None else plan.opened(plan.against)
    # A cluster that is not there is refused before the groups are made, which takes seconds.
    with working(plan.workers) as executor, executor_or_threads(executor) as pool:
        problem = build_problem(subject, plan.names, settings, problem_seeds(settings))
        alone = replace(settings, repeats=0)  # the other has the first's groups, which are not made anew
        transferred, work = None, count_work(settings)
        if other is not None:
            transferred, work = transfer_problem(problem, subject, other, settings), work + count_work(alone)
        report = as_increments(plan.progress, work)
        shared: dict[str, Any] = {"executor": pool, "device": plan.device, "report": report}
        with open_checkpoint(plan.checkpoint, problem.cells, settings, subject.sha256, __version__) as checkpoint:
            table, crossings = solve(problem, settings, checkpoint=checkpoint, **shared)
            order = order_categories(table)
            first = conclude(subject, problem, settings, table, crossings, order)
            if transferred is None or other is None:
                return first
            again, places = transferred
            second = conclude(other, again, alone, *solve(again, alone, **shared), order)
    # Cells with too few words have no rows to look up; what comes of them is not among the associations.
    scores = scores_of(again.cells, places[table.rows])[order]
    of_cells = scores[np.isfinite(table.scores[order])].tolist()
    return beside(
        first,
        second,
        same_words=[None if math.isnan(score) else score for score in of_cells],
        words_asked=len(places),
        words_missing=tuple(subject.words[row] for row in problem.rows[places < 0]),
    )


def as_increments(progress: Progress | None, total: int) -> Done | None:
    """Turn a callback (done, total) into one that takes how much more is done."""
    if progress is None:
        return None
    done = 0

    def report(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return report


def embed_vocabulary(
    encoder: EncoderLike,
    *,
    words: int = 30_000,
    names: Names = "first",
    cache: EncodingStore | None = None,
    progress: Progress | None = None,
) -> Embedding:
    """Make an embedding of names and frequent words from a sentence encoder, to enumerate its biases.

    A word's vector is the mean of its vectors in three bleached frames. Each frame's mean over common words is
    subtracted first: what a frame adds to every sentence says nothing about words, and it blurs the comparison with
    copies of the names. Then each vector is scaled to unit length, so that every frame counts the same.

    Parameters
    ----------
    encoder
        A model, an embedding or a function, as `open_encoder` accepts it.
    words
        How many of the most frequent common words of the bundled embedding to encode.
    names
        "first" or "surnames" (bundled tables), a file or a list; give `enumerate_biases` the same.
    cache
        Where encodings are kept between runs.
    progress
        Called with the texts encoded and the total number of texts.

    Returns
    -------
    Embedding
        Names and words with the encoder's vectors.

    Examples
    --------
    >>> imprint.embed_vocabulary("cbow", words=100, names=["Mary", "John"])
    Embedding('glove.6B.100d (in sentences)', 102 words, 100 dimensions)
    """
    check_whole("words", words)
    check_names(names)
    return word_vectors(open_encoder(encoder), vocabulary_words(words, names), cache=cache, progress=progress)


def check_names(names: Names) -> None:
    """Refuse to look for names in a vocabulary that there is not."""
    if isinstance(names, str) and names == WITHIN:
        raise SettingError(
            option="names",
            got=names,
            expected="first, surnames or a file",
            hint="a sentence encoder has no vocabulary to find names in",
        )


def vocabulary_words(count: int, names: Names) -> list[str]:
    """Return names and the most frequent words, so many that `count` are left without those that are a name."""
    bundled, (people, _) = load("default"), asked_names(names)
    ordered = [bundled.words[row] for row in frequent_words(bundled, len(bundled), leaving_out=set())]
    theirs = {name.lower() for name in people}
    left = np.cumsum([word not in theirs for word in ordered])
    return [*ordered[: int(np.searchsorted(left, count)) + 1], *people]
