"""Words and their vectors, as stored, with a lookup that reports what it did not find."""

import hashlib
import itertools
import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from imprint.checks import check_list, check_whole
from imprint.embeddings.background import Background, in_order, in_sample
from imprint.errors import EmbeddingFileError, VocabularyError, requiring
from imprint.files import hash_file
from imprint.types import Flags, Floats, Floats32, Ints, Ints32, Progress, Subword

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Match = Literal["exact", "lower", "subword"]

# Rows looked at, computed with or written at a time: a mapped matrix never becomes resident whole.
BLOCK_ROWS = 65_536
_CACHED_ROWS = 1024  # whose numbers stay in the processor's cache


@dataclass(frozen=True, repr=False)
class Lookup:
    """The rows found for a list of words, how each was found, and the words that were not.

    `vectors[i]` is the row, as stored, of `words[i]`, which the vocabulary spells `tokens[i]`.
    """

    words: tuple[str, ...]
    tokens: tuple[str, ...]
    matches: tuple[Match, ...]
    vectors: Floats32
    missing: tuple[str, ...]

    @property
    def unit(self) -> Floats:
        """The rows at length one, in float64."""
        return unit_rows(self.vectors)

    def __repr__(self) -> str:
        return f"Lookup({len(self.words)} found, {len(self.missing)} missing)"


@dataclass(frozen=True)
class UnitView:
    """Rows of an embedding scaled to length one, made when they are asked for. Zero rows stay zero."""

    embedding: "Embedding"

    def __getitem__(self, rows: Any) -> Floats32:
        """Return the chosen rows (any numpy index over rows) at unit length."""
        vectors = np.asarray(self.embedding.vectors[rows], dtype=np.float32)
        norms = self.embedding.norms[rows]
        return (vectors / np.where(norms == 0.0, 1.0, norms)[..., None]).astype(np.float32)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return all rows at unit length."""
        whole = self[:]
        return whole if dtype is None else whole.astype(dtype)


@dataclass(frozen=True, repr=False, eq=False)
class Embedding:
    """A vocabulary and one float32 row per word, as the file stored them.

    Parameters
    ----------
    name
        The name shown in results.
    words
        The vocabulary.
    vectors
        One row per word.
    source
        The file it was read from.
    notes
        Notes about how the file was read.
    ranks
        Each word's frequency rank in the training corpus, 0 for the most frequent; by default the order of the words.
    common
        Flags words that an English dictionary lists in lower case and that are not first names.
    subword
        Makes a vector of an unseen word from its parts, or returns None.
    sample
        Words by frequency that tests compare with, where these words themselves are not such a sample.
    """

    name: str
    words: Sequence[str]
    vectors: Floats32
    source: Path | None = None
    notes: tuple[str, ...] = ()
    ranks: Ints32 | None = None
    common: Flags | None = None
    subword: Subword | None = field(default=None, compare=False)
    sample: Background | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.words) != len(self.vectors):
            raise EmbeddingFileError(
                f"has {len(self.words)} words but vectors of shape {self.vectors.shape}",
                expected="one row per word",
                where=self.name,
            )
        if self.vectors.dtype != np.float32:
            raise EmbeddingFileError(
                option="vectors", got=str(self.vectors.dtype), expected="float32", where=self.name
            )

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Embedding({self.name!r}, {len(self):,} words, {self.dimension} dimensions)"

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> Floats32:
        """Return a word's vector as stored, found as `lookup` finds it; a missing word raises VocabularyError."""
        vector: Floats32 = self._known([word]).vectors[0]
        return vector

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getstate__(self) -> dict[str, Any]:
        """Travel by content: where a pickle is opened, the file may not be there to be mapped or hashed."""
        state = {**vars(self), "sha256": self.sha256}
        for made in ("index", "background", "frequency_ranks"):  # quicker made again than sent
            state.pop(made, None)
        return {name: np.asarray(part) if isinstance(part, np.memmap) else part for name, part in state.items()}

    @property
    def has_vocabulary(self) -> bool:
        """Whether its words are its own, to be searched; words put through a sentence encoder are chosen."""
        return self.sample is None

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return int(self.vectors.shape[1])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Row number by word, exact spelling; the first row of a word that occurs twice."""
        last = len(self) - 1
        return MappingProxyType({word: last - row for row, word in enumerate(reversed(self.words))})

    @cached_property
    def norms(self) -> Floats:
        """Euclidean length of every row, in float64."""
        norms = np.empty(len(self), dtype=np.float64)
        for start, block in self.blocks():
            norms[start : start + len(block)] = np.sqrt(np.einsum("ij,ij->i", block, block))
        return norms

    def blocks(self, size: int = BLOCK_ROWS) -> Iterator[tuple[int, Floats]]:
        """Give copies of all rows in float64, a block at a time, each with the number of its first row."""
        for start in range(0, len(self), size):
            with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
                block = np.array(self.vectors[start : start + size], dtype=np.float64)
            yield start, block
            self.give_back()

    def give_back(self) -> None:
        """Give the pages of a mapped matrix back: until then they count as memory of this process.

        The system reads them again, usually from its own cache, when they are needed.
        """
        mapped = getattr(self.vectors, "_mmap", None)
        if mapped is not None and getattr(self.vectors, "mode", "") == "r" and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)

    @property
    def unit(self) -> UnitView:
        """The rows at length one: index it, or take all with numpy.asarray."""
        return UnitView(self)

    @cached_property
    def background(self) -> Background | None:
        """A sample of the rows by frequency; None for a vocabulary too small to have one."""
        if self.sample is not None:
            return self.sample
        ranks = self.frequency_ranks
        whole = self.ranks is None and self.is_ordered
        chosen = np.flatnonzero(in_sample(ranks) if whole else ranks >= 0)
        blocks = np.array_split(chosen, len(chosen) // _CACHED_ROWS + 1)
        largest = np.concatenate([np.abs(self.vectors[block]).max(axis=1) for block in blocks])
        fine = chosen[np.isfinite(largest) & (largest > 0)]
        return Background.of(lambda places: self._unit_rows(fine[places]), ranks[fine])

    @cached_property
    def is_ordered(self) -> bool:
        """Whether the words come by frequency, as far as common English words tell."""
        if len(self) > 2 and all(earlier <= later for earlier, later in itertools.pairwise(self.words)):
            return False
        places = np.arange(len(self)) if self.ranks is None else self.ranks
        return in_order(lambda word: int(places[self.index[word]]) if word in self.index else None)

    @property
    def frequency_notes(self) -> tuple[str, ...]:
        """What checks of frequency had to decide."""
        said = "the words are not in order of frequency; ranks are those of the bundled English embedding"
        return () if self.is_ordered else (said,)

    @cached_property
    def frequency_ranks(self) -> Ints:
        """The frequency rank of every row; where words are in no order, the bundled embedding's, -1 if unknown."""
        if self.is_ordered:
            return np.arange(len(self)) if self.ranks is None else self.ranks.astype(np.int64)
        from imprint.embeddings.reading import frequency_table

        table = frequency_table()
        return np.array([table.get(word, table.get(word.lower(), -1)) for word in self.words], dtype=np.int64)

    def ranks_of(self, tokens: Iterable[str]) -> Ints:
        """Return the frequency ranks of words; one that is not in the vocabulary, or has none, is rarer than all."""
        row_ranks = self.frequency_ranks
        rarest = int(row_ranks.max(initial=-1)) + 1
        rows = (self.index.get(token) for token in tokens)
        ranks = [rarest if row is None or row_ranks[row] < 0 else int(row_ranks[row]) for row in rows]
        return np.array(ranks, dtype=np.int64)

    @cached_property
    def sha256(self) -> str:
        """Hash of the file read, or of words and vectors where there was none."""
        return self.identify()

    def identify(self, progress: Progress | None = None) -> str:
        """Compute `sha256`, telling a caller who wants to show it how many bytes are done of how many."""
        if self.source is not None:
            return hash_file(self.source, progress)
        # gensim's files may hold words that are not quite text: halves of a surrogate pair.
        digest = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(self.vectors).data)
        return digest.hexdigest()

    def check_finite(self) -> None:
        """Refuse NaN and infinities in any row: a mapped matrix was not looked at when it was opened."""
        broken = np.flatnonzero(~np.isfinite(self.norms))
        if len(broken):
            raise self._damage(self.words[broken[0]])

    def lookup(self, words: Iterable[str]) -> Lookup:
        """Find each word: as spelt, else in lower case, else from subwords where the embedding has them.

        A word whose vector is zero has no direction and counts as missing.
        """
        check_list("words", words)
        hits = [(word, self._find(word)) for word in words]
        matched = [(word, *hit) for word, hit in hits if hit is not None]
        return Lookup(
            words=tuple(word for word, *_ in matched),
            tokens=tuple(token for _, token, _, _ in matched),
            matches=tuple(match for _, _, match, _ in matched),
            vectors=np.array([row for *_, row in matched], dtype=np.float32).reshape(len(matched), self.dimension),
            missing=tuple(word for word, hit in hits if hit is None),
        )

    def most_similar(
        self, positive: str | Sequence[str], negative: str | Sequence[str] = (), *, count: int = 10
    ) -> list[tuple[str, float]]:
        """Return the words nearest to the sum of some words less others, each at unit length, with their cosines.

        The words themselves are left out; of equal cosines the first word of the file comes first.
        """
        check_whole("count", count)
        sides = [[words] if isinstance(words, str) else list(words) for words in (positive, negative)]
        terms = self._known([word for side in sides for word in side])
        signs = np.repeat([1.0, -1.0], [len(side) for side in sides])
        similar = self._similarities(signs @ terms.unit)
        for token in terms.tokens:
            if token in self:  # a word made of subwords is in no row
                similar[self.index[token]] = -np.inf
        near = np.argsort(-similar, kind="stable")[:count]
        return [(self.words[row], float(similar[row])) for row in near if np.isfinite(similar[row])]

    def _known(self, words: Sequence[str]) -> Lookup:
        """Look words up; refuse those that are missing."""
        lookup = self.lookup(words)
        if lookup.missing or not lookup.words:
            missing = ", ".join(map(repr, lookup.missing)) or "no words given"
            raise VocabularyError(
                f"{missing}: not found", where=self.name, words=lookup.missing, hint="use words it has"
            )
        return lookup

    def _similarities(self, vector: Floats) -> Floats:
        """Return every row's cosine with a vector; rows without a direction have none and come last."""
        length = float(np.linalg.norm(vector))
        direction = vector / length if length else vector
        similar: Floats = np.full(len(self), -np.inf)
        for start, rows in self.blocks():
            norms = self.norms[start : start + len(rows)]
            np.divide(rows @ direction, norms, out=similar[start : start + len(rows)], where=norms > 0)
        return similar

    def _unit_rows(self, rows: Ints) -> Floats32:
        """Return rows at length one, in single precision."""
        units = np.empty((len(rows), self.dimension), dtype=np.float32)
        for start in range(0, len(rows), _CACHED_ROWS):
            block = np.asarray(self.vectors[rows[start : start + _CACHED_ROWS]])
            norms = np.linalg.norm(block.astype(np.float64), axis=1, keepdims=True)
            units[start : start + _CACHED_ROWS] = block / norms
        return units

    def _find(self, word: str) -> tuple[str, Match, Floats32] | None:
        candidates: tuple[tuple[str, Match], ...] = ((word, "exact"), (word.lower(), "lower"))
        for token, match in candidates:
            row = self.index.get(token)
            if row is not None and self._has_direction(token, self.vectors[row]):
                return token, match, self.vectors[row]
        if self.subword is not None:
            vector = self.subword(word)
            if vector is not None and self._has_direction(word, vector):
                return word, "subword", vector
        return None

    def _has_direction(self, token: str, vector: Floats32) -> bool:
        if not np.isfinite(vector).all():
            raise self._damage(token)
        return bool(np.any(vector))

    def _damage(self, token: str) -> EmbeddingFileError:
        return EmbeddingFileError(
            f"the vector of {token!r} holds NaN or an infinity",
            expected="finite numbers",
            where=self.source or self.name,
            words=[token],
            hint="the file is damaged: convert or fetch it again",
        )

    @classmethod
    def from_gensim(cls, keyed_vectors: "KeyedVectors", *, name: str = "gensim") -> "Embedding":
        """Wrap gensim's KeyedVectors; the matrix is shared, not copied, where it is float32 already.

        Unseen words get a vector from those of FastText.
        """
        from imprint.embeddings.formats.fasttext import Subwords

        vectors = np.asarray(keyed_vectors.vectors, dtype=np.float32)
        subword = None
        if (ngrams := getattr(keyed_vectors, "vectors_ngrams", None)) is not None:
            subword = Subwords(ngrams, keyed_vectors.min_n, keyed_vectors.max_n, keyed_vectors.bucket).vector
        return cls(name, list(map(str, keyed_vectors.index_to_key)), vectors, subword=subword)

    def to_gensim(self) -> "KeyedVectors":
        """Copy into gensim's KeyedVectors."""
        with requiring("gensim", "gensim"):
            from gensim.models import KeyedVectors
        keyed_vectors = KeyedVectors(vector_size=self.dimension)
        keyed_vectors.add_vectors(list(self.words), np.asarray(self.vectors))
        return keyed_vectors


def unit_rows(vectors: Floats | Floats32) -> Floats:
    """Return rows scaled to length one, in double precision; a row of zeros stays."""
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))
