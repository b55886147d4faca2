"""What all sizes say together: the verdict, how sure it is, how many have each outcome, and what one can claim.

Questions come first, and say the verdict. Where none was asked, or none has the words it needs, tests do.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from imprint.association.rows import AssociationRow, outcome_counts
from imprint.kinds.answers import anchor, answer_sentence, is_unusual
from imprint.kinds.sizes import WORDS, by_topic, capital, counted, lack_words, largest_first, part_of
from imprint.kinds.tests import REASONS, TENTH, one_sided, outcome_marks
from imprint.significance.outcomes import CONFIDENCE, FOUND, OUTCOMES, SizeOutcome
from imprint.view import Claim, Marked, Text, Tile, join, say, title

_SHOWN_BY_TILES: tuple[SizeOutcome, ...] = (*FOUND, "cannot tell", "small")  # not as small while one is not known
_LEANINGS = 2  # pairs of groups that the verdict names, and kinds of words for each
_BRIEFLY: dict[SizeOutcome, str] = {
    "substantial": f"all of the interval is above {TENTH}",
    "present": f"some difference; may be under {TENTH}",
    "small": f"none, or up to {TENTH}",
}
# What decides, for the methods section of a paper.
METHOD = (
    "The size is how much nearer X is to A than Y is, as a share of the distance between A and B, with a 99.5 % "
    "interval over words (both targets and attributes random; Clark, 1973). A size is substantial where the whole "
    f"interval lies beyond {TENTH}, small where it lies within, and present where it excludes zero; elsewhere, or "
    "where grammar or frequency may give as much, the words cannot tell."
)


def of_people(rows: Iterable[Any]) -> list[AssociationRow]:
    """Return what the verdict is about, of the first subject that has any: its questions, or its tests with a size.

    Rows asked again in another part are left out. Questions about more people count where no standard one was asked,
    tests where no question was asked, or all lack words.
    """
    about = [row for row in rows if row.about_people and row.outcome is not None and row.part in (None, row.kind)]
    questions = [row for row in about if part_of(row) == "question"] or [row for row in about if row.is_question]
    tests = [row for row in about if not row.is_question]
    chosen = tests if tests and lack_words(questions) else questions
    return [row for row in chosen if row.embedding_sha256 == chosen[0].embedding_sha256]


def sentences(rows: Sequence[AssociationRow]) -> Iterator[Text]:
    """Count the outcomes, and say which groups lean where."""
    if people := of_people(rows):
        yield f"{counted(people)}: {outcome_counts(people)}."
        if differing := [row for row in people if row.found]:
            yield say_leanings(differing)


def say_leanings(rows: Sequence[AssociationRow]) -> Text:
    """Say which groups lean towards which words: the substantial ones, else those that are present."""
    for outcome in FOUND:
        if leaning := [row for row in rows if row.outcome == outcome]:
            return _leaning(leaning)
    small = sum(row.outcome == "small" for row in rows)
    because = f": {why}" if (why := _why(rows)) else ""
    if small == len(rows):
        return f"No group leans by {TENTH} or more towards any of the words asked about."
    if not small:
        return f"It is not clear whether any group leans towards any of the words asked about{because}."
    unclear = len(rows) - small
    unclear_too = f"{unclear} {'is' if unclear == 1 else 'are'} not clear{because}"
    return f"{small} of {len(rows)} differences are small, {unclear_too}."


def certainty(of_kind: Sequence[AssociationRow], rows: Sequence[AssociationRow]) -> list[Text]:
    """Say the largest size with its interval, what was found in all, by chance, and beyond unrelated words."""
    said: list[Text] = []
    if not rows or rows[0] not in of_kind:
        return said
    differing = [row for row in rows if row.found]
    if differing:
        largest = max(differing, key=lambda row: (-OUTCOMES.index(row.outcome or "cannot tell"), abs(row.size or 0.0)))
        said.append(say("{} In brackets: other such names and words (99.5 %).", answer_sentence(largest)))
    several = (
        f"{len(differing)} of {len(rows)} answers {'is' if len(differing) == 1 else 'are'} present or substantial"
    )
    audits = max(1, round(1 / (1 - CONFIDENCE) / len(rows)))
    said.append(f"{several}; by chance alone, 1 audit in {audits} has one.")
    if differing and all(row.unrelated is not None for row in differing):
        beyond = sum(is_unusual(row) for row in differing)
        which = f"{beyond or 'None'} of these {len(differing)} {'are' if beyond > 1 else 'is'}"
        said.append(f"{which} larger than 19 of 20 contrasts of unrelated words in this model.")
    return said


def tally(rows: Sequence[AssociationRow]) -> tuple[Marked, ...]:
    """Return how many answers have each outcome, the most serious first, with what it means in a few words."""
    is_wide = any(row.outcome == "cannot tell" and row.reason is None for row in rows)
    meaning = (f"could be none or over {TENTH}" if is_wide else "", _why(rows), "not an all-clear")
    return outcome_marks(rows, {**_BRIEFLY, "cannot tell": "; ".join(filter(None, meaning))})


def card_note(rows: Sequence[AssociationRow]) -> str:
    """Say what intervals are, and in which direction p-values count, where there are any."""
    sided = one_sided(rows)
    return f"Intervals are 99.5 %. p is {sided}." if sided else "Intervals are 99.5 %."


def topic_tiles(rows: Sequence[AssociationRow]) -> list[Tile]:
    """Return a tile per topic, in the colour of its most serious outcome."""
    groups = list(by_topic(rows))
    topics = dict.fromkeys(topic for row in rows for topic in row.topics)
    return [_tile(topic, [row for row in rows if topic in row.topics], groups) for topic in topics]


def claims(rows: Sequence[AssociationRow]) -> Iterator[Claim]:
    """Pair what questions show with what they do not."""
    people = of_people(rows)
    if differing := [row for row in people if row.found]:
        several = say("{} {}.", _leaning(differing, len(differing)), outcome_counts(differing))
        said = answer_sentence(differing[0]) if len(differing) == 1 else several
        yield said, "Whether it changes what a product does: only a test of the product shows that."
    for row in people:
        if row.outcome == "small":
            yield answer_sentence(row), "That there is no such difference, or none in other words and uses."
    if unanswered := [row for row in people if row.outcome == "cannot tell"]:
        what = "Questions" if unanswered[0].is_question else "Tests"
        named = join((title(row.title) for row in unanswered), "; ")
        yield say("{} without an answer: {}.", what, named), "Anything about what they ask, in either direction."


def _leaning(rows: Sequence[AssociationRow], most: int = _LEANINGS) -> Text:
    """Say towards which words each group leans, the largest size first, of a few pairs and kinds of words each."""
    towards: dict[str, list[str]] = {}
    for row in largest_first(rows):
        near, far = (row.set_name(role) for role in "ab")
        if (row.size or 0.0) < 0:
            near, far = far, near
        towards.setdefault(row.set_name("x"), []).append(near)
        towards.setdefault(row.set_name("y"), []).append(far)
    parts = [
        say("{} lean towards {}" if index == 0 else "{} towards {}", title(group), title(_listed(kinds[:most])))
        for index, (group, kinds) in enumerate(islice(towards.items(), 2 * most))
    ]
    return capital(say("{}.", join(parts, ", ")))


def _why(rows: Iterable[AssociationRow]) -> str:
    """Return why rows cannot tell, other than by a wide interval; in how many, where others have another reason."""
    reasons = Counter(row.reason for row in rows if row.outcome == "cannot tell")
    said = {reason: "" if times == reasons.total() else f"in {times}, " for reason, times in reasons.items()}
    return "; ".join(f"{many}{REASONS[reason]}" for reason, many in said.items() if reason is not None)


def _listed(names: Sequence[str]) -> str:
    """Return names of sets in a row; what all of them end in is said once."""
    alike = all(name.endswith(WORDS) for name in names)
    shown = list(dict.fromkeys(name.removesuffix(WORDS) if alike else name for name in names))
    text = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return text + (WORDS if alike else "")


def _tile(topic: str, rows: Sequence[AssociationRow], groups: Sequence[str]) -> Tile:
    """Return the tile of a topic, which leads to its group of answers, or to that of its first question."""
    marked = outcome_marks(rows, {"cannot tell": _why(rows)})
    worst = min((mark.outcome for mark in marked), key=_SHOWN_BY_TILES.index)
    index = groups.index(topic if topic in groups else rows[0].topics[0])
    return Tile(title(topic.capitalize()), counted(rows), marked, worst, anchor(rows[0], f"topic-{index}"))
