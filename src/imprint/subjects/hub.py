"""Models found on disk by name: those in installed packages, and those that Hugging Face's tools have downloaded.

Nothing is asked of the network, and no code of a package runs. The layout of the cache is documented
(huggingface.co/docs/hub/local-cache): models--ORG--NAME/refs/main names the commit whose files are in
snapshots/COMMIT. Looked up here because huggingface_hub is not needed for anything else.
"""

import os
import re
from importlib import metadata
from pathlib import Path, PurePosixPath

from imprint.errors import EncoderError

_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARKS = ("modules.json", "config.json")  # what a model's folder holds, the most telling first
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SENTENCES = "sentence-transformers"  # the owner of models that its library calls by their name alone
_FILES = {".bin", ".gz", ".kv", ".model", ".onnx", ".safetensors", ".txt", ".vec", ".xz", ".zip"}
_KNOWN = {
    _SENTENCES: ("all-", "paraphrase-", "multi-qa-", "msmarco-", "distiluse-"),
    "": ("bert-", "distilbert-", "roberta-", "distilroberta-", "xlm-", "albert-", "gpt2", "t5-"),
}


def find_model(package: str) -> Path | None:
    """Return the folder or the ONNX file of the package's model, None where no such package is installed."""
    if not _PACKAGE.fullmatch(package):
        return None
    try:
        distribution = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return None
    files = [PurePosixPath(str(file)) for file in distribution.files or ()]
    weighty = {file.parent for file in files if file.suffix in {".safetensors", ".bin"}}
    for mark in _MARKS:
        for file in sorted(files):
            if file.name == mark and file.parent in weighty:
                return Path(str(distribution.locate_file(str(file.parent))))
    graphs = sorted(file for file in files if file.suffix == ".onnx")
    if graphs:
        return Path(str(distribution.locate_file(str(graphs[0]))))
    raise EncoderError(
        f"the installed package {package} has no model: no config.json beside weights, and no .onnx file",
        got=package,
        hint="name a package that has one, or the model's folder",
    )


def hub_cache() -> Path:
    """Return the folder of downloaded models, which Hugging Face's tools read from the same variables."""
    for variable, rest in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if chosen := os.environ.get(variable):
            return Path(os.path.expandvars(chosen)).expanduser() / rest
    above = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - without a home, no error
    return Path(above) / "huggingface" / "hub"


def find_cached(name: str) -> Path | None:
    """Return the folder of a downloaded model, by ORG/NAME or the NAME that sentence-transformers knows it by."""
    if not _REPOSITORY.fullmatch(name):
        return None
    names = (name,) if "/" in name else (name, f"{_SENTENCES}/{name}")
    folders = (hub_cache() / f"models--{one.replace('/', '--')}" for one in names)
    return next((found for folder in folders if (found := find_snapshot(folder))), None)


def find_snapshot(folder: Path) -> Path | None:
    """Return the files of a downloaded model at its main commit, or at the only one there is."""
    try:
        commit = (folder / "refs" / "main").read_text().strip()
        commits = [commit] if _COMMIT.fullmatch(commit) else []
    except (OSError, ValueError):
        commits = []
    try:
        found = [folder / "snapshots" / one for one in commits] or list((folder / "snapshots").iterdir())
    except OSError:
        return None
    return found[0] if len(found) == 1 and found[0].is_dir() else None


def download_command(name: str) -> str | None:
    """Return the command that downloads a model, where the name looks like that of one."""
    path = Path(name)
    if not _REPOSITORY.fullmatch(name) or name.startswith(".") or path.suffix in _FILES:
        return None
    if "/" in name:
        return None if path.parent.exists() else f"hf download {name}"
    owner = next((owner for owner, starts in _KNOWN.items() if name.lower().startswith(starts)), None)
    return None if owner is None else f"hf download {f'{owner}/' if owner else ''}{name}"
