"""Words in sentences of a text: how often outcomes are wrong, what intervals cover, and how the published z grows.

    python benchmarks/ceat.py coverage [--runs N] [--seed N]
    python benchmarks/ceat.py permuted --text TEXT --subject ENCODER... [--question ID...] [--per-word N] [--runs N]
    python benchmarks/ceat.py draws --text TEXT --subject ENCODER --test ID [--seed N]

`coverage` draws words around the means of their sets, as scripts/question_rates.py does, and sentences around words.
`permuted` takes words of a text that are neither kind of words of a question, pairs those of like frequency, and lets
a coin decide which of a pair is in X: no kind of words is on either side. Prints tables in Markdown.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from question_rates import DISTANCES, NOISE, Repetitions, Space, chunks, of_sets, verdict

from imprint.association.seat import AskedEncoder, in_sentences, measure, seat
from imprint.association.weat import find_test
from imprint.encoders.cache import EncodingCache, default_cache
from imprint.encoders.wrapping import gives_tokens, words_in_context
from imprint.significance.outcomes import FOUND, outcome
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.definition import WordSet
from imprint.subjects.background import ranked_words
from imprint.subjects.contexts import WordsInContext, sample_contexts
from imprint.subjects.opening import open_encoder
from imprint.subjects.settings import FEWEST_CONTEXTS
from imprint.threads import single_threaded

WORDS = (16, 60)  # of each set
SENTENCES = {"5": (5, 5), "5 or 20": (5, 20)}  # of every other word
SPREADS = (1.0, 3.0)  # deviations of a word's sentences, times those of words
PLANTED = 0.2

QUESTIONS = ("gender-pleasant", "gender-career")  # whose two kinds of words are asked about
PAIRS = 40
LEVEL = 0.005
MOST = 0.05
DRAWS = (10, 100, 1_000, 10_000)


def sentences(
    space: Space, rng: np.random.Generator, runs: int, words: int, counts: tuple[int, int], spread: float
) -> np.ndarray:
    """Draw words, and return the mean of each over its sentences."""
    number = np.where(np.arange(words) % 2 == 0, *counts)[:, None]
    total = sum(space.noise(rng, runs, words) * (number > turn) for turn in range(max(counts)))
    return space.noise(rng, runs, words) + spread * total / number


def drawn(
    space: Space, rng: np.random.Generator, runs: int, words: int, counts: tuple[int, int], spread: float
) -> ShareOfDistance:
    """Draw four sets whose means give the planted size."""
    u, v = space.means()
    x, y, a, b = (sentences(space, rng, runs, words, counts, spread) + mean / 2 for mean in (u, -u, v[0], -v[0]))
    return of_sets((x, y), (a, b))


def coverage(runs: int, seed: int) -> None:
    print("| A from B | words and sentences | words per set | sentences per word | spread of sentences "
          f"| 95 % interval holds {PLANTED:.0%} | 99.5 % interval excludes 0, size 0 |")  # fmt: skip
    print("|---|---|--:|---|--:|--:|--:|")
    for cell in product(DISTANCES, NOISE, WORDS, SENTENCES, SPREADS):
        distance, heavy, words, counts, spread = cell
        rng = np.random.default_rng([seed, *str(cell).encode()])
        held = []
        for planted, confidence in ((PLANTED, 0.95), (0.0, 0.995)):
            space = Space(planted, DISTANCES[distance], heavy)
            with single_threaded():
                shares = (drawn(space, rng, size, words, SENTENCES[counts], spread) for size in chunks(runs))
                held.append(Repetitions.of(planted, shares).covered(confidence).mean())
        covered, excluded = held[0], 1 - held[1]
        print(f"| {distance} | {NOISE[heavy]} | {words} | {counts} | {spread:g} | {covered:.3f} | {excluded:.3f} |",
              flush=True)  # fmt: skip


def permuted(text: str, subjects: Sequence[str], asked_of: Sequence[str], per_word: int, runs: int, seed: int) -> None:
    asked = [find_test(question) for question in asked_of]
    attributes = {word for test in asked for side in (test.a, test.b) for word in side.words}
    pool = [word for word in ranked_words().words if word not in attributes]
    contexts = sample_contexts([text], {*attributes, *pool}, per_word, seed=seed)
    pool = [word for word in pool if len(contexts.by_word.get(word, ())) >= 2 * FEWEST_CONTEXTS]
    print(f"{len(pool)} words to choose from, {runs} runs, {PAIRS} + {PAIRS} words, against both kinds of "
          f"{' and '.join(asked_of)}, {per_word} sentences per word")  # fmt: skip
    print(
        "| encoder | vectors | present or substantial | by interval alone | no interval | published p below .005 | |"
    )
    print("|---|---|--:|--:|--:|--:|---|")
    for name in subjects:
        encoder = words_in_context(open_encoder(name))
        rng = np.random.default_rng([seed, 1])
        questions = []
        for _ in range(runs):
            starts = rng.choice(len(pool) // 2, PAIRS, replace=False)
            sides = np.where(rng.random((PAIRS, 1)) < 0.5, [[0, 1]], [[1, 0]]) + 2 * starts[:, None]
            x, y = (WordSet.of(label, [pool[index] for index in sides[:, side]]) for side, label in enumerate("XY"))
            tests = [replace(test, x=x, y=y, is_question=False, papers=()) for test in asked]
            questions.append([in_sentences(test, "corpus", text=contexts) for test in tests])
        with EncodingCache(default_cache()) as cache, single_threaded():
            about = AskedEncoder.of(
                encoder,
                [question for several in questions for question in several],
                WordsInContext(contexts),
                draws=1_000,
                seed=seed,
                cache=cache,
            )
            rows = [[measure(question, about)["word"].row for question in several] for several in questions]
        found = sum(any(row.outcome in FOUND for row in several) for several in rows)
        alone = sum(any(outcome(row.size_low, row.size_high).outcome in FOUND for row in several) for several in rows)
        published = sum(any(row.p_ceat is not None and row.p_ceat < LEVEL for row in several) for several in rows)
        without = sum(all(row.size_low is None for row in several) for several in rows)
        of = "word" if gives_tokens(encoder) else "sentence"
        print(
            f"| {encoder.name} | {of} | {found} | {alone} | {without} | {published} | {verdict(alone, runs, MOST)} |",
            flush=True,
        )


def draws(text: str, subject: str, test: str, seed: int) -> None:
    print("| draws | CEAT d | z | published p |")
    print("|--:|--:|--:|--:|")
    with EncodingCache(default_cache()) as cache:
        for number in DRAWS:
            row = seat(subject, test, contexts=(text,), draws=number, seed=seed, cache=cache)
            print(f"| {number:,} | {row.d_ceat:.2f} | {row.z_ceat:.1f} | {row.p_ceat:.2g} |", flush=True)
    print(row, f"p = {row.p_value}, size {row.size} [{row.size_low} to {row.size_high}]")
    print([(each.word, each.found, each.used) for each in row.contexts])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("coverage", "permuted", "draws"))
    parser.add_argument("--text")
    parser.add_argument("--subject", nargs="+", default=["default-encoder"])
    parser.add_argument("--test", default="seat-6b")
    parser.add_argument("--question", nargs="+", default=QUESTIONS)
    parser.add_argument("--per-word", type=int, default=20)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=20_211)
    options = parser.parse_args()
    if options.part == "coverage":
        coverage(options.runs or 1_000, options.seed)
    elif options.part == "permuted":
        permuted(options.text, options.subject, options.question, options.per_word, options.runs or 200, options.seed)
    else:
        draws(options.text, options.subject[0], options.test, options.seed)


if __name__ == "__main__":
    main()
