"""What a subject's name means: a bundled one, a server, a file, a folder, a package, a downloaded model, a plug-in.

Nothing is opened here, and numpy is not imported: the command line refuses a name before it loads anything. Nothing is
asked of the network, and no code of a package runs. The layout of Hugging Face's cache is documented
(huggingface.co/docs/hub/local-cache): models--ORG--NAME/refs/main names the commit whose files are in
snapshots/COMMIT. Looked up here because huggingface_hub is not needed for anything else.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from imprint.checks import did_you_mean
from imprint.embeddings import BUNDLED, DEFAULT
from imprint.errors import EncoderError, SubjectError, reading_file
from imprint.files import FilePath
from imprint.registry import Registry

SourceKind = Literal["embedding", "encoder"]

EMBEDDING = "embedding"
BAG_OF_WORDS = "bag of words"
DEFAULT_ENCODER = "default-encoder"
CBOW = "cbow"

ENCODERS = Registry(
    "imprint.encoders",
    {
        "universal": "imprint.encoders.universal:UniversalEncoder",
        "server": "imprint.encoders.server:ServerEncoder",
        "sentence-transformers": "imprint.encoders.sentence_transformers:SentenceTransformersEncoder",
        "transformers": "imprint.encoders.transformers:TransformersEncoder",
        "onnx": "imprint.encoders.onnx:OnnxEncoder",
    },
)

_URL = re.compile("https?://", re.IGNORECASE)
_VECTORS = re.compile(r"https?://[^/?#]+/[^?#]*(\.(?:bin|vec|txt|gz|zip|kv|safetensors|npz))(?:[?#]|$)", re.IGNORECASE)
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


@dataclass(frozen=True)
class ResolvedSource:
    """What a name means: how it is opened (an embedding, a bag of words, or a name of `ENCODERS`), and from where."""

    adapter: str
    place: str | Path | None = None


def find_source(source: FilePath, kind: SourceKind | None = None) -> ResolvedSource:
    """Return what a source names; refuse what names nothing, or an encoder where `kind` is embedding.

    `default` is the bundled embedding, and the bundled encoder where `kind` is encoder.
    """
    name = str(source)
    with reading_file(SubjectError, name):
        resolved = _find(DEFAULT_ENCODER if (name, kind) == (DEFAULT, "encoder") else name)
    if kind == "embedding" and resolved.adapter != EMBEDDING:
        shown = "the URL" if resolved.adapter == "server" else name  # which may hold a password
        raise SubjectError(
            f"{shown} is a sentence encoder ({resolved.adapter}), but word vectors are needed here",
            got=resolved.adapter,
            hint="give an embedding file, or measure the encoder with `imprint audit` or `imprint seat`",
        )
    return resolved


def is_url(name: str) -> bool:
    """Tell whether a name is the URL of a server."""
    return _URL.match(name) is not None


def find_model(package: str) -> Path | None:
    """Return the folder or the ONNX file of the package's model, None where no such package is installed."""
    if not _PACKAGE.fullmatch(package):
        return None
    from importlib import metadata  # brings all of Python's email along

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
    folders = (hub_cache() / f"models--{repository.replace('/', '--')}" for repository in names)
    return next((found for folder in folders if (found := find_snapshot(folder))), None)


def find_snapshot(folder: Path) -> Path | None:
    """Return the files of a downloaded model at its main commit, or at the only one there is."""
    try:
        commit = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
        commits = [commit] if _COMMIT.fullmatch(commit) else []
    except (OSError, ValueError):
        commits = []
    try:
        snapshots = [folder / "snapshots" / name for name in commits] or list((folder / "snapshots").iterdir())
    except OSError:
        return None
    return snapshots[0] if len(snapshots) == 1 and snapshots[0].is_dir() else None


def download_command(name: str) -> str | None:
    """Return the command that downloads a model, where the name looks like that of one."""
    path = Path(name)
    if not _REPOSITORY.fullmatch(name) or name.startswith(".") or path.suffix in _FILES:
        return None
    if "/" in name:
        return None if path.parent.exists() else f"hf download {name}"
    owner = next((owner for owner, starts in _KNOWN.items() if name.lower().startswith(starts)), None)
    return None if owner is None else f"hf download {f'{owner}/' if owner else ''}{name}"


def _find(name: str) -> ResolvedSource:
    named = {
        **{name: ResolvedSource(EMBEDDING, path) for name, path in BUNDLED.items()},
        DEFAULT_ENCODER: ResolvedSource("universal"),
        CBOW: ResolvedSource(BAG_OF_WORDS, BUNDLED[DEFAULT]),
    }
    if name in named:
        return named[name]
    if is_url(name):
        if vectors := _VECTORS.match(name):
            raise SubjectError(
                f"the URL names a file ({vectors[1]}), and files are not downloaded",
                got=vectors[1],
                hint="download it and give its path; the URL of a server needs --model",
            )
        return ResolvedSource("server", name)
    if not name:
        raise SubjectError(option="the subject", got="", expected="a file or a name", hint=f"try {DEFAULT!r}")
    path = Path(name)
    there = path if path.exists() else find_model(name) or find_cached(name)
    if there is not None:
        return _look_at(there)
    plugin, _, rest = name.partition(":")
    if plugin in ENCODERS.plugins():
        return ResolvedSource(plugin, rest or None)
    if near := did_you_mean(name.lower(), named):
        hint = near
    elif command := download_command(name):
        hint = f"download the model first: {command}"
    elif rest and len(plugin) > 1:  # not a drive
        hint = "a server needs its URL (https://...) and --model"
    else:
        hint = f"bundled are {', '.join(named)}"
    tried = f"tried files, folders, installed packages, the Hugging Face cache ({hub_cache()}) and plug-ins"
    raise SubjectError("was not found", where=name, hint=f"{tried}; {hint}")


def _look_at(path: Path) -> ResolvedSource:
    if not path.is_dir():
        return ResolvedSource("onnx" if path.suffix.lower() == ".onnx" else EMBEDDING, path)
    if (path / "modules.json").is_file():
        return ResolvedSource("sentence-transformers", path)
    if (path / "config.json").is_file():
        return ResolvedSource("transformers", path)
    graphs = sorted(path.glob("*.onnx"))
    if len(graphs) == 1:
        return ResolvedSource("onnx", graphs[0])
    if (snapshot := find_snapshot(path)) is not None:
        return _look_at(snapshot)
    what = "more than one .onnx file: name one of them" if graphs else "no config.json, modules.json or .onnx file"
    raise SubjectError(f"is a folder with {what}", where=path, hint="give an embedding file or the folder of a model")
