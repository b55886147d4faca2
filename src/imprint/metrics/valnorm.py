"""ValNorm: does the space know what people call pleasant?

Toney and Caliskan (2021), "ValNorm quantifies semantics to reveal consistent valence biases across languages and over
centuries": Pearson's correlation, over the words of a lexicon, of their SC-WEAT with human ratings of valence. The
lexicon is the bundled one, which the controls use too.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from imprint.embeddings.embedding import unit_rows
from imprint.errors import StimulusError, VocabularyError
from imprint.metrics.metric import Metric, MetricPart, MetricWords, standardised
from imprint.significance.relabelled import Chosen
from imprint.stimuli.catalog import language_of, languages
from imprint.stimuli.definition import AnyTest, Language, WeatTest
from imprint.types import Floats

_FEWEST = 10  # rated words


@dataclass(frozen=True)
class ValNorm(Metric):
    """Correlation with valence along A - B, in the paper pleasant and unpleasant words; X and Y are not used."""

    title = "ValNorm"
    summary = "Correlation of people's ratings of valence with SC-WEAT towards A, usually pleasant words, and B"
    source = "Toney and Caliskan (2021)"
    orientation = "positive: words that people call pleasant are nearer to A than to B"
    permuted = "attributes"
    bounds = (-1.0, 1.0)

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about the words of the lexicon of the test's language."""
        rated_words = _rated(language_of(test))
        if not rated_words:
            raise StimulusError(
                f"There is no lexicon of valence in the language of {test.id}",
                got=test.language,
                expected=f"a test in {' or '.join(language.name for language in languages().values())}",
                hint="choose another test",
            )
        rated = words.embedding.lookup(rated_words)
        if len(rated.words) < _FEWEST:
            raise VocabularyError(
                f"has {len(rated.words)} words with a rating of valence",
                expected=f"at least {_FEWEST}",
                where=words.embedding.name,
                hint="use a larger embedding",
            )
        yield MetricPart(
            replace(
                words,
                target_words=rated.words,
                n_x=len(rated.words),
                targets=unit_rows(rated.vectors),
                target_ranks=words.embedding.ranks_of(rated.tokens),
            ),
            1,
        )

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return Pearson's correlation."""
        rated = _rated(words.language)
        ratings = np.array([rated[word] for word in words.target_words])
        scores = standardised(words.cosines, chosen)
        weights = (chosen.x | chosen.y).astype(np.float64)
        weights = weights / weights.sum(axis=1, keepdims=True)
        centred = scores - (weights * scores).sum(axis=1, keepdims=True)
        away = ratings - (weights * ratings).sum(axis=1, keepdims=True)
        product, *squares = (
            (weights * left * right).sum(axis=1) for left, right in ((centred, away), (centred, centred), (away, away))
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(product / np.sqrt(squares[0] * squares[1]))

    def also(self, tests: Sequence[AnyTest]) -> Collection[str]:
        """Return the words of the lexicons of the tests' languages."""
        return {word for test in tests for word in _rated(language_of(test))}


def _rated(language: Language | None) -> Mapping[str, float]:
    return {} if language is None else language.valence
