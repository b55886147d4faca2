"""Build the source archive and the wheel, try the wheel in an empty environment, and tag a release.

`python scripts/release.py --check` builds and tries what is committed, and prints what an install weighs and the
hashes of the files, which are the same wherever they are built; with `--python python3.13` in an environment of that
Python. With `--tag v0.2.0`, as when that tag is published, the files must also name that version.

`python scripts/release.py 0.2.0` also demands a clean tree, that version in src/imprint/version.py and CITATION.cff,
and its dated section in CHANGELOG.md; it then makes the tag. To push the tag is to publish, as
.github/workflows/publish.yml says.
"""

import argparse
import email
import hashlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DISTRIBUTION = "imprint-audit"
NEEDED = (  # files that a wheel is nothing without
    "imprint/py.typed",
    "imprint/__init__.pyi",
    "imprint/embeddings/bundled/glove.6B.100d.safetensors",
    "imprint/stimuli/data/names/first-names.csv.gz",
    "imprint/stimuli/data/caliskan.toml",
    "imprint/render/templates/style.css",
)
HINT = re.compile(rf"pip install '{DISTRIBUTION}\[report\]'")
TRIED = (  # arguments, what stdout or stderr must contain
    (["--version"], re.compile(r"\d+\.\d+")),
    (["weat", "default"], re.compile("caliskan-6")),
    (["seat", "default"], re.compile("caliskan-6")),
    (["audit", "default", "--quick"], HINT),
)


def main() -> None:
    """Check, and tag where a version is given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("version", nargs="?", help="the version to release; without it nothing is tagged")
    parser.add_argument("--check", action="store_true", help="build and try only")
    parser.add_argument("--tag", help="with --check: the tag that is to be published, which must name the version")
    parser.add_argument("--python", default=sys.executable, help="the Python to build and try with")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files go")
    given = parser.parse_args()
    if given.check == (given.version is not None):
        parser.error("give a version to release, or --check")
    if version := given.version or (given.tag or "").removeprefix("v"):
        check_tree(version)
    wheel = build(given.out, given.python)
    check_wheel(wheel)
    try_wheel(wheel, given.python)
    if given.version:
        run("git", "tag", "-a", f"v{given.version}", "-m", f"{DISTRIBUTION} {given.version}")
        files = given.out / f"*{given.version}*"
        print(
            f"tagged v{given.version}: {files}; to publish: git push --tags, and .github/workflows/publish.yml uploads"
        )


def check_tree(version: str) -> None:
    """Refuse a tree that is not what the version says."""
    if run("git", "status", "--porcelain"):
        raise SystemExit("the tree must be clean, got changes; commit them first")
    for path, pattern in (
        ("src/imprint/version.py", rf'^__version__ = "{re.escape(version)}"$'),
        ("CITATION.cff", rf"^version: {re.escape(version)}$"),
        ("CHANGELOG.md", rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$"),
    ):
        if not re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE):
            raise SystemExit(f"{path} must name version {version}; change it first")


def build(out: Path, interpreter: str) -> Path:
    """Build both files with the pinned backend in an environment of its own, from a clean copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "source"
        run("git", "clone", "-q", "--shared", str(ROOT), str(copy))
        python = environment(Path(folder) / "env", interpreter)
        hashed = ("--no-deps", "--require-hashes", "-r", str(ROOT / "requirements" / "build.txt"))
        run(python, "-m", "pip", "install", "-q", *hashed)
        run(python, "-m", "build", "--no-isolation", "--outdir", str(Path(folder) / "built"), str(copy))
        out.mkdir(parents=True, exist_ok=True)
        built = [Path(shutil.copy2(path, out)) for path in sorted((Path(folder) / "built").iterdir())]
    for path in built:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, sha256 {sha256}")
    (wheel,) = (path for path in built if path.suffix == ".whl")
    return wheel


def check_wheel(wheel: Path) -> None:
    """Refuse a wheel under another name, without its licences, or without its data."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        fields = email.message_from_bytes(archive.read(metadata))
    problems = [f"{name} is missing" for name in NEEDED if name not in names]
    problems += [f"{name} is not part of the package" for name in sorted(names) if name.startswith("tests/")]
    problems += [f"the licence file {name} is missing" for name in ("LICENSE", "NOTICE") if not _holds(names, name)]
    if fields["Name"] != DISTRIBUTION:
        problems.append(f"the name must be {DISTRIBUTION}, got {fields['Name']}")
    if problems:
        raise SystemExit("; ".join(problems))


def try_wheel(wheel: Path, interpreter: str) -> None:
    """Install the wheel where nothing else is, run what the README shows, and follow the hint to the charts."""
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder) / "env", interpreter)
        before = size_of(Path(folder) / "env")
        run(python, "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), str(wheel))
        print(f"{run(python, '--version')}: {size_of(Path(folder) / 'env') - before:.0f} MB with bytecode")
        said = ""
        for arguments, pattern in TRIED:
            said = try_command(python, arguments, folder)
            if not pattern.search(said):
                raise SystemExit(f"imprint {' '.join(arguments)} must say {pattern.pattern}, got:\n{said}")
        hint = HINT.search(said)
        assert hint is not None
        run(python, "-m", *shlex.split(hint[0]), "-q", "-c", str(ROOT / "constraints.txt"))
        print(f"{hint[0]}: works")
        said = try_command(python, ["audit", "default", "--quick"], folder)
        if HINT.search(said) or "<svg" not in (Path(folder) / "report.html").read_text(encoding="utf-8"):
            raise SystemExit(f"the page must have charts, got none:\n{said}")


def try_command(python: str, arguments: list[str], folder: str) -> str:
    """Run imprint with these arguments; return what it says."""
    command = [str(Path(python).with_name("imprint")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    said = done.stdout + done.stderr
    if done.returncode:
        raise SystemExit(f"imprint {' '.join(arguments)} failed (exit {done.returncode}):\n{said}")
    print(f"imprint {' '.join(arguments)}: works")
    return said


def environment(folder: Path, interpreter: str) -> str:
    """Make an empty environment of a Python, and return the Python in it."""
    run(interpreter, "-m", "venv", str(folder))
    scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
    return str(scripts / "python")


def size_of(folder: Path) -> float:
    """Return what the files of a folder take on the disk, in units of 2**20 bytes, as `du -m` counts it."""
    found = [path.lstat() for path in folder.rglob("*")]
    return sum(getattr(one, "st_blocks", one.st_size / 512) for one in found) / 2048


def run(*command: str) -> str:
    """Run a command in the project's folder, and return what it prints."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed (exit {done.returncode})")
    return done.stdout.strip()


def _holds(names: set[str], licence: str) -> bool:
    return any(name.endswith(f"/licenses/{licence}") for name in names)


if __name__ == "__main__":
    main()
