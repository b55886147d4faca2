"""What the server says when it refuses: one line of what happened and what to do, for every status it sends."""

from collections.abc import Mapping
from dataclasses import dataclass

from imprint.errors import ImprintError

# The heading of the page, and what to do.
SAID: Mapping[int, tuple[str, str]] = {
    400: ("The request could not be read", "Go back, reload the page and try again."),
    403: ("Not allowed", "Open your own link again and continue there."),
    404: ("Page not found", "Check that the link is complete."),
    405: ("Not allowed", "Open the page with its link, and use its buttons to send answers."),
    408: ("The request took too long", "Check your connection, go back and send it again."),
    409: ("Already answered", "Open your link again to continue with the next question."),
    410: ("The page was open for too long", "Open your link again to see the next question."),
    413: ("The request is too large", "Send less than 64 kB."),
    422: ("Something is missing", "Go back, complete the answer and send it again."),
    429: ("Too many requests", "Wait a minute, then reload the page. Your answers are kept."),
    500: (
        "Something went wrong",
        "Your earlier answers are kept. Reload the page. If it happens again, tell the people who sent you the link.",
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
