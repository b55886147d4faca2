"""What a debiaser is fitted on: vectors with the group each belongs to, of words or of sentences made of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from imprint.debiasing import LABELS_METHOD
from imprint.debiasing.transform import Card, LinearTransform
from imprint.directions.axis import Axis, Pairs, pair_axis
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import WordSet, quote
from imprint.stimuli.names import first_names
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats, Indices

Groups = Sequence[WordSet | Sequence[str]]

LABELS = {"texts": "texts fitted on", "changed": "labelled words' variance removed"}  # of facts on cards made here
BIRTHS = 10_000  # of that sex and the other together, from which on a name is known

_FEWEST = 2  # words on each side


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Vectors and their labels.

    Attributes
    ----------
    name
        The embedding or encoder that they are from.
    sha256
        Its hash.
    rows
        One vector per row.
    labels
        The group of each row, counted from 0.
    owners
        A number per row; rows of one word share it.
    groups
        The words of each group.
    pairs
        Numbers of two rows that should differ in the group alone, the first group's first.
    seeds
        Vectors of what should not depend on the group, such as sentences about professions.
    background
        Vectors to keep as they are.
    missing
        Words without a vector.
    settings
        What the card says about them.
    """

    name: str
    sha256: str
    rows: Floats
    labels: Indices
    owners: Indices
    groups: tuple[tuple[str, ...], ...]
    pairs: Indices
    seeds: Floats | None = None
    background: Floats | None = None
    missing: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def centre(self) -> Floats:
        """The mean of all rows."""
        return np.asarray(self.rows.mean(axis=0))

    def one_hot(self) -> Floats:
        """Return a column per group; of two groups the first one's alone."""
        columns = np.eye(len(self.groups))[self.labels]
        return columns[:, :1] if len(self.groups) == 2 else columns

    def differences(self) -> Floats:
        """Return the first row of each pair less the second."""
        if not len(self.pairs):
            raise SettingError(
                "there are no pairs of words that differ in the group alone",
                option="pairs",
                hint=f"choose a method that needs labels alone, such as {LABELS_METHOD}",
            )
        difference: Floats = self.rows[self.pairs[:, 0]] - self.rows[self.pairs[:, 1]]
        return difference

    def direction(self) -> Floats:
        """Return the mean difference of the pairs at unit length, or zeros where there is none."""
        way = self.differences().mean(axis=0)
        length = float(np.linalg.norm(way))
        return np.asarray(way / length if length > 0.0 else way)

    def removed_share(self, matrix: Floats) -> float:
        """Return the share of the rows' variance that a matrix takes away."""
        centred = self.rows - self.centre
        total = float((centred**2).sum())
        return float(((centred - centred @ matrix.T) ** 2).sum()) / total if total > 0.0 else 0.0

    def without(self, words: Collection[str]) -> "LabelledRows":
        """Leave words out, if each row is a word's."""
        if not words:
            return self
        listed = [word for group in self.groups for word in group]
        stays = np.array([word not in words for word in listed])
        places = np.cumsum(stays) - 1
        pairs = self.pairs.reshape(-1, 2)
        return replace(
            self,
            rows=self.rows[stays],
            labels=self.labels[stays],
            owners=np.arange(stays.sum()),
            groups=tuple(tuple(word for word in group if word not in words) for group in self.groups),
            pairs=places[pairs[stays[pairs].all(axis=1)]],
        )

    def card(self, settings: Mapping[str, Any] | None = None, **measured: Any) -> Card:
        """Return what a transform fitted on them says about itself."""
        merged = {**self.settings, **(settings or {})}
        return Card.of(self.name, self.sha256, self.groups, missing=self.missing, settings=merged, measured=measured)

    def removing(
        self,
        method: str,
        matrix: Floats,
        settings: Mapping[str, Any] | None = None,
        centre: Floats | None = None,
        **measured: Any,
    ) -> LinearTransform:
        """Return the transform that a matrix is, with a card that says which share of their variance it removes."""
        card = self.card(settings, **measured, changed=self.removed_share(matrix))
        return LinearTransform(method, card, matrix, np.zeros(len(matrix)) if centre is None else centre)


def labelled_words(
    embedding: EmbeddingLike,
    axis: Axis | None = None,
    pairs: Pairs | None = None,
    groups: Groups | None = None,
) -> LabelledRows:
    """Look up lists of words: those of groups, an axis or pairs, or words and names of one gender."""
    if groups is not None and (axis, pairs) != (None, None):
        raise SettingError("groups are given beside an axis or pairs", option="groups", hint="give one of them")
    if axis is None and pairs is not None:
        axis = pair_axis(embedding, pairs)
    if groups is None:
        sides = gendered_words() if axis is None else (axis.positive, axis.negative)
        groups = [WordSet.of(name, side) for name, side in zip(("positive", "negative"), sides, strict=True)]
        chosen, settings = pairs or (catalogue.definitional_pairs() if axis is None else ()), {}
    else:
        chosen, settings = (), {"groups": len(groups)}
    named = check_groups(groups)
    embedding = load(embedding)
    embedding.check_finite()
    lookups = [embedding.lookup(dict.fromkeys(group.words)) for group in named]
    for group, side in zip(named, lookups, strict=True):
        if len(side.words) < _FEWEST:
            raise VocabularyError(
                f"has {len(side.words)} of the {group.name} words (missing: {quote(side.missing[:5])})",
                expected=f"at least {_FEWEST} of each group",
                where=embedding.name,
                words=side.missing,
            )
    counts = [len(side.words) for side in lookups]
    places = {word: row for row, word in enumerate(word for side in lookups for word in side.words)}
    paired = [(places[first], places[second]) for first, second in chosen if first in places and second in places]
    return LabelledRows(
        name=embedding.name,
        sha256=embedding.sha256,
        rows=np.concatenate([side.vectors for side in lookups]).astype(np.float64),
        labels=np.repeat(np.arange(len(lookups)), counts),
        owners=np.arange(sum(counts)),
        groups=tuple(side.words for side in lookups),
        pairs=np.array(paired, dtype=np.intp),
        missing=(*(() if axis is None else axis.missing), *(word for side in lookups for word in side.missing)),
        settings=settings,
    )


def check_groups(groups: Groups) -> tuple[WordSet, ...]:
    """Return two or more groups with names; refuse a word of two groups."""
    if len(groups) < 2:
        raise SettingError(option="groups", got=len(groups), expected="at least two lists of words")
    for group in groups:
        if isinstance(group, str):
            raise SettingError(option="each group", got=group, expected="a list of words")
    named = tuple(
        group if isinstance(group, WordSet) else WordSet.of(f"group {index + 1}", group)
        for index, group in enumerate(groups)
    )
    owners: dict[str, int] = {}
    shared = [
        word
        for number, group in enumerate(named)
        for word in dict.fromkeys(group.words)
        if owners.setdefault(word, number) != number
    ]
    if shared:
        raise SettingError(
            f"{quote(shared[:5])} appear in two groups", words=sorted(set(shared)), hint="keep each word in one group"
        )
    return named


def gendered_names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return first names of men and of women, most borne first."""
    women, men = first_names().at_least(BIRTHS).by_sex()
    return men, women


def gendered_words() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return words that define gender and first names, of men and of women."""
    men, women = zip(*catalogue.definitional_pairs(), strict=True)
    names = gendered_names()
    return tuple(dict.fromkeys((*men, *names[0]))), tuple(dict.fromkeys((*women, *names[1])))
