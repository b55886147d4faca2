"""Hard debiasing: the axis is taken out of every word that is not gendered by meaning, and pairs are equalised.

Bolukbasi et al. (2016), "Man is to computer programmer as woman is to homemaker?", section 6, steps 2a and 2b.
Rows keep the length that is left to them; cosines do not see the difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from imprint.debiasing.debiaser import GENDER, Debiaser
from imprint.debiasing.labelled import LabelledRows
from imprint.debiasing.leace import removed_share
from imprint.debiasing.linear import default_axes
from imprint.debiasing.transform import Card, HardTransform, LinearTransform, WordPairs
from imprint.directions.axis import Axis, Pairs, check_ends, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats

_NEW = 1e-6  # length of what an axis adds to those before it, below which it adds nothing


@dataclass(frozen=True)
class HardDebiaser(Debiaser):
    """Hard debiasing: removes the axis from neutral words and equalises pairs; it has no settings.

    Examples
    --------
    >>> imprint.HardDebiaser().fit("default").method
    'hard'
    """

    summary: ClassVar[str] = "removes the axis from every word that does not mean a gender"

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | Sequence[Axis] | None = None,
        pairs: Pairs | None = None,
        specific: Sequence[str] | None = None,
    ) -> HardTransform:
        """Fit along one or more axes.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            The axis to remove, or several; by default the first principal component of the pairs, or of the
            catalogue's ten definitional pairs.
        pairs
            Pairs to equalise, also in other cases (Dad and Mom, dad and mom); by default the catalogue's.
            A word of two pairs stays with the first.
        specific
            Words that keep their gender, as do those of axes and pairs; by default the catalogue's words gendered by
            meaning, or none where pairs are given without an axis.
        """
        embedding = load(embedding)
        embedding.check_finite()
        if axis is None:
            axis = pair_axis(embedding, catalogue.definitional_pairs() if pairs is None else pairs, method="pca")
            if pairs is not None:
                pairs = list(zip(axis.positive, axis.negative, strict=True))
                specific = () if specific is None else specific
        axes = default_axes(embedding, axis)
        chosen = catalogue.equalize_pairs() if pairs is None else pairs
        check_ends(chosen)
        kept_pairs, missing = _known(embedding, chosen)
        named = _gendered() if specific is None else specific
        ends = [word for one in axes for word in embedding.lookup(one.positive + one.negative).tokens]
        kept = {word for word in (*named, *ends, *(word for pair in kept_pairs for word in pair)) if word in embedding}
        card = Card(
            embedding=embedding.name,
            embedding_sha256=embedding.sha256,
            positive=tuple(word for one in axes for word in one.positive),
            negative=tuple(word for one in axes for word in one.negative),
            seeds=(),
            missing=(*(word for one in axes for word in one.missing), *missing),
            settings={"kept": len(kept), "pairs": len(kept_pairs)},
        )
        return HardTransform("hard", card, _basis(axes), frozenset(kept), kept_pairs)

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Remove the mean difference of the pairs from every vector; a sentence has no word to keep or to equalise."""
        way = labelled.direction()
        matrix = np.eye(len(way)) - np.outer(way, way)
        card = labelled.card(changed=removed_share(labelled.rows - labelled.centre, matrix))
        return LinearTransform("hard", card, matrix, np.zeros(len(way)))

    def fit_gender(self, embedding: Embedding) -> HardTransform:
        """Fit along he - she, with the catalogue's words of gender."""
        return self.fit(embedding, axis=pair_axis(embedding, GENDER, method="pca"))


def _gendered() -> tuple[str, ...]:
    """Return the words gendered by what they mean, without professions that a crowd thinks neutral (maid)."""
    neutral = {one.word for one in catalogue.professions()}
    return tuple(word for word in catalogue.gender_specific() if word.lower() not in neutral)


def _basis(axes: Sequence[Axis]) -> Floats:
    """Return orthonormal rows that span the axes, the first one along the first axis."""
    basis: list[Floats] = []
    for one in axes:
        rest = one.direction - sum((one.direction @ row) * row for row in basis)
        length = np.linalg.norm(rest)
        if length > _NEW:
            basis.append(rest / length)
    return np.array(basis)


def _known(embedding: Embedding, pairs: Pairs) -> tuple[WordPairs, tuple[str, ...]]:
    """Return the pairs the vocabulary has, in whatever case, each word once; and the words of pairs it has not."""
    taken: set[str] = set()
    known: list[tuple[str, str]] = []
    missing: list[str] = []
    for first, second in pairs:
        forms = [(first, second), *((change(first), change(second)) for change in (str.lower, str.title, str.upper))]
        present = [pair for pair in dict.fromkeys(forms) if all(word in embedding for word in pair)]
        if not present:
            missing += [word for word in (first, second) if not embedding.lookup([word]).words]
        for pair in present:
            if taken.isdisjoint(pair) and pair[0] != pair[1]:
                known.append(pair)
                taken.update(pair)
    return tuple(known), tuple(dict.fromkeys(missing))
