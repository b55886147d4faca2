"""Write the questions in Spanish and Turkish, and the ratings of their controls, by rule and without any vector.

What is read: the lists in scripts/languages/, which were written for this, Turkish first names too; Spanish ones of
Faker; frequencies of wordfreq, for ranks; the words of Hunspell's Spanish dictionary, which are no names; and the
ratings of VADER. No embedding
and no encoder is opened. What is drawn is drawn once, from SEED: the lists are frozen, as those of build_questions.py.

    python scripts/build_languages.py
"""

import ast
import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import packages
from build_questions import (
    FEWEST_OF_A_GROUP,
    RAREST_NAME,
    RAREST_WORD,
    SHORTEST,
    STEM,
    Question,
    Side,
    sections,
    written,
)

from imprint.files import replacing
from imprint.stimuli.definition import KINDS, WordKind
from imprint.stimuli.files import read_table
from imprint.stimuli.matching import Stratum, match_words, octave

DATA = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data"
LISTS = Path(__file__).with_name("languages")
SEED = 2027
LEAST_VALENCE, MOST_DEVIATION = 1.5, 1.3  # of VADER's ratings, -4 to 4


@dataclass(frozen=True)
class Source:
    """What is read of one language; `file` holds its controls, whose words are not asked about again."""

    code: str
    file: str
    frequencies: str
    names: str  # where they are from
    lower: Callable[[str], str] = str.lower


def lower_turkish(word: str) -> str:
    """Return a Turkish word in lower case: there, I and i are two letters."""
    return word.replace("İ", "i").replace("I", "ı").lower()


SOURCES = (
    Source("es", "spanish.toml", "large_es", "Faker 40.54.0"),
    Source("tr", "turkish.toml", "small_tr", "lists written for imprint", lower_turkish),
)

# A question: its topic, and the two kinds of words, each by its list and by what readers see.
ASKED = {
    "es": (
        ("career", "Nombres de hombre y de mujer, profesión y familia", "profesión", "familia"),
        ("science", "Nombres de hombre y de mujer, ciencia y arte", "ciencia", "arte"),
        ("pleasant", "Nombres de hombre y de mujer, agradable y desagradable", "agradable", "desagradable"),
    ),
    "tr": (
        ("career", "Erkek ve kadın adları, kariyer ve aile", "kariyer", "aile"),
        ("science", "Erkek ve kadın adları, bilim ve sanat", "bilim", "sanat"),
        ("pleasant", "Erkek ve kadın adları, hoş ve nahoş", "hoş", "nahoş"),
    ),
}
NAMES = {"es": ("nombres de hombre", "nombres de mujer"), "tr": ("erkek adları", "kadın adları")}
OPPOSITES = {"career": "family", "science": "arts", "pleasant": "unpleasant"}
PAPERS = {"career": ("caliskan-6",), "science": ("caliskan-8",)}


class Word(NamedTuple):
    """A written word: its kind, its grammatical gender if it has one, and the English word that it translates."""

    kind: WordKind
    gender: str = ""
    english: str = ""


Words = dict[str, Word]


def main() -> None:
    for source in SOURCES:
        for target, text in files(source).items():
            with replacing(target) as part:
                part.write_text(text, encoding="utf-8")


def files(source: Source) -> dict[Path, str]:
    """Return what the two files of a language hold: its questions, and its ratings."""
    sides, questions = build(source)
    for question in questions:
        print(f"{question.id:20}", *(len(sides[key].words) for key in question.sides))
    rows = (f"{word},{value}\n" for word, (value, _) in sorted(ratings(source).items()))
    return {
        DATA / f"questions-{source.code}.toml": written(_HEADER, sides, questions, source.code),
        DATA / f"properties/valence-{source.code}.csv": "word,valence\n" + "".join(rows),
    }


def build(source: Source) -> tuple[dict[str, Side], list[Question]]:
    """Return the lists of a language by their keys, and its questions."""
    ranks, code = frequency_ranks(source), source.code
    kinds: dict[str, WordKind] = {}
    sides: dict[str, Side] = {}
    streams = iter(np.random.SeedSequence([SEED, *code.encode()]).spawn(1 + len(ASKED[code])))

    def add(keys: tuple[str, str], titles: tuple[str, str], lists: tuple[Words, Words]) -> None:
        def cell_of(word: str) -> Stratum:
            gender = next(words[word].gender for words in lists if word in words)
            return (octave(ranks[source.lower(word)]), *([gender] if gender else []))

        matched = match_words([[*words] for words in lists], cell_of, stream=next(streams))
        for key, name, words, chosen in zip(keys, titles, lists, matched, strict=True):
            # A word has one kind in the whole catalogue.
            sides[key] = Side(key, name, {word: kinds.setdefault(word, words[word].kind) for word in chosen})

    add((f"{code}-men", f"{code}-women"), NAMES[code], first_names(source))
    questions = []
    for theme, title, first, second in ASKED[code]:
        keys = (f"{code}-{theme}", f"{code}-{OPPOSITES[theme]}")
        add(keys, (first, second), apart(*(admitted(source, words) for words in both(source, theme))))
        words = "VADER 3.3.2 by translation" if theme == "pleasant" else "lists written for imprint"
        origin = (
            f"imprint, by rule before any vector was seen; not checked by a native reader; names: {source.names}; "
            f"words: {words}; matched in frequency by wordfreq 3.1.1"
        )
        asked = (f"{code}-men", f"{code}-women", *keys)
        questions.append(Question(f"{code}-gender-{theme}", title, "gender", asked, origin, PAPERS.get(theme, ())))
    return sides, [
        question for question in questions if min(len(sides[key].words) for key in question.sides) >= FEWEST_OF_A_GROUP
    ]


def both(source: Source, theme: str) -> tuple[Words, Words]:
    """Return the two kinds of words that a question compares, as they were written."""
    if theme != "pleasant":
        first, second = (read_list(source, name) for name in (theme, OPPOSITES[theme]))
        return first, second
    listed, rated = read_list(source, "rated"), ratings(source)
    # A noun for a person of one grammatical gender names a gender.
    usable = {word: one for word, one in listed.items() if not (one.gender and one.kind == "person noun")}
    pleasant, unpleasant = (
        {
            word: one
            for word, one in usable.items()
            if word in rated and sign * rated[word][0] >= LEAST_VALENCE and rated[word][1] <= MOST_DEVIATION
        }
        for sign in (1, -1)
    )
    return pleasant, unpleasant


def admitted(source: Source, words: Words) -> Words:
    """Keep what may be asked about, the most frequent first, and one word per stem."""
    ranks = frequency_ranks(source)
    left_out = control_words(source) | {source.lower(name) for names in all_names(source) for name in names}
    usable = [word for word in words if len(word) >= SHORTEST and ranks.get(word, RAREST_WORD) < RAREST_WORD]
    chosen: Words = {}
    stems: set[str] = set()
    for word in sorted(usable, key=lambda word: (ranks[word], word)):
        if word not in left_out and word[:STEM] not in stems:
            chosen[word] = words[word]
            stems.add(word[:STEM])
    return chosen


def apart(first: Words, second: Words) -> tuple[Words, Words]:
    """Leave out what is on both sides, in whatever form: words that share a stem."""
    stems = {word[:STEM] for word in first} & {word[:STEM] for word in second}
    left, right = ({word: one for word, one in side.items() if word[:STEM] not in stems} for side in (first, second))
    return left, right


def read_list(source: Source, name: str) -> Words:
    """Return a list of scripts/languages; the first of two kinds of a word holds."""
    words: Words = {}
    for heading, listed in sections(LISTS / source.code / f"{name}.txt").items():
        kind = next(kind for kind in KINDS if heading == kind or heading[:-2] == kind)
        for token in listed:
            word, _, english = token.partition("=")
            words.setdefault(word, Word(kind, heading[len(kind) :].strip(), english))
    return words


@cache
def ratings(source: Source) -> dict[str, tuple[float, float]]:
    """Return the mean and the deviation of VADER's ratings of the English words that a language's words translate."""
    lines = packages.read("vaderSentiment", "vaderSentiment/vader_lexicon.txt").decode("utf-8").splitlines()
    rated = {
        word: (float(mean), float(deviation)) for word, mean, deviation, _ in (line.split("\t") for line in lines)
    }
    listed, out = read_list(source, "rated"), control_words(source)
    return {word: rated[one.english] for word, one in listed.items() if one.english in rated and word not in out}


@cache
def control_words(source: Source) -> frozenset[str]:
    """Return the words of a language's controls."""
    sets = read_table(DATA / source.file).need("sets", dict)
    return frozenset(word for words in sets.values() for word in words["words"])


def first_names(source: Source) -> tuple[Words, Words]:
    """Return men's and women's names, the most frequent first: of one gender, not rare, and no words."""
    ranks, dictionary = frequency_ranks(source), dictionary_words() if source.code == "es" else frozenset()
    left_out = {*sections(LISTS / source.code / "words-not-names.txt")["both"]}
    men, women = all_names(source)

    def chosen(names: frozenset[str], others: frozenset[str]) -> Words:
        usable = [
            name
            for name in names - others - left_out
            if name.isalpha()
            and len(name) >= SHORTEST
            and ranks.get(source.lower(name), RAREST_NAME) < RAREST_NAME
            and spanish_forms(source.lower(name)).isdisjoint(dictionary)
        ]
        return {name: Word("name") for name in sorted(usable, key=lambda name: (ranks[source.lower(name)], name))}

    return chosen(men, women), chosen(women, men)


@cache
def all_names(source: Source) -> tuple[frozenset[str], frozenset[str]]:
    """Return every man's and every woman's name: the written ones, or those of Faker, whose source is not run."""
    if (path := LISTS / source.code / "names.txt").exists():
        listed = sections(path)
        return frozenset(listed["men"]), frozenset(listed["women"])
    code = packages.read("faker", "faker/providers/person/es_ES/__init__.py").decode("utf-8")
    found: dict[str, frozenset[str]] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id.startswith("first_names_"):
                found[target.id] = frozenset(ast.literal_eval(node.value))
    return found["first_names_male"], found["first_names_female"]


@cache
def frequency_ranks(source: Source) -> Mapping[str, int]:
    """Return the rank of every word of wordfreq's table; words of one frequency share one."""
    packed = packages.read("wordfreq", f"wordfreq/data/{source.frequencies}.msgpack.gz")
    _, *steps = msgspec.msgpack.decode(gzip.decompress(packed))
    ranks: dict[str, int] = {}
    for words in steps:
        rank = len(ranks)
        ranks |= dict.fromkeys(words, rank)
    return ranks


@cache
def dictionary_words() -> frozenset[str]:
    """Return the words that Hunspell's Spanish dictionary has in lower case, without their inflections."""
    lines = packages.read("hunspell-es", "./usr/share/hunspell/es_ES.dic").decode("utf-8").splitlines()[1:]
    words = (line.split("/")[0].strip() for line in lines)
    return frozenset(word for word in words if word == word.lower())


def spanish_forms(word: str) -> set[str]:
    """Return what a Spanish word may be a form of: a singular, a masculine, a verb."""
    stem = word.removesuffix("s").removesuffix("e")
    return {word, word.removesuffix("s"), stem, f"{word.removesuffix('a')}o", f"{word}r"}


_HEADER = """\
# Questions in another language than English. Written by scripts/build_languages.py; docs/questions.md has the rules.
# The lists are frozen as those of questions.toml are, and no native reader has checked them.
"""


if __name__ == "__main__":
    main()
