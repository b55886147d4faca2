"""What a board says: which model to take in which topic, that the words do not decide it, and how sure that is.

The headline is about topics, those of standard questions where there are any. A model is to be taken if another is
known to have more bias and none is known to have less, where each model to take has less than each of those with more
and no other model is left. Where some are left, it says which have less than which; else which to avoid. What the
headline does not decide is said below it: how the models with less compare, and which the words do not decide.

Sizes of a topic are compared where they are over the same tests: its questions, if any model has their words. A model
that lacks some is not compared in the topic.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from imprint.association.rows import TopicRow, outcome_counts
from imprint.boards.rows import BoardDifferenceRow, BoardRow, BoardTopicDifferenceRow
from imprint.kinds.tests import TENTH, by_chance
from imprint.rows import Row
from imprint.significance.outcomes import FOUND, OUTCOMES, SizeOutcome
from imprint.stimuli.catalog import more_questions, questions
from imprint.view import Text, count, estimate, join, say, several, title

DIFFER: dict[SizeOutcome, str] = {
    "substantial": "differ substantially",
    "present": "differ",
    "small": f"equal within {TENTH}",
    "cannot tell": "cannot tell",
}

Topical = TypeVar("Topical", bound=TopicRow)

_OF_DISTANCE = f"{TENTH} of the distance between the two kinds of words, the scale of the table"
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
    models = _models(pairs)
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
    by_topic = over_same_tests(rows)
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
    small = {name for row in pairs if row.outcome == "small" for name in (row.change_from, row.change_to)}
    others = [name for name in _models(pairs) if name not in small]
    unequal = [row for row in pairs if row.outcome != "small" and {row.change_from, row.change_to} <= small]
    if len(small) <= len(others) or unequal:
        return "the words do not decide which model has less bias"
    everyone = f"all {len(small)} models compared"
    equal = say("all but {} (undecided)", _counted(others, "{} models")) if others else everyone
    differing = sum(any(outcome in FOUND for outcome in row.test_outcomes) for row in pairs)
    single = f"; in single questions, {several(differing, 'pair')} {'differ' if differing > 1 else 'differs'}"
    return say("{} are equal within {}{}", equal, TENTH, single if differing else "")


def standard_questions() -> frozenset[str]:
    """Return the names of the standard questions."""
    return frozenset(test.id for test in questions())


def _rests_on(pairs: Sequence[BoardTopicDifferenceRow]) -> Text:
    """Return a topic, and how many questions or tests it was compared by."""
    tests = pairs[0].tests
    if not tests:
        return title(pairs[0].topic)
    mean, noun = "average of " if tests[1:] else "", "question" if _questions().issuperset(tests) else "test"
    return say("{} ({}{})", title(pairs[0].topic), mean, several(len(tests), noun))


def _questions() -> frozenset[str]:
    return frozenset(test.id for test in (*questions(), *more_questions()))


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
    differing = {name for row in pairs if row.found for name in (row.change_from, row.change_to)}
    apart = [name for name in choice.undecided if not choice.alike or name in differing]
    if alike := [*choice.alike, *(name for name in choice.undecided if name not in apart)]:
        yield say("{} cannot be told apart from {}.", _counted(alike, "{} others"), _them(choice))
    if apart:
        yield say("For {}, the words do not decide.", _counted(apart, "the other {}", 1))


def _them(choice: ModelChoice) -> Text:
    return "them" if choice.take[1:] else title(choice.take[0])


def say_topics(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say the headline, and which models have less bias than which where it does not name them.

    Models with more bias than the same ones share a sentence.
    """
    yield from headline(rows)
    for topic, pairs in over_same_tests(rows).items():
        choice = choose(pairs)
        together: dict[tuple[str, ...], list[str]] = {}
        for larger, smaller in choice.smaller.items():
            together.setdefault(tuple(smaller), []).append(larger)
        for less, more in list(together.items())[:_MOST_GROUPS]:
            if not choice.is_ordered or {*less} != {*choice.take} or len(more) > _MOST_NAMES:
                named = map(names_of_models, (less, more))
                yield say("{}: less bias in {} than in {}.", title(topic.capitalize()), *named)


def left_open(rows: Sequence[BoardTopicDifferenceRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say what a headline does not decide: how models with less bias compare, what is not decided, and what lacks."""
    decided = [(choice, pairs) for pairs in over_same_tests(rows).values() if (choice := choose(pairs)).smaller]
    for choice, pairs in decided:
        among = {row.outcome for row in pairs if {row.change_from, row.change_to} <= {*choice.take}}
        small = {frozenset((row.change_from, row.change_to)) for row in pairs if row.outcome == "small"}
        said: list[Text] = []
        if choice.is_ordered and among:
            alike = f"are equal within {_OF_DISTANCE}" if among == {"small"} else "cannot be told apart"
            said.append(f"those with less bias {alike}")
        if choice.alike:
            are, within = "are" if choice.alike[1:] else "is", TENTH if said else _OF_DISTANCE
            said.append(say("{} {} equal to {} within {}", names_of_models(choice.alike), are, _them(choice), within))
        near = {larger: [name for name in choice.alike if {name, larger} in small] for larger in choice.smaller}
        said += [say("{} also to {}", names_of_models(same), title(name)) for name, same in near.items() if same]
        if choice.undecided:
            said.append(say("{} may have more or less bias than the others", names_of_models(choice.undecided)))
        if said:
            yield say("On {}, {}.", title(pairs[0].topic), join(said, "; "))
    if not decided and any(row.outcome == "cannot tell" for row in rows):
        yield "Where the words do not decide, either model may have less: other words of these kinds could say so."
    yield from _lacking(rows)


def _lacking(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say which models lack words of which standard questions, so that they are not compared in their topics."""
    everyone, lacking = _models(rows), dict[tuple[str, ...], list[Text]]()
    for topic, pairs in over_same_tests(rows).items():
        without = tuple(name for name in everyone if name not in _models(pairs))
        if without and standard_questions().intersection(pairs[0].tests):
            lacking.setdefault(without, []).append(title(topic))
    for names, topics in lacking.items():
        said = "Not compared on {}, where words that the questions need are missing: {}."
        yield say(said, _listed(topics), names_of_models(names))


def _models(rows: Sequence[BoardTopicDifferenceRow]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in (row.change_from, row.change_to)))


def over_same_tests(rows: Sequence[Topical]) -> dict[str, list[Topical]]:
    """Return the rows of each topic that are over all its questions that any of them has; else over most tests."""
    found, asked = {}, _questions()
    for topic in dict.fromkeys(row.topic for row in rows):
        own = [row for row in rows if row.topic == topic]
        most = max((row.tests for row in own), key=lambda tests: (len(asked.intersection(tests)), len(tests)))
        found[topic] = [row for row in own if row.tests == most]
    return found


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
