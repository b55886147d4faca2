"""What a debiaser learned: a small frozen value that is applied to embeddings, saved and loaded, with a card."""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, overload

import numpy as np
import numpy.typing as npt

from imprint.directions.axis import show_end
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder, identify
from imprint.encoders.wrapping import WrappingEncoder
from imprint.errors import SettingError
from imprint.files import FilePath, new_folder, replacing
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats, Floats32, Subword
from imprint.version import __version__

WordSets = tuple[tuple[str, ...], ...]

KEY = "imprint-transform"  # of the JSON in a file's metadata
MATRIX = "debias.safetensors"  # of a debiased encoder, weight and bias: y = weight x + bias

_BLOCK_ROWS = 8_192
_FRONT_MATTER = re.compile(rb"(\xef\xbb\xbf)?---[ \t]*\r?\n(.*?\n)??---[ \t]*(\r?\n|$)", re.DOTALL)


@dataclass(frozen=True)
class Card:
    """What a transform was fitted on: which embedding, which words, which settings, and what was measured.

    `positive` and `negative` are the words of two groups, `others` those of each further group.
    """

    embedding: str
    embedding_sha256: str
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    seeds: tuple[str, ...]
    missing: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    others: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, name: str, sha256: str, groups: Sequence[Sequence[str]], **facts: Any) -> "Card":
        """Make the card of what was fitted on the words of two groups or more, of an embedding or encoder."""
        first, second, *others = map(tuple, groups)
        return cls(name, sha256, first, second, others=tuple(others), **{"seeds": (), **facts})


@dataclass(frozen=True, eq=False)
class Transform(ABC):
    """Moves rows as they are stored; lengths are what they become, never set back to one."""

    method: str
    card: Card

    form: ClassVar[str]

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How long the rows are that it takes."""

    @abstractmethod
    def move(self, rows: Floats) -> Floats:
        """Return rows of words that are treated like any other."""

    @abstractmethod
    def affine(self) -> tuple[Floats, Floats]:
        """Return `move` as a matrix and what is added: the form of a linear layer."""

    @abstractmethod
    def stored(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return what `save` writes besides method and card: tensors, and what JSON can hold."""

    def __call__(self, rows: npt.ArrayLike) -> Floats:
        """Return an array of rows moved, as those of words that are treated like any other."""
        array = np.asarray(rows, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.dimension:
            raise SettingError(option="rows", got=array, expected=f"an array of shape (n, {self.dimension})")
        return self.move(array)

    @overload
    def apply(self, subject: Encoder) -> "DebiasedEncoder": ...

    @overload
    def apply(self, subject: EmbeddingLike) -> Embedding: ...

    def apply(self, subject: EmbeddingLike | Encoder) -> "Embedding | DebiasedEncoder":
        """Return an embedding with its rows moved, or an encoder that moves every vector it gives.

        An embedding is moved a block at a time; its words, ranks and flags stay.
        """
        if isinstance(subject, Encoder):
            return DebiasedEncoder(subject, self)
        embedding = load(subject)
        self.check(embedding)
        vectors = np.empty(embedding.vectors.shape, dtype=np.float32)
        for start, rows in embedding.blocks(_BLOCK_ROWS):
            # A row of zeros is a word without a vector, and stays one where the transform has a centre.
            vectors[start : start + _BLOCK_ROWS] = np.where(rows.any(axis=1, keepdims=True), self.move(rows), 0.0)
        for row, vector in self._exceptions(embedding).items():
            vectors[row] = vector
        note = f"debiased ({self.method}): fitted on {self.card.embedding} along {_ends(self.card)}"
        return replace(
            embedding,
            name=f"{embedding.name} debiased ({self.method})",
            vectors=vectors,
            source=None,
            notes=(*embedding.notes, note),
            # Not a function defined here, which could not be pickled.
            subword=None if embedding.subword is None else partial(self._move_unseen, embedding.subword),
        )

    transform = apply  # scikit-learn's name for it

    def check(self, embedding: Embedding) -> None:
        """Refuse an embedding of another dimension, or with rows that are not numbers."""
        if embedding.dimension != self.dimension:
            raise SettingError(
                f"has {embedding.dimension} dimensions",
                expected=f"{self.dimension}, which the transform was fitted on",
                got=embedding.dimension,
                where=embedding.name,
                hint="fit a transform on this embedding",
            )
        embedding.check_finite()

    def save(self, path: FilePath) -> None:
        """Write safetensors: tensors, and one piece of JSON; the same transform gives the same bytes."""
        from safetensors.numpy import save_file

        tensors, words = self.stored()
        text = json.dumps({"form": self.form, "method": self.method, "card": asdict(self.card), **words})
        with replacing(path) as part:
            save_file(tensors, part, metadata={KEY: text})

    def _exceptions(self, embedding: Embedding) -> Mapping[int, npt.NDArray[Any]]:
        """Return the rows, by number, of words that are treated apart."""
        return {}

    def _move_unseen(self, subword: Subword, word: str) -> Floats32 | None:
        """Return the vector of a word that is not in the vocabulary."""
        row = subword(word)
        return None if row is None else self.move(row[None].astype(np.float64))[0].astype(np.float32)


class DebiasedEncoder(WrappingEncoder):
    """An encoder behind which a transform moves every vector; `base` is the original encoder."""

    def __init__(self, base: Encoder, transform: Transform) -> None:
        super().__init__(base)
        self.transform = transform
        on = transform.card.settings.get("fitted_on")
        self.name = f"{base.name} debiased ({transform.method}{f', {on}' if on else ''})"
        tensors, words = transform.stored()
        hashes = {name: hashlib.sha256(tensor.tobytes()).hexdigest() for name, tensor in tensors.items()}
        self.identity = identify(adapter="debiased", encoder=base.identity, tensors=hashes, words=words)
        self.settings = {**base.settings, "debiased": transform.method}

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the encoder's vectors, moved; a vector of zeros, of a text it does not know, stays one."""
        rows = self.base.encode(texts).astype(np.float64)
        return np.where(rows.any(axis=1, keepdims=True), self.transform(rows), 0.0) if len(texts) else rows

    def export(self, folder: Path, weight: Floats32, bias: Floats32) -> str | None:
        """Write the encoder with both maps in one."""
        matrix, added = self.transform.affine()
        return self.base.export(folder, *_single(weight @ matrix, weight @ added + bias))

    def save(self, folder: FilePath) -> str | None:
        """Write a new folder that needs none of this package: the model, if it can be written, and the map.

        A sentence-transformers model gets a Dense module as its last stage, an ONNX graph a MatMul and an Add. The
        file debias.safetensors holds the map of any encoder: weight and bias, y = weight x + bias.

        Parameters
        ----------
        folder
            The folder to make; one that exists must be empty.

        Returns
        -------
        str or None
            What the model became, and the options to open it with where it needs some; None where only the map was
            written.
        """
        from safetensors.numpy import save

        weight, bias = _single(*self.transform.affine())
        about = {"method": self.transform.method, "encoder": self.base.name, "card": asdict(self.transform.card)}
        with new_folder(folder) as part:
            made = self.base.export(part, weight, bias)
            _note_change(part, self.name)
            tensors = {"weight": weight, "bias": bias}
            (part / MATRIX).write_bytes(save(tensors, metadata={"imprint": json.dumps(about)}))
        return made


@dataclass(frozen=True, eq=False)
class LinearTransform(Transform):
    """x becomes centre + matrix (x - centre), of every word but those kept."""

    matrix: Floats
    centre: Floats
    kept: frozenset[str] = frozenset()

    form: ClassVar[str] = "linear"

    @property
    def dimension(self) -> int:
        """How long the rows are that it takes."""
        return len(self.centre)

    def affine(self) -> tuple[Floats, Floats]:
        """Return the matrix, and the centre less the matrix times it."""
        return self.matrix, self.centre - self.matrix @ self.centre

    def move(self, rows: Floats) -> Floats:
        """Return the rows moved."""
        moved: Floats = (rows - self.centre) @ self.matrix.T + self.centre
        return moved

    def stored(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return matrix and centre, and the words kept where there are any."""
        words = {"kept": sorted(self.kept)} if self.kept else {}
        return {"matrix": np.ascontiguousarray(self.matrix), "centre": self.centre}, words

    def _exceptions(self, embedding: Embedding) -> Mapping[int, npt.NDArray[Any]]:
        return {
            embedding.index[word]: embedding.vectors[embedding.index[word]]
            for word in self.kept & embedding.index.keys()
        }

    def _move_unseen(self, subword: Subword, word: str) -> Floats32 | None:
        return subword(word) if word in self.kept else super()._move_unseen(subword, word)


@dataclass(frozen=True, eq=False)
class HardTransform(Transform):
    """Takes the directions of `basis`, orthonormal rows, out of all words but those kept, and equalises pairs.

    At unit length, the words of a pair or larger set end at the same distance from every neutral word. They share one
    middle and have parts of equal length along the basis, which point from the set's middle to each word. Each keeps
    its own length. Words are matched as spelt. Each word is in one pair or set at most.
    """

    basis: Floats
    kept: frozenset[str]
    pairs: WordSets

    form: ClassVar[str] = "hard"

    @property
    def dimension(self) -> int:
        """How long the rows are that it takes."""
        return int(self.basis.shape[1])

    def affine(self) -> tuple[Floats, Floats]:
        """Return the projection, and zeros."""
        return np.eye(self.dimension) - self.basis.T @ self.basis, np.zeros(self.dimension)

    def move(self, rows: Floats) -> Floats:
        """Return the rows without their part along the basis."""
        return _without(self._prepared(rows), self.basis)

    def _prepared(self, rows: Floats) -> Floats:
        """Return what hard debiasing starts from, also of words kept."""
        return rows

    def _exceptions(self, embedding: Embedding) -> Mapping[int, npt.NDArray[Any]]:
        index = embedding.index

        def prepared(words: Sequence[str]) -> dict[int, npt.NDArray[Any]]:
            numbers = [index[word] for word in words if word in index and embedding.vectors[index[word]].any()]
            return dict(zip(numbers, self._prepared(embedding.vectors[numbers].astype(np.float64)), strict=True))

        rows = prepared(sorted(self.kept))
        for words in self.pairs:
            alike = prepared(words)
            if len(alike) == len(words):
                rows |= zip(alike, self._equalised(np.array(list(alike.values()))), strict=True)
        return rows

    def _equalised(self, rows: Floats) -> Floats:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units = rows / lengths
        middle = _without(units, self.basis).mean(axis=0)
        along = units @ self.basis.T
        along -= along.mean(axis=0)
        sizes = np.linalg.norm(along, axis=1, keepdims=True)
        # Words that do not differ from the rest along the basis are told apart along its first direction.
        apart = np.eye(len(self.basis))[0] * np.where(np.arange(len(rows)) > 0, -1.0, 1.0)[:, None]
        flat = sizes <= np.finfo(np.float32).eps / 2
        ways = np.where(flat, apart, along / np.where(flat, 1.0, sizes)) @ self.basis
        height = np.sqrt(max(1.0 - middle @ middle, 0.0))
        equalised: Floats = lengths * (middle + height * ways)
        return equalised

    def _move_unseen(self, subword: Subword, word: str) -> Floats32 | None:
        row = subword(word)
        if row is None or word not in self.kept:
            return super()._move_unseen(subword, word)
        return np.asarray(self._prepared(row[None].astype(np.float64))[0], dtype=np.float32)

    def stored(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return the basis, the words kept and the pairs."""
        return {"basis": np.ascontiguousarray(self.basis)}, {"kept": sorted(self.kept), "pairs": self.pairs}


@dataclass(frozen=True, eq=False)
class DoubleHardTransform(HardTransform):
    """Takes `centre` and the directions of `dropped`, orthonormal rows, out of every word; then debiases hard."""

    dropped: Floats
    centre: Floats

    form: ClassVar[str] = "double-hard"

    def affine(self) -> tuple[Floats, Floats]:
        """Return both projections in one, and less the centre without its part along the basis."""
        matrix, _ = super().affine()
        return matrix @ (np.eye(self.dimension) - self.dropped.T @ self.dropped), -matrix @ self.centre

    def _prepared(self, rows: Floats) -> Floats:
        return _without(rows, self.dropped) - self.centre

    def stored(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return the basis, the directions dropped, the centre, the words kept and the pairs."""
        tensors, words = super().stored()
        return {**tensors, "dropped": np.ascontiguousarray(self.dropped), "centre": self.centre}, words


def _without(rows: Floats, basis: Floats) -> Floats:
    """Return rows without their part along orthonormal rows."""
    left: Floats = rows - (rows @ basis.T) @ basis
    return left


def _note_change(folder: Path, name: str) -> None:
    """Say at the top of a model's README.md, where it has one, that it was altered."""
    path = folder / "README.md"
    if not path.is_file():
        return
    note = (
        "> This model was altered: imprint added a linear map as its last step.\n"
        f"> It is {name}.\n"
        "> The text and the figures of this file are those of the original model.\n\n"
    )
    text = path.read_bytes()
    front = _FRONT_MATTER.match(text)
    end = front.end() if front else 0
    path.write_bytes(text[:end] + (b"\n" if end else b"") + note.encode() + text[end:])


def _single(matrix: Floats, bias: Floats) -> tuple[Floats32, Floats32]:
    return np.ascontiguousarray(matrix, dtype=np.float32), bias.astype(np.float32)


def _ends(card: Card) -> str:
    return " - ".join(show_end(words) for words in (card.positive, card.negative, *card.others))
