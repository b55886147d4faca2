"""The bundled embeddings by name, with their cards and licences."""

from pathlib import Path

DEFAULT = "default"
BUNDLED = {DEFAULT: Path(__file__).with_name("glove.6B.100d.safetensors")}
