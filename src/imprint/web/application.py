"""An empty app with what every one of ours has: static files, OpenAPI, and errors that say what to do."""

from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from imprint.errors import ImprintError
from imprint.version import __version__
from imprint.web.pages import Pages, RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi.telemetry import TelemetryConfig

# Traces would carry private links wherever the environment says that traces go.
_SILENT: "TelemetryConfig" = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def make_application(title: str, description: str, pages: Pages) -> FastAPI:
    """Return an app without routes of its own; its documentation pages are off, for they load scripts from afar."""
    app = FastAPI(
        title=title, description=description, version=__version__, docs_url=None, redoc_url=None, telemetry=_SILENT
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
