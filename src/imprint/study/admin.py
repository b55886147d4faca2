"""The administrator's pages: how far the study is, a preview, answers to download, and private links to hand out."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Cookie, Depends, Header
from starlette.responses import RedirectResponse, Response

from imprint.study.pages import PREVIEW, Form, check_form, draw_preview, form_token, preview_pages
from imprint.study.store import Store
from imprint.web.pages import Pages, RefusedError

COOKIE = "imprint-admin"
MOST_LINKS = 100  # made at once

_WHOSE = "the administrator"
_EXPORTS = {"answers.csv": "text/csv", "scores.jsonl": "application/jsonl"}


def bearer(authorization: str | None) -> str:
    """Return the token of an Authorization header, or nothing."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def admin_routes(store: Store, pages: Pages, *, secure: bool) -> APIRouter:
    """Return the routes below /admin; all but the first need the administrator's token, in a header or the cookie."""
    routes = APIRouter(prefix="/admin")
    cookie: Any = {"path": "/admin", "httponly": True, "samesite": "strict", "secure": secure}

    def known(
        cookie: Annotated[str | None, Cookie(alias=COOKIE)] = None,
        authorization: Annotated[str | None, Header()] = None,
    ) -> bool:
        return store.is_admin(bearer(authorization) or cookie or "")

    def administrator(admitted: Annotated[bool, Depends(known)]) -> None:
        if not admitted:
            raise RefusedError(403, "This page is for the administrator. Open /admin and enter the token.")

    def sent(form: Form, _: Annotated[None, Depends(administrator)]) -> dict[str, str]:
        check_form(store.secret, _WHOSE, form.get("form", ""))
        return form

    def overview(links: tuple[str, ...] = ()) -> Response:
        told = store.overview()
        return pages.draw(
            "admin.html",
            overview=told,
            full=sum(block.answered >= block.quota for block in told.blocks),
            # A page with one thing to judge is known by its words, one with several by their category.
            asked={item.block: item.words for item in store.items() if item.kind in ("sense", "rating")},
            form=form_token(store.secret, _WHOSE),
            links=links,
            most=MOST_LINKS,
            exports=tuple(_EXPORTS),
        )

    @routes.get("")
    def show(admitted: Annotated[bool, Depends(known)]) -> Response:
        return overview() if admitted else pages.draw("token.html", refused="")

    @routes.post("")
    def enter(form: Form) -> Response:
        if not store.is_admin(form.get("token", "").strip()):
            refused = "This is not the token of this study. imprint study create printed it once."
            return pages.draw("token.html", status=403, refused=refused)
        response = RedirectResponse("/admin", status_code=303)
        response.set_cookie(COOKIE, form["token"].strip(), **cookie)
        return response

    @routes.post("/exit")
    def leave(_: Annotated[dict[str, str], Depends(sent)]) -> Response:
        response = RedirectResponse("/admin", status_code=303)
        response.delete_cookie(COOKIE, **cookie)
        return response

    @routes.post("/links")
    def links(form: Annotated[dict[str, str], Depends(sent)]) -> Response:
        wanted = form.get("links", "")
        if not (wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:9]) <= MOST_LINKS):
            raise RefusedError(422, f"The number of links must be 1 to {MOST_LINKS}. Go back and correct it.")
        return overview(tuple(f"/p/{store.join().token}" for _ in range(int(wanted))))

    @routes.get("/preview/{number}")
    def preview(number: int, _: Annotated[None, Depends(administrator)]) -> Response:
        return draw_preview(pages, store, number, form_token(store.secret, _WHOSE))

    @routes.post("/preview/{number}/{action}")
    def preview_next(number: int, action: str, _: Annotated[dict[str, str], Depends(sent)]) -> Response:
        """Show where a button leads; what the form holds is not read."""
        last = len(preview_pages(store))
        if action == "withdraw":
            return pages.draw("withdrawn.html", preview=(last, last))
        return RedirectResponse(f"{PREVIEW}/{last if action == 'leave' else min(number + 1, last)}", status_code=303)

    @routes.get("/{name}")
    def download(name: str, _: Annotated[None, Depends(administrator)]) -> Response:
        from imprint.study.analysis import write_csv, write_jsonl

        if name not in _EXPORTS:
            raise RefusedError(404)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            (write_csv if path.suffix == ".csv" else write_jsonl)(store, path)
            body = path.read_bytes()
        return Response(
            body, media_type=_EXPORTS[name], headers={"content-disposition": f'attachment; filename="{name}"'}
        )

    return routes
