"""Show that a refactoring moved no number: run the same commands on two commits and compare their findings.

    python scripts/same_findings.py BASE [COMMIT] [--only AUDIT ...]

COMMIT is HEAD unless it is given. Each commit is built, installed in a folder of its own and run with caches of its
own, side by side with the other. Findings must be equal byte by byte, apart from what a clock measures and from the
fields of `RENAMED`. Takes some ten minutes on two cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

METRICS = [
    word for name in ("rnd", "mac", "ect", "ripa", "rnsb", "sc-weat", "clustering") for word in ("--metric", name)
]

# The command, and the file that it writes its findings to; without one they are printed.
COMMANDS: dict[str, tuple[list[str], str | None]] = {
    "audit": (["audit", "default"], "findings.jsonl"),
    "audit-encoder": (["audit", "default-encoder", "--quick"], "findings.jsonl"),
    "audit-against": (
        ["audit", "default", "--quick", "--encoder", "default", "--against", "glove-840b-stimuli"],
        "findings.jsonl",
    ),
    "board": (["board", "default", "default-encoder", "--topic", "gender"], "board/board.jsonl"),
    "swap": (["swap", "encoder:default", "--query", "CVs of good engineers", "--json"], None),
    "debias": (["debias", "default", "out.safetensors", "--json"], None),
    "debias-encoder": (["debias", "default-encoder", "debiased-encoder", "--json"], None),
    "debias-compare": (["debias", "default", "--compare", "--json"], None),
    "reproduce": (["reproduce", "--json"], None),
    "enumerate": (["enumerate", "default", "--copies", "100", "--repeats", "4", "--json"], None),
    "seat": (["seat", "default-encoder", "--test", "caliskan-6", "--test", "gender-career", "--json"], None),
    "wefat": (["wefat", "default", "--json"], None),
    "compare": (["compare", "default", "glove-840b-stimuli", "--json"], None),
    "evaluate": (["evaluate", "default", "--json"], None),
    "calibrate": (["calibrate", "default", "--copies", "20", "--json"], None),
    "metric": (["metric", "default", *METRICS, "--test", "caliskan-6", "--json"], None),
}

# What a clock measures, by kind.
TIMED = {"debias-comparison": {"seconds"}}

# Fields that got another name, by kind: {"weat": {"old": "new"}}. Empty where findings are the same to the byte.
RENAMED: dict[str, dict[str, str]] = {}

_SHOWN = 20  # differences of one command

Findings = list[dict[str, Any]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the findings of two commits.")
    parser.add_argument("base")
    parser.add_argument("commit", nargs="?", default="HEAD")
    parser.add_argument("--only", nargs="*", choices=COMMANDS, default=list(COMMANDS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before", Path(folder) / "after"
        install(options.base, before)
        install(options.commit, after)
        different = [name for name in options.only if not compare(name, before, after)]
    print("all findings are equal" if not different else f"different: {', '.join(different)}")
    return 1 if different else 0


def install(commit: str, folder: Path) -> None:
    """Build a commit and install it in a folder, so that entry points are found as they are of a wheel."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    with checked_out(commit) as tree:
        offline = ("--no-deps", "--no-build-isolation", "--no-index")
        subprocess.run([*pip, *offline, "--target", str(folder / "site"), str(tree)], check=True)


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Check a commit out beside the working tree, which is left as it is."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def compare(name: str, before: Path, after: Path) -> bool:
    """Run a command on both, print what differs, and tell whether nothing does."""
    with ThreadPoolExecutor(2) as pool:
        old_rows, new_rows = pool.map(lambda folder: run(name, folder), (before, after))
    differences = [
        f"  row {index}: {difference}"
        for index, (old, new) in enumerate(zip_longest(old_rows, new_rows), start=1)
        for difference in differing(old, new)
    ]
    print(f"{name}: {len(old_rows):,} rows, {len(differences):,} differences", flush=True)
    for line in differences[:_SHOWN]:
        print(line)
    return not differences


def run(name: str, folder: Path) -> Findings:
    """Run a command in a folder of its own and return its rows, without what a clock measures."""
    arguments, file = COMMANDS[name]
    workplace = folder / name
    workplace.mkdir()
    environment = os.environ | {"PYTHONPATH": str(folder / "site"), "IMPRINT_CACHE": str(workplace / "cache")}
    command = [sys.executable, "-m", "imprint", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=workplace, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"imprint {' '.join(arguments)} failed in {folder.name}: {done.stderr.strip()}")
    lines = (workplace / file).read_text(encoding="utf-8") if file else done.stdout
    rows = map(json.loads, lines.splitlines())
    return [{key: value for key, value in row.items() if key not in TIMED.get(row["kind"], ())} for row in rows]


def differing(old: dict[str, Any] | None, new: dict[str, Any] | None) -> Iterator[str]:
    """Name each field in which two rows differ; the order of fields counts too."""
    if old is None or new is None:
        yield f"only {'after' if old is None else 'before'}: {json.dumps(new or old)[:200]}"
        return
    names = RENAMED.get(old["kind"], {})
    mapped = {names.get(key, key): value for key, value in old.items()}
    what = f"{old['kind']} {old['test']}"
    for key in dict.fromkeys((*mapped, *new)):
        values = [json.dumps(row[key]) if key in row else "absent" for row in (mapped, new)]
        if values[0] != values[1]:
            yield f"{what}, {key}: {values[0][:80]} became {values[1][:80]}"
    if set(mapped) == set(new) and list(mapped) != list(new):
        yield f"{what}: the fields are in another order"


if __name__ == "__main__":
    sys.exit(main())
