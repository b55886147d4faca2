"""The three pages: what was asked, from a link or a form, and what a template needs to tell the answer."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.responses import Response

from imprint.directions.neighbours import MOST
from imprint.errors import ImprintError, brief
from imprint.explorer.queries import (
    LONGEST_WORD,
    MOST_WORDS,
    Explorer,
    Reply,
    sets_of,
    split_pairs,
    split_words,
    weat_test,
    weat_tests,
)
from imprint.kinds.sections import blocks, sentences
from imprint.masking import Words, mask
from imprint.view import Block, Prose, Text, join, number
from imprint.web.pages import Pages, RefusedError

Fields = Mapping[str, str]
PageContext = dict[str, Any]

FIRST_TEST = "caliskan-6"
FIRST_PAIRS = "he, she"
FIRST_WORDS = (
    "nurse", "teacher", "librarian", "dancer", "receptionist", "hairdresser", "physician", "scientist", "lawyer",
    "journalist", "carpenter", "engineer", "programmer", "mechanic", "captain", "philosopher",
)  # fmt: skip
FIRST_WORD = "nurse"

_TEMPLATES = Path(__file__).parent / "templates"


class ExplorerPages:
    """The pages over one embedding; slurs are masked unless `unmask`."""

    def __init__(self, explorer: Explorer, *, unmask: bool = False) -> None:
        self._explorer, self._words = explorer, Words(unmask=unmask)
        shared = {
            "embedding": self._words.text(explorer.embedding.name),
            "size": len(explorer.embedding),
            "dimension": explorer.embedding.dimension,
            "words": self._words,
            "number": number,
            "most_words": MOST_WORDS,
            "longest_word": LONGEST_WORD,
            "most_neighbours": MOST,
        }
        self.drawn = Pages(_TEMPLATES, static=("explorer.css", "explorer.js"), shared=shared)

    def weat(self, fields: Fields) -> Response:
        """Four sets of words, those of a catalogue test to begin with."""
        tests = weat_tests()
        chosen = {test.id: test for test in tests}.get(fields.get("test", FIRST_TEST))
        if chosen is None:
            raise RefusedError(404, "There is no such test; choose one from the list.")
        typed = {name: fields[name] for name in "xyab" if name in fields}
        texts = typed or {name: "\n".join(words) for name, words in sets_of(chosen).items()}
        sets = {name: split_words(texts.get(name, "")) for name in "xyab"}
        alternative = fields.get("alternative", "greater")

        def answer() -> PageContext:
            found = self._explorer.measure(sets, alternative)  # type: ignore[arg-type]  # checked, with a message, where it is used
            said, *shown = blocks([found.finding])
            assert isinstance(said, Prose)
            return self._answered(found, said.text, shown)

        asked = {"texts": {name: texts.get(name, "") for name in "xyab"}, "alternative": alternative}
        return self._answer("weat.html", asked | {"tests": tests, "picked": weat_test(sets).id}, answer)

    def axis(self, fields: Fields) -> Response:
        """Words along the axis of a pair or of several."""
        pairs = fields.get("pairs", FIRST_PAIRS)
        texts = fields.get("words", "\n".join(FIRST_WORDS))
        method = fields.get("method", "difference")

        def answer() -> PageContext:
            found = self._explorer.place(split_pairs(pairs), split_words(texts), method)
            return self._answered(found, join(sentences([found.finding]), " "), list(blocks([found.finding])))

        return self._answer("axis.html", {"pairs": pairs, "texts": texts, "method": method}, answer)

    def neighbours(self, fields: Fields) -> Response:
        """Words nearest to one."""
        word, count = fields.get("word", FIRST_WORD).strip(), fields.get("count", "20").strip()

        def answer() -> PageContext:
            if not count.isascii() or not count.isdigit() or len(count) > len(str(MOST)):
                raise RefusedError(
                    422, f"The number of neighbours must be from 1 to {MOST}, got {brief(count[:LONGEST_WORD])}."
                )
            found, python = self._explorer.near(word, int(count))
            return {"found": found, "python": python}

        return self._answer("neighbours.html", {"word": word, "count": count}, answer)

    def _answer(self, template: str, asked: PageContext, answer: Callable[[], PageContext]) -> Response:
        """Draw the form with its answer, or with the one line that says why there is none."""
        try:
            drawn, status = answer() | {"error": ""}, 200
        except ImprintError as error:
            line = str(error) if self._words.unmask else mask(str(error))
            drawn, status = {"error": line}, error.status if isinstance(error, RefusedError) else 422
        return self.drawn.draw(template, status=status, **asked, **drawn)

    def _answered(self, found: Reply, said: Text, shown: Sequence[Block]) -> PageContext:
        """Return what a template needs: the answer in a sentence, then the row as its kind shows it."""
        row = found.finding
        missing = dict.fromkeys((*getattr(row, "axis_missing", ()), *row.missing))
        return {"said": said, "blocks": shown, "missing": missing, "command": found.command, "python": found.python}
