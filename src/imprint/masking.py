"""Text from files and servers, made fit to be shown: slurs masked, and nothing that steers the terminal.

Which words are masked, follows Swinger et al. (2019), appendix A, and common dictionaries of slurs; data files keep
every word. They are stored as fingerprints, so that the list itself offends nobody who reads this file:
`fingerprint(word)` gives a line to add.

Escape sequences move the cursor, rename the window or hide what stands before them; marks of direction turn the rest
of a line round. Letters of every script stay as they are.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 48  # characters of a word that are shown; embeddings hold tokens of thousands
_LONGEST_TEXT = 800  # of a title or a reason, which names up to sixty missing words
_JOINERS = "\u200c\u200d"  # invisible, but Persian and Indic scripts spell with them
_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, formats, halves of pairs, separators of lines
# Line breaks are the writer's. Persian, Hindi and some emoji need the joiners, and mixed scripts the two marks.
_HARMLESS = frozenset("\n\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}")

# fmt: off
_FINGERPRINTS = frozenset({
    "038c9ccdd226", "08a841e99678", "0be9b885f4a3", "118418653f4d", "120f6e5b4ea3", "12e6274e4309",
    "158869a97379", "16ea09fc78ca", "1c4bfd100aa9", "22fc75e65a0e", "27a62b68179c", "27eb0c4ad707",
    "28f2b8821f7e", "3175bf063867", "333f76180929", "33740da8a87d", "3b1e0d7c5dd4", "3cc0a581d3bb",
    "3eed6d8f9ba4", "43508b5c03b8", "469c0fdb6020", "4c58f5d5fe92", "566f532d486c", "56d9e1f65737",
    "6122fdf4ae14", "619bc82e0d20", "6b571f65fa6f", "6d1833779e38", "74fad891ce4d", "7c686cf2ae58",
    "85580f904474", "87d1690e74a1", "886d51e97ad7", "8f5083e3e5c7", "94a877e2ce63", "94c6d2e10a76",
    "96c91fa84782", "96dbb959b3c5", "98b52c4b6b7d", "9915ba2d8222", "9ae315a94e42", "9d57436661e1",
    "a322b4dd3bd0", "a40ccba874d2", "a7bf072c97a0", "ad6cacf3af98", "b3cec2f6ece2", "bb87adf8aa78",
    "bd331fb1d242", "be00f1af522e", "c1b4ed05397d", "c20363e68688", "c2c3b68b4883", "c3de533e9b7f",
    "cc02032349c8", "d00a3db7315a", "d75a838dc758", "dc675e448132", "e742d17ff490", "e7b98c6aa5b9",
    "e9e8b6c5afa7", "eef3bd091670", "f64c6fad9c3c", "f9d0d9b18ae9", "fa38a8d3e5b9",
})
# fmt: on


@dataclass(frozen=True)
class Words:
    """How words from files are shown: slurs masked unless `unmask`, invisible letters spelt out, long tokens cut."""

    unmask: bool = False

    def plain(self, word: str) -> str:
        """Return a word as plain text."""
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


def fingerprint(word: str) -> str:
    """Return the short hash under which a slur is listed."""
    return hashlib.sha256(word.lower().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def is_slur(word: str) -> bool:
    """Tell whether a word is listed, as it is or without a plural's ending."""
    stems = {word.lower(), *(word.lower().removesuffix(ending) for ending in ("s", "es"))}
    return any(fingerprint(stem) in _FINGERPRINTS for stem in stems)


def mask(text: str) -> str:
    """Replace all but the first letter of every slur in a word or phrase by asterisks."""
    return re.sub(r"[^\W_]+", lambda found: _starred(found[0]) if is_slur(found[0]) else found[0], text)


def printable(text: str) -> str:
    """Return the text with a space for every odd white space, and a mark for whatever else would steer."""
    return text if text.isprintable() else "".join(map(_without_steering, text))


def one_line(text: str) -> str:
    """Return the text as one line that does not steer."""
    return printable(" ".join(text.split()))


def _starred(word: str) -> str:
    return word[0] + "*" * (len(word) - 1)


def _visible(letter: str) -> str:
    """Spell out what would be invisible or would turn the text around it: controls and marks of direction."""
    odd = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and letter not in _JOINERS
    return f"\\u{ord(letter):04x}" if odd else letter


def _without_steering(letter: str) -> str:
    if letter in _HARMLESS or unicodedata.category(letter) not in _STEERING:
        return letter
    return " " if letter.isspace() else "\N{REPLACEMENT CHARACTER}"
