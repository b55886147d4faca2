"""What the pages offer, as JSON, for programs that take part or watch; described at /openapi.json."""

from dataclasses import asdict
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header
from pydantic import BaseModel, Field

from imprint.study.design import WithdrawnError
from imprint.study.settings import PANEL_PATTERN
from imprint.study.steps import Consent, Overview, Question, Receipt, Visitor
from imprint.study.store import Store
from imprint.web.pages import RefusedError, refusals

_MOST_ANSWERS = 100
_LONGEST_ANSWER = 2_000
_LARGEST = 2**31 - 1


class JoinTicket(BaseModel):
    """A new participant; the token is the end of the private link and is shown only here."""

    token: str


class Joining(BaseModel, extra="forbid"):
    """The number under which a panel knows this person and pays them; from the consent on it is stored."""

    participant: str = Field(pattern=PANEL_PATTERN)


class ShownGroup(BaseModel):
    """A group of names that answers choose from."""

    letter: str
    names: list[str]


class CurrentStep(BaseModel):
    """Where a participant is: what to agree to, to read, to answer, or why there is nothing more.

    `consent` holds the text of those who run the study, and `panel_id` the number that is stored from then on. Show
    both before anybody agrees. `cannot_tell` says that "cannot-tell" is an answer beside the groups. `code` is the
    completion code after the last page, or the screen-out code.
    """

    step: Literal["consent", "task", "familiarise", "finish"]
    consent: list[str] = []
    stage: Literal["exam", "main"] | None = None
    title: list[str] = []
    questions: list[Question] = []
    groups: list[ShownGroup] = []
    cannot_tell: bool = False
    reason: str | None = None
    panel_id: str | None = None
    code: str | None = None


class GivenAnswer(BaseModel, extra="forbid"):
    """An answer: a group's letter or cannot-tell, a rating, yes or no, or words with commas between them."""

    question: int = Field(ge=1, le=_LARGEST)
    answer: str = Field(max_length=_LONGEST_ANSWER)


class Answers(BaseModel, extra="forbid"):
    """The answers to all questions of a page."""

    answers: list[GivenAnswer] = Field(min_length=1, max_length=_MOST_ANSWERS)


class Withdrawn(BaseModel):
    """How many answers were deleted; the token is no longer valid, and a panel's number cannot be used again."""

    deleted: int


def bearer(authorization: str | None) -> str:
    """Return the token of an Authorization header, or nothing."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def find_visitor(store: Store, token: str) -> Visitor:
    """Return who came by a private link; refuse a link that is not one of the study's."""
    number = store.participant(token)
    if number is None:
        raise RefusedError(404)
    return Visitor(number, token)


def take_in(store: Store, panel_id: str | None, *, join: bool) -> str:
    """Return the token of somebody who takes part from now on, if anybody may `join`."""
    if not join:
        raise RefusedError(403, "You need a private link to take part. Ask the people who run this study for one.")
    try:
        return store.join(panel_id).token
    except WithdrawnError as error:
        raise RefusedError(
            403,
            "The answers of this participant number were deleted, so it cannot take part again. "
            "If it was not you, tell the people who sent you here.",
        ) from error


def api_routes(store: Store, *, join: bool) -> APIRouter:
    """Return the routes below /api."""
    routes = APIRouter(responses=refusals(400, 413, 422, 429))

    Visiting = Annotated[Visitor, Depends(partial(find_visitor, store))]  # noqa: N806 - a type

    @routes.post("/join", status_code=201, responses=refusals(403))
    def take_part(body: Joining | None = None) -> JoinTicket:
        """Take part: the token answers for one person. A participant's number that comes again gets the same token."""
        return JoinTicket(token=take_in(store, None if body is None else body.participant, join=join))

    @routes.get("/p/{token}", responses=refusals(404))
    def show(visiting: Visiting) -> CurrentStep:
        """Return where this participant is; asking again changes nothing."""
        return _step(store, visiting)

    @routes.post("/p/{token}/consent", responses=refusals(404))
    def consent(visiting: Visiting) -> CurrentStep:
        """Agree to take part, or take it up again after leaving."""
        store.consent(visiting.number, visiting.token)
        return _step(store, visiting)

    @routes.post("/p/{token}/familiarised", responses=refusals(404))
    def familiarised(visiting: Visiting) -> CurrentStep:
        """Say that the groups have been read."""
        store.familiarised(visiting.number)
        return _step(store, visiting)

    @routes.post("/p/{token}/leave", responses=refusals(404))
    def leave(visiting: Visiting) -> CurrentStep:
        """Stop here; what was answered is kept."""
        store.leave(visiting.number)
        return _step(store, visiting)

    @routes.post("/p/{token}/withdraw", responses=refusals(404))
    def withdraw(visiting: Visiting) -> Withdrawn:
        """Delete everything of this participant at once; of a panel's number a fingerprint is kept."""
        return Withdrawn(deleted=store.withdraw(visiting.number))

    @routes.post("/p/{token}/answers", responses=refusals(404, 409, 410))
    def answer(visiting: Visiting, body: Answers) -> Receipt:
        """Answer every question of the page at once; the receipt comes when the answers are on disk."""
        return store.answer(visiting.number, {given.question: given.answer for given in body.answers})

    @routes.get("/overview", responses=refusals(403))
    def overview(authorization: Annotated[str | None, Header()] = None) -> Overview:
        """Say how far the study is, to the administrator: Authorization: Bearer TOKEN."""
        if not store.is_admin(bearer(authorization)):
            raise RefusedError(403, "This is for the administrator. Send the token as Authorization: Bearer TOKEN.")
        return store.overview()

    return routes


def _step(store: Store, visitor: Visitor) -> CurrentStep:
    step = store.step(visitor.number)
    told = {"step": type(step).__name__.lower(), **asdict(step)}
    if isinstance(step, Consent):
        told |= {"consent": store.terms.consent, "panel_id": store.panel_id(visitor.token)}
    return CurrentStep.model_validate(told)
