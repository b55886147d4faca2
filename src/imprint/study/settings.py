"""What those who run a study decide: the protocol and its size, what people agree to, and how a panel is told.

Each setting is described once, for the options of `imprint study create` and for Python.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from imprint.checks import Protocol
from imprint.settings import option
from imprint.study.design import StudyError

# No cell of a spreadsheet begins a formula with it, no page or address needs it escaped.
PANEL_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"

LARGEST_CONSENT = 64 * 1024  # bytes, some twenty pages
REQUIRED = ("Researcher", "Duration", "Contact")  # lines that a consent text must have

_FIELD = re.compile(rf"^[ \t]*(?=(?:{'|'.join(REQUIRED)})[ \t]*:)", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9._~:/?#@!$&()*+,;=%{}-]{0,400})?")


class StudySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What people are asked, and how many of them."""

    protocol: Annotated[Protocol, option("What people do; with ube they match words to groups.")] = "ube"
    participants: Annotated[
        int | None, option("Participants per page. [default: 18, 15, 10 as in the papers, or 50]")
    ] = None
    pages: Annotated[int | None, option("Categories (ube) or analogies to ask about. [default: 12, 100]", min=1)] = (
        None
    )
    seed: Annotated[int, option("Random seed.", min=0)] = 0

    def check(self) -> None:
        """Refuse settings that contradict one another, before any work is done."""
        if self.pages is not None and self.protocol not in ("ube", "analogy"):
            raise StudyError(
                f"pages cannot be chosen with {self.protocol}",
                option="pages",
                got=self.pages,
                hint="leave them out: they go with ube and analogy",
            )


@dataclass(frozen=True)
class Terms:
    """What people agree to, and what they get at the end.

    `consent` holds the paragraphs of the text. `completion_code` is shown after the last page, `screen_out_code` to
    people who do not pass the exam. `return_url` takes them back to the panel, with {code} and {participant} filled
    in.
    """

    consent: tuple[str, ...] = ()
    completion_code: Annotated[
        str | None, option("Shown after the last page, so that people can be paid.", metavar="CODE")
    ] = None
    screen_out_code: Annotated[str | None, option("Shown to people who do not pass the exam.", metavar="CODE")] = None
    return_url: Annotated[
        str | None, option("The panel's https address, linked beside the code: {code}, {participant}.", metavar="URL")
    ] = None

    def __post_init__(self) -> None:
        for field in ("completion_code", "screen_out_code"):
            code = getattr(self, field)
            if code is not None and not is_short(code):
                expected = "1 to 64 letters, digits, hyphens or underscores, a letter or digit first"
                raise StudyError(option=field, got=code, expected=expected)
        if self.screen_out_code is not None and self.screen_out_code == self.completion_code:
            raise StudyError(
                option="screen_out_code", got=self.screen_out_code, expected="different from the completion code"
            )
        if self.return_url is not None and self.completion_code is None:
            raise StudyError(
                "the return address needs a completion code", option="return_url", got=self.return_url, hint="add one"
            )
        if self.return_url is not None and not _is_return_url(self.return_url):
            raise StudyError(
                option="return_url",
                got=self.return_url,
                expected="an https address with {code} in it, and {participant} where the panel needs it",
                hint="for example https://app.prolific.com/submissions/complete?cc={code}",
            )

    @property
    def contact(self) -> str | None:
        """The line of the consent text that says whom to write to."""
        return next((line for line in self.consent if _says(line, "Contact")), None)

    def way_back(self, code: str | None, panel_id: str | None) -> str | None:
        """Return the panel's address for somebody with this code and number, None where one of them is missing."""
        if self.return_url is None or code is None or ("{participant}" in self.return_url and panel_id is None):
            return None
        return self.return_url.replace("{code}", code).replace("{participant}", panel_id or "")


def is_short(text: str) -> bool:
    """Tell whether a number or a code is one to 64 letters, digits, hyphens and underscores."""
    return re.fullmatch(PANEL_PATTERN[1:-1], text) is not None


def read_consent(path: Path) -> tuple[str, ...]:
    """Read a UTF-8 text into its paragraphs, which blank lines part; other line breaks count as blanks.

    A line that begins with Researcher:, Duration: or Contact: begins a paragraph. All three must be there.
    """
    text = _text(path)
    for number, line in enumerate(text.split("\n"), 1):
        for letter in line.replace("\t", " "):
            if unicodedata.category(letter) == "Cc":
                raise StudyError(
                    f"has the control character U+{ord(letter):04X}",
                    where=(path, number),
                    hint="save it as plain text",
                )
    parts = re.split(r"\n\s*\n", _FIELD.sub("\n\n", text))
    paragraphs = tuple(" ".join(part.split()) for part in parts if part.strip())
    if not paragraphs:
        raise StudyError("is empty", where=path, hint="write what people read before they agree")
    missing = [name for name in REQUIRED if not any(_says(line, name) for line in paragraphs)]
    if missing:
        raise StudyError(
            f"has no line that begins with {' or '.join(f'{name}:' for name in missing)}",
            where=path,
            words=missing,
            hint="say who runs the study, how long it takes and whom to contact",
        )
    return paragraphs


def _says(paragraph: str, name: str) -> bool:
    field, colon, said = paragraph.partition(":")
    return bool(colon and said.strip()) and field.strip().casefold() == name.casefold()


def _is_return_url(url: str) -> bool:
    fields = re.findall(r"\{[^{}]*\}|[{}]", url)
    return bool(_ADDRESS.fullmatch(url)) and "{code}" in fields and set(fields) <= {"{code}", "{participant}"}


def _text(path: Path) -> str:
    from imprint.study.database import read_start  # SQLite, not for `imprint --help`

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
