"""Multiclass hard debiasing: a subspace of several groups is taken out of other words, and sets are equalised.

Manzini et al. (2019), "Black is to criminal as Caucasian is to police", section 3: each defining set has one word per
group. The subspace is that of the first principal components of the words, each less the mean of its set. With two
groups and one component it is hard debiasing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from imprint.checks import check_whole
from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.hard import LABELS, take_out
from imprint.debiasing.labelled import Groups, LabelledRows, check_groups
from imprint.debiasing.projection import ProjectionDebiaser
from imprint.debiasing.transform import HardTransform, LinearTransform
from imprint.directions.axis import Axis, Pairs
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import quote
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats

_RANK = 1e-6  # of the first component's length, below which another is rounding


@dataclass(frozen=True)
class MulticlassHardDebiaser(Debiaser):
    """Multiclass hard debiasing of Manzini et al. (2019): removes the subspace of defining sets, equalises sets.

    Parameters
    ----------
    components
        How many principal components span the subspace; by default one fewer than there are groups.

    Examples
    --------
    >>> faiths = [["christian", "church", "bible"], ["muslim", "mosque", "quran"], ["jewish", "synagogue", "torah"]]
    >>> imprint.debiaser("multiclass-hard").fit("default", groups=faiths).card.settings["components"]
    2
    """

    summary: ClassVar[str] = "removes the subspace of several groups from every word that does not define one"
    labels: ClassVar[Mapping[str, str]] = {
        **LABELS,
        "components": "components removed",
        "pairs_variance": "share of the pairs' variance in them",
    }
    compared = ("components",)
    takes_groups = True

    components: int | None = None

    def __post_init__(self) -> None:
        if self.components is not None:
            check_whole("components", self.components)

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | None = None,
        pairs: Pairs | None = None,
        groups: Groups | None = None,
        equalize: Sequence[Sequence[str]] | None = None,
        specific: Sequence[str] | None = None,
    ) -> HardTransform:
        """Fit on defining sets: the first words of all groups, the second words, and so on.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            An axis of pairs, whose words define two groups.
        pairs
            Pairs of words that define two groups; by default the catalogue's ten definitional pairs.
        groups
            Lists of as many words each, one list per group: words at the same place form a set. A set with a missing
            word is left out.
        equalize
            Sets of words to equalise, also in other cases; by default the defining sets, and for gender by default
            the catalogue's pairs. A word of two sets stays with the first.
        specific
            Words to keep besides those of groups and sets; by default none, and for gender by default the catalogue's
            words gendered by meaning.
        """
        embedding = load(embedding)
        embedding.check_finite()
        given = [option for option in (axis, pairs, groups) if option is not None]
        if len(given) > 1:
            raise SettingError("more than one of axis, pairs and groups is given", option="groups", hint="give one")
        if axis is not None:
            groups = [axis.positive, axis.negative]
        elif groups is None:
            groups = [list(side) for side in zip(*(pairs or catalogue.definitional_pairs()), strict=True)]
        sets, missing = _defining_sets(embedding, groups)
        basis, share = _subspace(embedding, sets, self.components)
        if equalize is None:
            equalize = sets if given else catalogue.equalize_pairs()
        if specific is None and given:
            specific = ()
        settings = {"components": len(basis), "groups": len(sets[0])}
        ends = list(zip(*sets, strict=True))
        measured = {"pairs_variance": share}
        return take_out("multiclass-hard", embedding, basis, ends, equalize, specific, missing, settings, measured)

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Remove what linear projection does: a sentence has no word to keep or to equalise."""
        return replace(ProjectionDebiaser().fit_rows(labelled), method="multiclass-hard")


def _defining_sets(embedding: Embedding, groups: Groups) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """Return the sets the vocabulary has all words of, and the words it lacks."""
    named = check_groups(groups)
    sizes = [len(group) for group in named]
    if len(set(sizes)) > 1:
        raise SettingError(
            option="groups",
            got=" and ".join(f"{size:,}" for size in sizes),
            expected="lists of as many words each (words at the same place form a set)",
            hint="give equal lists, or choose leace",
        )
    sets = list(zip(*(group.words for group in named), strict=True))
    missing = embedding.lookup(dict.fromkeys(word for words in sets for word in words)).missing
    whole = [words for words in sets if not set(words) & set(missing)]
    if not whole:
        raise VocabularyError(
            f"has no defining set whole (missing: {quote(missing[:5])})",
            where=embedding.name,
            words=missing,
            hint="use words it has",
        )
    return whole, missing


def _subspace(embedding: Embedding, sets: Sequence[Sequence[str]], components: int | None) -> tuple[Floats, float]:
    """Return the first principal components of words less the mean of their set, and their share of the variance."""
    rows = embedding.lookup([word for words in sets for word in words]).unit
    rows = rows.reshape(len(sets), len(sets[0]), -1)
    centred = (rows - rows.mean(axis=1, keepdims=True)).reshape(-1, rows.shape[2])
    with single_threaded():
        _, lengths, ways = np.linalg.svd(centred, full_matrices=False)
    count = len(sets[0]) - 1 if components is None else components
    basis = ways[:count][lengths[:count] > _RANK * lengths[0]]
    if not len(basis):
        raise VocabularyError(
            "has the same vector for all words of each set", where=embedding.name, hint="use words that differ"
        )
    return basis, float((lengths[: len(basis)] ** 2).sum() / (lengths**2).sum())
