"""What those who run a study add to it: their ethics board's text, and the code that shows who has finished."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from imprint.study.database import read_start
from imprint.study.panel import is_short
from imprint.study.refusals import StudyError

LARGEST_CONSENT = 64 * 1024  # bytes, some twenty pages


@dataclass(frozen=True)
class Terms:
    """`consent` holds the paragraphs of the board's own text; `completion_code` is shown after the last page."""

    consent: tuple[str, ...] = ()
    completion_code: str | None = None

    def __post_init__(self) -> None:
        if self.completion_code is not None and not is_short(self.completion_code):
            raise StudyError(
                option="completion_code",
                got=self.completion_code,
                expected="1 to 64 letters, digits, hyphens or underscores, a letter or digit first",
            )


def read_consent(path: Path) -> tuple[str, ...]:
    """Read a UTF-8 text into its paragraphs, which blank lines part; other line breaks count as blanks."""
    text = _text(path)
    for number, line in enumerate(text.split("\n"), 1):
        for letter in line.replace("\t", " "):
            if unicodedata.category(letter) == "Cc":
                raise StudyError(
                    f"has the control character U+{ord(letter):04X}",
                    where=(path, number),
                    hint="save it as plain text",
                )
    paragraphs = tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())
    if not paragraphs:
        raise StudyError("is empty", where=path, hint="write what people read before they agree")
    return paragraphs


def _text(path: Path) -> str:
    content = read_start(path, LARGEST_CONSENT + 1, hint="give a text file", unread="give a text file")
    if len(content) > LARGEST_CONSENT:
        raise StudyError(
            f"is longer than {LARGEST_CONSENT >> 10} kB", where=path, hint="shorten it, so that people read it"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError(
            f"byte {error.start + 1} is not UTF-8", where=path, hint="save it as plain text in UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
