"""What a participant sees: each step of the study as a page."""

from collections.abc import Mapping
from pathlib import Path

from starlette.responses import Response

from imprint.masking import Words
from imprint.study.design import LONGEST_SUGGESTED, MOST_SUGGESTED, RATINGS, YES_NO
from imprint.study.preview import PANEL_ID, preview_pages
from imprint.study.security import form_token
from imprint.study.steps import Finish, Step, Visitor
from imprint.study.store import Store
from imprint.web.pages import Pages
from imprint.web.refusal import RefusedError

PREVIEW = "/admin/preview"  # where the administrator sees the pages
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
            "preview": None,
            "preview_at": PREVIEW,
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
    """Draw this person's next step; after a refusal with its reason, and with what was given already filled in."""
    step, panel_id = store.step(visitor.number), store.panel_id(visitor.token)
    return pages.draw(
        _STEPS[type(step).__name__],
        status=status,
        step=step,
        progress=store.progress(visitor.number),
        forms=f"/p/{visitor.token}",
        panel_id=panel_id,
        way_back=_way_back(store, step, panel_id),
        form=form_token(store.secret, visitor.token),
        refused=refused,
        given=given or {},
    )


def draw_preview(pages: Pages, store: Store, number: int, form: str) -> Response:
    """Draw one page as people see it, marked as a preview; `form` is the token of the administrator's forms."""
    every = preview_pages(store)
    if not 1 <= number <= len(every):
        raise RefusedError(404)
    page = every[number - 1]
    panel_id = PANEL_ID if store.terms.completion_code else None
    return pages.draw(
        _STEPS[type(page.step).__name__],
        step=page.step,
        progress=page.progress,
        forms=f"{PREVIEW}/{number}",
        panel_id=panel_id,
        way_back=_way_back(store, page.step, panel_id),
        form=form,
        refused="",
        given={},
        preview=(number, len(every)),
    )


def _way_back(store: Store, step: Step, panel_id: str | None) -> str | None:
    return store.terms.way_back(step.code, panel_id) if isinstance(step, Finish) else None


def given_answers(form: Mapping[str, str]) -> dict[int, str]:
    """Return the answers of a form by their question's number; fields of another name are ignored."""
    numbered = ((name.removeprefix(FIELD), value) for name, value in form.items() if name.startswith(FIELD))
    return {
        int(number): value for number, value in numbered if number.isascii() and number.isdigit() and len(number) < 10
    }
