"""A plain Python function as an encoder."""

from collections.abc import Callable, Sequence

import numpy.typing as npt

from imprint.checks import check_whole
from imprint.encoders.base import Encoder, identify


class FunctionEncoder(Encoder):
    """Any function from a list of texts to one row a text.

    Nothing in a function tells whether it is still the same tomorrow, so its vectors are kept on disk only
    where the caller vouches for them with an `identity` of their own, such as a version of the model.
    """

    def __init__(
        self,
        function: Callable[[Sequence[str]], npt.ArrayLike],
        *,
        name: str | None = None,
        identity: str | None = None,
        chunk: int = 512,
    ) -> None:
        check_whole("chunk", chunk)
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.identity = identify(adapter="function", name=self.name, identity=identity)
        self.settings = {"adapter": "function", "pooling": "the function's own"}
        self.remembered = identity is not None
        self.chunk = chunk
        self._function = function

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return what the function returns."""
        return self._function(list(texts))
