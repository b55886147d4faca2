"""Run the commands and snippets of README and docs, and write what they print in place of what no longer holds.

    python scripts/refresh_docs.py [PAGE ...]

A page may show parts of an output. Where every line shown is still printed, in order, nothing changes; where not, the
block gets the whole output, or of a much longer one as many lines as it had.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MORE = 12  # lines more than were shown that still are shown whole
COMMAND = re.compile(r"^\$ (.*?)$\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
FILE = re.compile(r"^```toml\n# (\S+\.toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def refresh(page: Path) -> bool:
    """Rewrite a page; tell whether anything changed."""
    text = page.read_text()
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
    return changed != text


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
