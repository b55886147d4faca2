"""What a board says: which model to take in which topic, that the words do not decide it, and how sure that is.

The headline is about topics. A model is to be taken if another is known to have more bias and none is known to have
less. It says so only where each model to take has less than each of those with more; else it says which to avoid.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from imprint.association.rows import outcome_counts
from imprint.boards.rows import BoardDifferenceRow, BoardRow, BoardTopicDifferenceRow
from imprint.kinds.tests import TENTH, by_chance
from imprint.rows import Row
from imprint.significance.outcomes import OUTCOMES, SizeOutcome
from imprint.view import Text, count, estimate, join, say, title

DIFFER: dict[SizeOutcome, str] = {
    "substantial": "differ substantially",
    "present": "differ",
    "small": f"equal within {TENTH}",
    "cannot tell": "cannot tell",
}

_MOST_GROUPS = 3  # of models with less bias than the same others, which the page says in sentences
_MOST_NAMES = 3  # of models in a headline; more are counted


@dataclass(frozen=True)
class ModelChoice:
    """The models of a topic: those to take, those with more bias than another, and those the words do not decide.

    `smaller` names, of each model with more bias, those that have less.
    """

    smaller: dict[str, list[str]]
    take: tuple[str, ...]
    undecided: tuple[str, ...]

    @property
    def is_ordered(self) -> bool:
        """Whether each model to take has less bias than each of those with more."""
        return bool(self.take) and all({*self.take} <= {*names} for names in self.smaller.values())


def choose(pairs: Sequence[BoardTopicDifferenceRow]) -> ModelChoice:
    """Return which models of a topic to take, from how every two of them differ."""
    lower: dict[str, list[str]] = {}
    for row in pairs:
        if row.less is not None:
            lower.setdefault(row.change_to if row.less == row.change_from else row.change_from, []).append(row.less)
    models = list(dict.fromkeys(name for row in pairs for name in (row.change_from, row.change_to)))
    less = {name for smaller in lower.values() for name in smaller}
    left = [name for name in models if name not in lower]
    take, undecided = (tuple(name for name in left if (name in less) is taken) for taken in (True, False))
    return ModelChoice({name: lower[name] for name in models if name in lower}, take, undecided)


def headline(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say which model to take in which topic; then for which topics the words do not decide it."""
    choices = {topic: choose(pairs) for topic, pairs in _by_topic(rows).items()}
    decided = {topic: choice for topic, choice in choices.items() if choice.smaller}
    if decided:
        yield join([said for topic, choice in decided.items() for said in _advice(topic, choice)], " ")
    same: dict[str, list[str]] = {}
    for topic, pairs in _by_topic(rows).items():
        if topic in decided:
            continue
        is_small = all(row.outcome == "small" for row in pairs)
        same.setdefault(f"all are equal within {TENTH}" if is_small else "the words do not decide", []).append(topic)
    if same:
        yield join((say("On {}, {}.", names_of_models(topics), said) for said, topics in sorted(same.items())), " ")


def _advice(topic: str, choice: ModelChoice) -> Iterator[Text]:
    exceeding = [*choice.smaller]
    if choice.is_ordered:
        than = _counted(exceeding, "each of the others" if not choice.undecided else "{} other models")
        yield say("On {}, take {}: less bias than in {}.", title(topic), names_of_models(choice.take, "or"), than)
    else:
        more = _counted(exceeding, "{} models, named below")
        yield say("On {}, avoid {}: more bias than in another model.", title(topic), more)
    if choice.undecided:
        yield say("For {}, the words do not decide.", _counted(choice.undecided, "the other {}"))


def say_topics(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say the headline, and which models have less bias than which.

    Models with more bias than the same ones share a sentence.
    """
    yield from headline(rows)
    for topic, pairs in _by_topic(rows).items():
        together: dict[tuple[str, ...], list[str]] = {}
        for larger, smaller in choose(pairs).smaller.items():
            together.setdefault(tuple(smaller), []).append(larger)
        for less, more in list(together.items())[:_MOST_GROUPS]:
            named = map(names_of_models, (less, more))
            yield say("{}: less bias in {} than in {}.", title(topic.capitalize()), *named)


def undecided_topics(rows: Sequence[BoardTopicDifferenceRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say for which topics the words do not decide, where they do for others."""
    yield from list(headline(rows))[1:]


def _by_topic(rows: Sequence[BoardTopicDifferenceRow]) -> dict[str, list[BoardTopicDifferenceRow]]:
    return {topic: [row for row in rows if row.topic == topic] for topic in dict.fromkeys(row.topic for row in rows)}


def _counted(names: Sequence[str], many: str) -> Text:
    """Return names in a row, or how many there are."""
    return names_of_models(names) if len(names) <= _MOST_NAMES else say(many.replace("{}", f"{len(names)}"))


def names_of_models(names: Iterable[str], last: str = "and") -> Text:
    """Return names in a row; a name may have a comma in it."""
    listed = [*names]
    between = "; " if any("," in name for name in listed) else ", "
    shown = [title(name) for name in listed]
    return say("{} {} {}", join(shown[:-1], between), last, shown[-1]) if len(shown) > 1 else shown[0]


def nothing_to_compare(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Say so where fewer than two models can be judged."""
    if sum(row.judged is not False for row in rows) < 2:
        yield "There is nothing to compare: fewer than two models can be judged."


def judged_and_best(rows: Sequence[BoardRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say which model has the best quality, by the estimate, and which cannot be judged."""
    rated = [row for row in rows if row.quality is not None and row.judged is not False]
    if len(rated) > 1:
        best = max(rated, key=lambda row: row.quality or 0.0)
        quality = estimate(best.quality, best.quality_low, best.quality_high)
        yield say("{} has the highest quality: {}.", title(best.embedding), quality)
    if failed := [row.embedding for row in rows if row.judged is False]:
        yield say(
            "Not compared, because they fail controls that every usable model passes, or lack their words: {}.",
            names_of_models(failed),
        )


def untopical(rows: Sequence[BoardDifferenceRow]) -> Iterator[Text]:
    """Count what was found in tests without a topic, of which no topic says anything."""
    if without := [row for row in rows if not row.topics]:
        yield say("Differences in tests without a topic: {}.", outcome_counts(without))


def count_differences(rows: Sequence[BoardDifferenceRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say what the pairs come to, and how much of it is due to chance."""
    counts = Counter(row.outcome or "cannot tell" for row in rows)
    listed = (outcome for outcome in OUTCOMES if counts[outcome])
    said = join((say("{} {}", count(counts[outcome]), DIFFER[outcome]) for outcome in listed), ", ")
    yield say(
        "Of {} comparisons of two models in a question or test: {}. Differences expected by chance: {}.",
        count(len(rows)),
        said,
        by_chance(rows),
    )
