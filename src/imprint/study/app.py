"""The study as a web app: a private link a participant, pages that work without scripts, and the administrator's.

The administrator sees how far the study is, previews pages, downloads answers and makes private links to hand out.
"""

import logging
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Cookie, Depends, FastAPI, Header
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response

from imprint.errors import ImprintError
from imprint.study.api import api_routes, bearer, find_visitor, take_in
from imprint.study.design import AnsweredError, AnswerError, LateError, StudyError, WithdrawnError
from imprint.study.pages import (
    PREVIEW,
    check_form,
    draw_preview,
    draw_step,
    form_token,
    given_answers,
    is_own_form,
    preview_pages,
    study_pages,
)
from imprint.study.people import PANEL_FIELDS, carried_id
from imprint.study.steps import Visitor
from imprint.study.store import Store
from imprint.web.guard import Guard, RateLimit
from imprint.web.pages import API, Form, Pages, RefusedError, make_application, whole_number
from imprint.web.serving import Hosts

COOKIE = "imprint-admin"
MOST_LINKS = 100  # made at once

# A classroom that joins at one moment is let in; a script that goes on is not.
_BURST, _PER_SECOND = 200, 5
_WHOSE = "the administrator"
_EXPORTS = {"answers.csv": "text/csv", "scores.jsonl": "application/jsonl", "results.html": "text/html"}
_log = logging.getLogger(__name__)


def make_study_app(
    store: Store,
    *,
    hosts: Hosts,
    join: bool = True,
    unmask: bool = False,
    secure: bool = False,
    behind_proxy: bool = False,
) -> Guard:
    """Return the guarded app of a study.

    `join` lets anybody who knows the address take part; without it, links come from the administrator's page.
    `secure` says that the public address is https, so that the administrator's cookie travels no other way.
    `behind_proxy` says that a proxy on this machine names the visitors' addresses.
    """
    pages = study_pages(store, unmask=unmask)
    app = make_application("imprint study", "A rating study: what its pages offer, as JSON.", pages)
    _explain_failures(app, pages)
    app.include_router(_participant_routes(store, pages, join=join), include_in_schema=False)
    app.include_router(_admin_routes(store, pages, secure=secure), include_in_schema=False)
    app.include_router(api_routes(store, join=join), prefix="/api")
    pace = RateLimit(burst=_BURST, per_second=_PER_SECOND)

    def is_admin(headers: Mapping[str, str]) -> bool:
        token = bearer(headers.get("authorization")) or cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        return bool(token) and store.is_admin(token)

    return Guard(app, pages, hosts=hosts, buckets=_buckets, trusted=is_admin, pace=pace, behind_proxy=behind_proxy)


def _explain_failures(app: FastAPI, pages: Pages) -> None:
    """Tell people what is wrong with their answers, but not what is wrong with the file, whose path it names."""
    # Told as any other error of ours; as the StudyError that it is too, it would be kept back.
    app.add_exception_handler(AnswerError, app.exception_handlers[ImprintError])

    @app.exception_handler(WithdrawnError)
    async def withdrawn(request: Request, _error: WithdrawnError) -> Response:
        if request.url.path.startswith(API):
            return pages.refuse(request.url.path, RefusedError(404, "Everything of this participant was deleted."))
        return RedirectResponse("/withdrawn", status_code=303)

    @app.exception_handler(StudyError)
    async def unreachable(request: Request, error: StudyError) -> Response:
        _log.error("the study cannot be reached: %s", error)
        return pages.refuse(request.url.path, RefusedError(500))


def _participant_routes(store: Store, pages: Pages, *, join: bool) -> APIRouter:
    routes = APIRouter()

    def sender(form: Form, token: str) -> Visitor:
        given = form.get("form", "")
        if store.participant(token) is None and is_own_form(store.secret, token, given):  # of one who was there
            raise WithdrawnError("nothing is stored of this participant any more")
        visiting = find_visitor(store, token)
        check_form(store.secret, token, given)
        return visiting

    @routes.get("/")
    def start(request: Request) -> Response:
        panel_id = carried_id(request.query_params.multi_items()) if join else None
        return pages.draw("start.html", join=join, panel_id=panel_id, field=PANEL_FIELDS[0])

    @routes.post("/join")
    def take_part(form: Form) -> Response:
        return _go_on(take_in(store, carried_id(form.items()) if join else None, join=join))

    @routes.get("/p/{token}")
    def show(visiting: Annotated[Visitor, Depends(partial(find_visitor, store))]) -> Response:
        return draw_step(pages, store, visiting)

    @routes.post("/p/{token}/consent")
    def consent(visiting: Annotated[Visitor, Depends(sender)]) -> Response:
        store.consent(visiting.number, visiting.token)
        return _go_on(visiting.token)

    @routes.post("/p/{token}/familiarised")
    def familiarised(visiting: Annotated[Visitor, Depends(sender)]) -> Response:
        store.familiarised(visiting.number)
        return _go_on(visiting.token)

    @routes.post("/p/{token}/leave")
    def leave(visiting: Annotated[Visitor, Depends(sender)]) -> Response:
        store.leave(visiting.number)
        return _go_on(visiting.token)

    @routes.post("/p/{token}/withdraw")
    def withdraw(visiting: Annotated[Visitor, Depends(sender)]) -> Response:
        store.withdraw(visiting.number)
        return RedirectResponse("/withdrawn", status_code=303)

    @routes.get("/withdrawn")
    def withdrawn() -> Response:
        return pages.draw("withdrawn.html")

    @routes.post("/p/{token}/answers")
    def answer(form: Form, visiting: Annotated[Visitor, Depends(sender)]) -> Response:
        given = given_answers(form)
        try:
            store.answer(visiting.number, given)
        except (AnsweredError, LateError) as error:
            refused = RefusedError(error.status, str(error))
            return pages.draw(
                "refused.html", status=error.status, title=refused.title, message=str(error), token=visiting.token
            )
        except AnswerError as error:
            return draw_step(pages, store, visiting, status=422, refused=str(error), given=given)
        return _go_on(visiting.token)

    return routes


def _admin_routes(store: Store, pages: Pages, *, secure: bool) -> APIRouter:
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
        told, blocks = store.overview(), store.study.blocks.items()
        return pages.draw(
            "admin.html",
            overview=told,
            full=sum(block.answered >= block.quota for block in told.blocks),
            # A page with one thing to judge is known by its words, one with several by their category.
            asked={block: items[0].words for block, items in blocks if len({item.words for item in items}) == 1},
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
    def make_links(form: Annotated[dict[str, str], Depends(sent)]) -> Response:
        links = whole_number(form.get("links", ""), MOST_LINKS)
        if links is None:
            raise RefusedError(422, f"The number of links must be 1 to {MOST_LINKS}. Go back and correct it.")
        return overview(tuple(f"/p/{store.join().token}" for _ in range(links)))

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
        from imprint.study.analysis import EXPORTS

        if name not in _EXPORTS:
            raise RefusedError(404)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            EXPORTS[path.suffix.removeprefix(".")](store, path)
            body = path.read_bytes()
        return Response(
            body, media_type=_EXPORTS[name], headers={"content-disposition": f'attachment; filename="{name}"'}
        )

    return routes


def _go_on(token: str) -> Response:
    """Send the browser to the person's page, so that reloading it sends nothing twice."""
    return RedirectResponse(f"/p/{token}", status_code=303)


def _buckets(path: str, address: str) -> tuple[str, ...]:
    """Count requests by private link, and those that join or administer by what they do and where they come from."""
    _, room, *below = f"{path.removeprefix('/api')}/".split("/")
    if room == "p":
        return (f"p/{below[0]}",)
    return (f"{room}/{address}",) if room in ("join", "admin", "overview") else ()
