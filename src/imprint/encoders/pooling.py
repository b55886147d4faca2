"""From one vector a token to one vector a text, and from many layers to one.

May et al. (2019, SEAT), Table 3: a mean over ELMo's tokens summed over its layers, BERT's first token, GPT's last.
"""

from collections.abc import Sequence
from typing import get_args

import numpy as np

from imprint.checks import Layers, Pooling
from imprint.types import Floats, Floats32

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
LAYERS: tuple[Layers, ...] = get_args(Layers)


def pool(hidden: Floats32, pooling: Pooling) -> Floats32:
    """Reduce hidden states of shape (texts, tokens, width) to (texts, width).

    "cls" is a text's first token, whatever it is called, and "last" its last.
    """
    match pooling:
        case "cls":
            return hidden[:, 0]
        case "last":
            return hidden[:, -1]
        case "max":
            return np.asarray(hidden.max(axis=1), dtype=np.float32)
        case "mean":
            return np.asarray(hidden.mean(axis=1, dtype=np.float64), dtype=np.float32)


def combine(layers: Sequence[Floats32], how: Layers) -> Floats32:
    """Reduce the hidden states of all layers to one array of their shape.

    The layers run from the embedding layer's output, which counts as one in sum and mean, to the last block's.
    """
    if how == "last":
        return layers[-1]
    total: Floats = np.sum(layers, axis=0, dtype=np.float64)
    return (total / len(layers) if how == "mean" else total).astype(np.float32)
