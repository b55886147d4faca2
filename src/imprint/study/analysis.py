"""Scores and exports: what the crowd of a study said, by protocol, and what each participant has earned.

Bolukbasi et al. (2016), section 2 and Table 1: a table by the number of people who saw a stereotype, and the share of
all judgments. Their table's caption speaks of the share of analogies; both are given, the latter by majority.
Section 3: of 438 words that people suggested, 350 were fitted on and 88 held out.

Answers and whom to pay are exported as CSV, scores as JSON lines, and tasks in the layouts of crowdsourcing platforms.
The JSON lines hold every word as it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from imprint.files import FilePath
from imprint.rows import Row, Rows
from imprint.study.design import CANNOT_TELL, StudyError, shuffled, suggested_words
from imprint.study.matching import Ballot, nominal_alpha, read_ballots, score_matching, score_ratings
from imprint.study.rows import (
    BonusRow,
    ConsentRow,
    JudgedPairRow,
    JudgmentsRow,
    Shares,
    SuggestedRow,
    VoteCount,
    about,
)
from imprint.study.steps import StoredItem, Study
from imprint.study.store import Store
from imprint.writing import write_cells, write_findings

Platform = Literal["mturk", "prolific"]

HELD_OUT = 0.2  # the paper's share

_COLUMNS = ("participant", "item", "stage", "kind", "block", "title", "words", "expected", "answer")
_PAYMENTS = ("panel_id", "exam", "pages", "of_pages", "finished", "screened_out")


def score(store: Store, ratings: Store | None = None) -> Rows[Row]:
    """Score a study, the row of the whole first; `ratings` is the second study, on offensiveness, of a `ube` study."""
    protocol = store.study.protocol
    if ratings is not None and (protocol, ratings.study.protocol) != ("ube", "offense"):
        raise StudyError(
            f"a study of protocol {protocol} cannot use ratings of protocol {ratings.study.protocol}",
            option="ratings",
            got=ratings.study.protocol,
            hint="give a ube study and its offense study",
        )
    if ratings is not None and ratings.study.parent != store.study.id:
        raise StudyError(
            "the ratings are about another study's associations",
            option="ratings",
            got=ratings.study.parent,
            hint="give the offense study made from this one",
        )
    if protocol == "ube":
        rated = [] if ratings is None else list(score_ratings(ratings))
        return Rows([*score_matching(store, rated), *rated])
    if protocol == "offense":
        return Rows(score_ratings(store))
    return Rows(score_analogies(store) if protocol == "analogy" else score_suggestions(store))


def bonuses(store: Store) -> Rows[BonusRow]:
    """Return what everybody who answered has earned, first who came without a panel's number.

    An answer agrees where it is the one that most of the other participants gave, or one of those that tie.
    """
    if store.study.protocol != "ube":
        raise StudyError(option="protocol", got=store.study.protocol, expected="ube, the only one with bonuses")
    exam, main = (_counts(store, agreement=agreement) for agreement in (False, True))
    paid = store.panel_ids()
    earned = []
    for who in exam.keys() | main.keys():
        (correct, asked), (agreed, judged) = exam.get(who, (0, 0)), main.get(who, (0, 0))
        name = None if who in paid else store.pseudonym(who)
        earned.append(
            BonusRow(
                test=name or paid[who],
                **about(store.study),
                statistic=agreed / judged if judged else None,
                participant=name,
                exam_correct=correct,
                exam_asked=asked,
                agreed=agreed,
                n_judged=judged,
                panel_id=paid.get(who),
            )
        )
    return Rows(sorted(earned, key=lambda row: (row.panel_id or "", row.participant or "")))


def _counts(store: Store, *, agreement: bool) -> dict[int, tuple[int, int]]:
    """Count earned and given answers by participant: in the exam by what is known, else by the others."""
    counts: dict[int, tuple[int, int]] = {}
    for ballot in read_ballots(store, "main" if agreement else "exam"):
        if agreement and len(ballot.values) < 2:
            continue  # nobody to agree with
        for who, value in ballot.values.items():
            right = ballot.most_chosen(without=who) if agreement else {ballot.item.expected}
            earned, given = counts.get(who, (0, 0))
            counts[who] = earned + (value in right), given + 1
    return counts


def score_analogies(store: Store) -> Iterator[Row]:
    """Score an `analogy` study: the row of the whole, and one per pair, the most stereotypical first."""
    ballots = read_ballots(store)
    sense = [ballot for ballot in ballots if ballot.item.kind == "sense"]
    stereotype = [ballot for ballot in ballots if ballot.item.kind == "stereotype"]
    study, quota = store.study, store.study.quota
    pairs = [_judged(one, other, study) for one, other in zip(sense, stereotype, strict=True)]
    full = Counter(pair.stereotype for pair in pairs if pair.judges == quota)
    shares = _shares(stereotype)
    yield JudgmentsRow(
        test="analogies",
        **about(study),
        statistic=shares.of_judgments,
        participants=len({who for ballot in sense for who in ballot.values}),
        n_pairs=len(pairs),
        judgments=sum(pair.judges for pair in pairs),
        sense_shares=_shares(sense),
        stereotype_shares=shares,
        by_votes=tuple(VoteCount(people, full[people]) for people in range(quota, -1, -1)),
        short=sum(pair.judges < quota for pair in pairs),
        quota=quota,
    )
    yield from sorted(pairs, key=lambda pair: (-pair.stereotype, -pair.sensible))


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
    lines = [(row.word, int(row.is_held_out), row.people) for row in suggested]
    write_cells(path, [("word", "held_out", "people"), *lines])


def write_csv(store: Store, path: FilePath) -> None:
    """Write one line per answer, under numbers of its own: nothing else that a study tells of somebody names them."""
    items = {item.number: item for item in store.items()}
    rows = []
    for answer in store.answers():
        item = items[answer.item]
        cells = (item.stage, item.kind, item.block, ", ".join(item.title), ", ".join(item.words), item.expected or "")
        rows.append((store.pseudonym(answer.participant), answer.item, *cells, answer.value))
    write_cells(path, [_COLUMNS, *sorted(rows, key=lambda row: (row[1], row[0]))])


def write_payments(store: Store, path: FilePath) -> None:
    """Write one line per participant whose link carried a panel's number: answers in the exam, and pages.

    Apart from the answers, so that these can be published as they are; this file only its owner can read.
    """
    rows = []
    for paid in store.payments():
        told, ended = paid.progress, ("yes" if end else "no" for end in (paid.finished, paid.screened_out))
        rows.append((paid.panel_id, told.exam_answered, told.answered, told.blocks, *ended))
    write_cells(path, [_PAYMENTS, *rows], mode=0o600)


def write_jsonl(store: Store, path: FilePath, ratings: Store | None = None) -> None:
    """Write the scores, one finding per line, and the text of their own that people agreed to, where there is one."""
    consent = store.terms.consent
    agreed = [ConsentRow(test="consent", **about(store.study), paragraphs=consent)] if consent else []
    write_findings(path, [*score(store, ratings).findings(), *agreed])


def write_page(store: Store, path: FilePath) -> None:
    """Write the scores as a page of results that opens offline."""
    from imprint.reports.page import report

    report(score(store), path)


def write_tasks(store: Store, path: FilePath, *, platform: Platform) -> None:
    """Write one line per task, with the same columns in every line.

    Mechanical Turk fills the ${columns} of a HIT's layout from it; Prolific's task builder shows every column except
    those whose names begin with META_.
    """
    names = {group.letter: f"{group.letter}: {', '.join(group.names)}" for group in store.study.groups}
    names[CANNOT_TELL] = "I cannot tell"
    number = "META_TASK" if platform == "prolific" else "task"
    blocks = {block: items for block, items in store.study.blocks.items() if items[0].stage == "main"}
    tasks = [{number: str(block), **_task(items, names)} for block, items in blocks.items()]
    columns = list(dict.fromkeys(column for task in sorted(tasks, key=len, reverse=True) for column in task))
    write_cells(path, [columns, *([task.get(column, "") for column in columns] for task in tasks)])


# What leaves a study, by the name of its format.
EXPORTS: Mapping[str, Callable[[Store, Path], None]] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "html": write_page,
    "payments": write_payments,
    "mturk": partial(write_tasks, platform="mturk"),
    "prolific": partial(write_tasks, platform="prolific"),
    "seeds": write_seeds,
}


def _judged(sense: Ballot, stereotype: Ballot, study: Study) -> JudgedPairRow:
    ends, (first, second), judges = sense.item.title, sense.item.words, len(sense.values)
    return JudgedPairRow(
        test=f"{' : '.join(ends)} :: {first} : {second}",
        **about(study),
        statistic=stereotype.votes["yes"] / judges if judges else None,
        ends=ends,
        first=first,
        second=second,
        judges=judges,
        sensible=sense.votes["yes"],
        stereotype=stereotype.votes["yes"],
    )


def _shares(ballots: list[Ballot]) -> Shares:
    judged = [ballot for ballot in ballots if ballot.values]
    yes = sum(ballot.votes["yes"] for ballot in judged)
    judgments = sum(len(ballot.values) for ballot in judged)
    most = sum(2 * ballot.votes["yes"] > len(ballot.values) for ballot in judged)
    return Shares(
        yes=yes,
        of_judgments=yes / judgments if judged else None,
        of_analogies=most / len(judged) if judged else None,
        alpha=nominal_alpha(list(ballot.values.values()) for ballot in judged),
    )


def _task(items: Sequence[StoredItem], names: Mapping[str, str]) -> dict[str, str]:
    """Return a task's columns; nothing tells which group the embedding gave."""
    first = items[0]
    if first.kind == "triple":
        # In the order of the alphabet: the order stored follows the embedding's own scores.
        words = sorted(", ".join(item.words) for item in items)
        return {f"words_{i}": text for i, text in enumerate(words, 1)} | {
            f"group_{i}": names[letter] for i, letter in enumerate(first.letters, 1)
        }
    if first.kind == "rating":
        return {"words": ", ".join(first.words), "group": names[first.letters[0]]}
    if first.kind == "words":
        return {"about": ", ".join(first.title)}
    return {"end_1": first.title[0], "end_2": first.title[1], "word_1": first.words[0], "word_2": first.words[1]}
