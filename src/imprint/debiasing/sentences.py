"""Debiasers fitted on an encoder's sentences: words of groups in many sentences, and other words to judge the result.

Liang et al. (2020), section 2.1: a word alone says little about how an encoder treats it in sentences. Sentences to
fit on are not those of SEAT, and names of the catalogue's tests are left out, so that both can judge what was fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from imprint.debiasing.labelled import LabelledRows, check_groups, gendered_names
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.encoders.wrapping import WrappingEncoder
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.catalog import catalogue as tests
from imprint.stimuli.definition import WordKind, WordSet, word_sets
from imprint.stimuli.templates import Templates, bundled_patterns, fill, fitting_templates, spaced
from imprint.subjects.encodings import encode_texts, fresh_texts
from imprint.types import Floats, Floats32, Progress

FittedOn = Literal["words", "sentences"]

PER_WORD = 4  # sentences of a word that has no pair: more words say more than more sentences

TERMS = (
    *((pair, "person noun") for pair in (
        ("man", "woman"), ("boy", "girl"), ("father", "mother"), ("son", "daughter"), ("brother", "sister"),
        ("guy", "gal"), ("male", "female"), ("uncle", "aunt"), ("nephew", "niece"), ("husband", "wife"),
        ("grandfather", "grandmother"), ("grandson", "granddaughter"), ("gentleman", "lady"), ("dad", "mom"),
        ("king", "queen"), ("prince", "princess"), ("businessman", "businesswoman"), ("schoolboy", "schoolgirl"),
        ("boyfriend", "girlfriend"), ("groom", "bride"),
    )),
    (("he", "she"), "subject pronoun"),
    (("him", "her"), "object pronoun"),
)  # fmt: skip

_MOST_NAMES = 600  # of each group, to fit on
_MOST_HELD_OUT = 150  # of each group, to judge with
_EVERY = 5  # every so many names are held out
_FEWEST_OWN = 10  # words of each group of the reader's own
_FEWEST_KNOWN = 2  # words of each group that an encoder must know


@dataclass(frozen=True)
class FittingGroups:
    """The words of each group to fit on, those held out to judge with, and pairs that differ in the group alone."""

    fitted: tuple[WordSet, ...]
    held_out: tuple[WordSet, ...]
    pairs: tuple[tuple[str, str], ...] = ()


def gender_groups() -> FittingGroups:
    """Return men and women: paired terms, and first names that no test of the catalogue asks about as names."""
    sets = [words for test in tests() for words in word_sets(test).values()]
    tested = {word for group in sets for word, kind in zip(group.words, group.kinds, strict=True) if kind == "name"}
    fitted, held_out = [], []
    for side, (group, names) in enumerate(zip(("men", "women"), gendered_names(), strict=True)):
        others = [name for name in names if name not in tested]
        parts = _split(WordSet.of(group, others, "name"))
        terms = [(pair[side], kind) for pair, kind in TERMS]
        words, kinds = (tuple(column) for column in zip(*terms, strict=True))
        fitted.append(WordSet(group, (*words, *parts[0].words), (*kinds, *parts[0].kinds)))
        held_out.append(parts[1])
    return FittingGroups(tuple(fitted), tuple(held_out), tuple(pair for pair, _ in TERMS))


def own_groups(groups: Sequence[WordSet]) -> FittingGroups:
    """Return groups of the reader's own, every fifth word held out."""
    for group in check_groups(groups):
        if len(group) < _FEWEST_OWN:
            raise SettingError(
                f"the group {group.name} has {len(group)} words",
                option="groups",
                got=len(group),
                expected=f"at least {_FEWEST_OWN}",
                hint="give more words with --group, or in groups",
            )
    parts = [_split(group) for group in groups]
    return FittingGroups(tuple(fitted for fitted, _ in parts), tuple(held_out for _, held_out in parts))


def label_texts(
    encoder: Encoder,
    groups: FittingGroups | None = None,
    *,
    on: FittedOn = "sentences",
    templates: Templates | None = None,
    others: bool = False,
) -> LabelledRows:
    """Encode the words of groups, in sentences or alone; `others` asks for professions and background words too.

    A word of a pair goes into every sentence of its kind, any other word into four, each group's in the same ones.
    Words that the encoder has no representation of are left out.
    """
    chosen = gender_groups() if groups is None else groups
    frames = _fitting(templates)
    paired = {word for pair in chosen.pairs for word in pair}
    fitted, missing = known_words(encoder, chosen.fitted)
    for group in fitted:
        if len(group) < _FEWEST_KNOWN:
            raise VocabularyError(
                f"has {len(group)} of the words of {group.name} to fit on",
                expected=f"at least {_FEWEST_KNOWN}",
                where=encoder.name,
                words=missing,
            )
    texts: list[str] = []
    owners: list[int] = []
    labels: list[int] = []
    places: dict[tuple[str, str], int] = {}
    for label, group in enumerate(fitted):
        turn = 0
        for word, kind in zip(group.words, group.kinds, strict=True):
            patterns = _patterns(kind, frames, on)
            if word not in paired:
                patterns = in_turn(patterns, turn, PER_WORD)
                turn += 1
            for pattern in patterns:
                places[word, pattern] = len(texts)
                texts.append(fill(pattern, word) if pattern else word)
                owners.append(len(owners) and owners[-1] + (pattern == patterns[0]))
                labels.append(label)
    rows = encoder.encode(texts)
    pairs = [
        (row, places[second, pattern])
        for first, second in chosen.pairs
        for (word, pattern), row in places.items()
        if word == first and (second, pattern) in places
    ]
    return LabelledRows(
        name=encoder.name,
        sha256=encoder.identity,
        rows=rows.astype(np.float64),
        labels=np.array(labels, dtype=np.intp),
        owners=np.array(owners, dtype=np.intp),
        groups=tuple(group.words for group in fitted),
        pairs=np.array(pairs, dtype=np.intp),
        seeds=_encoded(encoder, catalogue.fitted(), "person noun", frames, on) if others else None,
        background=_encoded(encoder, catalogue.background(), "unknown", frames, on) if others else None,
        missing=missing,
        settings={"fitted_on": on, "texts": len(texts), "groups": len(chosen.fitted)},
    )


def known_words(encoder: Encoder, groups: Sequence[WordSet]) -> tuple[tuple[WordSet, ...], tuple[str, ...]]:
    """Return groups without the words that an encoder has no representation of, and these words."""
    missing = encoder.lacks(dict.fromkeys(word for group in groups for word in group.words))
    apart = set(missing)
    return tuple(group.subset(word for word in group.words if word not in apart) for group in groups), missing


def in_turn(patterns: Sequence[str], turn: int, most: int | None) -> Sequence[str]:
    """Return at most so many patterns, the next ones each turn."""
    size = min(most or len(patterns), len(patterns))
    return [patterns[(turn * size + step) % len(patterns)] for step in range(size)]


class RememberingEncoder(WrappingEncoder):
    """An encoder that keeps the vectors it gave, so that several transforms of it encode each text once."""

    def __init__(self, base: Encoder, *, cache: EncodingStore | None = None, progress: Progress | None = None) -> None:
        super().__init__(base)
        self.chunk = 1 << 20
        self.cacheable = False  # in a cache of its own: it has read the one given
        self._cache, self._progress = cache, progress
        self._known: dict[str, Floats32] = {}

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return known vectors, and encode the others."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            encodings = encode_texts(self.base, fresh, cache=self._cache, progress=self._progress)
            self._known |= zip(fresh, encodings.rows(fresh), strict=True)
        return np.array([self._known[text] for text in texts])

    def check_count(self, texts: Sequence[str]) -> None:
        """Refuse texts that the encoder may not be sent any more; known ones are not sent again."""
        if self.max_texts is not None:
            fresh = [text for text in texts if text not in self._known]
            self.base.check_count(fresh_texts(self.base, fresh, self._cache))

    def expect(self, count: int) -> int:
        """Return none: its base says how many texts are not known."""
        return 0


def _split(group: WordSet) -> tuple[WordSet, WordSet]:
    held_out = group.words[_EVERY - 1 :: _EVERY][:_MOST_HELD_OUT]
    apart = set(held_out)
    return group.subset([word for word in group.words if word not in apart][:_MOST_NAMES]), group.subset(held_out)


def _fitting(given: Templates | None) -> Templates:
    """Return the sentences to fit on, ours for kinds that are left out; SEAT's judge what was fitted."""
    if given is None:
        return fitting_templates()
    for pattern in (pattern for patterns in given.by_kind.values() for pattern in patterns):
        if pattern in bundled_patterns():
            raise SettingError(
                option="templates",
                got=pattern,
                expected="sentences that are not among SEAT's, which judge the result",
                hint="leave it out",
            )
    return Templates(given.language, {**fitting_templates().by_kind, **given.by_kind})


def _patterns(kind: WordKind, templates: Templates, on: FittedOn) -> Sequence[str]:
    """Return the patterns of a kind of word; "" stands for the word alone."""
    return ("",) if on == "words" else templates.by_kind.get(kind) or templates.by_kind["unknown"]


def _encoded(encoder: Encoder, words: Sequence[str], kind: WordKind, templates: Templates, on: FittedOn) -> Floats:
    """Encode known words that belong to no group, each in two sentences or alone."""
    patterns = _patterns(kind, templates, on)
    apart = set(encoder.lacks(words))
    texts = [
        fill(patterns[(number + step) % len(patterns)], word) if on == "sentences" else spaced(word)
        for number, word in enumerate(words)
        if word not in apart
        for step in range(min(2, len(patterns)))
    ]
    return encoder.encode(texts).astype(np.float64)
