"""From word sets to vectors: what was found, what was not, and whether enough is left."""

from collections.abc import Iterable
from dataclasses import dataclass

from imprint.embeddings.embedding import Embedding, Lookup
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli.definition import WordSet, quote

FEWEST_WORDS = 2
MOST_NAMED = 110  # missing words a refusal names: every published set whole, and not all of a file given by mistake


@dataclass(frozen=True)
class WordRows:
    """Each set's rows, in the order of the sets; `missing` and `lowered` over all of them."""

    sets: tuple[Lookup, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Words without a vector, each once."""
        return tuple(dict.fromkeys(word for rows in self.sets for word in rows.missing))

    @property
    def lowered(self) -> tuple[str, ...]:
        """Words found only in lower case, each once."""
        return _matched(self.sets, "lower")

    @property
    def from_subwords(self) -> tuple[str, ...]:
        """Words whose vector was made from subwords, each once."""
        return _matched(self.sets, "subword")


def find_rows(embedding: Embedding, sets: Iterable[WordSet]) -> WordRows:
    """Look every set up, and refuse one that keeps fewer than two words or the same entry twice."""
    found = []
    for words in sets:
        rows = embedding.lookup(words.words)
        if len(rows.words) < FEWEST_WORDS:
            raise VocabularyError(
                f"{len(rows.missing)} of {len(words)} words are missing from {embedding.name} "
                f"({quote(rows.missing, MOST_NAMED)})",
                expected=f"at least {FEWEST_WORDS} words",
                where=words.name,
                words=rows.missing,
                hint="use other words or a larger embedding",
            )
        _refuse_shared(words.name, words.name, rows, rows, embedding)
        found.append(rows)
    return WordRows(tuple(found))


def require_pair(name: str, pair: object) -> None:
    """Refuse what is not two lists of words."""
    fine = isinstance(pair, tuple | list) and len(pair) == 2 and not any(isinstance(part, str) for part in pair)
    if not fine or not all(isinstance(word, str) for part in pair for word in part):  # type: ignore[attr-defined]
        raise SettingError(
            option=name, got=pair, expected="two lists of words, such as (['rose', 'lily'], ['ant', 'wasp'])"
        )


def refuse_overlap(embedding: Embedding, first: WordSet, second: WordSet, rows: tuple[Lookup, Lookup]) -> None:
    """Refuse two sets that meet in one entry of the vocabulary, as "Rose" and "rose" do in lower case."""
    _refuse_shared(first.name, second.name, *rows, embedding)


def _refuse_shared(first: str, second: str, left: Lookup, right: Lookup, embedding: Embedding) -> None:
    by_token = dict(zip(left.tokens, left.words, strict=True))
    for word, token in zip(right.words, right.tokens, strict=True):
        if token in by_token and (first != second or by_token[token] != word):
            both = f"both {first} and {second}" if first != second else first
            raise VocabularyError(
                f"{by_token[token]!r} and {word!r} of {both} are one entry, {token!r}",
                where=embedding.name,
                words=[by_token[token], word],
                hint="keep one of them",
            )


def _matched(sets: tuple[Lookup, ...], match: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            word for rows in sets for word, how in zip(rows.words, rows.matches, strict=True) if how == match
        )
    )
