"""Pages and their few static files, drawn by the server; nothing is inline, so the policy can forbid that."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response

from imprint.render.html import TEMPLATES, make_environment
from imprint.web.refusal import RefusedError

API = "/api/"  # below it, refusals are JSON

_SHARED = Path(__file__).parent / "templates"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


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
            response = JSONResponse({"detail": str(refusal)}, status_code=refusal.status)
        else:
            response = self.draw("error.html", status=refusal.status, title=refusal.title, message=str(refusal))
        response.headers.update(refusal.headers)
        return response
