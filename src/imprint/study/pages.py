"""What a participant sees: each step of the study as a page."""

from collections.abc import Mapping
from pathlib import Path

from starlette.responses import Response

from imprint.masking import Words
from imprint.study.design import LONGEST_SUGGESTED, MOST_SUGGESTED, RATINGS, YES_NO
from imprint.study.security import form_token
from imprint.study.steps import Visitor
from imprint.study.store import Store
from imprint.web.pages import Pages

FIELD = "answer-"  # before a question's number, in the name of its field

_TEMPLATES = Path(__file__).parent / "templates"
_STEPS = {"Consent": "consent.html", "Task": "task.html", "Familiarise": "familiarise.html", "Finish": "finish.html"}


def study_pages(store: Store, *, unmask: bool) -> Pages:
    """Return the pages of a study; slurs are masked unless `unmask`."""
    return Pages(
        _TEMPLATES,
        static=("study.js",),
        shared={
            "study": store.study,
            "terms": store.terms,
            "words": Words(unmask=unmask),
            "field": FIELD,
            "ratings": RATINGS,
            "yes_no": YES_NO,
            "most": MOST_SUGGESTED,
            "longest": LONGEST_SUGGESTED,
        },
    )


def draw_step(
    pages: Pages,
    store: Store,
    visitor: Visitor,
    *,
    status: int = 200,
    refused: str = "",
    given: Mapping[int, str] | None = None,
) -> Response:
    """Draw where this person is; after a refusal with its reason, and with what was given already filled in."""
    step = store.step(visitor.number)
    return pages.draw(
        _STEPS[type(step).__name__],
        status=status,
        step=step,
        progress=store.progress(visitor.number),
        token=visitor.token,
        panel_id=store.panel_id(visitor.token),
        form=form_token(store.secret, visitor.token),
        refused=refused,
        given=given or {},
    )


def given_answers(form: Mapping[str, str]) -> dict[int, str]:
    """Return the answers of a form by their question's number; fields of another name are ignored."""
    numbered = ((name.removeprefix(FIELD), value) for name, value in form.items() if name.startswith(FIELD))
    return {
        int(number): value for number, value in numbered if number.isascii() and number.isdigit() and len(number) < 10
    }
