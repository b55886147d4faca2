"""Who takes part: let in once, known by the hash of a token or by the number that a panel gave, and let go.

A panel needs to pay: the link carries the number under which it knows a participant, and a code goes back. Those who
run a study add the text that people agree to, and how a panel knows who has finished. Every function that takes a
connection works within the caller's transaction.
"""

import base64
import hashlib
import hmac
import re
import secrets
import sqlite3
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from imprint.study.database import read_start
from imprint.study.design import AnswerError, StudyError, WithdrawnError

PANEL_FIELDS = ("participant", "PROLIFIC_PID")  # of the link; Prolific fills in the second one
# No cell of a spreadsheet begins a formula with it, no page or address needs it escaped.
PANEL_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"

_TOKEN_BYTES = 24
_MOST = 100_000  # a link that anybody may open must not fill the disk

LARGEST_CONSENT = 64 * 1024  # bytes, some twenty pages
REQUIRED = ("Researcher", "Duration", "Contact")  # lines that a consent text must have

_FIELD = re.compile(rf"^[ \t]*(?=(?:{'|'.join(REQUIRED)})[ \t]*:)", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9._~:/?#@!$&()*+,;=%{}-]{0,400})?")


@dataclass(frozen=True)
class Person:
    """How far somebody is, and the panel's number for them where their link carried one."""

    consented: bool
    familiar: bool
    away: bool
    finished: bool
    panel_id: str | None


def new_token() -> str:
    """Return a token that cannot be guessed; only its hash is stored."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def hash_token(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


def let_in(connection: sqlite3.Connection, token_hash: bytes, fingerprint: bytes | None) -> int:
    """Return a new participant's number, or that of the one who has this token already.

    `fingerprint` is that of the panel's number; one that has withdrawn is refused.
    """
    known = find(connection, token_hash)
    if known is not None:
        return known
    if connection.execute("SELECT 1 FROM withdrawn WHERE fingerprint = ?", (fingerprint,)).fetchone():
        raise WithdrawnError(
            "the answers of this participant number were deleted", hint="the number cannot be used again"
        )
    (count,) = connection.execute("SELECT count(*) FROM participants").fetchone()
    if count >= _MOST:
        raise StudyError(f"{count:,} people have joined, and the study is full", got=count)
    row = connection.execute("INSERT INTO participants (token_hash) VALUES (?)", (token_hash,))
    assert row.lastrowid is not None
    return row.lastrowid


def find(connection: sqlite3.Connection, token_hash: bytes) -> int | None:
    """Return the number of the participant with this token, None for an unknown token."""
    row = connection.execute("SELECT participant FROM participants WHERE token_hash = ?", (token_hash,)).fetchone()
    return None if row is None else int(row[0])


def person(connection: sqlite3.Connection, participant: int) -> Person:
    """Return what is known of a participant."""
    row = connection.execute(
        "SELECT consented, familiar, away, finished, panel_id FROM participants WHERE participant = ?", (participant,)
    ).fetchone()
    if row is None:
        raise WithdrawnError(f"there is no participant {participant}", got=participant, hint="join first")
    consented, familiar, away, finished, panel_id = row
    return Person(bool(consented), bool(familiar), bool(away), bool(finished), panel_id)


def panel_ids(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the panel's numbers by participant, of those whose link carried one and who agreed to take part."""
    rows = connection.execute("SELECT participant, panel_id FROM participants WHERE panel_id IS NOT NULL")
    return dict(rows.fetchall())


def forget(connection: sqlite3.Connection, participant: int, fingerprint: bytes | None) -> int:
    """Delete everything of a participant, and return how many answers that were; the number is never given again.

    `fingerprint`, of the panel's number where there was one, is kept.
    """
    (answers,) = connection.execute("SELECT count(*) FROM answers WHERE participant = ?", (participant,)).fetchone()
    for table in ("answers", "assignments", "participants"):
        connection.execute(f"DELETE FROM {table} WHERE participant = ?", (participant,))  # noqa: S608 - our own names
    if fingerprint is not None:
        connection.execute("INSERT OR IGNORE INTO withdrawn VALUES (?)", (fingerprint,))
    return int(answers)


def is_short(text: str) -> bool:
    """Tell whether a number or a code is one to 64 letters, digits, hyphens and underscores."""
    return re.fullmatch(PANEL_PATTERN[1:-1], text) is not None


def check_panel_id(text: str) -> str:
    """Return a participant's number; refuse any other text, such as a field that nothing was filled into."""
    if not is_short(text):
        raise AnswerError(
            "the participant number in this link is not valid",
            got=text,
            hint="open the link exactly as you received it, or ask the people who sent it",
        )
    return text


def carried_id(query: Iterable[tuple[str, str]]) -> str | None:
    """Return the participant's number that a link carries, None where it carries none; two different are refused."""
    given = {value for field, value in query if field in PANEL_FIELDS}
    if len(given) > 1:
        raise AnswerError("this link has two participant numbers", hint="open the link exactly as you received it")
    return check_panel_id(given.pop()) if given else None


def token_of(secret: bytes, panel_id: str) -> str:
    """Return the private link's token of a panel's participant: the same whenever this number comes back.

    It ends with the number itself, so that nothing has to be stored of somebody who has not agreed yet.
    """
    digest = base64.urlsafe_b64encode(_keyed(secret, "link of", panel_id)).decode().rstrip("=")
    return f"{digest}.{panel_id}"


def number_in(secret: bytes, token: str) -> str | None:
    """Return the panel's number that a token carries, None for a token of anybody else or of another study."""
    panel_id = token.partition(".")[2]
    if not is_short(panel_id):
        return None
    is_theirs = hmac.compare_digest(token_of(secret, panel_id).encode(), token.encode(errors="replace"))
    return panel_id if is_theirs else None


def fingerprint_of(secret: bytes, panel_id: str) -> bytes:
    """Return what is kept of a number that has withdrawn: without the study's secret it tells nothing."""
    return _keyed(secret, "withdrawn", panel_id)


def pseudonym_of(secret: bytes, participant: int) -> str:
    """Return what published answers call a participant; who joined when or as whom does not follow from it."""
    return f"p{_keyed(secret, 'published', str(participant)).hex()[:12]}"


def _keyed(secret: bytes, purpose: str, text: str) -> bytes:
    return hmac.new(secret, f"{purpose} {text}".encode(), sha256).digest()


@dataclass(frozen=True)
class Terms:
    """What people agree to, and what they get at the end.

    `consent` holds the paragraphs of the text. `completion_code` is shown after the last page, `screen_out_code` to
    people who cannot answer any. `return_url` takes them back to the panel, with {code} and {participant} filled in.
    """

    consent: tuple[str, ...] = ()
    completion_code: str | None = None
    screen_out_code: str | None = None
    return_url: str | None = None

    def __post_init__(self) -> None:
        for option in ("completion_code", "screen_out_code"):
            code = getattr(self, option)
            if code is not None and not is_short(code):
                raise StudyError(
                    option=option,
                    got=code,
                    expected="1 to 64 letters, digits, hyphens or underscores, a letter or digit first",
                )
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
