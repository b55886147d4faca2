"""What the server says when it refuses: one line of what happened and what to do, for every status it sends."""

from collections.abc import Mapping
from dataclasses import dataclass

from imprint.errors import ImprintError

# The heading of the page, and what to do.
SAID: Mapping[int, tuple[str, str]] = {
    400: ("That could not be understood", "Go back, reload the page and try again."),
    403: ("Not allowed", "Open your own link again and go on from there."),
    404: ("This page does not exist", "Check that the link is complete, up to its last letter."),
    405: ("This page cannot be opened this way", "Open the page by its link, and send answers with its own buttons."),
    408: ("That took too long", "Check the connection, go back and send it again."),
    409: ("Already answered", "Open your link again to go on with the next question."),
    410: ("The page was open for too long", "Open your link again: it shows what is still to be answered."),
    413: ("That is too much", "Send less text: at most 64 kB."),
    422: ("Something is missing", "Go back, complete the answer and send it again."),
    429: ("Too many requests", "Wait a minute, then reload the page. What you answered is kept."),
    500: (
        "Something went wrong here",
        "What you answered before is kept. Reload the page; if it happens again, tell whoever sent you the link.",
    ),
}


@dataclass(frozen=True)
class Refused:
    """Why a request was refused, and what to do: what programs get as JSON."""

    detail: str


class RefusedError(ImprintError):
    """A request that is refused; the message is shown to whoever sent it, so nothing secret goes into it."""

    def __init__(self, status: int, message: str = "", *, headers: Mapping[str, str] | None = None) -> None:
        self.title, advice = SAID.get(status) or SAID[500 if status >= 500 else 400]
        super().__init__(message or advice)
        self.status = status
        self.headers = dict(headers or {})
