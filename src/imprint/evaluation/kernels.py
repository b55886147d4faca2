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
def keep_best(
    by_product: bool,
    near: Floats32,
    far: Floats32,
    questions: Ints,
    words: Ints,
    groups: Ints,
    start: int,
    best: Floats32,
    second: Floats32,
    at: Ints,
) -> None:
    """Keep, for each question (a, b, c), the two largest near(b) + near(c) - far(a), or products of the three.

    `questions` are rows of both tables; `words` the groups of the same words, which are not answers; `groups` those of
    the block's words, negative for one that answers nothing; `start` the number of the block's first word. The word of
    the largest score goes to `at`.
    """
    for question in range(len(questions)):
        a = far[questions[question, 0]]
        b = near[questions[question, 1]]
        c = near[questions[question, 2]]
        limit = second[question]
        reached = False
        for j in range(len(groups)):
            reached |= (b[j] * c[j] * a[j] if by_product else b[j] + c[j] - a[j]) > limit
        if reached:
            for j in range(len(groups)):
                score = b[j] * c[j] * a[j] if by_product else b[j] + c[j] - a[j]
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
