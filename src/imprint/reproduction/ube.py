"""Swinger et al. (2019): g and its lemmas, the tables of groups and associations, and the figure of removed names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from imprint.association.cosines import Effect, cosines
from imprint.association.weat import look_up
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.problem import clean_names
from imprint.enumeration.result import Enumeration
from imprint.enumeration.settings import Settings
from imprint.enumeration.targets import find_targets
from imprint.errors import ImprintError
from imprint.metrics.group_association import AttributeGroup, group_association
from imprint.reproduction.rows import Ours, RemovedNamesRow, ReproductionRow, compare, identity, measured_on, refuse
from imprint.reproduction.subjects import WORD2VEC, Subjects
from imprint.rows import WordPoint
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest
from imprint.stimuli.published import Figure, figures, model_of, name_groups
from imprint.types import Flags, Floats, Progress

_SHOWN = 5  # names of a group that the paper's tables name
_DRAWN = 400  # names of each kind in the figure
_RACES = {"black": "Black", "hispanic": "Hispanic", "asian_pacific": "Asian or Pacific Islander"}
_MADE = ("significant", "tuples", "indirect")


def ube_rows(subjects: Subjects, progress: Progress | None = None) -> Iterator[ReproductionRow | RemovedNamesRow]:
    """Compare the lemmas, then each embedding's tables."""
    yield from _lemmas(subjects.glove)
    for table in name_groups():
        yield from _tables(table, subjects, progress)
    yield from _removed_names(subjects)
    yield from (refuse(figure) for figure in figures().values() if figure.paper == "ube" and figure.cannot)


def _lemmas(embedding: Embedding) -> Iterator[ReproductionRow]:
    """Compute both sides of every lemma on the words of Caliskan's tests."""
    tests = [test for number in range(1, 11) if isinstance(test := get(f"caliskan-{number}"), WeatTest)]
    for name, apart in (
        ("ube-lemma-1", [_lemma_1(embedding, test) for test in tests]),
        ("ube-lemma-2", [part for test in tests for part in _lemma_2(embedding, test)]),
        ("ube-lemma-3", [_lemma_3(embedding, tests[start : start + 3]) for start in range(len(tests) - 2)]),
    ):
        yield compare(figures()[name], Ours(identity(embedding), max(map(abs, apart))))


def _lemma_1(embedding: Embedding, test: WeatTest) -> float:
    x, y, a, b = look_up(embedding, test).sets
    scores = [
        cosines(side.vectors, a.vectors).mean(axis=1) - cosines(side.vectors, b.vectors).mean(axis=1)
        for side in (x, y)
    ]
    g = group_association(embedding, _groups(test))
    return Effect.of(scores[0], scores[1]).statistic - 2 * len(x.words) * g


def _lemma_2(embedding: Embedding, test: WeatTest) -> tuple[float, float]:
    (x, a), (y, b) = _groups(test)
    names, words = (*x, *y), (*a, *b)
    alone = group_association(embedding, [(x, a)], all_targets=names, all_attributes=words)
    against_all = 2 * group_association(embedding, [(x, a), (names, words)])
    share = len(y) / len(names) * len(b) / len(words)
    return alone - against_all, alone - 2 * share * group_association(embedding, [(x, a), (y, b)])


def _lemma_3(embedding: Embedding, tests: Sequence[WeatTest]) -> float:
    groups = [group for test in tests for group in _groups(test)]
    everything = [list(dict.fromkeys(word for group in groups for word in group[side])) for side in (0, 1)]

    def single(i: int, j: int) -> float:
        group = (groups[i][0], groups[j][1])
        return group_association(embedding, [group], all_targets=everything[0], all_attributes=everything[1])

    n = len(groups)
    diagonal = sum(single(i, i) for i in range(n))
    return group_association(embedding, groups) - diagonal + sum(single(i, j) for i in range(n) for j in range(n)) / n


def _groups(test: WeatTest) -> tuple[AttributeGroup, AttributeGroup]:
    return (test.x.words, test.a.words), (test.y.words, test.b.words)


def _tables(table: Mapping[str, Any], subjects: Subjects, progress: Progress | None) -> Iterator[ReproductionRow]:
    """Enumerate an embedding's biases, or those of the bundled one beside GloVe's, and compare every figure."""
    model = model_of(table["model"])
    assert model is not None
    printed = list(_printed(table))
    embedding = subjects.embedding(model.id)
    given = embedding is not None
    embedding = embedding or subjects.beside(model.id)
    if embedding is None:
        yield from map(refuse, printed)
        return
    try:
        enumerated = enumerate_biases(embedding, method="paper", seed=subjects.seed, progress=progress)
    except ImprintError as error:
        yield from (refuse(figure, str(error)) for figure in printed)
        return
    is_own = given or model.id == WORD2VEC  # what a package has of it are its own vectors, of fewer words
    beside = measured_on(embedding, model, given=is_own, reason="K-means, cleaning and rotations are drawn at random")
    values = _values(enumerated)
    for figure in printed:
        name = figure.id.split("-")[-1]
        ours = replace(beside, value=values[name])
        if name == "indirect" and enumerated.indirect is not None and enumerated.indirect.null_share is not None:
            by_chance = f"random directions give {100.0 * enumerated.indirect.null_share:.0f} %"
            ours = ours.because(by_chance)
        yield compare(figure, ours)


def _printed(table: Mapping[str, Any]) -> Iterator[Figure]:
    """Return the figures of one embedding: counts of associations, and extremes over its groups of names."""
    prefix = table["model"].rstrip(".")
    yield from (figures()[name] for made in _MADE if (name := f"ube-{prefix}-{made}") in figures())

    def figure(name: str, title: str, value: str) -> Figure:
        return Figure(f"ube-{prefix}-{name}", "ube", table["source"], title, table["model"], value)

    groups = len(table["more"])
    yield figure("names", f"First names in {groups} groups", f"{sum(table['more']) + _SHOWN * groups}")
    yield figure("most_women", "Largest share of women in a group", f"{max(table['women'])} %")
    yield figure("least_women", "Smallest share of women in a group", f"{min(table['women'])} %")
    for race, title in _RACES.items():
        yield figure(race, f"Largest share of {title} bearers in a group", f"{max(table[race])} %")
    yield figure("earliest", "Mean year of birth, oldest group", f"{min(table['year'])}")
    yield figure("latest", "Mean year of birth, youngest group", f"{max(table['year'])}")


def _values(found: Enumeration) -> dict[str, float | None]:
    women = [group.share_women for group in found.groups if group.share_women is not None]
    years = [group.mean_birth_year for group in found.groups if group.mean_birth_year is not None]
    races = {race: max(getattr(group.races, race, None) or 0.0 for group in found.groups) for race in _RACES}
    indirect = found.indirect
    return {
        "significant": float(found.overview.associations),
        "tuples": None if indirect is None else float(indirect.tuples),
        "indirect": None if indirect is None else indirect.share,
        "names": float(sum(group.n_names for group in found.groups)),
        "most_women": max(women),
        "least_women": min(women),
        **races,
        "earliest": min(years),
        "latest": max(years),
    }


def _removed_names(subjects: Subjects) -> Iterator[ReproductionRow | RemovedNamesRow]:
    """Draw figure 1 of the appendix: how frequent surnames are as words, against how many people bear them."""
    figure = figures()["ube-surnames-zipf"]
    model = model_of(figure.model)
    assert model is not None
    given = subjects.embedding(model.id)
    embedding = subjects.default if given is None else given
    row = removed_names(embedding, seed=subjects.seed)
    excess = f"on average {10.0**row.excess_removed:.0f} times as frequent as Zipf's law says of the kept"
    ours = measured_on(embedding, model, given=given is not None).because(excess)
    yield compare(figure, replace(ours, text="yes" if row.excess_removed > 0.0 else "no"))
    yield row


def removed_names(embedding: Embedding, *, seed: int = 0) -> RemovedNamesRow:
    """Clean names as the enumeration does, and place kept and removed ones by their frequency as words.

    A line through the kept names gives log10 of the rank as a word by log10 of the share of bearers.
    """
    finding, cleaning, sampling = np.random.SeedSequence(seed).spawn(3)
    targets = find_targets(embedding, "surnames", seed=finding)
    kept, dropped = clean_names(embedding, targets, Settings(), cleaning)
    ranks = np.log10(embedding.ranks_of([embedding.words[row] for row in targets.rows]) + 1.0)
    shares = np.log10(targets.bearers.astype(np.float64) / targets.bearers.sum(dtype=np.float64))
    gone = np.isin(targets.names, dropped)
    slope, intercept = np.polyfit(shares[~gone], ranks[~gone], 1)
    excess = intercept + slope * shares - ranks
    draw = np.random.default_rng(sampling)
    return RemovedNamesRow(
        test="removed surnames",
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        effect_size=float(excess[gone].mean()),
        seed=seed,
        names_kept=len(kept.names),
        names_removed=len(dropped),
        kept=_sample(targets.names, ranks, shares, ~gone, draw),
        removed=_sample(targets.names, ranks, shares, gone, draw),
        slope=float(slope),
        intercept=float(intercept),
        excess_kept=float(excess[~gone].mean()),
        excess_removed=float(excess[gone].mean()),
    )


def _sample(
    names: Sequence[str], x: Floats, y: Floats, chosen: Flags, draw: np.random.Generator
) -> tuple[WordPoint, ...]:
    places = np.flatnonzero(chosen)
    if len(places) > _DRAWN:
        places = np.sort(draw.choice(places, _DRAWN, replace=False))
    return tuple(WordPoint(names[index], float(x[index]), float(y[index])) for index in places.tolist())
