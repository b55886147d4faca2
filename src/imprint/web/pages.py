"""Pages, forms and their few static files, what the server says when it refuses, and an empty app that has them.

Nothing is inline, so the policy can forbid that. A refusal is one line of what happened and what to do, for every
status that is sent.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from imprint.errors import ImprintError
from imprint.render.html import TEMPLATES, make_environment
from imprint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi.telemetry import TelemetryConfig

API = "/api/"  # below it, refusals are JSON

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

_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 200
_SHARED = Path(__file__).parent / "templates"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

# Traces would carry private links wherever the environment says that traces go.
_SILENT: "TelemetryConfig" = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


class RefusedError(ImprintError):
    """A request that is refused; the message is shown to whoever sent it, so nothing secret goes into it."""

    def __init__(self, status: int, message: str = "", *, headers: Mapping[str, str] | None = None) -> None:
        self.title, advice = SAID.get(status) or SAID[500 if status >= 500 else 400]
        super().__init__(message or advice)
        self.status = status
        self.headers = dict(headers or {})


class Pages:
    """The templates of one app over those that all share, and the files a page asks for, read once."""

    def __init__(
        self, templates: Path, *, static: Sequence[str] = (), shared: Mapping[str, Any] | None = None
    ) -> None:
        self._environment = make_environment(templates, _SHARED)
        self._environment.globals |= dict(shared or {})
        self._static = {name: (templates / name).read_bytes() for name in static} | {
            "style.css": (TEMPLATES / "style.css").read_bytes() + (_SHARED / "web.css").read_bytes(),
            "icon.svg": (_SHARED / "icon.svg").read_bytes(),
        }

    def draw(self, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
        """Return a page."""
        # Words come from files, and a file may hold half of a character pair, which UTF-8 cannot write.
        page = self._environment.get_template(template).render(context).encode(errors="backslashreplace")
        return HTMLResponse(page, status_code=status)

    def static(self, name: str) -> Response:
        """Return a file by its name, looked up among those read at the start: no path comes from a request."""
        if name not in self._static:
            raise RefusedError(404)
        return Response(self._static[name], media_type=_TYPES[Path(name).suffix])

    def refuse(self, path: str, refusal: RefusedError) -> Response:
        """Return the page, or below /api/ the JSON, that says what was wrong and what to do."""
        response: Response
        if path.startswith(API):
            response = PlainJson({"detail": str(refusal)}, status_code=refusal.status)
        else:
            response = self.draw("error.html", status=refusal.status, title=refusal.title, message=str(refusal))
        response.headers.update(refusal.headers)
        return response


async def read_form(request: Request) -> dict[str, str]:
    """Return a form's fields, of several with one name the last; one that is not a form has none."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != _FORM:
        return {}
    body = (await request.body()).decode("ascii", errors="replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace"))
    except ValueError:
        raise RefusedError(413) from None


Form = Annotated[dict[str, str], Depends(read_form)]


def whole_number(text: str, most: int) -> int | None:
    """Return the number that a field of a form holds, from 1 to `most`; None for any other text."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most)) and 1 <= int(text) <= most
    return int(text) if is_number else None


class PlainJson(JSONResponse):
    """JSON of plain ASCII: words from files may hold half characters, which UTF-8 cannot write."""

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return json.dumps(content, allow_nan=False).encode()


@dataclass(frozen=True)
class Refused:
    """Why a request was refused, and what to do: what programs get as JSON."""

    detail: str


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe with which statuses a route refuses requests."""
    return {status: {"model": Refused, "description": SAID.get(status, SAID[500])[0]} for status in statuses}


def make_application(title: str, description: str, pages: Pages) -> FastAPI:
    """Return an app without routes of its own; its documentation pages are off, for they load scripts from afar."""
    app = FastAPI(
        title=title,
        description=description,
        version=__version__,
        default_response_class=PlainJson,
        docs_url=None,
        redoc_url=None,
        telemetry=_SILENT,
    )
    app.add_api_route("/static/{name}", pages.static, methods=["GET"], include_in_schema=False)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return pages.refuse(request.url.path, RefusedError(422, _first(error.errors())))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        return pages.refuse(request.url.path, RefusedError(error.status_code, headers=error.headers))

    @app.exception_handler(ImprintError)
    async def refused(request: Request, error: ImprintError) -> Response:
        refusal = error if isinstance(error, RefusedError) else RefusedError(getattr(error, "status", 422), str(error))
        return pages.refuse(request.url.path, refusal)

    @app.exception_handler(Exception)
    async def broken(request: Request, _error: Exception) -> Response:
        return pages.refuse(request.url.path, RefusedError(500))  # the guard, which gets the error too, logs it

    return app


def _first(errors: "Sequence[dict[str, object]]") -> str:
    """Say in one line what is wrong with a request, without repeating what it held."""
    place: object = errors[0]["loc"]
    field = place[1] if isinstance(place, tuple) and len(place) > 1 else ""
    # A body that is no JSON has a number there: where the reading stopped.
    name = field if isinstance(field, str) and field.isidentifier() else ""
    return f"{name or 'The request'}: {str(errors[0]['msg']).rstrip('.')}."
