"""Unsupervised bias enumeration: the algorithm of Swinger et al. (2019), section 3, from names to a table.

Two embeddings are asked the same question: the groups and categories of the first, scored in both. Clustering the
second anew would count what K-means moved as lost. Here only words within a cell are chosen anew, by the second
embedding's own scores, and compared with its own mirrored copies, so that they are judged as the first's are.

The paper asks embeddings of words. A sentence encoder is asked like one: names and words go into the frames of
`imprint.subjects.framed`.
"""

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from imprint.checks import Device, check_choice, check_whole
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words
from imprint.encoders.cache import EncodingStore
from imprint.enumeration.checkpoint import Checkpoint, Done, open_checkpoint
from imprint.enumeration.conclusion import conclude, order_categories
from imprint.enumeration.problem import build_problem, transfer_problem
from imprint.enumeration.result import BiasComparison, Enumeration
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import count_work, problem_seeds, solve
from imprint.enumeration.targets import WITHIN, Names, asked_names
from imprint.errors import SettingError
from imprint.significance.rotations import scores_of
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EmbeddingLike, EncoderLike, load, open_encoder, open_subject
from imprint.types import Progress
from imprint.version import __version__
from imprint.workers import executor_or_threads


def enumerate_biases(
    embedding: EncoderLike,
    names: Names = "first",
    *,
    settings: Settings | None = None,
    executor: Executor | None = None,
    device: Device = "cpu",
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Enumeration:
    """Find associations between groups of names and words, none of them named in advance.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is given names and words in sentences.
    names
        "first" or "surnames" (bundled tables), "embedding" (found in it), a file or a list.
    settings
        All settings at once.
    executor
        Any `concurrent.futures.Executor` to do the work; the result is the same to the byte.
    device
        "cpu" or "cuda"; a GPU draws its own rotations, and makes no mirrored copies.
    checkpoint
        A file that saves finished work, so that an interrupted run can continue.
    progress
        Called with the work done and the total work, in scored copies.
    changes
        Single settings, such as `groups` or `repeats`, see `Settings`.

    Returns
    -------
    Enumeration
        Every association, and whether it stands out.

    Examples
    --------
    >>> imprint.enumerate_biases("default", categories=16, words=10_000, repeats=0)
    Enumeration(glove.6B.100d: 12 associations of 12 groups with 16 categories)
    """
    settings = replace(settings or Settings(), **changes)
    subject = open_subject(embedding)
    if not isinstance(subject, Embedding):
        subject = embed_vocabulary(subject, words=settings.words, names=names)
    check_device(device, settings, checkpoint)
    problem = build_problem(subject, names, settings, problem_seeds(settings))
    report = as_increments(progress, count_work(settings))
    kept = open_checkpoint(checkpoint, problem.cells, settings, subject.sha256, __version__)
    with executor_or_threads(executor) as pool, _closing(kept):
        table, crossings = solve(problem, settings, executor=pool, device=device, checkpoint=kept, report=report)
    return conclude(subject, problem, settings, table, crossings, order_categories(table))


def check_device(device: Device, settings: Settings, checkpoint: str | os.PathLike[str] | None = None) -> None:
    """Refuse a device that is not known, and what a GPU does not do."""
    check_choice("device", device, get_args(Device))
    if device == "cuda" and (settings.method != "paper" or settings.correction == "max" or checkpoint is not None):
        raise SettingError(
            "mirrored copies, correction 'max' and a checkpoint do not work on a GPU",
            option="device",
            got=device,
            hint="use device cpu for them",
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


def compare_biases(
    embedding: EmbeddingLike,
    other: EmbeddingLike,
    names: Names = "first",
    *,
    settings: Settings | None = None,
    executor: Executor | None = None,
    device: Device = "cpu",
    progress: Progress | None = None,
    **changes: Any,
) -> BiasComparison:
    """Enumerate the biases of an embedding, and score another over the same groups and categories.

    The result for the first is that of `enumerate_biases`. An association is left if it stands out in both, lost if
    only in the first, new if only in the other.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    other
        A second one, such as a debiased one; it may lack names and words and have another dimension.
    names
        "first" or "surnames" (bundled tables), "embedding" (found in the first), a file or a list.
    settings
        All settings at once.
    executor
        Any `concurrent.futures.Executor` to do the work.
    device
        "cpu" or "cuda", as in `enumerate_biases`.
    progress
        Called with the work done and the total work, in scored copies.
    changes
        Single settings, such as `groups` or `repeats`, see `Settings`.

    Returns
    -------
    BiasComparison
        Both enumerations, and what is left, lost and new.

    Examples
    --------
    >>> debiased = imprint.HardDebiaser().fit("default").apply("default")
    >>> imprint.compare_biases("default", debiased, categories=16, words=10_000, repeats=0)
    BiasComparison(glove.6B.100d, glove.6B.100d debiased (hard): 10 left, 2 lost, 4 new)
    """
    embedding, other = load(embedding), load(other)
    settings = replace(settings or Settings(), **changes)
    check_device(device, settings)
    problem = build_problem(embedding, names, settings, problem_seeds(settings))
    again, places = transfer_problem(problem, embedding, other, settings)
    alone = replace(settings, repeats=0)  # the other has the first's groups, which are not made anew
    report = as_increments(progress, count_work(settings) + count_work(alone))
    with executor_or_threads(executor) as pool:
        table, crossings = solve(problem, settings, executor=pool, device=device, report=report)
        other_table, other_crossings = solve(again, alone, executor=pool, device=device, report=report)
    order = order_categories(table)
    # Cells with too few words have no rows to look up; what comes of them is not among the associations.
    scores = scores_of(again.cells, places[table.rows])[order]
    return BiasComparison(
        first=conclude(embedding, problem, settings, table, crossings, order),
        second=conclude(other, again, alone, other_table, other_crossings, order),
        same_words=tuple(
            None if np.isnan(score) else float(score) for score in scores[np.isfinite(table.scores[order])]
        ),
        words_asked=len(places),
        words_missing=tuple(embedding.words[row] for row in problem.rows[places < 0]),
    )


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


@contextlib.contextmanager
def _closing(checkpoint: Checkpoint | None) -> Iterator[None]:
    """Keep the checkpoint of a run that fails or is stopped, remove that of one which came to its end."""
    finished = False
    try:
        yield
        finished = True
    finally:
        if checkpoint is not None:
            checkpoint.close(finished=finished)
