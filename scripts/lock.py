"""Write requirements/: what make, CI and a release install, with the hashes of every file of every version.

    pip install uv && python scripts/lock.py

`dev.txt` has the extra `dev`, for every system and Python from 3.11; versions are those of
constraints.txt. `build.txt` has what builds a release. pip refuses a file whose hash is not listed. torch and what it
brings are left out: which of its builds fits depends on the machine, and each comes from an index of its own.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
HEAD = "# Written by scripts/lock.py: versions from constraints.txt, and the hashes of their files.\n"
PYTHON = "3.11"  # the oldest that pyproject.toml allows


def main() -> None:
    """Resolve both lists with uv, which finds the hashes of all files without fetching them."""
    backend = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    FOLDER.mkdir(exist_ok=True)
    lock("build.txt", "-", asked="\n".join(["build", *backend]))
    lock("dev.txt", "pyproject.toml", "--extra", "dev")


def lock(name: str, *arguments: str, asked: str = "") -> None:
    """Write one list."""
    options = ("--universal", "--generate-hashes", "--no-header", "--no-annotate", "--python-version", PYTHON)
    command = [sys.executable, "-m", "uv", "-q", "pip", "compile", *options, "-c", "constraints.txt", *arguments]
    done = subprocess.run(command, input=asked, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"uv failed (exit {done.returncode}); install it with pip install uv")
    (FOLDER / name).write_text(HEAD + done.stdout, encoding="utf-8")
    packages = sum(line[:1].isalnum() for line in done.stdout.splitlines())
    print(f"requirements/{name}: {packages} packages, {done.stdout.count('--hash')} files")


if __name__ == "__main__":
    main()
