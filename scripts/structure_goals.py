"""Print how large each package is beside its budget, and how much is said more than once, beside the goals.

    python scripts/structure_goals.py [--check]

With --check, which `make lint` runs, it fails where a package exceeds its budget. Budgets are in scripts/budgets.toml:
they are lowered when a package shrinks; raising one is a commit of its own with the reason.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "imprint"
BUDGETS = Path(__file__).with_name("budgets.toml")
BASICS = "basics"  # the modules directly in the package

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

# Packages that show, judge and print rows without knowing their kinds, and the rows that every part of an audit has.
_KNOW_NO_KIND = ("reports", "policies", "cli")
_EVERYWHERE = {"SkippedRow", "RawRow", "PartRow", "Row"}
_ROWS = {"row", "finding", "one", "rows[0]", "own[0]", "self.finding", "condition"}  # and what asks for them


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


def sizes() -> Counter[str]:
    """Count the code lines of each package."""
    lines: Counter[str] = Counter()
    for path in SOURCE.rglob("*.py"):
        package, *below = path.relative_to(SOURCE).parts
        lines[package if below else BASICS] += code_lines(path.read_text(encoding="utf-8"))
    return lines


def over_budget() -> list[str]:
    """Say which packages exceed their budgets, or have none."""
    budgets = tomllib.loads(BUDGETS.read_text(encoding="utf-8"))
    return [
        f"{package} has {lines:,} code lines, its budget is {budgets.get(package, 0):,}"
        for package, lines in sorted(sizes().items())
        if lines > budgets.get(package, 0)
    ]


def tells_kinds_apart() -> list[str]:
    """List the places that look at the kind of a row where none should: the file, the line and the code."""
    return [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)[:90]}"
        for package in _KNOW_NO_KIND
        for path in sorted((SOURCE / package).rglob("*.py"))
        for node in _suspects(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _suspects(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield checks of a row's type or of a field it may not have, and comparisons of kinds or parts with names."""
    fields = _row_fields()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            name, second = node.func.id, node.args[1]
            rows = {part.id for part in ast.walk(second) if isinstance(part, ast.Name) and part.id.endswith("Row")}
            if name == "isinstance" and rows - _EVERYWHERE:
                yield node
            # getattr and hasattr, or a helper that gets a row and the name of its field
            reads = name in ("getattr", "hasattr") or ast.unparse(node.args[0]) in _ROWS
            if reads and isinstance(second, ast.Constant) and second.value in fields:
                yield node
        elif isinstance(node, ast.MatchClass):
            if ast.unparse(node.cls).endswith("Row") and ast.unparse(node.cls) not in _EVERYWHERE:
                yield node.cls
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_is_kind, sides)) and any(map(_is_name, sides)):
                yield node
            if any(isinstance(operator, ast.Is) for operator in node.ops) and any(map(_is_type, sides)):
                yield node


def _is_kind(node: ast.expr) -> bool:
    """Tell whether an expression is the kind or the part of a row, or the name of either."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "part_of"
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr == "name":
        return ast.unparse(node.value).split(".")[-1] in ("kind", "part")
    return node.attr in ("kind", "part") and ast.unparse(node.value) in _ROWS


def _is_name(node: ast.expr) -> bool:
    """Tell whether an expression has a text or a constant in it, and not only what was asked for."""
    return any(
        isinstance(part.value, str)
        if isinstance(part, ast.Constant)
        else isinstance(part, ast.Name) and part.id.isupper()
        for part in ast.walk(node)
    )


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _row_fields() -> set[str]:
    """Return the names of what rows have: fields and properties."""
    from imprint.kinds import all_kinds

    return {name for kind in all_kinds() for name in dir(kind.row) if not name.startswith("_")}


def modules_to_draw() -> int:
    """Count the package's modules that are loaded from opening an embedding to one drawn row."""
    done = subprocess.run([sys.executable, "-c", _DRAW], capture_output=True, check=True, text=True)
    return int(done.stdout)


def headings() -> int:
    """Count the columns whose heading is written where a table is made, and not on a field of its row."""
    calls = (node for path in SOURCE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return sum(isinstance(node, ast.Call) and ast.unparse(node.func) == "Column" for node in calls)


def files_of_kind(name: str) -> int:
    """Count the source files that make up a kind: where its row, its description and its place in the registry are."""
    sources = [path.read_text() for path in SOURCE.rglob("*.py")]
    tagged = re.compile(rf'class (\w+)\([^)]*tag="{name}"')
    row = next(declared[1] for source in sources if (declared := tagged.search(source)))
    marks = (f'tag="{name}"', f"    row={row},", f'"{name}": "imprint.kinds.')
    return sum(any(mark in source for mark in marks) for source in sources)


def files_naming(word: str) -> int:
    """Count the source files that name a built-in thing: what adding another one would touch."""
    return sum(f'"{word}"' in path.read_text() or path.stem == word for path in SOURCE.rglob("*.py"))


def main() -> int:
    if "--check" in sys.argv:
        problems = over_budget()
        print("\n".join(problems) or "every package is within its budget")
        return 1 if problems else 0
    lines, budgets = sizes(), tomllib.loads(BUDGETS.read_text(encoding="utf-8"))
    rows: list[tuple[str, int, int | None]] = [
        *((f"  {package}", count, budgets.get(package)) for package, count in lines.most_common()),
        ("code lines, without blanks, comments and docstrings", lines.total(), 36_000),
        ("files", sum(1 for _ in SOURCE.rglob("*.py")), 320),
        ("places in reports/, policies/ and cli/ that tell kinds apart", len(tells_kinds_apart()), 0),
        ("columns whose heading is not described on a row", headings(), None),
        ("source files touched to add a debiaser", files_naming("leace"), 2),
        ("source files touched to add another kind", files_of_kind("wefat"), 3),
        ("modules loaded from load to one drawn WEAT row", modules_to_draw(), None),
    ]
    print(f"{'':58} {'now':>7} {'goal':>7}")
    for what, now, goal in rows:
        print(f"{what:58} {now:>7,} {'' if goal is None else f'{goal:,}':>7}")
    for place in tells_kinds_apart():
        print(f"  {place}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
