"""Words as a sentence encoder has them, so that what is asked of an embedding can be asked of an encoder.

An encoder takes sentences, so words go into bleached frames after May et al. (2019), section 3: the same for names and
for other words, so that no frame tells them apart.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

import numpy as np

from imprint.embeddings.background import Background
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import EncoderError, StimulusError
from imprint.stimuli.catalog import catalogue, languages
from imprint.stimuli.definition import CONTROL, UNDETERMINED, Test, words_of
from imprint.stimuli.templates import bundled_templates, spaced
from imprint.subjects.background import CommonWords, common_words, ranked_words, ranks_of
from imprint.subjects.encodings import encode_texts, fresh_texts
from imprint.subjects.opening import EncoderLike, load, open_subject
from imprint.types import Floats32, Progress

FRAMES = ("This is {word}.", "That is {word}.", "It is {word}.")

_NOTHING = 1e-5  # relative: what rounding leaves of vectors that are all the same


def word_vectors(
    source: EncoderLike,
    words: Iterable[str],
    *,
    language: str = "en",
    cache: EncodingStore | None = None,
    progress: Progress | None = None,
) -> Embedding:
    """Return an embedding as it is; of an encoder, one of these words.

    A word's vector is the mean of its vectors in a few bleached frames. Each frame's mean over 500 common words is
    subtracted first: what a frame adds to every sentence says nothing about words. Then each vector is scaled to unit
    length, so that every frame counts the same. It does not depend on which other words are asked about.

    Words of another language that has templates and neutral tests are asked in its frames, and the words of these
    tests are what is subtracted. No frequencies are known there, so checks of frequency cannot run.
    """
    subject = open_subject(source)
    if isinstance(subject, Embedding):
        return subject
    distinct = list(dict.fromkeys(words))
    missing = set(subject.lacks(spaced(word) for word in distinct))
    vocabulary = [word for word in distinct if spaced(word) not in missing]
    bundled = load("default")
    assert bundled.common is not None
    rows = np.array([bundled.index.get(word, -1) for word in vocabulary], dtype=np.int64)
    pools = _own_frames(language)
    vectors, background = _mean_over_frames(subject, vocabulary, pools, cache, progress)
    made = Embedding(
        name=f"{subject.name} (in sentences)",
        words=vocabulary,
        vectors=vectors,
        notes=(_note(subject, vocabulary, pools[0] if pools else FRAMES),),
        ranks=None if pools else ranks_of(vocabulary)[0].astype(np.int32),
        common=bundled.common[rows] & (rows >= 0),
        sample=background,
    )
    vars(made)["sha256"] = subject.sha256  # findings are the encoder's
    return made


def texts_of_words(encoder: Encoder, words: Iterable[str], language: str = "en") -> list[str]:
    """Return the texts that `word_vectors` has an encoder encode."""
    frames, _, _, texts = _asked(encoder, [*words], _own_frames(language))
    return [frame.format(word=text) for frame in frames for text in texts]


def foreign_vectors(
    source: EncoderLike, tests: Iterable[Test], *, cache: EncodingStore | None = None
) -> dict[str, Embedding]:
    """Return vectors of the words of tests by language, for languages with frames of their own; only of an encoder."""
    if isinstance(open_subject(source), Embedding):
        return {}
    return {
        language: word_vectors(source, words, language=language, cache=cache)
        for language, words in foreign_words(tests).items()
    }


def foreign_words(tests: Iterable[Test]) -> dict[str, list[str]]:
    """Return the words of tests in languages with frames of their own, by language."""
    by_language: dict[str, list[Test]] = {}
    for test in tests:
        if test.spoken is not None and test.language not in languages():
            raise StimulusError(
                f"{test.id} is in {test.spoken.name}, in which words alone are not asked of an encoder",
                expected="a test for `imprint seat`",
                hint="write it as [[weat]], and run imprint seat with --tests",
            )
        by_language.setdefault(test.language, []).append(test)
    return {language: sorted(words_of(own)) for language, own in by_language.items() if _own_frames(language)}


@cache
def _own_frames(language: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the frames of a language besides English, and its neutral words; None where it has none of its own."""
    neutral = [test for test in catalogue() if test.language == language and CONTROL in test.topics]
    if language in ("en", UNDETERMINED) or not neutral:
        return None
    return bundled_templates(language).by_kind["unknown"], tuple(sorted(words_of(neutral)))


def _mean_over_frames(
    encoder: Encoder,
    vocabulary: Sequence[str],
    own: tuple[tuple[str, ...], tuple[str, ...]] | None,
    cache: EncodingStore | None,
    progress: Progress | None,
) -> tuple[Floats32, Background | None]:
    """Return the vectors of words, and the common words that stand for all others; one frame at a time."""
    frames, beside, ranked, texts = _asked(encoder, vocabulary, own)
    places = {text: row for row, text in enumerate(texts)}
    by_frame = [[frame.format(word=text) for text in texts] for frame in frames]
    if encoder.max_texts is not None:
        fresh = fresh_texts(encoder, chain(*by_frame), cache)
        encoder.check_count(fresh)
        encoder.announce(len(fresh))
    total = None
    for turn, (frame, sentences) in enumerate(zip(frames, by_frame, strict=True)):
        step = None if progress is None else _of_frame(progress, turn, len(frames), len(texts))
        rows = encode_texts(encoder, sentences, cache=cache, progress=step).rows(sentences)
        largest = np.abs(rows).max()
        rows -= rows[: len(beside) or None].mean(axis=0, dtype=np.float64).astype(np.float32)
        if np.abs(rows).max() <= _NOTHING * largest:
            raise EncoderError(
                f"gives the same vector for every word in {frame!r}",
                where=encoder.name,
                hint="check its weights and pooling",
            )
        rows = np.ldexp(rows, -np.frexp(largest)[1])  # exact, and squares of huge or tiny numbers are then finite
        rows /= _lengths(rows)
        total = rows if total is None else np.add(total, rows, out=total)
    assert total is not None
    total /= np.float32(len(frames))
    common = total[[places[word] for word in ranked.words]]
    return total[[places[spaced(word)] for word in vocabulary]], ranked.background(common / _lengths(common))


def _asked(
    encoder: Encoder, vocabulary: Sequence[str], pools: tuple[tuple[str, ...], tuple[str, ...]] | None
) -> tuple[tuple[str, ...], list[str], CommonWords, list[str]]:
    """Return the frames, the words whose mean is subtracted, those that stand for all others, and all to ask."""
    frames, neutral = pools or (FRAMES, common_words().every(2).words)
    lacking = set(encoder.lacks(neutral))
    beside = [word for word in neutral if word not in lacking]
    ranked = ranked_words().every(2)
    ranked = ranked.without(ranked.words if pools else encoder.lacks(ranked.words))
    return frames, beside, ranked, list(dict.fromkeys((*beside, *ranked.words, *map(spaced, vocabulary))))


def _lengths(rows: Floats32) -> Floats32:
    """Return the length of each row as a column; that of a row of zeros is tiny, so that it can be divided by."""
    return np.asarray(np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny))


def _of_frame(progress: Progress, turn: int, frames: int, size: int) -> Progress:
    """Let the texts of one frame count as its share of all."""
    return lambda done, total: progress(round(size * (turn + done / max(total, 1))), size * frames)


def _note(encoder: Encoder, vocabulary: Sequence[str], frames: Sequence[str]) -> str:
    settings = ", ".join(f"{key} {value}" for key, value in encoder.settings.items())
    return (
        f"{len(vocabulary):,} words and names were encoded with {encoder.name} ({settings}) in the sentences "
        f"{', '.join(map(repr, frames))}; each vector is the mean of its sentences, less the mean of common words"
    )
