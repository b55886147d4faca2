"""A plain Python function as an encoder."""

from collections.abc import Callable, Sequence

import numpy.typing as npt

from imprint.checks import check_whole
from imprint.encoders.base import Encoder, identify


class FunctionEncoder(Encoder):
    """An encoder made from any function from a list of texts to one row per text.

    Parameters
    ----------
    function
        Takes a list of texts and returns one row per text.
    name
        The name shown in results; by default the function's.
    identity
        Your own version of the function. Its vectors are kept on disk only if this is given.
    chunk
        Texts per call of the function.

    Examples
    --------
    >>> encoder = imprint.FunctionEncoder(lambda texts: [[len(text), 1.0] for text in texts], name="length")
    >>> encoder.encode(["a rose"])
    array([[6., 1.]], dtype=float32)
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
        self.cacheable = identity is not None
        self.chunk = chunk
        self._function = function

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return what the function returns."""
        return self._function(list(texts))
