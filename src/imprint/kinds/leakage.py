"""Leakage as a kind: what classifiers and clusters still find of gender and race (Gonen and Goldberg, 2019)."""

from collections.abc import Iterator, Sequence

from imprint.evaluation.leakage import HELD_OUT, NAMES, RACES, LeakageRow, SentenceLeakageRow
from imprint.kinds import Kind
from imprint.kinds.benchmarks import named
from imprint.kinds.debiasing import BEFORE_AFTER
from imprint.tables import Columns, Field, table
from imprint.view import Block, Claim, Details, Text, count, footnote, join, percent, say, title

_GROUPS = (
    "The words were not fitted on. The classifier is trained anew, before and after debiasing, on the words that were "
    "fitted on and on other held-out words. A group that is still recovered was hidden, not removed."
)
_AFTER = (
    "Gender that is gone from an axis and still recovered here was hidden, not removed. The words furthest out were "
    "chosen by the axis, so nearly all are recovered before debiasing. A debiaser that was fitted on some of these "
    "words does better on them than on others."
)


def blocks(rows: Sequence[LeakageRow]) -> Iterator[Block]:
    """Show how often groups are recovered from each list of words, by each method."""
    first = rows[0]
    columns = (
        "word_list",
        Field("group_names", cell=_groups, folded=True),
        "method",
        "chance",
        *(["accuracy"] if first.against is None else _compared("A", "B", "B - A")),
    )
    listed = {row.word_list for row in rows}
    what = "The group" if HELD_OUT in listed else "Gender and race" if RACES in listed else "Gender"
    caption = say("{} recovered from vectors: {}", what, named(first.embedding, first.against))
    recovered = table(LeakageRow, caption, rows, columns)
    notes = (
        "Can groups be recovered from the vectors of words? Recovered is the share of words that are classified "
        "correctly, averaged over the groups. Classifiers are judged on words that they were not trained on. Two "
        "clusters are found without training, and have no interval. Brackets are 95 % intervals over other training "
        "words.",
        *((_GROUPS if HELD_OUT in listed else _AFTER,) if first.against else ()),
    )
    prose = map(footnote, notes)
    yield Details(f"Can {what.lower()} {'still ' if first.against else ''}be recovered?", (recovered, *prose))


def sentences(rows: Sequence[LeakageRow]) -> Iterator[Text]:
    """Say how many first names can still be classified: debiasing does not aim at them, and applications meet them."""
    for listed, what in ((NAMES, "gender"), (RACES, "race")):
        alone = [row for row in rows if row.word_list == listed and row.against is None]
        if alone:
            best = max(alone, key=lambda row: row.accuracy)
            yield say(
                "The {} of first names is recognised for {} of them (chance {}; {}).",
                what,
                percent(best.accuracy),
                percent(best.chance),
                best.method,
            )
    for row in rows:
        if row.word_list == HELD_OUT:
            yield say(
                "After debiasing, the group is still recognised for {} of held-out words ({} before; chance {}).",
                percent(row.accuracy),
                percent(row.against_accuracy),
                percent(row.chance),
            )
    names = [row for row in rows if row.word_list == NAMES and row.against is not None]
    if names:
        worst = max(names, key=lambda row: row.accuracy)
        yield say(
            "After debiasing, gender is still recognised from {} of first names ({} before; chance {}; {}).",
            percent(worst.accuracy),
            percent(worst.against_accuracy),
            percent(worst.chance),
            worst.method,
        )


def after_debiasing(rows: Sequence[LeakageRow]) -> str:
    """Say how often gender is still recognised from first names."""
    left = [row.accuracy for row in rows if row.word_list == NAMES and row.against]
    return f"it hides only a part: gender is still guessed from {100 * max(left):.0f} % of names" if left else ""


def sentence_blocks(rows: Sequence[SentenceLeakageRow]) -> Iterator[Block]:
    """Show how often the group is read off sentences, before and after, and what the debiaser was fitted on."""
    first = rows[0]
    caption = say(
        "{} read off {} sentences about {} held-out words ({})",
        join(title(name) for name in first.group_names),
        count(first.texts),
        count(first.n_words),
        title(first.method),
    )
    columns = ("fit_texts", "chance", *_compared("Before", "After", "Change"))
    yield table(SentenceLeakageRow, caption, rows, columns)
    yield footnote(
        say(
            "Neither the words nor the sentences were fitted on. Shares are means over the groups. The classifier is "
            "linear and trained on such sentences, as they are after debiasing, about {} other words: those fitted "
            "on, and other held-out words. What is fitted on words alone need not carry over to sentences.",
            count(first.n_trained),
        )
    )


def sentence_sentences(rows: Sequence[SentenceLeakageRow]) -> Iterator[Text]:
    """Say how much a classifier still finds after debiasing on sentences."""
    own = [row for row in rows if row.fit_texts == "sentences"]
    if own:
        worst = max(own, key=lambda row: row.accuracy)
        yield say(
            "After debiasing ({}) a linear classifier still puts {} of sentences about held-out words in the right "
            "group ({} before; chance {}).",
            title(worst.method),
            percent(worst.accuracy),
            percent(worst.against_accuracy),
            percent(worst.chance),
        )


def _compared(before: str, after: str, change: str) -> Columns:
    """Return the columns of two subjects and of the change; the first is drawn without its interval."""
    first = Field("against_accuracy", before, cell=lambda row: percent(row.against_accuracy, 1))
    return (first, Field("accuracy", after), Field("change", change))


def _groups(row: LeakageRow) -> Text:
    return join(
        say("{} {}", count(size), title(name)) for name, size in zip(row.group_names, row.group_sizes, strict=True)
    )


def claims(rows: Sequence[LeakageRow]) -> Iterator[Claim]:
    """Pair what can be recovered with what that does not show."""
    debiased = rows[0].against is not None
    removed = "the groups" if rows[0].word_list == HELD_OUT else "gender"
    unsaid = (
        f"That debiasing removed {removed} from the vectors." if debiased else "That a system built on it uses this."
    )
    for sentence in sentences(rows):
        yield sentence, unsaid


LEAKAGE = Kind(
    row=LeakageRow,
    part=BEFORE_AFTER,
    blocks=blocks,
    sentences=sentences,
    claims=claims,
    rank=20,
    method="Whether groups can still be recovered was tested with classifiers trained on some words and tried on "
    "others.",
    after_debiasing=after_debiasing,
    of_encoder=("leakage", "directions"),
)
SENTENCE_LEAKAGE = Kind(
    row=SentenceLeakageRow,
    part=BEFORE_AFTER,
    blocks=sentence_blocks,
    sentences=sentence_sentences,
    cannot="That debiasing removed the groups from the sentences.",
    rank=-1,  # it says how far debiasing went
)
