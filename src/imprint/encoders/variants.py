"""Encoders as they are deployed: vectors cut to their first numbers, or stored in fewer bits.

Kusupati et al. (2022, Matryoshka representations) train models whose first numbers are a vector by themselves. Search
engines keep vectors as 8-bit whole numbers or as signs. Here a text's vector alone decides what becomes of it, so it
does not depend on which other texts are encoded.
"""

import copy
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from imprint.checks import QUANTIZATIONS, Quantization, check_choice, check_whole
from imprint.encoders.base import Encoder, WrappingEncoder, identify
from imprint.errors import SettingError
from imprint.types import Floats32

_LARGEST = 127  # of eight bits with a sign


class VariantEncoder(WrappingEncoder):
    """An encoder whose vectors are cut to `dims` numbers, then stored as `quantize` says; `base` gives them whole.

    The cache keeps the whole vectors, so that several variants of a model encode each text once.
    """

    def __init__(self, base: Encoder, *, dims: int | None = None, quantize: Quantization | None = None) -> None:
        check_whole("dims", 1 if dims is None else dims)
        if quantize is not None:
            check_choice("quantize", quantize, QUANTIZATIONS)
        self.base, self._dims, self._quantize = base, dims, quantize
        chosen = {"dims": dims and str(dims), "quantize": quantize}
        stated = {name: value for name, value in chosen.items() if value}
        shown = ([f"{dims} dims"] if dims else []) + ([quantize] if quantize else [])
        self.name = f"{base.name} ({', '.join(shown)})"
        self.identity = identify(adapter="variant", encoder=base.identity, **stated)
        self.settings = {**base.settings, **stated}
        self.cacheable, self.chunk, self.max_texts = base.cacheable, base.chunk, base.max_texts

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return the encoder's vectors as they are deployed."""
        return self.stored(self.base.encode(texts))

    def stored(self, rows: Floats32) -> Floats32:
        """Return what is stored of whole vectors; one of zeros, of a text that is not known, stays one."""
        if self._dims is not None and len(rows):
            if self._dims > rows.shape[1]:
                raise SettingError(
                    option="dims", got=self._dims, expected=f"at most {rows.shape[1]:,}", where=self.base.name
                )
            rows = rows[:, : self._dims]
        if self._quantize == "binary":
            return np.where(rows.any(axis=1, keepdims=True), np.where(rows > 0, 1, -1), 0).astype(np.float32)
        if self._quantize == "int8":
            largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
            return np.asarray(np.rint(rows / np.maximum(largest, np.finfo(np.float32).tiny) * _LARGEST), np.float32)
        return rows

    def at_most(self, count: int, *, hint: str) -> "VariantEncoder":
        """Return the variant of an encoder with a limit of so many more texts."""
        limited = copy.copy(self)
        limited.base = self.base.at_most(count, hint=hint)
        limited.max_texts = limited.base.max_texts
        return limited
