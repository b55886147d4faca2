"""Questions to one embedding or encoder: what a person types, the library's answer, and the code that gives it again.

The same rules for words hold for a form and for the JSON API. A recipe is the command line and the Python that give a
number of the page again, to its last digit. Words stand in quotation marks of JSON, which TOML and Python read alike.
Files are written by a here-document whose mark is quoted, so that a shell takes nothing in them for its own.
"""

import contextlib
import csv
import io
import json
import re
import shlex
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from imprint.association.rows import AssociationRow
from imprint.association.seat import seat
from imprint.association.weat import weat
from imprint.checks import Alternative
from imprint.directions.axis import pair_axis
from imprint.directions.neighbours import neighbours
from imprint.directions.projection import project
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.reading import frequency_table
from imprint.encoders.cache import HeldEncodings
from imprint.errors import SettingError, StimulusError
from imprint.evaluation.controls import controlled_in, controls
from imprint.rows import Row
from imprint.stimuli.catalog import catalogue, get, languages
from imprint.stimuli.definition import UNDETERMINED, WeatTest, WordSet, word_sets
from imprint.stimuli.matching import match
from imprint.subjects.opening import Subject
from imprint.types import Floats32
from imprint.web.pages import RefusedError

Pair = tuple[str, str]
Sets = Mapping[str, tuple[str, ...]]  # of an association test, by their letters x, y, a and b

MOST_WORDS = 250  # in a set: a question has 200, and words can be added
LONGEST_WORD = 64  # characters
FIRST_TESTS = ("gender-career", "caliskan-6")
CUSTOM = "explorer"  # what a test of typed words is called
WORDS_FILE = "explorer-words.csv"
PAIRS_FILE = "explorer-pairs.csv"

MOST_HELD = 50_000  # encodings of texts, for the next question about the same words

_PATIENCE = 30.0  # seconds a question waits for those before it
_SEPARATORS = re.compile(r"[,;\r\n]")
_WIDTH = 100  # columns; terminals lose what is pasted in very long lines


@dataclass(frozen=True)
class Reply:
    """A row as the command line prints it, and what gives it again."""

    finding: Row
    command: str
    python: str


class _Encodings(HeldEncodings):
    """Encodings of the texts asked about last; all are dropped when there are too many."""

    def put(self, encoder: str, texts: Sequence[str], rows: Floats32) -> None:
        """Hold one row per text."""
        if len(self._rows) + len(texts) > MOST_HELD:
            self._rows.clear()
        super().put(encoder, texts, rows)


@dataclass(frozen=True)
class Explorer:
    """One embedding or encoder, and what the person who opened it called it.

    Questions take turns: counting the partitions of fifty words takes nearly a gigabyte. An encoder encodes what a
    question asks about, and holds that for the next one.
    """

    subject: Subject
    source: str
    patience: float = _PATIENCE
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _encodings: HeldEncodings = field(default_factory=_Encodings, repr=False)

    @cached_property
    def judged(self) -> frozenset[str]:
        """The languages in which the subject passes its controls."""
        rows = controls(self.subject, languages=languages(), cache=self._encodings)
        return frozenset(row.language for row in rows if row.judged)

    def tests(self) -> tuple[WeatTest, ...]:
        """Return the catalogue's tests in the languages that can be judged, or in English if there is none."""
        judged = self.judged or {"en"}
        return tuple(test for test in weat_tests() if controlled_in(test.language) in judged)

    def first_test(self) -> str:
        """Return the test to begin with: a standard question, or a published test if the subject lacks its words."""
        first, second = FIRST_TESTS
        if not isinstance(self.subject, Embedding):
            return first
        lists = (words.words for words in word_sets(get(first)).values())
        has_words = all(any({word, word.lower()} & self.subject.index.keys() for word in words) for words in lists)
        return first if has_words else second

    @property
    def embedding(self) -> Embedding:
        """The embedding, for what an encoder cannot be asked."""
        if not isinstance(self.subject, Embedding):
            raise RefusedError(404, "An encoder has no words of its own: only the association test can be asked.")
        return self.subject

    def measure(self, question: "AskedQuestion") -> Reply:
        """Run an association test on four sets of words, in sentences if the subject is an encoder."""
        for letter, words in question.sets.items():
            check_words(letter.upper(), words)
        alternative, test = question.alternative, weat_test(question.sets, question.names)
        if question.matched and not test.is_question:
            unmatched = replace(test, id=CUSTOM, title=CUSTOM, source="", papers=(), language=UNDETERMINED)
            test = match(unmatched, frequency_table()).test
        with self._my_turn():
            row: AssociationRow = (
                weat(self.subject, test, alternative=alternative)
                if isinstance(self.subject, Embedding)
                else seat(self.subject, test, alternative=alternative, cache=self._encodings)
            )
        recipe = (self.source, test, alternative, row.kind)
        return Reply(row, weat_command(*recipe), weat_python(*recipe))

    def place(self, pairs: Sequence[Pair], words: Sequence[str], method: str = "difference") -> Reply:
        """Project words on the axis of one or several pairs."""
        if not pairs:
            hint = "write one pair per line, such as he, she"
            raise SettingError(option="pairs", got=pairs, expected="at least one pair", hint=hint)
        check_pairs(pairs)
        check_words("words", words)
        with self._my_turn():
            axis = pair_axis(self.embedding, pairs, method=method)  # type: ignore[arg-type]  # checked, with a message, there
            row = project(self.embedding, axis, words)
        question = (self.source, pairs, method, words)
        return Reply(row, axis_command(*question), axis_python(*question))

    def near(self, word: str, count: int = 20) -> Reply:
        """Find the nearest neighbours of a word."""
        check_words("word", [word] if word else [])
        with self._my_turn():
            row = neighbours(self.embedding, word, count=count)
        command = f"imprint neighbours {shlex.quote(self.source)} --count {count} --json -- {shlex.quote(word)}\n"
        return Reply(row, command, neighbours_python(self.source, word, count))

    @contextlib.contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=self.patience):
            raise RefusedError(503, "Other questions are still being answered; ask again in a moment.")
        try:
            yield
        finally:
            self._turn.release()


@dataclass(frozen=True)
class AskedQuestion:
    """An association test of typed words, or of a test's: `names` are what typed sets are called.

    Typed sets are `matched` in frequency first, if asked for.
    """

    sets: Sets
    alternative: Alternative = "greater"
    names: Mapping[str, str] = field(default_factory=dict)
    matched: bool = False


def sets_of(test: WeatTest) -> dict[str, tuple[str, ...]]:
    """Return the words of a test by the letters the papers give its sets."""
    return {letter: words.words for letter, words in word_sets(test).items()}


def weat_test(sets: Sets, names: Mapping[str, str] = MappingProxyType({})) -> WeatTest:
    """Return the catalogue's test of these words, or else the test that a TOML file of them would make."""
    for test in weat_tests():
        if sets_of(test) == sets:
            return test
    called = {letter: " ".join(names.get(letter, "").split()) or letter.upper() for letter in "xyab"}
    for letter, name in called.items():
        if len(name) > LONGEST_WORD or not name.isprintable():
            expected = f"at most {LONGEST_WORD} printable characters"
            raise StimulusError(option=f"the name of {letter.upper()}", got=name[:LONGEST_WORD], expected=expected)
    x, y, a, b = (WordSet.of(called[letter], sets[letter]) for letter in "xyab")
    return WeatTest(CUSTOM, CUSTOM, "", UNDETERMINED, x, y, a, b)


def weat_tests() -> tuple[WeatTest, ...]:
    """Return the catalogue's association tests of two sets of targets."""
    return tuple(test for test in catalogue() if isinstance(test, WeatTest))


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text: one per line, or separated by commas or semicolons, as in a file of words."""
    return tuple(filter(None, (part.strip() for part in _SEPARATORS.split(text))))


def split_pairs(text: str) -> tuple[Pair, ...]:
    """Return the pairs of words of a text, one pair per line: he, she."""
    pairs = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        words = [word.strip() for word in re.split("[,;]", line)]
        if len(words) != 2 or not all(words):
            raise StimulusError(
                f"{line[:LONGEST_WORD]!r} is not a pair", got=line, hint="write two words per line, such as he, she"
            )
        pairs.append((words[0], words[1]))
    return tuple(pairs)


def check_words(name: str, words: Sequence[str]) -> None:
    """Refuse more or longer words than the explorer measures, and what a file of words could not hold."""
    if not words:
        raise StimulusError("has no words", where=name, hint="write some, one per line or separated by commas")
    if len(words) > MOST_WORDS:
        raise StimulusError(
            f"has {len(words):,} words",
            expected=f"at most {MOST_WORDS}",
            where=name,
            got=len(words),
            hint="use imprint's commands for more",
        )
    for word in words:
        if len(word) > LONGEST_WORD:
            raise StimulusError(
                f"has a word of {len(word):,} characters",
                expected=f"at most {LONGEST_WORD}",
                where=name,
                got=len(word),
            )
        if split_words(word) != (word,) or not word.isprintable():
            raise StimulusError(
                f"{word!r} is not a word",
                where=name,
                words=[word],
                hint="leave out commas, semicolons, blanks at the ends and invisible characters",
            )


def check_pairs(pairs: Iterable[Pair]) -> None:
    """Check the words of pairs, and that there are not too many of them."""
    for end, words in zip(("first words", "second words"), zip(*pairs, strict=True), strict=False):
        check_words(end, words)


def weat_command(source: str, test: WeatTest, alternative: str, kind: str = "weat") -> str:
    """Return the command that runs the test: `weat`, or in sentences `seat`."""
    start = f"imprint {kind} {shlex.quote(source)}"
    end = f"{'' if alternative == 'greater' else f' --alternative {alternative}'} --json"
    if test.id != CUSTOM:
        return f"{start} --test {shlex.quote(test.id)}{end}\n"
    return f"{start} --tests /dev/stdin{end} <<'END'\n[[weat]]\nid = {_quoted(test.id)}\n{_toml_sets(test)}END\n"


def weat_python(source: str, test: WeatTest, alternative: str, kind: str = "weat") -> str:
    """Return the Python that runs the test."""
    subject = "embedding" if kind == "weat" else "encoder"
    end = "" if alternative == "greater" else f", alternative={_quoted(alternative)}"
    if test.id != CUSTOM:
        setting, call = "", f"imprint.{kind}({subject}, {_quoted(test.id)}{end})"
    else:
        setting, call = _sets(test), f"imprint.{kind}({subject}, targets=(x, y), attributes=(a, b){end})"
    said = "print(result.size, result.outcome, result.effect_size, result.p_value)"
    return f"{_opening(source, subject)}{setting}result = {call}\n{said}\n"


def axis_command(source: str, pairs: Sequence[Pair], method: str, words: Sequence[str]) -> str:
    """Return the command that projects words on an axis, after those that write its files."""
    files = _written(WORDS_FILE, [("word",), *((word,) for word in words)])
    if len(pairs) == 1:
        axis = " ".join(("--axis", *map(shlex.quote, pairs[0])))
    else:
        files += _written(PAIRS_FILE, [("positive", "negative"), *pairs])
        axis = f"--pairs {PAIRS_FILE}"
    end = "" if method == "difference" else f" --method {method}"
    return f"{files}imprint project {shlex.quote(source)} {axis}{end} --words {WORDS_FILE} --json\n"


def axis_python(source: str, pairs: Sequence[Pair], method: str, words: Sequence[str]) -> str:
    """Return the Python that projects words on an axis."""
    end = "" if method == "difference" else f", method={_quoted(method)}"
    listed = "".join(f"    ({_quoted(one)}, {_quoted(other)}),\n" for one, other in pairs)
    return (
        f"{_opening(source)}axis = imprint.pair_axis(embedding, [\n{listed}]{end})\nwords = {_listed(words)}\n"
        "for word, place in imprint.project(embedding, axis, words).to_mapping().items():\n    print(word, place)\n"
    )


def neighbours_python(source: str, word: str, count: int) -> str:
    """Return the Python that finds neighbours."""
    return (
        f"{_opening(source)}"
        f"for near in imprint.neighbours(embedding, {_quoted(word)}, count={count}).nearest:\n"
        "    print(near.word, near.value)\n"
    )


def _opening(source: str, subject: str = "embedding") -> str:
    opened = "load" if subject == "embedding" else "open_encoder"
    return f"import imprint\n\n{subject} = imprint.{opened}({_quoted(source)})\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _sets(test: WeatTest) -> str:
    """Return the four lists of words, each under its letter, as TOML and Python write them."""
    return "".join(f"{name} = {_listed(words)}\n" for name, words in sets_of(test).items())


def _toml_sets(test: WeatTest) -> str:
    """Return the four lists as a file of tests has them, with the names of those that have one."""
    lines = []
    for letter, words in word_sets(test).items():
        listed = _listed(words.words)
        called = f"{{ name = {_quoted(words.name)}, words = {listed} }}"
        lines.append(f"{letter} = {listed if words.name == letter.upper() else called}\n")
    return "".join(lines)


def _listed(words: Sequence[str]) -> str:
    """Return a list of words, in short lines if it is long."""
    lines, line = [], ""
    for item in map(_quoted, words):
        if line and len(line) + len(item) > _WIDTH:
            lines.append(line)
            line = ""
        line += f"{item}, "
    lines.append(line)
    if len(lines) == 1:
        return f"[{lines[0].rstrip(', ')}]"
    return "[\n" + "".join(f"    {line.rstrip()}\n" for line in lines) + "]"


def _written(file: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the shell's way to write a CSV file; every cell is quoted, so that none can be the closing mark."""
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return f"cat > {file} <<'END'\n{table.getvalue()}END\n"
