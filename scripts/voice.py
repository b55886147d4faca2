"""Print every phrase of the texts users read that has a plainer form, as file:line, and how many sentences are long.

Those texts are the strings and public docstrings of the package, its templates and word lists, README, docs and the
newest section of the changelog. Comments, private docstrings and older releases are not read.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LONGEST = 25  # words of a sentence

_UNIT = r"(?:word|text|test|page|row|column|group|category|pair|sentence|line|name|file|person|task|copy|set)"
_THING = r"(?:people|bytes|findings|(?:vector|second|value|word|sentence|row|column|text|number|line|question|time)s?)"
PHRASES = {
    # what an error says
    r"wanted": "X must be Y, got Z",
    r"(?<!there\s)(?:is|are) no(?! longer| more| fewer| less)": "is not a valid, has no",
    r"(?:is|are|was|were) there more than once|(?:is|are) listed more than once": "is duplicated",
    r"stands?(?! out\b)": "is, appears",
    r"on both ends": "on both sides",
    r"as (?:it|they) (?:was|were)(?! \w)": "unchanged",
    # how a result is put
    r"(?:that )?chance hardly": "statistically significant",
    r"pointed at random|make a share of": "expected false discoveries",
    r"told(?! apart)": "held-out, given, classified",
    r"beyond what": "significantly",
    r"(?:leaves?|left) open": "does not decide",
    r"drawn again": "if other words had been chosen",
    r"middle 95": "95 % interval",
    r"could have found": "smallest detectable effect",
    r"cannot reach": "too few words to tell",
    r"certificate(?! is not trusted)|above the optimum": "solver gap",
    # words that puzzle
    r"deals?|dealt": "assign, shuffle",
    r"mend(?:s|ed|ing)?": "repair, fix",
    r"nobody": "no one, without",
    r"that which": "what",
    rf"(?<!each\s){_THING} an? {_UNIT}|(?:one|name|pair|finding|score) a line|a column a|a row a": "per, each",
}
_PATTERNS = {phrase: re.compile(r"\b(?:" + phrase.replace(" ", r"\s+") + r")\b", re.IGNORECASE) for phrase in PHRASES}
_SILENT = {  # what users do not read
    "html": re.compile(r"\{[#%{].*?[#%}]\}", re.DOTALL),
    "toml": re.compile(r"^#.*", re.MULTILINE),
}
_QUOTED = re.compile(r"\"[^\"\n]*\"|`[^`]*`")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"[.!?]\s+|\n\s*\n|\n\s*(?:[-*|#>$]|\d+\.)")


class Text(NamedTuple):
    """A text that users read: where it begins and what it says."""

    path: Path
    line: int
    text: str


class Hit(NamedTuple):
    """A phrase that has a plainer form."""

    path: Path
    line: int
    found: str
    plainer: str


def texts(root: Path = ROOT) -> Iterator[Text]:
    """Yield every text that users read."""
    package = root / "src" / "imprint"
    for path in sorted(package.rglob("*.py")):
        yield from _strings(path)
    for ending, silent in _SILENT.items():
        for path in sorted(set(package.rglob(f"*.{ending}")) - {package / "stimuli" / "data" / "questions.toml"}):
            yield Text(path, 1, silent.sub(_blank, path.read_text(encoding="utf-8")))
    for path in sorted(package.rglob("*.js")):
        code = path.read_text(encoding="utf-8")
        for match in _QUOTED.finditer(code):
            yield Text(path, 1 + code[: match.start()].count("\n"), match.group())
    for path in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
        # the frozen words of the questions are data
        yield Text(path, 1, path.read_text(encoding="utf-8").partition("\n## The words\n")[0])
    changelog = root / "CHANGELOG.md"
    yield Text(changelog, 1, "\n## ".join(changelog.read_text(encoding="utf-8").split("\n## ")[:2]))


def hits(read: Iterator[Text]) -> Iterator[Hit]:
    """Yield the phrases that have a plainer form."""
    for path, line, text in read:
        for phrase, pattern in _PATTERNS.items():
            for match in pattern.finditer(text):
                yield Hit(path, line + text[: match.start()].count("\n"), match.group(), PHRASES[phrase])


def long_sentences(read: Iterator[Text]) -> Iterator[Text]:
    """Yield the sentences with more words than one sentence should have."""
    for path, line, text in read:
        if path.suffix in (".py", ".md"):
            prose = _FENCED.sub(_blank, text)
            begins = [0, *(match.end() for match in _SENTENCE.finditer(prose))]
            for begin, end in zip(begins, [*begins[1:], len(prose)], strict=True):
                if len(re.findall(r"[A-Za-z][\w'’-]*", prose[begin:end])) > LONGEST:
                    yield Text(path, line + prose[:begin].count("\n"), " ".join(prose[begin:end].split()))


def _blank(match: re.Match[str]) -> str:
    """Return empty lines, as many as were matched."""
    return "\n" * match.group().count("\n")


def _strings(path: Path) -> Iterator[Text]:
    """Yield the strings of a module that hold words, without the docstrings of private names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            private = isinstance(node, ast.Module) or node.name.startswith("_")
            if private and isinstance(first, ast.Expr):
                skipped.add(id(first.value))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            yield Text(path, node.lineno, "".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield Text(path, node.lineno, node.value)


def main() -> int:
    """Print what was found; the exit status is 1 if there is a phrase to replace."""
    found = list(hits(texts()))
    for path, line, phrase, plainer in found:
        print(f"{path.relative_to(ROOT)}:{line}: {' '.join(phrase.split())!r}, plainer: {plainer}")
    long = list(long_sentences(texts()))
    if "--long" in sys.argv:
        for path, line, sentence in long:
            print(f"{path.relative_to(ROOT)}:{line}: {sentence}")
    print(f"{len(found)} phrases to replace; {len(long)} sentences of more than {LONGEST} words")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
