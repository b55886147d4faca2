"""Run the commands and snippets of README and docs, and write what they print in place of what no longer holds.

    python scripts/refresh_docs.py [PAGE ...]

A page may show parts of an output. Where every line shown is still printed, in order, nothing changes; where not, the
block gets the whole output, or of a much longer one as many lines as it had. The fields of findings are taken from the
rows.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from imprint.kinds import all_kinds
from imprint.rows import Row

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MORE = 12  # lines more than were shown that still are shown whole
COMMAND = re.compile(r"^\$ (.*?)$\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
FIELDS = re.compile(r"(?<=^<!-- fields -->\n).*?(?=^<!-- end of fields -->$)", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```toml\n# (\S+\.toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def refresh(page: Path) -> bool:
    """Rewrite a page; tell whether anything changed."""
    before = page.read_text()
    text = with_fields(before)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.findall(text):
            (Path(folder) / name).write_text(content)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"IMPRINT_CACHE": f"{folder}/cache", "PATH": path}

        def console(found: re.Match[str]) -> str:
            return f"$ {found[1]}\n{run(found[1], found[2], folder, environment)}"

        blocks = list(BLOCK.finditer(text))
        pieces, end = [], 0
        for block, following in zip(blocks, [*blocks[1:], None], strict=False):
            if block[1] == "console":
                pieces += [text[end : block.start()], f"```console\n{COMMAND.sub(console, block[2])}```"]
                end = block.end()
            elif block[1] == "python" and following is not None and following[1] == "":
                pieces += [text[end : following.start()], f"```\n{execute(block[2], folder)}```"]
                end = following.end()
    changed = "".join([*pieces, text[end:]])
    page.write_text(changed)
    return changed != before


def with_fields(text: str) -> str:
    """Return a page with its tables of fields as the rows describe them."""
    return FIELDS.sub(lambda _: "\n".join(field_tables()), text)


def field_tables() -> Iterator[str]:
    """Yield the lines of a table for each type of row, of the fields that it adds, and for what rows hold."""
    kinds = {kind.row: kind.name for kind in all_kinds() if kind.row.__module__.startswith("imprint.")}
    rows = dict.fromkeys(base for row in kinds for base in reversed(row.__mro__) if issubclass(base, Row))
    users = {base: [name for row, name in kinds.items() if issubclass(row, base)] for base in rows}
    _, schemas = msgspec.json.schema_components(rows)
    for row in rows:
        schema, base = schemas.pop(row.__name__), row.__base__
        inherited = msgspec.json.schema(base)["$defs"][base.__name__]["properties"] if base in rows else {}
        properties = schema["properties"].items()
        added = {name: field for name, field in properties if field != inherited.get(name) and name != "kind"}
        more = f" It also has the fields of `{base.__name__}`." if base in rows else ""
        names = "all" if row is Row else ", ".join(f"`{name}`" for name in users[row])
        yield from _field_table(row.__name__, f"{_summary(schema)}{more} Kinds: {names}.", added)
    for name, schema in schemas.items():
        yield from _field_table(name, f"{_summary(schema)} Within rows.", schema["properties"])


def _field_table(heading: str, summary: str, fields: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"### {heading}", summary, "")
    if fields:
        yield from ("| field | title | what it is |", "|---|---|---|")
    for name, field in fields.items():
        parts = sorted(set(re.findall(r"#/\$defs/(\w+)", json.dumps(field))))
        held = f" (`{'`, `'.join(parts)}`)" if parts else ""
        yield f"| `{name}` | {field.get('title', '')} | {field.get('description', '')}{held} |"
    yield ""


def _summary(schema: Mapping[str, Any]) -> str:
    return " ".join(schema["description"].split("\n\n")[0].split())


def run(command: str, shown: str, folder: str, environment: dict[str, str]) -> str:
    """Return what a command prints, as much of it as was shown."""
    if not command.startswith(("imprint ", "printf ")) or not (shown.strip() or " > " in command):
        return shown
    ran = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    printed = [line.rstrip() for line in ran.stdout.splitlines()]
    flat = [" ".join(re.sub("─+", " ", line).split()) for line in printed]
    rest = iter(flat)
    wanted = [" ".join(re.sub("─+", " ", line).split()) for line in shown.splitlines()]
    if all(line in rest for line in filter(None, wanted)):
        return shown
    if not printed:
        raise SystemExit(f"$ {command}\nprints nothing (exit code {ran.returncode}): {ran.stderr.strip()}")
    print(f"  $ {command}")
    least = len(shown.splitlines())
    return (
        "".join(f"{line}\n" for line in (printed if len(printed) < least + _MORE else printed[:least])).rstrip() + "\n"
    )


def execute(code: str, folder: str) -> str:
    """Return what a snippet prints."""
    printed, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "snippet", "exec"), {})
    finally:
        os.chdir(before)
    return printed.getvalue()


if __name__ == "__main__":
    pages = [Path(name) for name in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        print(page.name, "changed" if refresh(page) else "unchanged")
