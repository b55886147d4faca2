"""Data files that come with imprint, checked against their known SHA-256 when a process first reads them.

A file damaged on disk would change results without a word. Lists written by hand (.toml) are part of the code and are
not checked; `scripts/checksums.py` writes the known hashes after `make data`.
"""

from functools import cache
from pathlib import Path

from imprint.errors import ImprintError
from imprint.files import hash_file

ROOT = Path(__file__).parent
CHECKSUMS = ROOT / "bundled.sha256"  # one line per file, as sha256sum writes them


def bundled_file(name: str) -> Path:
    """Return the path of a data file by its place in the package, once it is known to be whole."""
    return checked(ROOT / name)


@cache
def checked(path: Path) -> Path:
    """Return a path as it is; refuse a data file of the package that is not what it was."""
    known = known_hashes().get(path.relative_to(ROOT).as_posix()) if path.is_relative_to(ROOT) else None
    if known is not None:
        check_hash(path, hash_file(path, kept=False), known)  # read anew: a kept hash would not see bad sectors
    return path


def check_hash(path: Path, found: str, known: str) -> None:
    """Refuse a file whose hash is not the known one."""
    if found != known:
        raise ImprintError(
            f"is damaged or was changed: its SHA-256 is {found}",
            where=path,
            expected=known,
            hint="install the package that it belongs to again",
        )


@cache
def known_hashes() -> dict[str, str]:
    """Return the known hash of every file by its place in the package, or in a package that imprint needs."""
    lines = CHECKSUMS.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
