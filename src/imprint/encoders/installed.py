"""The model that an installed package carries, found from the list of its files: none of its code runs."""

import re
from importlib import metadata
from pathlib import Path, PurePosixPath

from imprint.errors import EncoderError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARKS = ("modules.json", "config.json")  # what a model's folder holds, the most telling first


def find_model(package: str) -> Path | None:
    """Return the folder or the ONNX file of the package's model, None where no such package is installed."""
    if not _NAME.fullmatch(package):
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
