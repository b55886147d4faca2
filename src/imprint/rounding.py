"""Numbers rounded for reading, in a terminal and on a page alike."""

import math

SIGNS = {"exact": "", "certified": "≤ ", "sampled": "≈ "}  # before a p-value, by how it was found

_EXACT_COUNT = 10**9  # counts below it are written digit by digit


def round_number(value: float | None, digits: int = 2) -> str:
    """Return a number rounded, a dash for one that does not exist."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{round(value, digits) + 0.0:.{digits}f}"  # adding zero: what rounds to -0 is 0


def round_end(value: float, digits: int) -> str:
    """Return an end of an interval rounded, with a digit more where it would else look like zero and is not."""
    near_zero = math.isfinite(value) and value != 0 and round(value, digits) == 0
    return f"{value:.1g}" if near_zero else round_number(value, digits)


def round_corrected(p: float, method: str) -> str:
    """Return a corrected p, with the sign of the p behind it; one is one, whatever it bounds."""
    return f"{SIGNS.get(method, '') if p < 1 else ''}{p:.2g}"


def round_count(count: int, digits: int = 2) -> str:
    """Return a whole number, one of many digits by its power of ten."""
    if abs(count) < _EXACT_COUNT:
        return f"{count:,}"
    exponent = len(str(abs(count))) - 1
    return f"{count / 10**exponent:.{digits}f}e{exponent}"
