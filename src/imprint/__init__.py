"""imprint: which social biases are imprinted in an embedding, how sure we can be, and what reduces them.

The public names load when first used, so that `import imprint` and `imprint --help` stay quick; type checkers
read the same names from `__init__.pyi`.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Battery": "association.battery",
    "Embedding": "embeddings.embedding",
    "Encoder": "encoders.base",
    "EncodingCache": "encoders.cache",
    "Enumeration": "enumeration.result",
    "Finding": "finding",
    "FunctionEncoder": "encoders.function",
    "ImprintError": "errors",
    "SeatBattery": "association.seat_battery",
    "SeatResult": "association.seat",
    "WeatResult": "association.weat",
    "WefatResult": "association.wefat",
    "__version__": "version",
    "catalogue": "stimuli.catalog",
    "convert": "embeddings.convert",
    "embed_vocabulary": "enumeration.encoded",
    "enumerate_biases": "enumeration.enumerate",
    "group_association": "association.groups",
    "load": "embeddings.load",
    "open_encoder": "encoders.opening",
    "read_findings": "finding",
    "read_templates": "stimuli.templates",
    "read_tests": "stimuli.catalog",
    "run_audit": "audit",
    "run_battery": "association.battery",
    "run_seats": "association.seat_battery",
    "seat": "association.seat",
    "weat": "association.weat",
    "wefat": "association.wefat",
    "write_findings": "finding",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'imprint' has no attribute {name!r}")
    value = getattr(import_module(f"imprint.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
