"""How fast text is counted, beside what gensim and scikit-learn count of the same text, in one process each.

They count other things: gensim's accumulator, which co-occurrences of the same words are in how many windows;
scikit-learn's vectorizer, how often each word is in each document, without any windows. Time is CPU time with
tokenising, memory the largest that the process had. Usage: python benchmarks/corpus.py [MILLION WORDS] [TEXT]

Without TEXT, a folder of plain text, words are drawn by a power law with the words of the questions among them.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

DOCUMENT = 2_000  # words
TOOLS = ("imprint", "scikit-learn", "gensim")


def main(millions: list[float], text: str | None) -> None:
    """Print a line per tool and size, and what 100 million words would take at this rate."""
    print("| words | counted by | CPU s | per million words | memory, MB | times imprint |")
    print("|--:|---|--:|--:|--:|--:|")
    for size in millions:
        with tempfile.TemporaryDirectory() as folder:
            source = text or folder
            if text is None:
                write(Path(folder), int(size * 1e6))
            first = None
            for tool in TOOLS:
                command = [sys.executable, __file__, "--only", tool, source]
                found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
                rate = found["seconds"] / found["words"] * 1e6
                first = first or rate
                row = (f"{found['words']:,}", tool, f"{found['seconds']:.2f}", f"{rate:.3f}", f"{found['memory']:.0f}")
                print(f"| {' | '.join(row)} | {rate / first:.1f} |", flush=True)
                if tool == "imprint":
                    print(f"100 million words: {rate * 100 / 60:.2f} CPU minutes at this rate", file=sys.stderr)


def write(folder: Path, words: int) -> None:
    """Write documents of words by a power law; every twentieth word is one of the questions'."""
    from imprint.stimuli.catalog import text_questions
    from imprint.stimuli.definition import words_of

    rng, asked = np.random.default_rng(0), np.array(sorted(words_of(text_questions())), dtype=object)
    others = np.array([f"{chr(97 + n % 26)}{n:x}s" for n in range(50_000)], dtype=object)
    shares = 1 / np.arange(1, len(others) + 1)
    for start in range(0, words, 100 * DOCUMENT):
        drawn = others[rng.choice(len(others), 100 * DOCUMENT, p=shares / shares.sum())]
        drawn[::20] = asked[rng.integers(len(asked), size=len(drawn[::20]))]
        for number in range(100):
            text = " ".join(drawn[number * DOCUMENT : (number + 1) * DOCUMENT])
            (folder / f"{start + number:012}.txt").write_text(text, encoding="utf-8")


def texts(folder: str) -> Iterator[str]:
    """Yield the documents."""
    return (path.read_text(encoding="utf-8") for path in sorted(Path(folder).rglob("*.txt")))


def by_imprint(folder: str) -> int:
    """Count co-occurrences of all questions by document."""
    from imprint.corpora.counting import count_corpus
    from imprint.stimuli.catalog import text_questions
    from imprint.subjects.settings import TextSettings

    return count_corpus([folder], text_questions(), TextSettings()).n_words


def by_scikit_learn(folder: str) -> int:
    """Count the words of the questions in each document."""
    from sklearn.feature_extraction.text import CountVectorizer

    from imprint.stimuli.catalog import text_questions
    from imprint.stimuli.definition import words_of

    words = sorted({word.lower() for word in words_of(text_questions())})
    CountVectorizer(vocabulary=words).transform(texts(folder))
    return 0


def by_gensim(folder: str) -> int:
    """Count in how many windows of 11 words the words of the questions are, alone and two by two."""
    from gensim.corpora import Dictionary
    from gensim.topic_coherence.text_analysis import WordOccurrenceAccumulator
    from gensim.utils import tokenize

    from imprint.stimuli.catalog import text_questions
    from imprint.stimuli.definition import words_of

    words = sorted(words_of(text_questions()))
    dictionary = Dictionary([words])
    accumulator = WordOccurrenceAccumulator(set(dictionary.token2id.values()), dictionary)
    accumulator.accumulate((list(tokenize(text)) for text in texts(folder)), 11)
    return 0


def measure(tool: str, folder: str) -> None:
    """Print what one tool takes, less what its imports take."""
    counts = {"imprint": by_imprint, "scikit-learn": by_scikit_learn, "gensim": by_gensim}[tool]
    with tempfile.TemporaryDirectory() as small:
        (Path(small) / "one.txt").write_text("he is here")
        counts(small)
    started = time.process_time()
    words = counts(folder)
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    words = words or by_imprint(folder)
    print(json.dumps({"words": words, "seconds": seconds, "memory": memory}))


if __name__ == "__main__":
    if "--only" in sys.argv:
        measure(*sys.argv[2:])
    else:
        sizes = [float(each) for each in sys.argv[1].split(",")] if len(sys.argv) > 1 else [1.0, 4.0]
        main(sizes, sys.argv[2] if len(sys.argv) > 2 else None)
