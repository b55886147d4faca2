"""Text that stays text in GitHub's Markdown, whatever it contains."""

import re

from imprint.report.marking import Words

# As references these mean nothing to Markdown, also in a table; the others need a backslash.
_REFERENCES = {character: f"&#{ord(character)};" for character in "\\`<>&|"}
_ESCAPES = str.maketrans(_REFERENCES | {character: f"\\{character}" for character in "*_[]#~$@!"})
_START = re.compile(r"^([-+]|[0-9]+(?=[.)]))")
_CODE = re.compile(r"[\w.+-]{1,128}", re.ASCII)
_WORDS = Words()


def plain(text: object) -> str:
    """Return a title or a sentence: slurs masked, invisible characters spelt out, very long ones cut."""
    return escaped(_WORDS.text(str(text)))


def escaped(text: str) -> str:
    """Return the text on one line, without anything that Markdown or HTML would read as more than letters."""
    line = " ".join(text.split()).translate(_ESCAPES)
    return _START.sub(_harmless, line)


def listed(words: object) -> str:
    """Return words with commas between them."""
    return escaped(_WORDS.joined(map(str, words))) if isinstance(words, list | tuple) else ""


def code(text: object) -> str:
    """Return a hash or a version as code, anything else as text."""
    return f"`{text}`" if _CODE.fullmatch(str(text)) else plain(text)


def _harmless(found: re.Match[str]) -> str:
    """Take the meaning from what would begin a list or a heading: the sign itself, or the one after a number."""
    return f"{found[1]}\\" if found[1].isdigit() else f"\\{found[1]}"
