"""Settings that are one of a few names, and checks that many options share.

The library and the command line read the same lists. A check returns the value, or raises a SettingError that names
the option.
"""

import operator
from collections.abc import Collection, Iterable
from numbers import Real
from typing import Any, Literal, get_args

from imprint.errors import SettingError

Alternative = Literal["greater", "less", "two-sided"]
Centre = Literal["category", "all"]
Cleaning = Literal["margin", "centroid", "none"]
Context = Literal[
    "word",  # the word alone
    "bleached",  # in sentences that say as little else as possible
    "unbleached",  # in sentences that belong to the question asked
    "framed",  # in the same sentences as all other words, of whatever kind: how questions are asked
    "corpus",  # in sentences of a text
]
Correction = Literal["bh", "by", "max"]
Device = Literal["cpu", "cuda"]
EmbeddingFormat = Literal["safetensors", "word2vec", "glove", "word2vec-binary", "gensim"]
Layers = Literal["last", "sum", "mean"]
NullMethod = Literal["mirrored", "paper"]
PairMethod = Literal["difference", "pca"]
PairScore = Literal["difference", "3cosmul"]
Pooling = Literal["mean", "max", "cls", "last"]
Protocol = Literal["ube", "offense", "analogy", "suggestion"]
Quantization = Literal["int8", "binary"]

QUANTIZATIONS: tuple[Quantization, ...] = get_args(Quantization)
MOST_DRAWS = 10**9  # hours of work; more is a slip of the finger
_FEWEST_LETTERS = 3  # of a word that choices are searched for
SMALLEST_P = 1e-300  # smaller p-values are kept as this bound


def check_whole(option: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a whole number from `least` up to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        limits = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise SettingError(option=option, got=value, expected=f"a whole number {limits}")
    return number


def check_between(option: str, value: Any, low: float = 0.0, high: float = 1.0) -> float:
    """Return a number between two limits, without the limits themselves."""
    if not isinstance(value, Real) or not low < float(value) < high:
        raise SettingError(option=option, got=value, expected=f"between {low:g} and {high:g}")
    return float(value)


def check_choice(option: str, value: Any, choices: Collection[str]) -> None:
    """Refuse a value that is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise unknown_choice(option, value, choices)


def unknown_choice(option: str, value: Any, choices: Iterable[str], where: str | None = None) -> SettingError:
    """Return the error that lists the choices and suggests the nearest."""
    known = list(choices)
    expected, near = f"one of {', '.join(known) or 'none'}", did_you_mean(value, known)
    return SettingError(option=option, got=value, expected=expected, hint=near or None, where=where)


def did_you_mean(word: Any, choices: Iterable[str]) -> str:
    """Return 'did you mean ...?' with the nearest choice, or one that contains the word, or nothing."""
    import difflib

    known = list(choices)
    near = difflib.get_close_matches(word, known, n=1) if isinstance(word, str) else []
    if not near and isinstance(word, str) and len(word) >= _FEWEST_LETTERS:
        near = [choice for choice in known if word.lower() in choice]
    return f"did you mean {near[0]!r}?" if near else ""


def check_list(option: str, value: str | Iterable[str], of: str = "words") -> None:
    """Refuse one string where a list of them belongs: its letters would be taken for words."""
    if isinstance(value, str):
        raise SettingError(option=option, got=value, expected=f"a list of {of}")


def check_finite(option: str, values: Any) -> None:
    """Refuse an array with infinite numbers, or with what is not a number."""
    import numpy as np  # a command without arrays starts without it

    if not np.isfinite(values).all():
        raise SettingError(option=option, expected="finite numbers", hint="check that this is a real embedding")
