"""The explorer put together: pages and API over one embedding, behind the guard."""

from collections.abc import Awaitable, Callable

from fastapi import Depends, FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from imprint.embeddings.embedding import Embedding
from imprint.explorer.api import make_api
from imprint.explorer.pages import ExplorerPages, Fields
from imprint.explorer.queries import Explorer
from imprint.web.application import make_application
from imprint.web.guard import Guard
from imprint.web.pages import RefusedError
from imprint.web.serving import Hosts

DESCRIPTION = "Association tests, axes and neighbours of one embedding, with the numbers of imprint's command line."

_STATIC = "/static/"


def make_explorer(embedding: Embedding, source: str, *, hosts: Hosts, unmask: bool = False) -> Guard:
    """Return the guarded app that answers questions about an embedding, which was opened as `source`."""
    embedding.check_finite()
    explorer = Explorer(embedding, source)
    pages = ExplorerPages(explorer, unmask=unmask)
    return Guard(make_routes(explorer, pages), pages.drawn, hosts=hosts, buckets=_buckets)


def make_routes(explorer: Explorer, pages: ExplorerPages) -> FastAPI:
    """Return the app itself: three pages, each a link or a form, and the API."""
    app = make_application("imprint explorer", DESCRIPTION, pages.drawn)
    ours = [Depends(_refuse_foreign)]
    app.include_router(make_api(explorer), dependencies=ours)
    for path, page in (("/", pages.weat), ("/axis", pages.axis), ("/neighbours", pages.neighbours)):
        app.add_api_route(path, _route(page), methods=["GET", "POST"], dependencies=ours, include_in_schema=False)
    return app


def _route(page: Callable[[Fields], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Read a link's or a form's fields, and draw the page where it does not hold up other requests."""

    async def serve(request: Request) -> Response:
        given = request.query_params if request.method == "GET" else await request.form()
        fields = {name: value for name, value in given.items() if isinstance(value, str)}
        return await run_in_threadpool(page, fields)

    return serve


def _refuse_foreign(request: Request) -> None:
    """Refuse what another site's page loads by itself, as an image or a frame: it could keep this machine busy."""
    site, purpose = (request.headers.get(name, "") for name in ("sec-fetch-site", "sec-fetch-dest"))
    if site == "cross-site" and purpose != "document":
        raise RefusedError(403, "Another site asked for this page; open it by its own address.")


def _buckets(path: str, _address: str) -> tuple[str, ...]:
    """Count all that computes together."""
    return () if path.startswith(_STATIC) else ("questions",)
