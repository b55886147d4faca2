"""Small studies and people who answer them."""

import pytest
from made_rows import make_row

from imprint.study.protocols import analogy_design, suggestion_design, ube_design
from imprint.study.records import create_study
from imprint.study.steps import Consent, Familiarise, Finish, Task
from imprint.study.store import Store

LETTERS = "ABCD"


def row(kind, test, **fields):
    return make_row(kind, test=test, embedding="toy", **fields)


@pytest.fixture
def findings():
    """Four groups; categories 1 (four cells), 2 (three), 3 (two) and 4 (one, which cannot be matched)."""
    groups = [row("ube-group", g, group=g, names=tuple(f"{g}name{i}" for i in range(5))) for g in LETTERS]
    cells = [
        row(
            "ube",
            f"{group}-{category}",
            score=5.0 - category,
            group=group,
            category=category,
            category_words=(f"central{category}",),
            words=tuple(f"{group.lower()}{category}{n}" for n in "xyz"),
            names=tuple(f"{group}name{i}" for i in range(5)),
            stands_out=True,
        )
        for category, held in enumerate(("ABCD", "ABC", "CD", "A"), start=1)
        for group in held
    ]
    analogies = [
        row(
            "analogy",
            "he - she",
            score=1 - n / 10,
            first=f"first{n}",
            second=f"second{n}",
            positive=("he",),
            negative=("she",),
        )
        for n in range(4)
    ]
    return [*groups, *cells, *analogies]


class Clock:
    """Seconds that pass when told."""

    def __init__(self):
        self.now = 1_000_000

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make_store(tmp_path, findings, clock):
    """Make a study of any protocol and open it; `quota` people answer each block."""
    opened = []

    def make(protocol="ube", quota=2, *, seed=0, design=None, name="study.db", terms=None):
        if design is None:
            design = {
                "ube": lambda: ube_design(findings, participants=quota),
                "analogy": lambda: analogy_design(findings, participants=quota),
                "suggestion": lambda: suggestion_design("gender", participants=quota),
            }[protocol]()
        path = tmp_path / name
        create_study(path, design, seed=seed, terms=terms)
        opened.append(Store.open(path, clock=clock))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def take_part():
    """Take a new person through the whole study; `choose(who, question, task)` answers, the exam is passed.

    Return the number and the last step.
    """

    def take(store, choose, pages=None):
        who = store.join().number
        expected = {item.number: item.expected for item in store.items()}
        while True:
            step = store.step(who)
            match step:
                case Consent():
                    store.consent(who)
                case Familiarise():
                    store.familiarised(who)
                case Task(stage="exam"):
                    store.answer(who, {question.number: expected[question.number] for question in step.questions})
                case Task():
                    if pages == 0:
                        return who, step
                    store.answer(who, {question.number: choose(who, question, step) for question in step.questions})
                    pages = None if pages is None else pages - 1
                case Finish():
                    return who, step

    return take
