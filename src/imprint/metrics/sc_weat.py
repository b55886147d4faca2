"""Single-category WEAT: is one word nearer to A or to B?

Caliskan, Bryson and Narayanan (2017), as WEFAT; the name is that of Toney and Caliskan (2021): the mean cosine with A
less that with B, divided by the standard deviation of all cosines (n - 1).

Attributes of one set lie together, so a word's cosines with them are not independent: exchanging the labels of A and
B gave p <= 0.05 for 22 % of random words. So A and B stay, and random words take the word's place.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from imprint.metrics.metric import Metric, MetricPart, MetricWords, standardised
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Floats


@dataclass(frozen=True)
class ScWeat(Metric):
    """WEAT for one target word at a time; the word is given, and attributes count as a sample."""

    title = "SC-WEAT"
    summary = "One target word at a time: its mean cosine with A less that with B, by the spread of all cosines"
    source = "Toney and Caliskan (2021)"
    orientation = "positive: the word is nearer to A"
    permuted = None
    replaced = "targets"
    stacked = True
    sampled = ("attributes",)

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about each target word."""
        everything = range(len(words.attribute_words))
        for index, word in enumerate(words.target_words):
            yield MetricPart(words.only([index], everything), 1 if index < words.n_x else -1, word)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return d of the word for each choice of attributes, or of each of several words."""
        return standardised(words.products.reshape(-1, words.products.shape[-1]), chosen).ravel()
