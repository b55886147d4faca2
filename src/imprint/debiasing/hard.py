"""Hard debiasing: the axis is taken out of every word that is not gendered by meaning, and pairs are equalised.

Bolukbasi et al. (2016), "Man is to computer programmer as woman is to homemaker?", section 6, steps 2a and 2b.
Rows keep the length that is left to them; cosines do not see the difference.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from imprint.debiasing.debiaser import GENDER, Debiaser
from imprint.debiasing.labelled import Groups, LabelledRows, check_groups
from imprint.debiasing.linear import default_axes, ends_of, missing_of
from imprint.debiasing.transform import Card, HardTransform, LinearTransform, WordSets
from imprint.directions.axis import Axis, Pairs, check_ends, group_axes, orthonormal, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats

LABELS = {"kept": "words kept unchanged", "pairs": "pairs equalised"}  # of facts on the cards of `take_out`


@dataclass(frozen=True)
class HardDebiaser(Debiaser):
    """Hard debiasing: removes the axis from neutral words and equalises pairs; it has no settings.

    Examples
    --------
    >>> imprint.HardDebiaser().fit("default").method
    'hard'
    """

    summary: ClassVar[str] = "removes the axis from every word that does not mean a gender"
    labels: ClassVar[Mapping[str, str]] = LABELS
    takes_groups = True

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
            Words that keep their gender, as do those of axes and pairs. By default the catalogue's words gendered by
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
        return take_out("hard", embedding, orthonormal(axes), ends_of(axes), chosen, specific, missing_of(axes))

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Remove the mean difference of the pairs from every vector; a sentence has no word to keep or to equalise."""
        way = labelled.direction()
        return labelled.removing("hard", np.eye(len(way)) - np.outer(way, way))

    def fit_gender(self, embedding: Embedding, *, leave_out: Collection[str] = ()) -> HardTransform:
        """Fit along he - she, with the catalogue's words of gender."""
        return self.fit(embedding, axis=pair_axis(embedding, GENDER, method="pca"))

    def fit_groups(self, embedding: EmbeddingLike, groups: Groups) -> HardTransform:
        """Remove the subspace of the groups' means from every word but theirs."""
        embedding, words = load(embedding), [group.words for group in check_groups(groups)]
        embedding.check_finite()
        axes = group_axes(embedding, words)
        return take_out("hard", embedding, orthonormal(axes), words, (), (), missing_of(axes))


def take_out(
    method: str,
    embedding: Embedding,
    basis: Floats,
    groups: Sequence[Sequence[str]],
    equalised: Sequence[Sequence[str]],
    specific: Sequence[str] | None,
    missing: Sequence[str],
    settings: Mapping[str, Any] | None = None,
    measured: Mapping[str, Any] | None = None,
) -> HardTransform:
    """Make the transform: words of groups and sets are kept, and those specific, by default the gendered ones."""
    sets, lacking = _known(embedding, equalised)
    named = gendered() if specific is None else specific
    ends = embedding.lookup([word for group in groups for word in group]).tokens
    unmoved = {word for word in (*named, *ends, *(word for words in sets for word in words)) if word in embedding}
    card = Card.of(
        embedding.name,
        embedding.sha256,
        groups,
        missing=(*missing, *lacking),
        settings={"kept": len(unmoved), "pairs": len(sets), **(settings or {})},
        measured=measured or {},
    )
    return HardTransform(method, card, basis, frozenset(unmoved), sets)


def gendered() -> tuple[str, ...]:
    """Return the words gendered by what they mean, without professions that a crowd thinks neutral (maid)."""
    neutral = {profession.word for profession in catalogue.professions()}
    return tuple(word for word in catalogue.gender_specific() if word.lower() not in neutral)


def _known(embedding: Embedding, sets: Sequence[Sequence[str]]) -> tuple[WordSets, tuple[str, ...]]:
    """Return the pairs or sets the vocabulary has, in whatever case, each word once; and the words of those not."""
    taken: set[str] = set()
    whole: list[tuple[str, ...]] = []
    missing: list[str] = []
    for words in sets:
        forms = [tuple(words), *(tuple(map(change, words)) for change in (str.lower, str.title, str.upper))]
        present = [form for form in dict.fromkeys(forms) if all(word in embedding for word in form)]
        if not present:
            missing += [word for word in words if not embedding.lookup([word]).words]
        for form in present:
            if taken.isdisjoint(form) and len(set(form)) == len(form):
                whole.append(form)
                taken.update(form)
    return tuple(whole), tuple(dict.fromkeys(missing))
