"""The bundled embeddings by name, with their cards and licences."""

from pathlib import Path

DEFAULT = "default"
_FOLDER = Path(__file__).parent
BUNDLED = {
    DEFAULT: _FOLDER / "glove.6B.100d.safetensors",
    "glove-840b-stimuli": _FOLDER / "glove.840B.300d.stimuli.safetensors",
}
