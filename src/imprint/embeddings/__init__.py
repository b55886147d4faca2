"""WHAT IS MEASURED: word embeddings, read from files that are hostile until read, and the bundled ones by name."""

from pathlib import Path

DEFAULT = "default"
_FOLDER = Path(__file__).with_name("bundled")
BUNDLED = {
    DEFAULT: _FOLDER / "glove.6B.100d.safetensors",
    "glove-840b-stimuli": _FOLDER / "glove.840B.300d.stimuli.safetensors",
}
