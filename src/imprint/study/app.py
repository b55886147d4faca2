"""The study as a web app: a private link a participant, pages that work without scripts, and forms of their own."""

import logging
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response

from imprint.errors import ImprintError
from imprint.study.admin import COOKIE, admin_routes, bearer
from imprint.study.api import api_routes, find_visitor, take_in
from imprint.study.design import AnsweredError, AnswerError, LateError, StudyError, WithdrawnError
from imprint.study.pages import Form, check_form, draw_step, given_answers, is_own_form, study_pages
from imprint.study.people import PANEL_FIELDS, carried_id
from imprint.study.steps import Visitor
from imprint.study.store import Store
from imprint.web.guard import Guard, RateLimit
from imprint.web.pages import API, Pages, RefusedError, make_application
from imprint.web.serving import Hosts

# A classroom that joins at one moment is let in; a script that goes on is not.
_BURST, _PER_SECOND = 200, 5
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
    app.include_router(admin_routes(store, pages, secure=secure), include_in_schema=False)
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

    def visitor(token: str) -> Visitor:
        return find_visitor(store, token)

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
    def show(visiting: Annotated[Visitor, Depends(visitor)]) -> Response:
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


def _go_on(token: str) -> Response:
    """Send the browser to the person's page, so that reloading it sends nothing twice."""
    return RedirectResponse(f"/p/{token}", status_code=303)


def _buckets(path: str, address: str) -> tuple[str, ...]:
    """Count requests by private link, and those that join or administer by what they do and where they come from."""
    _, room, *below = f"{path.removeprefix('/api')}/".split("/")
    if room == "p":
        return (f"p/{below[0]}",)
    return (f"{room}/{address}",) if room in ("join", "admin", "overview") else ()
