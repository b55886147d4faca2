"""What pages explain and warn of: entries of every page and those that several parts share, in the order of the page.

A part declares its own in `terms` and `limits`; one that is not listed here comes after these.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from imprint.jobs import Part
from imprint.kinds.tests import TENTH

EFFECT_SIZE = (
    "d, effect size: how far two sets of words differ, in standard deviations of all their scores; at most about two."
)
ONE_SIDED = "One-sided: only an association in the predicted direction counts; two-sided: either direction counts."
MIRRORED = "Mirrored copy: the same vectors with names reflected at random, to see what chance finds."
AXIS = "Axis: the line from one word, she, to another, he; a word's place on it says which way it leans."
HELD_OUT_PROFESSIONS = "Held-out professions: words that judge a debiasing and that it was not fitted on."
CLASSIFIER = "Classifier: a program that learns from some words to tell two groups apart, and is tried on others."

OTHER_SCALES = "Effect sizes of models and of people are on different scales and cannot be compared."
ONE_DIRECTION = "Removing a bias from one direction does not remove it from the vectors."

TESTED = (EFFECT_SIZE, ONE_SIDED)
DEBIASED = (AXIS, HELD_OUT_PROFESSIONS, CLASSIFIER)

# Whether every page has it, or only those with a part that declares it.
TERMS = {
    "Embedding, vector: a word as a list of numbers, learnt from texts; words used alike have similar lists.": True,
    "Cosine: how similar two vectors are, from -1 to 1.": True,
    EFFECT_SIZE: False,
    "p-value: how often chance alone gives at least this much; 1.4e-9 is 1.4 in a thousand million. In tests of "
    "words, chance means shuffling which word belongs to which group: such a p-value is about these words only.": True,
    "Size: how much nearer one group is to one kind of words than the other group is, as a share of the distance "
    "between the two kinds of words.": True,
    f"Outcome: what the 99.5 % interval of a size says. Substantial: it lies beyond {TENTH}. Small: it lies within. "
    f"Present: it excludes zero and reaches into {TENTH}. Cannot tell: it has zero and more than {TENTH} in it, or "
    "there is a reason, such as grammar, frequency or few words.": True,
    "Interval over words: plausible values if other words of the same kinds had been chosen.": True,
    ONE_SIDED: False,
    MIRRORED: False,
    AXIS: False,
    HELD_OUT_PROFESSIONS: False,
    CLASSIFIER: False,
    "Benchmark: pairs of words or analogies that people have judged (rg-65, ws-353, men, google).": True,
    "Controls: questions that every usable model answers as people do, such as that flowers are more pleasant than "
    "insects.": True,
    "Bleached sentences: sentences that say almost nothing about the word in them, such as “This is Emma.”": True,
}
LIMITS = {
    "“Cannot tell” does not mean that there is no bias: the words may be too few to show it.": True,
    "A difference that is present is a fact about the model. Whether it harms depends on how the model is used.": True,
    "Tests ask about the words in their lists. Other words for the same people may behave differently.": True,
    OTHER_SCALES: False,
    ONE_DIRECTION: False,
    "Names represent groups because of who has them in the United States. Elsewhere they may not.": True,
}


def needed(entries: Mapping[str, bool], parts: Sequence[Part], declared: Literal["terms", "limits"]) -> list[str]:
    """Return the entries that a page of these parts needs: those of every page, and those that the parts declare."""
    of_parts = dict.fromkeys(text for part in parts for text in getattr(part, declared))
    alone = bool(parts) and all(part.alone for part in parts)
    listed = [text for text, everywhere in entries.items() if (everywhere and not alone) or text in of_parts]
    return [*listed, *(text for text in of_parts if text not in entries)]
