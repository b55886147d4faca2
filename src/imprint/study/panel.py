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
            "the participant number of this link cannot be read; open the link just as you got it, "
            "and tell whoever sent it if it does not work"
        )
    return text


def carried_id(query: Iterable[tuple[str, str]]) -> str | None:
    """Return the participant's number that a link carries, None where it carries none; two different are refused."""
    given = {value for field, value in query if field in FIELDS}
    if len(given) > 1:
        raise AnswerError("this link carries two participant numbers; open the link just as you got it")
    return check_panel_id(given.pop()) if given else None


def token_of(secret: bytes, panel_id: str) -> str:
    """Return the private link's token of a panel's participant: the same whenever this number comes back."""
    digest = hmac.new(secret, b"link of " + panel_id.encode(), sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
