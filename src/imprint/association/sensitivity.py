"""How much a SEAT effect hangs on single templates and words, and on where the encoder's vectors lie.

May et al. (2019), sections 4 and 5, found effects that do not carry over to other words and sentences; here every
result says so of itself. All effects are of words (`d_word`).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from imprint.association.sentences import SentenceTable
from imprint.association.vectors import FEWEST_WORDS
from imprint.checks import Context
from imprint.rows import Row, TemplateValue, shown, word_values
from imprint.stimuli.templates import Sentence, Side
from imprint.types import Flags, Floats, Floats32

WordArray = npt.NDArray[np.object_]
Choice = Callable[[Sentence], bool]

_ROUNDING = 1e-12  # a spread of scores below it is that of sums rounded in different orders


class AnisotropyRow(Row, frozen=True, kw_only=True, tag="seat-anisotropy"):
    """The mean cosine of all pairs of the texts asked about in one context."""

    context: Annotated[Context, shown("Context", "How the words were asked about.")]
    texts: Annotated[int, shown("Texts", "Texts asked about.")]
    mean_cosine: Annotated[float | None, shown("Mean cosine", "0: directions spread evenly, 1: all alike.")]


def sensitivity(table: SentenceTable, effect: float) -> dict[str, Any]:
    """Return effects of parts of a test: of one target template alone, and without one template or word.

    A template is used alone only if all target words have it, so that the words compared stay the same. A word's only
    template stays. A part that leaves a set fewer than two words has no entry.
    """
    whole = _by_word(table)
    words = len({sentence.word for sentence in table.x + table.y})
    used = Counter(sentence.template for sentence in table.x + table.y)
    templates = dict.fromkeys(used) | dict.fromkeys(sentence.template for sentence in table.a + table.b)
    several = len(templates) > 1
    alone = _defined((name, _with_template(table, name)) for name in used if several and used[name] == words)
    without_template = _defined((name, _without_template(table, name)) for name in templates if several)
    without_word = _defined((word, whole.without(word).effect()) for word in dict.fromkeys(whole.words()))
    return {
        "effect_by_template": tuple(starmap(TemplateValue, alone.items())),
        "effect_without_template": tuple(starmap(TemplateValue, without_template.items())),
        "effect_without_word": word_values(without_word),
        "flips": flips(effect, alone, without_template, without_word),
    }


def flips(
    effect: float, alone: Mapping[str, float], without_template: Mapping[str, float], without_word: Mapping[str, float]
) -> tuple[str, ...]:
    """Say which parts have the opposite sign of the whole effect."""
    parts = (
        ("template {!r} alone", alone),
        ("without template {!r}", without_template),
        ("without the word {!r}", without_word),
    )
    return tuple(
        label.format(name)
        for label, effects in parts
        for name, value in effects.items()
        if np.sign(value) == -np.sign(effect) != 0
    )


def mean_cosine(vectors: Floats32) -> float:
    """Return the mean cosine of all pairs of distinct rows: 0 where directions are spread evenly, 1 where all agree.

    The sum over pairs is the squared length of the sum of the unit vectors, less one for each row with itself.
    """
    rows = vectors.astype(np.float64)
    rows = rows[rows.any(axis=1)]
    count = len(rows)
    if count < 2:
        return math.nan
    total = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).sum(axis=0)
    return float((total @ total - count) / (count * (count - 1)))


@dataclass(frozen=True, eq=False)
class _Words:
    """The mean cosine of every target word with every attribute word, and which of them are X's and A's."""

    cosines: Floats
    targets: WordArray
    attributes: WordArray
    in_x: Flags
    in_a: Flags

    def words(self) -> list[str]:
        return [*self.targets.tolist(), *self.attributes.tolist()]

    def without(self, word: str) -> "_Words":
        rows, columns = self.targets != word, self.attributes != word
        return _Words(
            self.cosines[np.ix_(rows, columns)],
            self.targets[rows],
            self.attributes[columns],
            self.in_x[rows],
            self.in_a[columns],
        )

    def effect(self) -> float:
        """Return d, NaN where a set has fewer than two words or no word differs from another."""
        in_x, in_a = self.in_x, self.in_a
        if min(in_x.sum(), (~in_x).sum(), in_a.sum(), (~in_a).sum()) < FEWEST_WORDS:
            return math.nan
        scores = self.cosines[:, in_a].mean(axis=1) - self.cosines[:, ~in_a].mean(axis=1)
        spread = scores.std(ddof=1)
        return float((scores[in_x].mean() - scores[~in_x].mean()) / spread) if spread > _ROUNDING else math.nan


def _with_template(table: SentenceTable, template: str) -> float:
    """Return the effect of the targets' sentences of one template against all attributes."""
    return _by_word(table, lambda target: target.template == template).effect()


def _without_template(table: SentenceTable, template: str) -> float:
    sentences = (*table.x, *table.y, *table.a, *table.b)
    with_others = {sentence.word for sentence in sentences if sentence.template != template}

    def others(sentence: Sentence) -> bool:
        return sentence.template != template or sentence.word not in with_others

    return _by_word(table, others, others).effect()


def _all(_: Sentence) -> bool:
    return True


def _by_word(table: SentenceTable, of_targets: Choice = _all, of_attributes: Choice = _all) -> _Words:
    """Average the cosines of the sentences chosen within each word."""
    rows, average_rows, targets, in_x = _averaging(table.x, table.y, of_targets)
    columns, average_columns, attributes, in_a = _averaging(table.a, table.b, of_attributes)
    means = average_rows @ table.cosines[np.ix_(rows, columns)] @ average_columns.T
    return _Words(means, targets, attributes, in_x, in_a)


def _averaging(first: Side, second: Side, choice: Choice) -> tuple[list[int], Floats, WordArray, Flags]:
    """Return the places of the sentences chosen, the matrix that averages them by word, the words, who is first's."""
    indices = [index for index, sentence in enumerate(first + second) if choice(sentence)]
    names = [(first + second)[index].word for index in indices]
    words = {word: row for row, word in enumerate(dict.fromkeys(names))}
    matrix = np.zeros((len(words), len(indices)))
    matrix[[words[name] for name in names], np.arange(len(indices))] = 1.0
    in_first = np.zeros(len(words), dtype=np.bool_)
    in_first[[words[name] for name, place in zip(names, indices, strict=True) if place < len(first)]] = True
    return indices, matrix / matrix.sum(axis=1, keepdims=True), np.array(list(words), dtype=np.object_), in_first


def _defined(effects: Iterable[tuple[str, float]]) -> dict[str, float]:
    return {name: value for name, value in effects if not math.isnan(value)}
