"""Compiled search for the best answers to analogies; plain arrays in and out. Imported only when first needed.

A table holds a row for each word that occurs in a question and a column for each word of a block of the vocabulary.
Whether a block can change the two best answers so far is asked of many words at once, in vector registers; only where
it can is it walked word by word, and only there are the question's own words passed over.
"""

from typing import Any

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats32, Ints


@compiled()
def keep_best_sums(
    cosines: Floats32,
    questions: Ints,
    words: Ints,
    groups: Ints,
    start: int,
    best: Floats32,
    second: Floats32,
    at: Ints,
) -> None:
    """Keep, for each question (a, b, c), the two largest cos(b) + cos(c) - cos(a) and the word of the largest.

    `questions` are rows of `cosines`; `words` the groups of the same words, which are not answers; `groups` those of
    the block's words, negative for one that answers nothing; `start` the number of the block's first word.
    """
    for question in range(len(questions)):
        a = cosines[questions[question, 0]]
        b = cosines[questions[question, 1]]
        c = cosines[questions[question, 2]]
        limit = second[question]
        reached = False
        for j in range(len(groups)):
            reached |= b[j] + c[j] - a[j] > limit
        if reached:
            for j in range(len(groups)):
                score = b[j] + c[j] - a[j]
                if score > limit and _is_answer(groups[j], words, question):
                    limit = _enter(score, start + j, question, best, second, at)


@compiled()
def keep_best_products(
    shifted: Floats32,
    inverse: Floats32,
    questions: Ints,
    words: Ints,
    groups: Ints,
    start: int,
    best: Floats32,
    second: Floats32,
    at: Ints,
) -> None:
    """Keep the two largest shifted(b) * shifted(c) * inverse(a); the rest is as for sums."""
    for question in range(len(questions)):
        a = inverse[questions[question, 0]]
        b = shifted[questions[question, 1]]
        c = shifted[questions[question, 2]]
        limit = second[question]
        reached = False
        for j in range(len(groups)):
            reached |= b[j] * c[j] * a[j] > limit
        if reached:
            for j in range(len(groups)):
                score = b[j] * c[j] * a[j]
                if score > limit and _is_answer(groups[j], words, question):
                    limit = _enter(score, start + j, question, best, second, at)


@compiled()
def _is_answer(group: int, words: Ints, question: int) -> bool:
    return group >= 0 and group != words[question, 0] and group != words[question, 1] and group != words[question, 2]


@compiled()
def _enter(score: np.float32, word: int, question: int, best: Floats32, second: Floats32, at: Ints) -> Any:
    """Put a score among the best two, and return the lower of them."""
    if score > best[question]:
        second[question] = best[question]
        best[question] = score
        at[question] = word
    else:
        second[question] = score
    return second[question]
