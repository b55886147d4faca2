"""Half-sibling regression: what words that define the groups predict of another word is subtracted from it.

Yang and Feng (2020), "A causal inference method for reducing gender bias in word embedding relations". The rows V of
the defining words predict a word x by ridge regression over its dimensions: x' = x - V' (V V' + alpha I)^-1 V x. That
equals alpha (V' V + alpha I)^-1 x, one symmetric matrix for every word: the method is linear.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from imprint.checks import check_between
from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.hard import gendered
from imprint.debiasing.labelled import Groups, LabelledRows, labelled_words
from imprint.debiasing.transform import LinearTransform
from imprint.directions.axis import Axis, Pairs
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats


@dataclass(frozen=True)
class HalfSiblingDebiaser(Debiaser):
    """Half-sibling regression of Yang and Feng (2020): subtracts what defining words predict.

    Parameters
    ----------
    alpha
        The penalty of the ridge regression; the smaller, the more is subtracted.

    Examples
    --------
    >>> imprint.debiaser("half-sibling", alpha=30.0)
    HalfSiblingDebiaser(alpha=30.0)
    """

    summary: ClassVar[str] = "subtracts from every other word what words that define the groups predict of it"
    labels: ClassVar[Mapping[str, str]] = {"kept": "words kept unchanged"}
    compared = ("alpha",)
    takes_groups = True

    alpha: float = 60.0

    def __post_init__(self) -> None:
        check_between("alpha", self.alpha, 0.0, float("inf"))

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | None = None,
        pairs: Pairs | None = None,
        groups: Groups | None = None,
        specific: Sequence[str] | None = None,
    ) -> LinearTransform:
        """Fit on words that define the groups, which stay as they are.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            An axis whose words define two groups.
        pairs
            Pairs of words that define two groups.
        groups
            Lists of words, one per group.
        specific
            Words that define the groups, in place of those of the axis, pairs or groups. If none of these is given,
            the catalogue's words gendered by meaning.
        """
        embedding = load(embedding)
        if specific is None and axis is None and pairs is None and groups is None:
            specific = gendered()
        if axis is None and groups is None:
            pairs = pairs or catalogue.definitional_pairs()
        labelled = labelled_words(embedding, axis, pairs, groups=groups)
        words = [word for group in labelled.groups for word in group] if specific is None else specific
        lookup = embedding.lookup(dict.fromkeys(words))
        # Words are kept as the vocabulary spells them, and each row counts once.
        tokens = dict(zip(lookup.tokens, lookup.vectors.astype(np.float64), strict=True))
        if not tokens:
            raise VocabularyError(
                "has none of the words that define the groups", where=embedding.name, words=lookup.missing
            )
        defining = frozenset(word for word in tokens if word in embedding)
        matrix, share = self._matrix(np.array(list(tokens.values())))
        card = labelled.card({**asdict(self), "kept": len(defining)}, share_left_of_defining_words=share)
        return LinearTransform("half-sibling", card, matrix, np.zeros(len(matrix)), defining)

    def fit_gender(self, embedding: Embedding, *, leave_out: Collection[str] = ()) -> LinearTransform:
        """Fit on the catalogue's words gendered by meaning, but for those left out, in any case."""
        judging = {word.lower() for word in leave_out}
        return self.fit(embedding, specific=[word for word in gendered() if word.lower() not in judging])

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors; those of sentences have no words to keep, so all are moved."""
        matrix, share = self._matrix(labelled.rows)
        card = labelled.card(asdict(self), share_left_of_defining_words=share)
        return LinearTransform("half-sibling", card, matrix, np.zeros(len(matrix)))

    def _matrix(self, rows: Floats) -> tuple[Floats, float]:
        """Return the matrix, and the share of the defining rows' squares that it would leave them."""
        with single_threaded():
            gram = rows.T @ rows
            matrix = np.asarray(self.alpha * np.linalg.inv(gram + self.alpha * np.eye(len(gram))), dtype=np.float64)
        left = float(np.einsum("ij,jk,ik->", matrix, gram, matrix))
        return matrix, left / float(np.trace(gram))
