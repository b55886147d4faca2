"""The JSON API: what the pages tell, for programs, unrounded and unmasked."""

import json
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.params import Query
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import Response

from imprint.checks import Alternative, PairMethod
from imprint.directions.neighbours import MOST
from imprint.explorer.queries import LONGEST_WORD, MOST_WORDS, Explorer, Reply, sets_of, weat_tests
from imprint.web.pages import Refused

Word = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
GivenWords = Annotated[list[Word], Field(min_length=1, max_length=MOST_WORDS)]


class WeatQuestion(BaseModel):
    """Four sets of words: are X and Y associated differently with A and B?"""

    x: GivenWords
    y: GivenWords
    a: GivenWords
    b: GivenWords
    alternative: Alternative = "greater"


class AxisQuestion(BaseModel):
    """Pairs of words that make an axis, the positive end first, and words to project on it."""

    pairs: Annotated[list[tuple[Word, Word]], Field(min_length=1, max_length=MOST_WORDS)]
    words: GivenWords
    method: PairMethod = "difference"


class FindingAnswer(BaseModel):
    """A finding as the command line prints it with --json, and what gives it again."""

    finding: dict[str, Any]
    command: str
    python: str


class Neighbour(BaseModel):
    """A word and its cosine."""

    word: str
    cosine: float


class NearAnswer(BaseModel):
    """A word's neighbours, the nearest first; `token` is how the vocabulary spells the word."""

    token: str
    nearest: list[Neighbour]
    python: str


class KnownTest(BaseModel):
    """A test of the catalogue."""

    id: str
    title: str
    source: str
    x: list[str]
    y: list[str]
    a: list[str]
    b: list[str]


def make_api(explorer: Explorer) -> APIRouter:
    """Return the routes below /api."""
    problems: dict[int | str, dict[str, Any]] = {
        status: {"model": Refused} for status in (400, 403, 413, 422, 429, 503)
    }
    api = APIRouter(prefix="/api", responses=problems)

    @api.get("/tests", response_model=list[KnownTest])
    def tests() -> Response:
        """List the catalogue's association tests."""
        return _json(
            [{"id": test.id, "title": test.title, "source": test.source, **sets_of(test)} for test in weat_tests()]
        )

    @api.post("/weat", response_model=FindingAnswer)
    def weat(question: WeatQuestion) -> Response:
        """Run an association test."""
        sets = {name: tuple(getattr(question, name)) for name in "xyab"}
        return _reply(explorer.measure(sets, question.alternative))

    @api.post("/axis", response_model=FindingAnswer)
    def axis(question: AxisQuestion) -> Response:
        """Project words on an axis."""
        return _reply(explorer.place(question.pairs, question.words, question.method))

    @api.get("/neighbours", response_model=NearAnswer)
    def near(word: Word, count: Annotated[int, Query(ge=1, le=MOST)] = 20) -> Response:
        """Find a word's nearest neighbours."""
        found, python = explorer.near(word, count)
        nearest = [{"word": neighbour, "cosine": cosine} for neighbour, cosine in found.nearest]
        return _json({"token": found.token, "nearest": nearest, "python": python})

    return api


def _reply(found: Reply) -> Response:
    return _json({"finding": found.finding.to_dict(), "command": found.command, "python": found.python})


def _json(answer: object) -> Response:
    """Return JSON of plain ASCII: a vocabulary may hold half characters, which UTF-8 cannot write."""
    return Response(json.dumps(answer, allow_nan=False), media_type="application/json")
