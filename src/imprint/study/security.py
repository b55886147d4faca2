"""Forms that only their own page can send: a token made of the study's secret and of whose form it is."""

import hmac
from hashlib import sha256
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.requests import Request

from imprint.web.refusal import RefusedError

_MOST_FIELDS = 200
_FORM = "application/x-www-form-urlencoded"


def form_token(secret: bytes, whose: str) -> str:
    """Return what a form of this person carries; it stays the same when the server starts again."""
    return hmac.new(secret, b"form of " + whose.encode(errors="replace"), sha256).hexdigest()


def is_own_form(secret: bytes, whose: str, given: str) -> bool:
    """Tell whether a form was drawn for this person."""
    return hmac.compare_digest(form_token(secret, whose).encode(), given.encode(errors="replace"))


def check_form(secret: bytes, whose: str, given: str) -> None:
    """Refuse a form that was not drawn for this person."""
    if not is_own_form(secret, whose, given):
        raise RefusedError(403, "This form is not from your own page. Nothing was stored. Open your link again.")


async def read_form(request: Request) -> dict[str, str]:
    """Return a form's fields, of several with one name the last; one that is not a form has none."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != _FORM:
        return {}
    body = (await request.body()).decode("ascii", errors="replace")
    try:
        return dict(parse_qsl(body, max_num_fields=_MOST_FIELDS, errors="replace"))
    except ValueError:
        raise RefusedError(413) from None


Form = Annotated[dict[str, str], Depends(read_form)]
