"""The explorer put together: pages and the JSON API over one embedding or encoder, behind the guard.

A page shows what was asked, from a link or a form. The API gives programs what the pages tell, unrounded and unmasked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Depends, FastAPI
from fastapi.params import Query
from pydantic import BaseModel, Field, StringConstraints
from starlette.requests import Request
from starlette.responses import Response

from imprint.association.rows import AssociationRow
from imprint.checks import Alternative, PairMethod
from imprint.directions.neighbours import MOST, NeighboursRow
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError, brief
from imprint.explorer.queries import (
    CUSTOM,
    LONGEST_WORD,
    MOST_WORDS,
    AskedQuestion,
    Explorer,
    Reply,
    sets_of,
    split_pairs,
    split_words,
)
from imprint.kinds.answers import answer_sentence, single_answer, unrelated_note
from imprint.kinds.sections import blocks, sentences
from imprint.masking import Words, mask
from imprint.render.charts.theme import WIDTH
from imprint.render.html import svg_file
from imprint.render.vega import why_not_drawn
from imprint.rows import Row
from imprint.stimuli.definition import WeatTest, word_sets
from imprint.subjects.opening import Subject
from imprint.view import Block, Chart, Details, Prose, Text, count, join, number, say, title
from imprint.web.guard import Guard
from imprint.web.pages import Form, Pages, PlainJson, RefusedError, make_application, refusals, whole_number
from imprint.web.serving import Hosts

Fields = Mapping[str, str]
PageContext = dict[str, Any]

FIRST_WORDS = (
    "nurse", "teacher", "librarian", "dancer", "receptionist", "hairdresser", "physician", "scientist", "lawyer",
    "journalist", "carpenter", "engineer", "programmer", "mechanic", "captain", "philosopher",
)  # fmt: skip
_MOST_DRAWN = 60  # words whose scores are read without being asked for

PAGES = [("/", "Association test"), ("/axis", "Axis"), ("/neighbours", "Neighbours")]

DESCRIPTION = "Association tests of one embedding or encoder, with the numbers of imprint's command line."
Word = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
GivenWords = Annotated[list[Word], Field(min_length=1, max_length=MOST_WORDS)]


class ExplorerPages:
    """The pages over one embedding or encoder; slurs are masked unless `unmask`."""

    def __init__(self, explorer: Explorer, *, unmask: bool = False) -> None:
        self._explorer, self._words = explorer, Words(unmask=unmask)
        subject = explorer.subject
        about, pages = "a sentence encoder", PAGES[:1]
        if isinstance(subject, Embedding):
            about, pages = f"{len(subject):,} words, {subject.dimension:,} dimensions", PAGES
        shared = {
            "embedding": self._words.text(subject.name),
            "about": about,
            "pages": pages,
            "judged": bool(explorer.judged),
            "words": self._words,
            "most_words": MOST_WORDS,
            "longest_word": LONGEST_WORD,
            "most_neighbours": MOST,
        }
        self.drawn = Pages(Path(__file__).parent / "templates", static=("explorer.css", "explorer.js"), shared=shared)

    def weat(self, fields: Fields) -> Response:
        """Four sets of words, those of a catalogue test to begin with."""
        tests, texts, names, question = self._asked(fields)

        def answer() -> PageContext:
            reply = self._explorer.measure(question)
            row = reply.finding
            assert isinstance(row, AssociationRow)
            said, notes = answer_sentence(row), unrelated_note(row) if row.found else ()
            repeated = (Prose(said, media=("page", "terminal")), Prose(said), *notes)
            others = [block for block in blocks([row]) if block not in repeated]
            kept = Details if row.n_x + row.n_y > _MOST_DRAWN else Prose | Chart | Details
            folded = tuple(block for block in others if not isinstance(block, kept))
            shown = [
                *_matched(question, row),
                *single_answer(msgspec.structs.replace(row, missing=())),  # they are named above
                *(block for block in others if isinstance(block, kept)),
            ]
            linked = {"link": self._link(row, fields), "row": row}
            return _answered(reply, said, [*shown, Details("All numbers", folded)]) | linked

        posed = {"texts": texts, "names": names, "alternative": question.alternative, "matched": question.matched}
        return self._answer("weat.html", posed | {"tests": tests, "picked": fields.get("test", "")}, answer)

    def row(self, fields: Fields) -> Response:
        """Send the row of an answer, as a file of findings."""
        row = self._explorer.measure(self._asked(fields)[-1]).finding
        return _file(f"{row.to_json()}\n", "finding.jsonl", "application/x-ndjson")

    def chart(self, fields: Fields) -> Response:
        """Send the chart of an answer, as a drawing."""
        row = self._explorer.measure(self._asked(fields)[-1]).finding
        assert isinstance(row, AssociationRow)
        chart = next((block for block in single_answer(row) if isinstance(block, Chart)), None)
        missing = "This answer has no size to draw." if chart is None else why_not_drawn()
        if chart is None or missing:
            raise RefusedError(404, missing or "")
        return _file(svg_file(chart.draw(self._words, WIDTH)), "chart.svg", "image/svg+xml")

    def _asked(self, fields: Fields) -> tuple[Sequence[WeatTest], Mapping[str, str], Mapping[str, str], AskedQuestion]:
        """Return the tests to choose from, and the words, names and settings of a link or a form."""
        tests = self._explorer.tests()
        chosen = {test.id: test for test in tests}.get(fields.get("test", self._explorer.first_test()))
        if chosen is None:
            raise RefusedError(404, "There is no such test; choose one from the list.")
        texts = {letter: fields.get(letter, "") for letter in "xyab"}
        names = {letter: fields.get(f"{letter}_name", "") for letter in "xyab"}
        if not any(letter in fields for letter in "xyab"):
            texts = {letter: "\n".join(words) for letter, words in sets_of(chosen).items()}
            names = {letter: words.name for letter, words in word_sets(chosen).items()}
        sets = {letter: split_words(text) for letter, text in texts.items()}
        alternative: Any = fields.get("alternative", "greater")  # checked, with a message, where it is used
        return tests, texts, names, AskedQuestion(sets, alternative, names, "matched" in fields)

    def _link(self, row: AssociationRow, fields: Fields) -> str:
        """Return the part of an address that asks the same: the id of a test, or all the words."""
        typed = {name: ",".join(split_words(text)) if name in "xyab" else text for name, text in fields.items()}
        linked = {name: text for name, text in typed.items() if text and name != "test"}
        if row.test in {test.id for test in self._explorer.tests()}:
            linked = {"test": row.test} | ({"alternative": linked["alternative"]} if "alternative" in linked else {})
        return urlencode(linked)

    def axis(self, fields: Fields) -> Response:
        """Words along the axis of a pair or of several."""
        pairs = fields.get("pairs", "he, she")
        texts = fields.get("words", "\n".join(FIRST_WORDS))
        method = fields.get("method", "difference")

        def answer() -> PageContext:
            reply = self._explorer.place(split_pairs(pairs), split_words(texts), method)
            return _answered(reply, join(sentences([reply.finding]), " "), blocks([reply.finding]))

        return self._answer("axis.html", {"pairs": pairs, "texts": texts, "method": method}, answer)

    def neighbours(self, fields: Fields) -> Response:
        """Words nearest to one."""
        word, most_shown = fields.get("word", "nurse").strip(), fields.get("count", "20").strip()

        def answer() -> PageContext:
            most = whole_number(most_shown, MOST)
            if most is None:
                got = brief(most_shown[:LONGEST_WORD])
                raise RefusedError(422, f"The number of neighbours must be from 1 to {MOST}, got {got}.")
            reply = self._explorer.near(word, most)
            return _answered(reply, _nearest(reply.finding), blocks([reply.finding]))

        return self._answer("neighbours.html", {"word": word, "count": most_shown}, answer)

    def _answer(self, template: str, asked: PageContext, answer: Callable[[], PageContext]) -> Response:
        """Draw the form with its answer, or with the one line that says why there is none."""
        try:
            drawn, status = answer() | {"error": ""}, 200
        except ImprintError as error:
            line = (str if self._words.unmask else mask)(str(error).removeprefix(f"test '{CUSTOM}': "))
            drawn, status = {"error": line}, error.status if isinstance(error, RefusedError) else 422
        return self.drawn.draw(template, status=status, **asked, **drawn)


def _answered(reply: Reply, said: Text, shown: Iterable[Block]) -> PageContext:
    """Return what a template needs: the answer in a sentence, then the row as its kind shows it."""
    row = reply.finding
    missing = dict.fromkeys((*getattr(row, "axis_missing", ()), *row.missing))
    recipes = {"Command line": reply.command, "Python": reply.python}
    return {"said": said, "blocks": list(shown), "missing": missing, "recipes": recipes}


def _matched(question: AskedQuestion, row: AssociationRow) -> Iterable[Block]:
    """Say how many of the typed words are used where they were matched."""
    if question.matched and not row.is_question:
        used, typed = row.asked, len({word for words in question.sets.values() for word in words})
        yield Prose(say("Matched in frequency: {} of {} words are used.", count(used), count(typed)), "note")


def _nearest(row: Row) -> Text:
    assert isinstance(row, NeighboursRow)
    if not row.nearest:
        return say("{} is the only word here with a direction.", title(row.token))
    first = row.nearest[0]
    return say("Nearest to {}: {}, with a cosine of {}.", title(row.token), title(first.word), number(first.value, 3))


def _file(text: str, name: str, media: str) -> Response:
    """Return a file to be saved; half characters of files are written as their escapes."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(errors="backslashreplace"), media_type=media, headers=headers)


def make_explorer(subject: Subject, source: str, *, hosts: Hosts, unmask: bool = False) -> Guard:
    """Return the guarded app that answers questions about a subject, which was opened as `source`."""
    if isinstance(subject, Embedding):
        subject.check_finite()
    explorer = Explorer(subject, source)
    pages = ExplorerPages(explorer, unmask=unmask)
    return Guard(make_routes(explorer, pages), pages.drawn, hosts=hosts, buckets=_buckets)


def make_routes(explorer: Explorer, pages: ExplorerPages) -> FastAPI:
    """Return the app itself: pages, each a link or a form, files to be saved, and the API."""
    app = make_application("imprint explorer", DESCRIPTION, pages.drawn)
    ours = [Depends(_refuse_foreign)]
    app.include_router(make_api(explorer), dependencies=ours)
    for path, page in (("/", pages.weat), ("/axis", pages.axis), ("/neighbours", pages.neighbours)):
        app.add_api_route(path, _route(page), methods=["GET", "POST"], dependencies=ours, include_in_schema=False)
    for path, file in (("/finding.jsonl", pages.row), ("/chart.svg", pages.chart)):
        app.add_api_route(path, _route(file), methods=["GET"], dependencies=ours, include_in_schema=False)
    return app


class WeatQuestion(BaseModel):
    """Four sets of words: are X and Y associated differently with A and B?"""

    x: GivenWords
    y: GivenWords
    a: GivenWords
    b: GivenWords
    alternative: Alternative = "greater"
    names: dict[str, str] = {}
    matched: bool = False


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


class KnownTest(BaseModel):
    """A test of the catalogue."""

    id: str
    title: str
    source: str
    x: tuple[str, ...]
    y: tuple[str, ...]
    a: tuple[str, ...]
    b: tuple[str, ...]


def make_api(explorer: Explorer) -> APIRouter:
    """Return the routes below /api."""
    api = APIRouter(prefix="/api", responses=refusals(400, 403, 413, 422, 429, 503))

    @api.get("/tests")
    def tests() -> list[KnownTest]:
        """List the catalogue's association tests."""
        listed = explorer.tests()
        return [KnownTest(id=test.id, title=test.title, source=test.source, **sets_of(test)) for test in listed]

    @api.post("/weat", response_model=FindingAnswer)
    def weat(question: WeatQuestion) -> Response:
        """Run an association test."""
        sets = {name: tuple(getattr(question, name)) for name in "xyab"}
        return _reply(explorer.measure(AskedQuestion(sets, question.alternative, question.names, question.matched)))

    @api.post("/axis", response_model=FindingAnswer)
    def axis(question: AxisQuestion) -> Response:
        """Project words on an axis."""
        return _reply(explorer.place(question.pairs, question.words, question.method))

    @api.get("/neighbours", response_model=FindingAnswer)
    def near(word: Word, count: Annotated[int, Query(ge=1, le=MOST)] = 20) -> Response:
        """Find a word's nearest neighbours."""
        return _reply(explorer.near(word, count))

    return api


def _route(page: Callable[[Fields], Response]) -> Callable[[Request, Form], Response]:
    """Draw the page of a link's or a form's fields."""

    def serve(request: Request, form: Form) -> Response:
        return page(request.query_params if request.method == "GET" else form)

    return serve


def _refuse_foreign(request: Request) -> None:
    """Refuse what another site's page loads by itself, as an image or a frame: it could keep this machine busy."""
    site, purpose = (request.headers.get(name, "") for name in ("sec-fetch-site", "sec-fetch-dest"))
    if site == "cross-site" and purpose != "document":
        raise RefusedError(403, "Another site asked for this page; open it by its own address.")


def _buckets(path: str, _address: str) -> tuple[str, ...]:
    """Count all that computes together."""
    return () if path.startswith("/static/") else ("questions",)


def _reply(reply: Reply) -> Response:
    return PlainJson({"finding": reply.finding.to_dict(), "command": reply.command, "python": reply.python})
