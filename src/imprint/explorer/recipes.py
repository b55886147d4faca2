"""The command line and the Python that give a number of the page again, to its last digit.

Words stand in quotation marks of JSON, which TOML and Python read alike. Files are written by a here-document whose
mark is quoted, so that a shell takes nothing in them for its own.
"""

import csv
import io
import json
import shlex
from collections.abc import Sequence

from imprint.explorer.words import CUSTOM, Pair, sets_of
from imprint.stimuli.definition import WeatTest

WORDS_FILE = "explorer-words.csv"
PAIRS_FILE = "explorer-pairs.csv"

_WIDTH = 100  # columns; terminals lose what is pasted in very long lines


def weat_command(source: str, test: WeatTest, alternative: str) -> str:
    """Return the command that runs the test."""
    start = f"imprint weat {shlex.quote(source)}"
    end = f"{'' if alternative == 'greater' else f' --alternative {alternative}'} --json"
    if test.id != CUSTOM:
        return f"{start} --test {shlex.quote(test.id)}{end}\n"
    return f"{start} --tests /dev/stdin{end} <<'END'\n[[weat]]\nid = {_quoted(test.id)}\n{_sets(test)}END\n"


def weat_python(source: str, test: WeatTest, alternative: str) -> str:
    """Return the Python that runs the test."""
    end = "" if alternative == "greater" else f", alternative={_quoted(alternative)}"
    if test.id != CUSTOM:
        setting, call = "", f"imprint.weat(embedding, {_quoted(test.id)}{end})"
    else:
        setting, call = _sets(test), f"imprint.weat(embedding, targets=(x, y), attributes=(a, b){end})"
    return f"{_opening(source)}{setting}result = {call}\nprint(result.effect_size, result.p_value)\n"


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
        f"for near, cosine in imprint.neighbours(embedding, {_quoted(word)}, count={count}).nearest:\n"
        "    print(near, cosine)\n"
    )


def _opening(source: str) -> str:
    return f"import imprint\n\nembedding = imprint.load({_quoted(source)})\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _sets(test: WeatTest) -> str:
    """Return the four lists of words, each under its letter, as TOML and Python write them."""
    return "".join(f"{name} = {_listed(words)}\n" for name, words in sets_of(test).items())


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
