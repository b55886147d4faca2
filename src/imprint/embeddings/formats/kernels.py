"""The compiled scanners of embedding files: plain arrays in, plain arrays out.

Every index is bounds checked, and every scan also ends by itself: a block of text ends with a line break.
Numerals are rounded as Python's float() rounds them and then to float32, which is what numpy.float32(text)
does. Numerals of at most 2**53 with a power of ten up to 22 are one exact division (Clinger 1990); longer
ones are computed with a bounded error, and the few that this bound cannot settle are left to the caller.

The number scanner is one long function on purpose: a helper that takes the text as an argument costs two
atomic reference counts for each number, which is as much again as the scanning itself.
"""

import numpy as np
import numpy.typing as npt

from imprint.compiled import compiled
from imprint.types import Floats32, Ints

SPACE, TAB, LINE, RETURN = 32, 9, 10, 13
MINUS, PLUS, POINT, ZERO, EXPONENT = 45, 43, 46, 48, 101

DONE, BAD_ROW = 0, 1

_EXACT_MANTISSA = 1 << 53
_EXACT_POWER = 22
_LARGEST_POWER = 280  # keeps mantissa * 10**power among the normal doubles
_POWERS = np.array([float(f"1e{power}") for power in range(_LARGEST_POWER + 1)])
_MOST_DIGITS = 19  # more do not fit in 64 bits
_SLACK = 2.0**-50  # over three roundings of 2**-53 and the digits dropped (10**-18)

Bytes = npt.NDArray[np.uint8]
Whole = int | np.int64


@compiled(boundscheck=True)
def parse_rows(
    text: Bytes, start: int, stop: int, values: Floats32, spelling: Bytes, lines: Ints, hard: Ints
) -> tuple[int, int, Whole, int, int, int]:
    """Parse whole lines of text[start:stop], whose last byte is a line break, until `values` is full.

    Each row's word goes to `spelling`, followed by a line break, and its line (counted from 0 at `start`)
    to `lines`. A field this kernel cannot settle goes to `hard` as (row, column, begin, end); `hard` holds at
    least one row's fields. Returns (status, rows, next position, lines passed, bytes spelt, hard fields);
    with BAD_ROW the next position is the start of the offending line.
    """
    capacity, dimension = values.shape
    at = np.uint64(start)
    end = np.uint64(stop)
    one = np.uint64(1)
    rows, passed, spelt, hards = 0, 0, 0, 0
    while at < end and rows < capacity and hards + dimension <= hard.shape[0]:
        line_start = at
        word_start = at
        while text[at] != SPACE and text[at] != TAB and text[at] != LINE:
            at += one
        word_stop = at
        hards_before = hards
        # First from the left, taking the word to be the first field; if that does not come out even (the word
        # holds spaces, a field is no number), again from where the last `dimension` fields begin.
        from_left = bool(word_stop > word_start)
        while True:
            if not from_left:
                found, first, last = _split_from_right(text, np.int64(line_start), dimension)
                if found < 0:
                    return BAD_ROW, rows, np.int64(line_start), passed, spelt, hards_before
                word_start = np.uint64(first)
                word_stop = np.uint64(last)
                at = word_stop
                hards = hards_before
                if found == 0:
                    break
            even = True
            for column in range(dimension):
                while text[at] == SPACE or text[at] == TAB:
                    at += one
                field = at
                negative = text[at] == MINUS
                if negative or text[at] == PLUS:
                    at += one
                first_digit = at
                mantissa = np.uint64(0)
                digit = np.uint64(text[at]) - np.uint64(ZERO)
                while digit < np.uint64(10):
                    mantissa = mantissa * np.uint64(10) + digit
                    at += one
                    digit = np.uint64(text[at]) - np.uint64(ZERO)
                power: Whole = 0
                digits = np.int64(at - first_digit)
                if text[at] == POINT:
                    at += one
                    first_decimal = at
                    digit = np.uint64(text[at]) - np.uint64(ZERO)
                    while digit < np.uint64(10):
                        mantissa = mantissa * np.uint64(10) + digit
                        at += one
                        digit = np.uint64(text[at]) - np.uint64(ZERO)
                    power = -np.int64(at - first_decimal)
                    digits -= power
                numeral = digits > 0
                if (text[at] | 32) == EXPONENT:
                    at += one
                    down = text[at] == MINUS
                    if down or text[at] == PLUS:
                        at += one
                    digit = np.uint64(text[at]) - np.uint64(ZERO)
                    numeral = numeral and digit < np.uint64(10)
                    exponent: Whole = 0
                    while digit < np.uint64(10):
                        if exponent < 100_000:
                            exponent = exponent * 10 + np.int64(digit)
                        at += one
                        digit = np.uint64(text[at]) - np.uint64(ZERO)
                    power += -exponent if down else exponent
                after = text[at]
                if numeral and after in (SPACE, LINE, TAB, RETURN):
                    exact = digits <= _MOST_DIGITS and mantissa <= np.uint64(_EXACT_MANTISSA)
                    if exact and -_EXACT_POWER <= power <= 0:
                        value = np.float64(np.int64(mantissa)) / _POWERS[-power]
                        values[rows, column] = -value if negative else value
                        continue
                    settled, near = _round_near(text, np.int64(first_digit), mantissa, digits, power)
                    if settled:
                        values[rows, column] = -near if negative else near
                        continue
                elif from_left:
                    even = False
                    break
                while text[at] != SPACE and text[at] != TAB and text[at] != LINE:
                    at += one
                hard[hards, 0] = rows
                hard[hards, 1] = column
                hard[hards, 2] = np.int64(field)
                hard[hards, 3] = np.int64(at)
                hards += 1
            if even:
                while text[at] == SPACE or text[at] == TAB or text[at] == RETURN:
                    at += one
                even = text[at] == LINE
            if even or not from_left:
                break
            from_left = False
        # A line of blanks has no word; it is passed over.
        if word_stop > word_start:
            for index in range(word_start, word_stop):
                spelling[spelt] = text[index]
                spelt += 1
            spelling[spelt] = LINE
            spelt += 1
            lines[rows] = passed
            rows += 1
        while text[at] != LINE:
            at += one
        at += one
        passed += 1
    return DONE, rows, np.int64(at), passed, spelt, hards


@compiled(boundscheck=True)
def _split_from_right(text: Bytes, start: Whole, dimension: int) -> tuple[int, Whole, Whole]:
    """Find where a line's word ends and its last `dimension` fields begin.

    Returns (1, word begin, word end); (0, start, start) for a line of blanks; and -1 first where there are too
    few fields, or where the word would hold several fields of which the last is a number: a row of too many.
    """
    while text[start] == SPACE or text[start] == TAB:
        start += 1
    stop = start
    while text[stop] != LINE:
        stop += 1
    while stop > start and (text[stop - 1] == SPACE or text[stop - 1] == TAB or text[stop - 1] == RETURN):
        stop -= 1
    if stop == start:
        return 0, start, start
    for _ in range(dimension):
        while stop > start and text[stop - 1] != SPACE and text[stop - 1] != TAB:
            stop -= 1
        while stop > start and (text[stop - 1] == SPACE or text[stop - 1] == TAB):
            stop -= 1
        if stop == start:
            return -1, start, start
    field = stop
    while field > start and text[field - 1] != SPACE and text[field - 1] != TAB:
        field -= 1
    if field > start and _is_numeral(text, field, stop):
        return -1, start, stop
    return 1, start, stop


@compiled(boundscheck=True)
def _is_numeral(text: Bytes, at: Whole, stop: Whole) -> bool:
    """Whether text[at:stop] is a decimal numeral; `inf` and `nan` are words here."""
    if text[at] == MINUS or text[at] == PLUS:
        at += 1
    digits = 0
    while ZERO <= text[at] < ZERO + 10:
        at += 1
        digits += 1
    if text[at] == POINT:
        at += 1
        while ZERO <= text[at] < ZERO + 10:
            at += 1
            digits += 1
    if digits and (text[at] | 32) == EXPONENT:
        at += 1
        if text[at] == MINUS or text[at] == PLUS:
            at += 1
        digits = 0
        while ZERO <= text[at] < ZERO + 10:
            at += 1
            digits += 1
    return digits > 0 and at == stop


@compiled(boundscheck=True)
def _round_near(text: Bytes, at: Whole, mantissa: np.uint64, digits: Whole, power: Whole) -> tuple[bool, np.float32]:
    """Round a long numeral, sign apart, to float32, if every double near enough rounds alike."""
    if digits > _MOST_DIGITS:
        mantissa = np.uint64(0)
        kept_digits = 0
        left = digits
        while left > 0:
            if text[at] != POINT:
                left -= 1
                if kept_digits < _MOST_DIGITS:
                    mantissa = mantissa * np.uint64(10) + (np.uint64(text[at]) - np.uint64(ZERO))
                    kept_digits += 1 if mantissa else 0
                else:
                    power += 1
            at += 1
    if mantissa == np.uint64(0):
        return True, np.float32(0.0)
    if not -_LARGEST_POWER <= power <= _LARGEST_POWER:
        return False, np.float32(0.0)
    near = np.float64(mantissa)
    near = near * _POWERS[power] if power >= 0 else near / _POWERS[-power]
    low = np.float32(near * (1.0 - _SLACK))
    return low == np.float32(near * (1.0 + _SLACK)), low


@compiled(boundscheck=True)
def split_binary(
    data: Bytes, start: int, stop: int, rows: Bytes, limit: int, spelling: Bytes
) -> tuple[int, int, int, bool]:
    """Copy out the whole rows of word2vec's binary format in data[start:stop], at most `limit` of them.

    A row is a word, a space and the bytes of one row of `rows`. A line break before the word is skipped: the C
    tool writes it, others do not. Each word goes to `spelling`, followed by a line break. Returns (rows, next
    position, bytes spelt, broken?); the scan stops before a row that is cut off, and before one that is broken,
    its word having a line break inside.
    """
    count, spelt = 0, 0
    at = start
    while count < limit and at < stop:
        word = at + 1 if data[at] == LINE else at
        space = word
        while space < stop and data[space] != SPACE and data[space] != LINE:
            space += 1
        vector = space + 1
        if space < stop and data[space] == LINE:
            return count, at, spelt, True
        if stop - vector < rows.shape[1]:
            break
        for index in range(word, space):
            spelling[spelt] = data[index]
            spelt += 1
        spelling[spelt] = LINE
        spelt += 1
        rows[count] = data[vector : vector + rows.shape[1]]
        count += 1
        at = vector + rows.shape[1]
    return count, at, spelt, False
