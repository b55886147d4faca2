"""What a subject's name means: a bundled one, a server, a file, a folder, a package, a downloaded model, a plug-in.

Nothing is opened here, and numpy is not imported: the command line refuses a name before it loads anything.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from imprint.checks import did_you_mean
from imprint.embeddings import BUNDLED, DEFAULT
from imprint.errors import SubjectError, reading_file
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
        found = _find(DEFAULT_ENCODER if (name, kind) == (DEFAULT, "encoder") else name)
    if kind == "embedding" and found.adapter != EMBEDDING:
        shown = "the URL" if found.adapter == "server" else name  # which may hold a password
        raise SubjectError(
            f"{shown} is a sentence encoder ({found.adapter}), but word vectors are needed here",
            got=found.adapter,
            hint="give an embedding file, or measure the encoder with `imprint audit` or `imprint seat`",
        )
    return found


def is_url(name: str) -> bool:
    """Tell whether a name is the URL of a server."""
    return _URL.match(name) is not None


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
    from imprint.subjects.hub import download_command, find_cached, find_model, hub_cache

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
    from imprint.subjects.hub import find_snapshot

    if (snapshot := find_snapshot(path)) is not None:
        return _look_at(snapshot)
    what = "more than one .onnx file: name one of them" if graphs else "no config.json, modules.json or .onnx file"
    raise SubjectError(f"is a folder with {what}", where=path, hint="give an embedding file or the folder of a model")
