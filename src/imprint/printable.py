"""Text from files and servers, made such that it cannot steer the terminal it is shown on.

Escape sequences move the cursor, rename the window or hide what stands before them; marks of direction turn the rest
of a line round. Letters of every script stay as they are.
"""

import unicodedata

_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, formats, halves of pairs, separators of lines
# Line breaks are the writer's. Persian, Hindi and some emoji need the joiners, and mixed scripts the two marks.
_KEPT = frozenset("\n\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}")


def printable(text: str) -> str:
    """Return the text with a space for every odd white space, and a mark for whatever else would steer."""
    return text if text.isprintable() else "".join(map(_shown, text))


def one_line(text: str) -> str:
    """Return the text as one line that does not steer."""
    return printable(" ".join(text.split()))


def _shown(letter: str) -> str:
    if letter in _KEPT or unicodedata.category(letter) not in _STEERING:
        return letter
    return " " if letter.isspace() else "\N{REPLACEMENT CHARACTER}"
