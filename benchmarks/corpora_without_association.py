"""How often `imprint corpus` finds something in text without any association: names and words do not know each other.

Each corpus has documents of unequal length. A document has its own few names, its own share of he and she, and its own
topics, so that words cluster. Usage: corpora_without_association.py [CORPORA] [DOCUMENTS] [FIRST SEED]
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import imprint
from imprint.significance.outcomes import FOUND
from imprint.stimuli.catalog import text_questions

WORDS = 1_500  # of a document, on average
SHARES = (0.78, 0.06, 0.03, 0.13)  # of other words, names, pronouns and attributes


def main(corpora: int, documents: int, first: int) -> None:
    """Print how many corpora have a finding, and the outcomes of all questions."""
    runs, outcomes = 0, Counter[str]()
    for seed in range(first, first + corpora):
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(Path(folder), np.random.default_rng(seed), documents)
            rows = [row for row in imprint.corpus(folder) if row.kind == "corpus"]
        outcomes.update(f"{row.outcome}{f' ({row.reason})' if row.reason else ''}" for row in rows)
        runs += any(row.outcome in FOUND for row in rows)
    print(f"{documents} documents: {runs} of {corpora} corpora have a finding; {dict(outcomes)}")


def write_corpus(folder: Path, rng: np.random.Generator, documents: int) -> None:
    """Write a corpus of files."""
    tests = text_questions()
    names = sorted({word for test in tests[:10] for side in (test.x, test.y) for word in side.words})
    attributes = sorted({word for test in tests for side in (test.a, test.b) for word in side.words})
    frequencies = [rng.lognormal(0, 1.2, len(words)) for words in (names, attributes)]
    pools = [np.array(words) for words in (names, attributes)]
    pronouns = [np.array(list(words.words)) for words in (tests[-1].x, tests[-1].y)]
    for number in range(documents):
        length = int(rng.lognormal(np.log(WORDS), 0.8)) + 50
        own = rng.choice(len(names), 25, replace=False, p=frequencies[0] / frequencies[0].sum())
        topics = frequencies[1] * rng.lognormal(0, 1.0, len(attributes))
        women = rng.beta(1, 2)
        kind = rng.choice(4, length, p=SHARES)
        text = np.full(length, "other", dtype=object)
        text[kind == 1] = pools[0][rng.choice(own, int((kind == 1).sum()))]
        side = rng.random(int((kind == 2).sum())) < women
        text[kind == 2] = [rng.choice(pronouns[int(each)]) for each in side]
        text[kind == 3] = pools[1][rng.choice(len(attributes), int((kind == 3).sum()), p=topics / topics.sum())]
        (folder / f"{number}.txt").write_text(" ".join(text), encoding="utf-8")


if __name__ == "__main__":
    arguments = [int(value) for value in sys.argv[1:]]
    main(*(arguments + [200, 100, 0][len(arguments) :]))
