"""What a panel needs to pay: the number under which it knows a participant, carried by the link, and a code back."""

import base64
import hmac
import re
from collections.abc import Iterable
from hashlib import sha256

from imprint.study.refusals import AnswerError

FIELDS = ("participant", "PROLIFIC_PID")  # of the link; Prolific fills in the second one
# No cell of a spreadsheet begins a formula with it, no page or address needs it escaped.
PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"


def is_short(text: str) -> bool:
    """Tell whether a number or a code is one to 64 letters, digits, hyphens and underscores."""
    return re.fullmatch(PATTERN[1:-1], text) is not None


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
    given = {value for field, value in query if field in FIELDS}
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
