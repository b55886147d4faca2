"""What a test is: word sets with the kind of every word, published figures, and what makes a test unusable.

WEAT and WEFAT are those of Caliskan, Bryson and Narayanan (2016), Methods; the kinds of words are what the
sentence templates of May et al. (2019, SEAT) ask for.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import combinations
from typing import Annotated, Any, Literal, TypeAlias, get_args

from imprint.checks import Context
from imprint.errors import Place, StimulusError, brief
from imprint.rows import WordList, shown

WordKind = Literal[
    "name",  # a person's: This is W. The person's name is W.
    "count noun",  # a thing: This is a W. These are Ws. Ws are things.
    "plural noun",  # things, already plural (equations): These are W. W are things.
    "person noun",  # a person or a group's term: This is a W. A W is a person. Ws are people.
    "plural person noun",  # people, already plural (parents): These are W. W are people.
    "mass noun",  # also organisations that take no article (NASA): This is W. It is W.
    "adjective",  # This is W. They are W.
    "verb",  # This can W. This will W.
    "adverb",  # always, forever: May et al. give no template for them
    "subject pronoun",  # he: W is here.
    "object pronoun",  # him: It is W.
    "possessive pronoun",  # hers: This is W.
    "unknown",  # a user's words; sentences about the word itself: The term is W.
]
KINDS: tuple[WordKind, ...] = get_args(WordKind)

# Of sentences that are made; those of a text are not.
CONTEXTS: tuple[Context, ...] = tuple(name for name in get_args(Context) if name != "corpus")

CONTROL = "neutral"  # the topic of tests that are not about people, and show that a subject can be judged
UNDETERMINED = "und"  # ISO 639's code for a language nobody has stated

_SHOWN = 5  # words quoted in a message before it says how many more there are


@dataclass(frozen=True, repr=False)
class WordSet:
    """The words of one concept, each with its kind, which decides the sentences it fits into.

    Parameters
    ----------
    name
        The name shown in results.
    words
        The words.
    kinds
        One kind per word, such as "name" or "adjective".

    Examples
    --------
    >>> imprint.WordSet.of("flowers", ["rose", "tulip"])
    WordSet('flowers', 2 words)
    """

    name: str
    words: tuple[str, ...]
    kinds: tuple[WordKind, ...]

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"WordSet({self.name!r}, {len(self)} words)"

    def subset(self, words: Iterable[str]) -> "WordSet":
        """Return the set with these of its words alone, each with its kind."""
        kinds = dict(zip(self.words, self.kinds, strict=True))
        chosen = tuple(words)
        return WordSet(self.name, chosen, tuple(kinds[word] for word in chosen))

    @classmethod
    def of(cls, name: str, words: Iterable[str], kind: WordKind = "unknown") -> "WordSet":
        """Make a set whose words are all of one kind."""
        words = tuple(words)
        return cls(name, words, (kind,) * len(words))


@dataclass(frozen=True)
class Published:
    """A figure that somebody printed."""

    embedding: Annotated[str, shown("Model", "What it was measured on.")]
    effect: Annotated[float | None, shown("d", "Effect size of a WEAT.")]
    p: Annotated[str | None, shown("p", "The p-value as printed.")]
    source: Annotated[str, shown("Source", "Where it is printed.")]
    r: Annotated[float | None, shown("r", "Correlation of a WEFAT.")] = None
    context: Annotated[
        Context,
        shown("Context", "What surrounds the words: a word's figure is not comparable with a sentence's."),
    ] = "word"


@dataclass(frozen=True)
class Human:
    """What people did in the Implicit Association Test: context, on another scale than a WEAT's effect."""

    effect: Annotated[float, shown("d", "Effect size in people.")]
    p: Annotated[str, shown("p", "The p-value as printed.")]
    participants: Annotated[int | None, shown("Participants", "How many people took part.")]
    source: Annotated[str, shown("Source", "Where it is printed.")]


@dataclass(frozen=True)
class Unbleached:
    """Patterns of a test's own sentences, such as "The engineer is {word}."; slots as in the templates."""

    targets: tuple[str, ...]
    attributes: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Language:
    """What has to be known of a language to ask tests in it.

    `frames` are the sentences that every word of a test is put into, `things` nouns for things, masculine and
    feminine, of a language that has such, and `valence` ratings of how pleasant words are.
    """

    id: str
    name: str
    frames: tuple[str, ...] = ()
    things: tuple[WordSet, WordSet] | None = None
    valence: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return f"Language({self.id!r})"


@dataclass(frozen=True, repr=False)
class _Described:
    """What every test says of itself besides its words."""

    id: str
    title: str
    source: str
    language: str
    _: KW_ONLY
    published: tuple[Published, ...] = ()
    adapted: str | None = None
    notes: str = ""
    topics: tuple[str, ...] = ()
    spoken: Language | None = None


@dataclass(frozen=True, repr=False)
class WeatTest(_Described):
    """Two sets of targets x, y and two sets of attributes a, b; a positive effect means x with a and y with b.

    Parameters
    ----------
    id
        The name by which it is called; no spaces.
    title
        What it asks, for readers.
    source
        Who published it.
    language
        ISO 639 code, "und" if not stated.
    x
        First targets.
    y
        Second targets.
    a
        First attributes.
    b
        Second attributes.
    published
        Figures that were printed elsewhere.
    adapted
        Why the words are not the source's own; None if they are.
    notes
        What a reader should know.
    topics
        What it is about, such as "gender"; "neutral" if not about people.
    spoken
        What its file says of its language; None where the file says nothing.
    human
        The effect in the Implicit Association Test.
    unbleached
        Patterns of its own sentences.
    is_question
        Whether it is one of the standard questions, whose long lists are matched in frequency.
    papers
        Published tests that ask the same with fewer words.

    Examples
    --------
    >>> lists = ("rose tulip", "ant flea", "love peace", "filth abuse")
    >>> sets = [imprint.WordSet.of(words, words.split()) for words in lists]
    >>> imprint.weat("default", imprint.WeatTest("mine", "Flowers and insects", "me", "en", *sets))
    WeatRow('mine' on glove.6B.100d: cannot tell (few words), d = 1.60, p = 0.167 (exact), 0 missing)
    """

    x: WordSet
    y: WordSet
    a: WordSet
    b: WordSet
    _: KW_ONLY
    human: Human | None = None
    unbleached: Unbleached | None = None
    is_question: bool = False
    papers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"WeatTest({self.id!r}, {self.x.name} / {self.y.name} and {self.a.name} / {self.b.name})"


@dataclass(frozen=True, repr=False)
class WefatTest(_Described):
    """One set of words, two sets of attributes, and a number about the world per word.

    Parameters
    ----------
    id
        The name by which it is called; no spaces.
    title
        What it asks, for readers.
    source
        Who published it.
    language
        ISO 639 code, "und" if not stated.
    words
        The words that are scored.
    a
        First attributes.
    b
        Second attributes.
    property
        A number per word; None if you have to give it, see `with_property`.
    property_name
        What the numbers are.
    forms
        How many words in turn are forms of one, such as two for Lehrer and Lehrerin: their mean is scored.
    shared
        Whether a number belongs to several words, such as all of one sector: these count as one.
    published
        Figures that were printed elsewhere.
    adapted
        Why the words are not the source's own; None if they are.
    notes
        What a reader should know.
    topics
        What it is about, such as "gender"; "neutral" if not about people.
    spoken
        What its file says of its language; None where the file says nothing.
    """

    words: WordSet
    a: WordSet
    b: WordSet
    property: Mapping[str, float] | None = field(default=None, hash=False)
    property_name: str = "property"
    forms: int = 1
    shared: bool = False

    def __repr__(self) -> str:
        return f"WefatTest({self.id!r}, {self.words.name} and {self.a.name} / {self.b.name})"

    def with_property(self, values: Mapping[str, float], *, name: str | None = None) -> "WefatTest":
        """Return this test with these numbers, which must cover its words; others are dropped."""
        numbers = {word: float(values[word]) for word in self.words.words if word in values}
        test = replace(self, property=numbers, property_name=name or self.property_name)
        validate(test)
        return test


@dataclass(frozen=True, repr=False)
class GroupsTest(_Described):
    """Any number of groups of targets and, where a metric needs them, attributes of each group, in their order."""

    groups: tuple[WordSet, ...]
    attributes: tuple[WordSet, ...] = ()

    def __repr__(self) -> str:
        return f"GroupsTest({self.id!r}, {', '.join(group.name for group in self.groups)})"


Test: TypeAlias = WeatTest | WefatTest
AnyTest: TypeAlias = Test | GroupsTest


def word_sets(test: AnyTest) -> dict[str, WordSet]:
    """Return the sets of a test by the letter or word its file calls them."""
    if isinstance(test, GroupsTest):
        named = (("group", test.groups), ("attributes", test.attributes))
        return {f"{role} {number}": words for role, sets in named for number, words in enumerate(sets, 1)}
    if isinstance(test, WeatTest):
        return {"x": test.x, "y": test.y, "a": test.a, "b": test.b}
    return {"words": test.words, "a": test.a, "b": test.b}


def described(test: AnyTest) -> dict[str, Any]:
    """Return what a row says of its test besides the id: title, topics, and what its sets are called and hold."""
    return {
        "title": test.title,
        "topics": test.topics,
        "sets": tuple(WordList(letter, words.name, words.words) for letter, words in word_sets(test).items()),
        "source": test.source,
        "language": test.language,
        "published": tuple(figure for figure in test.published if figure.context == "word"),
        "human": test.human if isinstance(test, WeatTest) else None,
        "adapted": test.adapted,
    }


def words_of(tests: Iterable[AnyTest]) -> set[str]:
    """Return every word the tests ask for, so that a reader can keep just those rows."""
    return {word for test in tests for words in word_sets(test).values() for word in words.words}


def problems(test: AnyTest) -> list[str]:
    """Return why a test cannot be used, one sentence each; an empty list means that it can.

    A word that is both target and attribute is allowed: its cosine with itself is a choice of whoever
    made the test.
    """
    said = []
    if not test.id or not test.id.isprintable() or any(letter.isspace() for letter in test.id):
        said.append(f"id must be letters, digits and hyphens without spaces, got {brief(test.id)}")
    for key, words in word_sets(test).items():
        said += [f"{key} ({words.name}): {problem}" for problem in set_problems(words)]
    if isinstance(test, GroupsTest):
        return said + _group_problems(test)
    if isinstance(test, WeatTest):
        said += _overlap("x", test.x, "y", test.y)
    else:
        said += _form_problems(test.words, test.forms, test.property or {})
        said += [] if test.property is None else _property_problems(test.words, test.property)
    return said + _overlap("a", test.a, "b", test.b)


def validate(test: AnyTest, where: Place | tuple[Place, ...] | None = None) -> None:
    """Raise StimulusError, naming the place and every problem, if the test cannot be used."""
    said = problems(test)
    if said:
        raise StimulusError("; ".join(said), where=where or f"test {test.id!r}")


def set_problems(words: WordSet) -> list[str]:
    """Return why a set of words cannot be used, one sentence each."""
    if not words.words:
        return ["has no words; give at least two"]
    said = []
    if len(words) < 2:
        said.append(f"has only one word, {words.words[0]!r}; give at least two (one per line, or separated by commas)")
    odd = [word for word in words.words if not word.isprintable() or word != word.strip() or not word]
    if odd:
        said.append(f"{quote(odd)} not valid as words; remove blanks at the ends and invisible characters")
    twice = [word for word, count in Counter(words.words).items() if count > 1]
    if twice:
        said.append(f"{quote(twice)} duplicated; keep one of each")
    if len(words.kinds) != len(words.words):
        said.append(f"has {len(words.kinds)} kinds for {len(words)} words; give one kind per word")
    unknown = sorted(set(words.kinds) - set(KINDS))
    if unknown:
        said.append(f"kinds must be of {', '.join(KINDS)}, got {quote(unknown)}")
    return said


def quote(words: Iterable[str], most: int = _SHOWN) -> str:
    """Return the words in quotation marks for a message, the first few of them if they are more than `most`."""
    words = list(words)
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(repr(word) for word in words[:most]) + more


def _overlap(first: str, left: WordSet, second: str, right: WordSet) -> list[str]:
    others = set(right.words)
    shared = [word for word in dict.fromkeys(left.words) if word in others]
    if not shared:
        return []
    return [f"{quote(shared)} in both {first} ({left.name}) and {second} ({right.name}); keep each in one of them"]


def _form_problems(words: WordSet, forms: int, values: Mapping[str, float]) -> list[str]:
    if forms < 1 or len(words) % forms:
        return [f"forms must divide the {len(words)} words, got {forms}; list the forms of each word in turn"]
    together = [words.words[first : first + forms] for first in range(0, len(words), forms)]
    apart = [some[0] for some in together if len({values[form] for form in some if form in values}) > 1]
    return [f"the forms of {quote(apart)} have different values; give each form the same"] if apart else []


def _group_problems(test: GroupsTest) -> list[str]:
    said = [] if len(test.groups) > 1 else ["has one group; give at least two"]
    if test.attributes and len(test.attributes) != len(test.groups):
        said.append(
            f"has attributes of {len(test.attributes)} of {len(test.groups)} groups; give all of them, or none"
        )
    for role, sets in (("group", test.groups), ("attributes", test.attributes)):
        for (one, left), (two, right) in combinations(enumerate(sets, 1), 2):
            said += _overlap(f"{role} {one}", left, f"{role} {two}", right)
    return said


def _property_problems(words: WordSet, values: Mapping[str, float]) -> list[str]:
    said = []
    without = [word for word in words.words if word not in values]
    if without:
        said.append(f"the property has no value for {quote(without)}; add them, or drop the words")
    infinite = [word for word in words.words if word in values and not math.isfinite(values[word])]
    if infinite:
        said.append(f"the property is not a finite number for {quote(infinite)}; correct or drop them")
    return said
