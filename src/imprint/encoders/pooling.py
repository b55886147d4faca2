"""From one vector a token to one vector a text, and from many layers to one.

May et al. (2019, SEAT), Table 3: a mean over ELMo's tokens summed over its layers, BERT's first token, GPT's last.
"""

from collections.abc import Sequence
from typing import get_args

import numpy as np
import numpy.typing as npt

from imprint.checks import Layers, Pooling
from imprint.types import Flags, Floats, Floats32

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
LAYERS: tuple[Layers, ...] = get_args(Layers)


def pool(hidden: Floats32, mask: Flags, pooling: Pooling) -> Floats32:
    """Reduce hidden states of shape (texts, tokens, width) to (texts, width), over real tokens alone.

    `mask` of shape (texts, tokens) is true where a token is real; every text has at least one, and padding may
    are on either side. "cls" is a text's first real token, whatever it is called, and "last" its last.
    """
    texts = np.arange(len(hidden))
    # Chosen, not multiplied by zero: what a model computes at padding may be NaN.
    real = mask[:, :, None]
    pooled: npt.NDArray[np.floating]
    match pooling:
        case "cls":
            pooled = hidden[texts, mask.argmax(axis=1)]
        case "last":
            pooled = hidden[texts, mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)]
        case "max":
            pooled = np.where(real, hidden, -np.inf).max(axis=1)
        case "mean":
            pooled = np.where(real, hidden, 0.0).sum(axis=1, dtype=np.float64) / mask.sum(axis=1)[:, None]
    return pooled.astype(np.float32)


def combine(layers: Sequence[Floats32], how: Layers) -> Floats32:
    """Reduce the hidden states of all layers to one array of their shape.

    The layers run from the embedding layer's output, which counts as one in sum and mean, to the last block's.
    """
    if how == "last":
        return layers[-1]
    total: Floats = np.sum(layers, axis=0, dtype=np.float64)
    return (total / len(layers) if how == "mean" else total).astype(np.float32)
