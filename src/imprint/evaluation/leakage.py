"""Is it really gone? What a classifier, or a clustering, finds of gender and race in an embedding.

After Gonen and Goldberg, "Lipstick on a pig" (2019): debiasing may hide a bias from the axis it was measured on and
leave it in the words' neighbours. Labels come from outside the embedding where they can: the sex and race of those
who bear a first name, and what a crowd thinks of a profession; the last list is the words that lay furthest out on
the axis before.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.embeddings.vocabulary import frequent_words
from imprint.encoders.cache import EncodingStore
from imprint.errors import VocabularyError
from imprint.evaluation.recovering import (
    CLUSTERS,
    FOLDS,
    OwnedRows,
    RecoveryAttempt,
    chance_of_clusters,
    estimate_change,
    estimate_recovery,
    rarer_label_count,
    recover_group,
    recovery_methods,
)
from imprint.evaluation.resampling import flatten
from imprint.rows import HighEnd, LowEnd, Row, Rows, SkippedRow, shown, skipped
from imprint.stimuli.definition import WordSet
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import gender_specific, professions
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.types import Floats, Floats32, Indices, Report

NAMES = "first names, by sex"
RACES = "first names, by race"
HELD_OUT = "held-out words of the groups"
GIVEN = "words given, by group"
GENDERS = ("women", "men")
EVERY = 5  # every so many words of a group are held out
PART = "debiasing"  # the part of an audit that recovers gender
FEWEST_PER_LABEL = 2 * FOLDS

_RACES = ("white", "black", "hispanic", "asian_pacific")  # which some first names are nearly only borne by
_ONE_RACE = 0.8  # share of bearers from which on a first name is one race's
_MOST_OF_RACE = 150  # names of each race, the commonest
_STEREOTYPED = 0.25  # score, between -1 and 1, from which on a crowd thinks a profession a man's, or a woman's
_MOST = 500  # words of each gender: commonest names, words furthest out
_MOST_GIVEN = 4_000  # words of a group of the reader's own: a machine's memory grows with the square of its words
_FREQUENT = 30_000  # words looked at for those furthest out


class RecoveredRow(Row, frozen=True, kw_only=True):
    """How often groups are recovered, by itself or `against` what was before, with the change from it."""

    chance: Annotated[float, shown("Chance", "What random labels give.", shape="percent", digits=1)]
    accuracy: Annotated[
        float,
        shown(
            "Recovered",
            "Share classified correctly, averaged over the groups, with its 95 % interval.",
            shape="percent",
            digits=1,
        ),
    ]
    accuracy_low: LowEnd
    accuracy_high: HighEnd
    against: Annotated[str | None, shown("Before debiasing", "Name of the embedding or encoder before.")] = None
    against_sha256: Annotated[str | None, shown("SHA-256 before", "Hash of what was before.", shape="word")] = None
    against_accuracy: Annotated[
        float | None,
        shown(
            "Recovered before",
            "Share classified correctly before, averaged over the groups.",
            shape="percent",
            digits=1,
        ),
    ] = None
    against_accuracy_low: LowEnd = None
    against_accuracy_high: HighEnd = None
    change: Annotated[
        float | None, shown("Change", "In percentage points, with its 95 % interval.", shape="points", digits=1)
    ] = None
    change_low: LowEnd = None
    change_high: HighEnd = None


class LeakageRow(RecoveredRow, frozen=True, kw_only=True, tag="leakage"):
    """How often groups are recovered from one list of words.

    Support vector machines are judged on words they were not trained on, over several foldings. Two clusters are found
    without labels. Intervals of machines allow for other words to train on; clusters have none.
    Chance is one in the number of groups, and a little more for clusters, which are named as suits them best. Clusters
    are found only where there are two groups.
    """

    word_list: Annotated[str, shown("Words", "The list that the words are of.")]
    method: Annotated[str, shown("Method", "What the groups are recovered by.")]
    group_names: Annotated[tuple[str, ...], shown("Groups", "How many words of each there are.")]
    group_sizes: Annotated[tuple[int, ...], shown("Sizes", "Words of each group that were tried.")]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_lengths("group_names", "group_sizes")

    @property
    def audited_sha256(self) -> str:
        """The hash of the embedding that the row is about: in an audit, the one its debiased copy is held against."""
        return (self.part == PART and self.against_sha256) or self.embedding_sha256


class SentenceLeakageRow(RecoveredRow, frozen=True, kw_only=True, tag="sentence-leakage"):
    """How often a linear classifier reads the group off sentences about held-out words, before and after debiasing.

    Intervals are Nadeau and Bengio's as if only the held-out words trained it, which makes them wider.
    """

    method: Annotated[str, shown("Method", "Name of the debiaser.")]
    fit_texts: Annotated[str, shown("Fitted on", "What the debiaser was fitted on: words alone, or sentences.")]
    group_names: Annotated[tuple[str, ...], shown("Groups")]
    n_words: Annotated[int, shown("Words", "Held-out words.")]
    n_trained: Annotated[
        int,
        shown("Trained on", "Words that train the classifier: those fitted on, and four fifths of the held-out ones."),
    ]
    texts: Annotated[int, shown("Sentences", "Sentences about held-out words.")]


def leakage(
    before: EncoderLike,
    axis: Axis,
    *,
    after: EncoderLike | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    cache: EncodingStore | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> Rows[LeakageRow | SkippedRow]:
    """Try to recover gender, and race, from names, professions and the words furthest out on an axis.

    Race is recovered of one subject alone: what is debiased here is gender.

    Parameters
    ----------
    before
        An embedding or an encoder, as `open_subject` accepts it.
    axis
        An axis of it, from `pair_axis` or `set_axis`.
    after
        The same after debiasing, asked about the same words.
    groups
        Words by the name of their group, such as a religion: groups that are recovered too. Of a group of more than
        4,000 words, so many are drawn.
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.
    report
        Called with the name of the step, the work done and the total work.

    Returns
    -------
    Rows of LeakageRow and SkippedRow
        The accuracy per word list and method, beside chance; lists of too few words last.

    Examples
    --------
    >>> imprint.leakage("default", imprint.pair_axis("default", [("he", "she")]))
    Rows(11 leakage)
    """
    words = [*leakage_words(), *(word for group in (groups or {}).values() for word in group)]
    before = word_vectors(before, words, cache=cache)
    after = None if after is None else word_vectors(after, words, cache=cache)
    embeddings = [before] if after is None else [before, after]
    every = [(NAMES, names_by_sex(before, after)), ("professions, by the crowd", _professions(before, after))]
    if after is None:
        every.insert(1, (RACES, _races(before)))
    if all(embedding.has_vocabulary for embedding in embeddings):
        every.append((f"words furthest out on {axis.name}", _furthest(before, after, axis)))
    named: dict[str, tuple[str, ...]] = {RACES: _RACES}
    if groups:
        given = (_drawn(_known(group, before, after), seed) for group in groups.values())
        every.insert(0, (GIVEN, _labelled(*given)))
        named[GIVEN] = tuple(groups)
    last = embeddings[-1]
    lists = {name: listed for name, listed in every if rarer_label_count(listed[1]) >= FEWEST_PER_LABEL}
    names = " and ".join(embedding.name for embedding in embeddings)
    reason = f"fewer than {FEWEST_PER_LABEL} words of a group are in {names}"
    not_run = tuple(
        skipped((last.name, last.sha256), name, name, reason, part=PART, seed=seed)
        for name, _ in every
        if name not in lists
    )
    if not lists:
        raise VocabularyError(
            "has too few names, professions and common words to recover gender from",
            where=before.name,
            hint="use a larger embedding",
        )
    rows: list[LeakageRow] = []
    ways = recovery_methods(seed)
    for name, (words, labels) in lists.items():
        for method, recover in ways.items():
            if method == CLUSTERS and labels.max() > 1:
                continue
            if report is not None:
                report("recovering groups", len(rows), len(lists) * len(ways))
            tried = [recover(_unit(embedding, words), labels) for embedding in embeddings]
            rows.append(_row(embeddings, name, named.get(name, GENDERS), method, labels, tried, seed))
    return Rows([*rows, *not_run])


def hold_out(groups: Sequence[WordSet]) -> tuple[tuple[WordSet, ...], tuple[WordSet, ...]]:
    """Return the words to fit on and, where there are enough to judge by, every fifth word of each group."""
    if min(map(len, groups)) < EVERY * FEWEST_PER_LABEL:
        return tuple(groups), ()
    held_out = tuple(group.subset(group.words[EVERY - 1 :: EVERY]) for group in groups)
    apart = {word for group in held_out for word in group.words}
    return tuple(group.subset(word for word in group.words if word not in apart) for group in groups), held_out


def group_leakage(
    before: Embedding,
    after: Embedding,
    transform: Transform,
    fitted: Sequence[WordSet],
    held_out: Sequence[WordSet],
    *,
    seed: int = 0,
) -> LeakageRow | SkippedRow:
    """Try to recover the group of held-out words, before and after debiasing.

    The classifier is trained anew on the words that the debiaser was fitted on and on other held-out words. Those
    fitted on are moved like any other word, also where the debiaser keeps them: unmoved they would teach nothing.
    """
    labelled = [_labelled(*(_known(group.words, before, after) for group in part)) for part in (held_out, fitted)]
    if not held_out or rarer_label_count(labelled[0][1]) < FEWEST_PER_LABEL:
        reason = (
            f"a group has fewer than {FEWEST_PER_LABEL} held-out words; "
            f"from {EVERY * FEWEST_PER_LABEL} words of each group on, every fifth is held out"
        )
        return skipped((after.name, after.sha256), HELD_OUT, HELD_OUT, reason, part=PART, seed=seed)

    def attempt(judged: Floats32, others: Floats) -> RecoveryAttempt:
        units = others / np.linalg.norm(others, axis=1, keepdims=True)
        owned = [
            OwnedRows(rows.astype(np.float64), labels, np.arange(len(rows)))
            for rows, (_, labels) in zip((judged, units), labelled, strict=True)
        ]
        return recover_group(owned[0], owned[1], seed)

    others = before.lookup(labelled[1][0]).vectors.astype(np.float64)
    tried = [
        attempt(_unit(embedding, labelled[0][0]), rows)
        for embedding, rows in ((before, others), (after, transform(others)))
    ]
    names = tuple(group.name for group in held_out)
    return _row([before, after], HELD_OUT, names, "linear classifier", labelled[0][1], tried, seed)


def leakage_words() -> list[str]:
    """Return the names and professions that gender and race are recovered from."""
    by_sex = (word for names in first_names().by_sex() for word in names[:_MOST])
    by_race = (word for names in _names_by_race() for word in names[:_MOST_OF_RACE])
    return list(dict.fromkeys((*by_sex, *by_race, *(profession.word for profession in professions()))))


def _row(
    embeddings: Sequence[Embedding],
    word_list: str,
    group_names: tuple[str, ...],
    method: str,
    labels: Indices,
    tried: Sequence[RecoveryAttempt],
    seed: int,
) -> LeakageRow:
    first, last = tried[0], tried[-1]
    several = len(tried) > 1
    recovered = {"accuracy": estimate_recovery(last, labels)}
    if several:
        recovered["against_accuracy"] = estimate_recovery(first, labels)
        recovered["change"] = estimate_change(first, last, labels)
    return LeakageRow(
        test=f"{word_list}, {method}",
        embedding=embeddings[-1].name,
        embedding_sha256=embeddings[-1].sha256,
        statistic=recovered["accuracy"].value,
        seed=seed,
        word_list=word_list,
        method=method,
        group_names=group_names,
        group_sizes=tuple(np.bincount(labels)[::-1].tolist()),
        chance=1 / (labels.max() + 1) if first.folds is not None else chance_of_clusters(last.right, labels, seed),
        against=embeddings[0].name if several else None,
        against_sha256=embeddings[0].sha256 if several else None,
        **flatten(recovered),
    )


def _names_by_race() -> list[list[str]]:
    """Return the first names of each race, the commonest first."""
    table = first_names()
    return [[table.names[row] for row in np.flatnonzero(table.races[race] >= _ONE_RACE)] for race in _RACES]


def names_by_sex(before: Embedding, after: Embedding | None = None) -> tuple[list[str], Indices]:
    """Return the commonest first names of both sexes that embeddings have, and the number of each one's sex."""
    return _labelled(*(_known(names, before, after)[:_MOST] for names in first_names().by_sex()))


def _races(embedding: Embedding) -> tuple[list[str], Indices]:
    return _labelled(*(_known(names, embedding)[:_MOST_OF_RACE] for names in _names_by_race()))


def _professions(before: Embedding, after: Embedding | None) -> tuple[list[str], Indices]:
    scored = professions()
    return _labelled(
        _known((profession.word for profession in scored if profession.stereotype <= -_STEREOTYPED), before, after),
        _known((profession.word for profession in scored if profession.stereotype >= _STEREOTYPED), before, after),
    )


def _furthest(before: Embedding, after: Embedding | None, axis: Axis) -> tuple[list[str], Indices]:
    """Return the words furthest out on either side, without those that mean a gender."""
    meant = {word.lower() for word in gender_specific()}
    rows = frequent_words(before, _FREQUENT, leaving_out=meant)
    order = np.argsort(axis.project(before.unit[rows]), kind="stable")
    outwards = [before.words[row] for row in rows[order]]
    return _labelled(_known(outwards, before, after)[:_MOST], _known(reversed(outwards), before, after)[:_MOST])


def _known(words: Any, *embeddings: Embedding | None) -> list[str]:
    listed = list(dict.fromkeys(words))
    for embedding in embeddings:
        if embedding is not None:
            missing = set(embedding.lookup(listed).missing)
            listed = [word for word in listed if word not in missing]
    return listed


def _drawn(words: Sequence[str], seed: int) -> Sequence[str]:
    """Return the words, or as many of them as a machine can be trained on, in the same order."""
    if len(words) <= _MOST_GIVEN:
        return words
    chosen = np.random.default_rng(seed).choice(len(words), _MOST_GIVEN, replace=False)
    return [words[row] for row in np.sort(chosen)]


def _labelled(*groups: Sequence[str]) -> tuple[list[str], Indices]:
    """Return the words of all groups, and the number of each word's group, the highest for the first."""
    numbers = np.arange(len(groups))[::-1]
    return [word for group in groups for word in group], np.repeat(numbers, list(map(len, groups)))


def _unit(embedding: Embedding, words: Sequence[str]) -> Floats32:
    return unit_rows(embedding.lookup(words).vectors).astype(np.float32)
