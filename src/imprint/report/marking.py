"""Words and numbers as they stand on a page: words masked and harmless, every number marked as the datum it is.

A number becomes `<data value="...">`, rounded for reading and whole in its attribute, so that anybody, and a test, can
look it up in findings.jsonl.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from imprint.masking import mask
from imprint.rounding import round_corrected, round_count, round_end, round_number

NOTHING = Markup("–")

_LONGEST = 48  # characters of a word that are shown; embeddings hold tokens of thousands
_LONGEST_TEXT = 800  # of a title or a reason, which names up to sixty missing words
_JOINERS = "\u200c\u200d"  # invisible, but Persian and Indic scripts spell with them


def number(value: float | None, digits: int = 2) -> Markup:
    """Mark a measured number."""
    return _data(value, round_number(value, digits))


def count(value: int | None, digits: int = 2) -> Markup:
    """Mark a whole number; of one too long to write out, so many digits after the first."""
    return _data(value, "" if value is None else round_count(value, digits))


def share(value: float | None, digits: int = 0) -> Markup:
    """Mark a share as a percentage."""
    return _data(value, "" if value is None else f"{value:.{digits}%}".replace("%", "\N{NO-BREAK SPACE}%"))


def probability(value: float | None, sign: str = "") -> Markup:
    """Mark a p-value, with a sign before it where it is a bound or an estimate."""
    return _data(value, "" if value is None else f"{sign}{value:.2g}")


def corrected_probability(value: float | None, method: str) -> Markup:
    """Mark a corrected p-value, by how the one behind it was found."""
    return _data(value, "" if value is None else round_corrected(value, method))


def end(value: float | None, digits: int) -> Markup:
    """Mark an end of an interval."""
    return _data(value, round_number(None) if value is None else round_end(value, digits))


@dataclass(frozen=True)
class Words:
    """How words are shown: slurs masked unless `unmask`, invisible characters spelt out, long tokens cut."""

    unmask: bool = False

    def plain(self, word: str) -> str:
        """Return a word as plain text, for a chart or a cell."""
        return self._shown(word, _LONGEST)

    def text(self, text: str) -> str:
        """Return a title or a sentence, which may be longer than a word."""
        return self._shown(text, _LONGEST_TEXT)

    def joined(self, words: Iterable[str]) -> str:
        """Return words with commas between them."""
        return ", ".join(self.plain(word) for word in words)

    def _shown(self, text: str, longest: int) -> str:
        visible = "".join(_visible(letter) for letter in text[: longest + 1])
        shown = visible if self.unmask else mask(visible)
        return shown if len(text) <= longest else f"{shown[:longest]}… ({len(text):,} characters)"


def _visible(letter: str) -> str:
    """Spell out what would be invisible or would turn the text around it: controls and marks of direction."""
    odd = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and letter not in _JOINERS
    return f"\\u{ord(letter):04x}" if odd else letter


def _data(value: float | None, shown: str) -> Markup:
    if value is None or value != value:
        return NOTHING
    return Markup('<data value="{}">{}</data>').format(repr(value), shown)
