"""Numbers rounded for reading: the one place where that happens."""

import math

from imprint.masking import Words
from imprint.view import Given, Number, Phrase, Text

DASH = "–"
_EXACT_COUNT = 10**9  # counts below it are written digit by digit


def rounded(number: Number) -> str:
    """Return a number as people read it; a dash for one that does not exist."""
    value, digits = number.value, number.digits
    if value is None or value != value:
        return DASH
    if number.shape == "count":
        return _count(int(value), digits)  # which may exceed every float
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    match number.shape:
        case "percent":
            return f"{round(100 * value, digits) + 0.0:.{digits}f}\N{NO-BREAK SPACE}%"
        case "points":
            return f"{round(100 * value, digits) + 0.0:.{digits}f}"
        case "p":
            return f"{number.sign}{value:.2g}"
        case "significant":
            return f"{value:.{digits}g}"
        case "end" if value != 0 and round(value, digits) == 0:
            return f"{value:.1g}"  # what is not zero does not look like it
        case _:
            return f"{number.sign}{round(value, digits) + 0.0:.{digits}f}"  # adding zero: what rounds to -0 is 0


def plain(text: Text, words: Words) -> str:
    """Return a text without any markup."""
    if isinstance(text, Phrase):
        return "".join(plain(part, words) for part in text)
    if isinstance(text, Number):
        return rounded(text)
    if isinstance(text, Given):
        return words.text(text.text) if text.long else words.plain(text.text)
    return text


def _count(value: int, digits: int) -> str:
    if abs(value) < _EXACT_COUNT:
        return f"{value:,}"
    exponent = len(str(abs(value))) - 1
    return f"{value / 10**exponent:.{digits}f}e{exponent}"
