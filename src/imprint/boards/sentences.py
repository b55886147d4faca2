"""What a board says: which model to take in which topic, that the words do not decide it, and how sure that is.

The headline is about topics, those of standard questions where there are any. A model is to be taken if another is
known to have more bias and none is known to have less, where each model to take has less than each of those with more
and no other model is left. Where some are left, it says which have less than which; else which to avoid. What the
headline does not decide is said below it: how the models with less compare, and which the words do not decide.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from imprint.association.rows import outcome_counts
from imprint.boards.rows import BoardDifferenceRow, BoardRow, BoardTopicDifferenceRow
from imprint.kinds.tests import TENTH, by_chance
from imprint.rows import Row
from imprint.significance.outcomes import OUTCOMES, SizeOutcome
from imprint.stimuli.catalog import more_questions, questions
from imprint.view import Text, count, estimate, join, say, several, title

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

    `smaller` names, of each model with more bias, those that have less. Of models that are not ordered, those `alike`
    are equal to each model to take.
    """

    smaller: dict[str, list[str]]
    take: tuple[str, ...]
    undecided: tuple[str, ...]
    alike: tuple[str, ...] = ()

    @property
    def is_ordered(self) -> bool:
        """Whether each model to take has less bias than each of those with more."""
        return bool(self.take) and all({*self.take} <= {*names} for names in self.smaller.values())

    @property
    def is_complete(self) -> bool:
        """Whether it orders all models, so that it says which to take."""
        return self.is_ordered and not self.undecided and not self.alike


def choose(pairs: Sequence[BoardTopicDifferenceRow]) -> ModelChoice:
    """Return which models of a topic to take, from how every two of them differ."""
    lower: dict[str, list[str]] = {}
    for row in pairs:
        if row.less is not None:
            lower.setdefault(row.change_to if row.less == row.change_from else row.change_from, []).append(row.less)
    models = list(dict.fromkeys(name for row in pairs for name in (row.change_from, row.change_to)))
    left = [name for name in models if name not in lower]
    take = tuple(name for name in left if any(name in names for names in lower.values()))
    choice = ModelChoice({name: lower[name] for name in models if name in lower}, take, ())
    small = {frozenset((row.change_from, row.change_to)) for row in pairs if row.outcome == "small"}
    alike = [name for name in left if choice.is_ordered and all({name, other} in small for other in take)]
    return replace(choice, undecided=tuple(name for name in left if name not in (*take, *alike)), alike=tuple(alike))


def headline(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say which model to take in which topic; then for which topics the words do not decide it.

    Topics without a standard question come afterwards.
    """
    standard = standard_questions()
    topics = {row.topic for row in rows if standard.intersection((*row.tests, *row.tests_left_out))}
    for is_standard in (True, False):
        yield from _headline([row for row in rows if (row.topic in topics) is is_standard])


def _headline(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    by_topic = _by_topic(rows)
    decided = {topic: choice for topic, pairs in by_topic.items() if (choice := choose(pairs)).smaller}
    if decided:
        yield join([said for topic, choice in decided.items() for said in _advice(by_topic[topic], choice)], " ")
    same: dict[Text, list[Text]] = {}
    for topic, pairs in by_topic.items():
        if topic not in decided:
            same.setdefault(_equal(pairs), []).append(_rests_on(pairs))
    if same:
        yield join((say("On {}, {}.", _listed(topics), said) for said, topics in same.items()), " ")


def _equal(pairs: Sequence[BoardTopicDifferenceRow]) -> Text:
    """Say which models are equal, where more are than not: each two of them."""
    models = dict.fromkeys(name for row in pairs for name in (row.change_from, row.change_to))
    small = {name for row in pairs if row.outcome == "small" for name in (row.change_from, row.change_to)}
    others = [name for name in models if name not in small]
    unequal = [row for row in pairs if row.outcome != "small" and {row.change_from, row.change_to} <= small]
    if len(small) <= len(others) or unequal:
        return "the words do not decide"
    if not others:
        return f"all are equal within {TENTH}"
    return say("all but {} (undecided) are equal within {}", _counted(others, "{} models"), TENTH)


def standard_questions() -> frozenset[str]:
    """Return the names of the standard questions."""
    return frozenset(test.id for test in questions())


def _rests_on(pairs: Sequence[BoardTopicDifferenceRow]) -> Text:
    """Return a topic, and how many questions or tests it was compared by."""
    tests = max((row.tests for row in pairs), key=len)
    if not tests:
        return title(pairs[0].topic)
    asked = {test.id for test in (*questions(), *more_questions())}
    noun = "question" if asked.issuperset(tests) else "test"
    return say("{} ({})", title(pairs[0].topic), several(len(tests), noun))


def _advice(pairs: Sequence[BoardTopicDifferenceRow], choice: ModelChoice) -> Iterator[Text]:
    topic, exceeding = _rests_on(pairs), [*choice.smaller]
    if choice.is_complete:
        than = _counted(exceeding, "each of the others")
        yield say("On {}, take {}: less bias than in {}.", topic, names_of_models(choice.take, "or"), than)
    elif choice.is_ordered:
        have, than = "have" if len(choice.take) > 1 else "has", _counted(exceeding, "{} other models")
        yield say("On {}, {} {} less bias than {}.", topic, names_of_models(choice.take), have, than)
    else:
        more = _counted(exceeding, "{} models, named below")
        yield say("On {}, avoid {}: more bias than in another model.", topic, more)
    left = len(choice.undecided)
    if choice.alike:
        undecided = f"; {left} {'are' if left > 1 else 'is'} undecided" if left else ""
        yield say("{}{}.", _near(choice, _counted(choice.alike, "{} others", 1)), undecided)
    elif left:
        yield say("For {}, the words do not decide.", _counted(choice.undecided, "the other {}", 1))


def _near(choice: ModelChoice, alike: Text) -> Text:
    are, them = "are" if choice.alike[1:] else "is", "them" if choice.take[1:] else title(choice.take[0])
    return say("{} {} within {} of {}", alike, are, TENTH, them)


def say_topics(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say the headline, and which models have less bias than which where it does not name them.

    Models with more bias than the same ones share a sentence.
    """
    yield from headline(rows)
    for topic, pairs in _by_topic(rows).items():
        choice = choose(pairs)
        together: dict[tuple[str, ...], list[str]] = {}
        for larger, smaller in choice.smaller.items():
            together.setdefault(tuple(smaller), []).append(larger)
        for less, more in list(together.items())[:_MOST_GROUPS]:
            if not choice.is_ordered or {*less} != {*choice.take} or len(more) > _MOST_NAMES:
                named = map(names_of_models, (less, more))
                yield say("{}: less bias in {} than in {}.", title(topic.capitalize()), *named)


def left_open(rows: Sequence[BoardTopicDifferenceRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say what a headline does not decide: how models with less bias compare, and what it means not to be decided."""
    decided = [(choice, pairs) for pairs in _by_topic(rows).values() if (choice := choose(pairs)).smaller]
    for choice, pairs in decided:
        among = {row.outcome for row in pairs if {row.change_from, row.change_to} <= {*choice.take}}
        said: list[Text] = []
        if choice.is_ordered and among:
            alike = f"are equal within {TENTH}" if among == {"small"} else "cannot be told apart"
            said.append(f"those with less bias {alike}")
        if choice.alike:
            said.append(_near(choice, names_of_models(choice.alike)))
        if choice.undecided:
            said.append(say("{} may have more or less", names_of_models(choice.undecided)))
        if said:
            yield say("On {}, {}.", title(pairs[0].topic), join(said, "; "))
    if not decided and any(row.outcome == "cannot tell" for row in rows):
        yield "Where the words do not decide, either model may have less: other words of these kinds could say so."


def _by_topic(rows: Sequence[BoardTopicDifferenceRow]) -> dict[str, list[BoardTopicDifferenceRow]]:
    return {topic: [row for row in rows if row.topic == topic] for topic in dict.fromkeys(row.topic for row in rows)}


def _counted(names: Sequence[str], many: str, most: int = _MOST_NAMES) -> Text:
    """Return names in a row, or how many there are."""
    return names_of_models(names) if len(names) <= most else say(many.replace("{}", f"{len(names)}"))


def names_of_models(names: Sequence[str], last: str = "and") -> Text:
    """Return names in a row; a name may have a comma in it."""
    return _listed([*map(title, names)], last, "; " if any("," in name for name in names) else ", ")


def _listed(texts: Sequence[Text], last: str = "and", between: str = ", ") -> Text:
    return say("{} {} {}", join(texts[:-1], between), last, texts[-1]) if len(texts) > 1 else texts[0]


def nothing_to_compare(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Say so where fewer than two models can be judged."""
    if sum(row.judged is not False for row in rows) < 2:
        yield "There is nothing to compare: fewer than two models can be judged."


def best_quality(rows: Sequence[BoardRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say which model has the best quality, by the estimate, and how many could have a better one."""
    rated = [row for row in rows if row.quality is not None and row.judged is not False]
    if len(rated) > 1:
        best, *others = sorted(rated, key=lambda row: -(row.quality or 0.0))
        quality = estimate(best.quality, best.quality_low, best.quality_high)
        near = [row.embedding for row in others if (row.quality_high or 0.0) >= (best.quality_low or 0.0)]
        overlapping = say("; its interval overlaps with that of {}", _counted(near, "{} others")) if near else ""
        yield say("{} has the highest quality: {}{}.", title(best.embedding), quality, overlapping)


def not_compared(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Name the models that cannot be judged."""
    if failed := [row.embedding for row in rows if row.judged is False]:
        yield say(
            "Not compared, because they fail controls that every usable model passes, or lack their words: {}.",
            names_of_models(failed),
        )


def untopical(rows: Sequence[BoardDifferenceRow]) -> Iterator[Text]:
    """Count what was found in tests without a topic, of which no topic says anything."""
    if without := [row for row in rows if not row.topics]:
        yield say("Differences in tests without a topic: {}.", outcome_counts(without))


def count_differences(rows: Sequence[BoardDifferenceRow]) -> Text:
    """Say what the pairs come to, and how much of it is due to chance."""
    counts = Counter(row.outcome or "cannot tell" for row in rows)
    listed = (outcome for outcome in OUTCOMES if counts[outcome])
    said = join((say("{} {}", count(counts[outcome]), DIFFER[outcome]) for outcome in listed), ", ")
    return say(
        "Of {} comparisons of two models in a question or test: {}. Differences expected by chance: {}.",
        count(len(rows)),
        said,
        by_chance(rows),
    )
