"""What the pages offer, as JSON, for programs that take part or watch; described at /openapi.json."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header
from pydantic import BaseModel, Field

from imprint.study.admin import bearer
from imprint.study.panel import PATTERN
from imprint.study.refusals import AnsweredError, LateError, WithdrawnError
from imprint.study.steps import Consent, Overview, Question, Receipt
from imprint.web.refusal import TITLES, Refused, RefusedError

if TYPE_CHECKING:
    from imprint.study.store import Store

PRIVATE = "This study takes part by private links only; ask whoever runs it for one."
WITHDRAWN_NUMBER = (
    "Who came with this participant number has deleted their answers, and a number takes part once only. "
    "Ask those who sent you here if it was not you."
)

_MOST_ANSWERS = 100
_LONGEST_ANSWER = 2_000
_LARGEST = 2**31 - 1


class JoinTicket(BaseModel):
    """A new participant; the token is the end of the private link and is told only here."""

    token: str


class Joining(BaseModel, extra="forbid"):
    """The number under which a panel knows this person and pays them; from the consent on it is stored."""

    participant: str = Field(pattern=PATTERN)


class ShownGroup(BaseModel):
    """A group of names that answers choose from."""

    letter: str
    names: list[str]


class CurrentStep(BaseModel):
    """Where a participant stands: what to agree to, to read, to answer, or why there is nothing more.

    `consent` holds the text of those who run the study, and `panel_id` the number that is stored from then on: both
    are to be shown before anybody agrees. `code` is the completion code, after the last page.
    """

    step: Literal["consent", "task", "familiarise", "finish"]
    consent: list[str] = []
    stage: Literal["exam", "main"] | None = None
    title: list[str] = []
    questions: list[Question] = []
    groups: list[ShownGroup] = []
    reason: str | None = None
    panel_id: str | None = None
    code: str | None = None


class GivenAnswer(BaseModel, extra="forbid"):
    """An answer: a group's letter, a rating, yes or no, or words with commas between them."""

    question: int = Field(ge=1, le=_LARGEST)
    answer: str = Field(max_length=_LONGEST_ANSWER)


class Answers(BaseModel, extra="forbid"):
    """The answers to all questions of a page."""

    answers: list[GivenAnswer] = Field(min_length=1, max_length=_MOST_ANSWERS)


class Withdrawn(BaseModel):
    """How many answers were deleted; the token is nobody's from now on, and a panel's number does not come again."""

    deleted: int


def api_routes(store: "Store", *, join: bool) -> APIRouter:
    """Return the routes below /api."""
    routes = APIRouter(responses={status: _described(status) for status in (400, 413, 422, 429)})
    unknown: dict[int | str, dict[str, Any]] = {404: _described(404)}

    def visitor(token: str) -> int:
        number = store.participant(token)
        if number is None:
            raise RefusedError(404)
        return number

    Visitor = Annotated[int, Depends(visitor)]  # noqa: N806 - a type

    @routes.post("/join", status_code=201, responses={403: _described(403)})
    def take_part(body: Joining | None = None) -> JoinTicket:
        """Take part: the token answers for one person. A participant's number that comes again gets the same token."""
        if not join:
            raise RefusedError(403, PRIVATE)
        try:
            return JoinTicket(token=store.join(body.participant if body is not None else None).token)
        except WithdrawnError as error:
            raise RefusedError(403, WITHDRAWN_NUMBER) from error

    @routes.get("/p/{token}", responses=unknown)
    def show(number: Visitor, token: str) -> CurrentStep:
        """Say where this participant stands; asking again changes nothing."""
        return _step(store, number, token)

    @routes.post("/p/{token}/consent", responses=unknown)
    def consent(number: Visitor, token: str) -> CurrentStep:
        """Agree to take part, or take it up again after leaving."""
        store.consent(number, token)
        return _step(store, number, token)

    @routes.post("/p/{token}/familiarised", responses=unknown)
    def familiarised(number: Visitor, token: str) -> CurrentStep:
        """Say that the groups have been read."""
        store.familiarised(number)
        return _step(store, number, token)

    @routes.post("/p/{token}/leave", responses=unknown)
    def leave(number: Visitor, token: str) -> CurrentStep:
        """Stop here; what was answered is kept."""
        store.leave(number)
        return _step(store, number, token)

    @routes.post("/p/{token}/withdraw", responses=unknown)
    def withdraw(number: Visitor) -> Withdrawn:
        """Delete everything of this participant at once; of a panel's number a fingerprint is kept."""
        return Withdrawn(deleted=store.withdraw(number))

    @routes.post("/p/{token}/answers", responses=unknown | {status: _described(status) for status in (409, 410)})
    def answer(number: Visitor, body: Answers) -> Receipt:
        """Answer every question of the page at once; the receipt comes when the answers are on disk."""
        try:
            return store.answer(number, {given.question: given.answer for given in body.answers})
        except AnsweredError as error:
            raise RefusedError(409, str(error)) from error
        except LateError as error:
            raise RefusedError(410, str(error)) from error

    @routes.get("/overview", responses={403: _described(403)})
    def overview(authorization: Annotated[str | None, Header()] = None) -> Overview:
        """Say how far the study is, to the administrator: Authorization: Bearer TOKEN."""
        if not store.is_admin(bearer(authorization)):
            raise RefusedError(403, "This is for the administrator; send the token as Authorization: Bearer TOKEN.")
        return store.overview()

    return routes


def _step(store: "Store", number: int, token: str) -> CurrentStep:
    step = store.step(number)
    return CurrentStep(
        step=type(step).__name__.lower(),  # type: ignore[arg-type]
        consent=list(store.terms.consent) if isinstance(step, Consent) else [],
        stage=getattr(step, "stage", None),
        title=list(getattr(step, "title", ())),
        questions=list(getattr(step, "questions", ())),
        groups=[ShownGroup(letter=group.letter, names=list(group.names)) for group in getattr(step, "groups", ())],
        reason=getattr(step, "reason", None),
        panel_id=store.panel_id(token) if isinstance(step, Consent) else None,
        code=getattr(step, "code", None),
    )


def _described(status: int) -> dict[str, Any]:
    return {"model": Refused, "description": TITLES[status]}
