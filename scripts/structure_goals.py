"""Print how large the package is and how many files a change touches, beside the goals."""

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "imprint"
CODE_LINES = 19_000
MODULES = 40

_SILENT = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}
_DRAW = """
import sys
import imprint
imprint.weat(imprint.load("default"), "caliskan-6")._repr_html_()
print(sum(name.split(".")[0] == "imprint" for name in sys.modules))
"""


def code_lines(source: str) -> int:
    """Count the lines that hold code: no blanks, comments or docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            assert node.end_lineno is not None
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def modules_to_draw() -> int:
    """Count the package's modules that are loaded from opening an embedding to one drawn row."""
    done = subprocess.run([sys.executable, "-c", _DRAW], capture_output=True, check=True, text=True)
    return int(done.stdout)


def files_of_kind(name: str) -> int:
    """Count the source files that make up a kind: where its row, its description and its place in the registry are."""
    marks = (f'tag="{name}"', f'Kind(\n    "{name}"', f'Kind("{name}"', f'"{name}": "imprint.kinds.')
    return sum(any(mark in path.read_text() for mark in marks) for path in SOURCE.rglob("*.py"))


def files_naming(word: str) -> int:
    """Count the source files that name a built-in thing: what adding another one would touch."""
    return sum(f'"{word}"' in path.read_text() or path.stem == word for path in SOURCE.rglob("*.py"))


def main() -> None:
    lines = sum(code_lines(path.read_text()) for path in SOURCE.rglob("*.py"))
    rows = [
        ("code lines, without blanks, comments and docstrings", lines, CODE_LINES),
        ("modules loaded from load to one drawn WEAT row", modules_to_draw(), MODULES),
        ("source files touched to add a metric or another kind", files_of_kind("wefat"), 3),
        ("source files touched to add a debiaser", files_naming("leace"), 2),
    ]
    print(f"{'':54} {'now':>7} {'goal':>7}")
    for what, now, goal in rows:
        print(f"{what:54} {now:>7,} {goal:>7,}")


if __name__ == "__main__":
    main()
