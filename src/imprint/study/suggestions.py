"""Words that people suggested, as seeds for debiasing.

Bolukbasi et al. (2016), section 3: of 438 words that people suggested, 350 were fitted on and 88 held out.
"""

import csv
import io
from collections import Counter

from imprint.files import FilePath, replacing
from imprint.study.ballots import read_ballots
from imprint.study.design import suggested_words
from imprint.study.order import shuffled
from imprint.study.refusals import StudyError
from imprint.study.rows import SuggestedRow, about
from imprint.study.store import Store

HELD_OUT = 0.2  # the paper's share


def score_suggestions(store: Store, *, held_out: float = HELD_OUT) -> list[SuggestedRow]:
    """Count the words of a `suggestion` study, those of most people first; the study's seed chooses the held-out."""
    if not 0 <= held_out < 1:
        raise StudyError(option="held_out", got=held_out, expected="at least 0 and below 1")
    people: Counter[str] = Counter()
    participants: set[int] = set()
    ballots = read_ballots(store)
    for ballot in ballots:
        participants |= ballot.values.keys()
        for value in ballot.values.values():
            people.update(suggested_words(value))
    kept = set(shuffled(people, store.study.seed, "held out")[: round(held_out * len(people))])
    words = sorted(people.items(), key=lambda counted: (-counted[1], counted[0]))
    topic = ", ".join(ballots[0].item.title)
    return [
        SuggestedRow(
            test=word,
            **about(store.study),
            statistic=float(count),
            about=topic,
            participants=len(participants),
            word=word,
            people=count,
            is_held_out=word in kept,
        )
        for word, count in words
    ]


def write_seeds(store: Store, path: FilePath, *, held_out: float = HELD_OUT) -> None:
    """Write the words as a seed file, which `imprint debias` and `read_seeds` read."""
    if store.study.protocol != "suggestion":
        raise StudyError(option="protocol", got=store.study.protocol, expected="suggestion, the only one with seeds")
    suggested = score_suggestions(store, held_out=held_out)
    if not suggested:
        raise StudyError("no words have been suggested yet, so there are no seeds to write")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["word", "held_out", "people"])
    writer.writerows([one.word, int(one.is_held_out), one.people] for one in suggested)
    with replacing(path) as part:
        part.write_text(text.getvalue(), encoding="utf-8", newline="\n")
