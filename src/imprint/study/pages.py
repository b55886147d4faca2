"""What a participant sees: each step of the study as a page, its form, and the same pages as a preview.

A form can be sent by its own page alone: it holds a token made of the study's secret and of whose form it is. The
preview is for the administrator: every page as people see it, made of what is asked, and nothing is stored.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.responses import Response

from imprint.masking import Words
from imprint.study.design import CANNOT_TELL, LONGEST_SUGGESTED, MOST_SUGGESTED, RATINGS, YES_NO
from imprint.study.steps import Consent, Familiarise, Finish, PagesDone, Step, Visitor
from imprint.study.store import Store
from imprint.study.turn import ordered_groups, page_of
from imprint.web.pages import Pages, RefusedError, whole_number

PREVIEW = "/admin/preview"  # where the administrator sees the pages
FIELD = "answer-"  # before a question's number, in the name of its field
PANEL_ID = "PREVIEW"  # in place of a panel's number

_TEMPLATES = Path(__file__).parent / "templates"
_STEPS = {"Consent": "consent.html", "Task": "task.html", "Familiarise": "familiarise.html", "Finish": "finish.html"}
_NOBODY = 0  # no participant has this number
_MOST_ITEMS = 10**9


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
            "cannot_tell": CANNOT_TELL,
            "pages": sum(items[0].stage == "main" for items in store.study.blocks.values()),
            "most": MOST_SUGGESTED,
            "longest": LONGEST_SUGGESTED,
            "preview": None,
            "refused": "",
            "given": {},
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
    page = ShownPage(store.step(visitor.number), store.progress(visitor.number))
    form, panel_id = form_token(store.secret, visitor.token), store.panel_id(visitor.token)
    filled = {"refused": refused, "given": given or {}}
    return _draw(pages, store, page, f"/p/{visitor.token}", form, panel_id, status=status, **filled)


def draw_preview(pages: Pages, store: Store, number: int, form: str) -> Response:
    """Draw one page as people see it, marked as a preview; `form` is the token of the administrator's forms."""
    every = preview_pages(store)
    if not 1 <= number <= len(every):
        raise RefusedError(404)
    panel_id = PANEL_ID if store.terms.completion_code else None
    return _draw(pages, store, every[number - 1], f"{PREVIEW}/{number}", form, panel_id, preview=(number, len(every)))


def given_answers(form: Mapping[str, str]) -> dict[int, str]:
    """Return the answers of a form by their question's number; fields of another name are ignored."""
    answered = ((name.removeprefix(FIELD), value) for name, value in form.items() if name.startswith(FIELD) and value)
    numbered = ((whole_number(number, _MOST_ITEMS), value) for number, value in answered)
    return {number: value for number, value in numbered if number is not None}


@dataclass(frozen=True)
class ShownPage:
    """A page, and how far a person is there."""

    step: Step
    progress: PagesDone


def preview_pages(store: Store) -> tuple[ShownPage, ...]:
    """Return every page in the order in which people see them, and then all that can end the study."""
    study, terms = store.study, store.terms
    tasks = [page_of(study, _NOBODY, block) for block in study.blocks]
    exam = [task for task in tasks if task.stage == "exam"]
    main = [task for task in tasks if task.stage == "main"]
    steps: list[tuple[Step, int]] = [(Consent(), 0), *((task, 0) for task in exam)]
    if exam:
        steps += [(Familiarise(ordered_groups(study, _NOBODY)), 0)]
    steps += [(task, done) for done, task in enumerate(main)]
    steps += [(Finish("answered", terms.completion_code), len(main))]
    if exam:
        steps += [(Finish("not-qualified", terms.screen_out_code), 0)]
    steps += [(Finish("closed", terms.completion_code), 0), (Finish("waiting"), 0), (Finish("left"), 0)]
    lines = study.exam.lines
    placed = steps.index((exam[0], 0)) if exam else -1
    return tuple(
        ShownPage(step, PagesDone(done, len(main), lines if page > placed else 0, lines))
        for page, (step, done) in enumerate(steps)
    )


def form_token(secret: bytes, whose: str) -> str:
    """Return what a form of this person carries; it stays the same when the server starts again."""
    return hmac.new(secret, b"form of " + whose.encode(errors="replace"), sha256).hexdigest()


def is_own_form(secret: bytes, whose: str, given: str) -> bool:
    """Tell whether a form was drawn for this person."""
    return hmac.compare_digest(form_token(secret, whose).encode(), given.encode(errors="replace"))


def check_form(secret: bytes, whose: str, given: str) -> None:
    """Refuse a form that was not drawn for this person."""
    if not is_own_form(secret, whose, given):
        raise RefusedError(403, "This form is not from your own page. Nothing was stored. Open your link again.")


def _draw(
    pages: Pages, store: Store, page: ShownPage, forms: str, form: str, panel_id: str | None, **context: Any
) -> Response:
    """Draw a page whose forms, with the token `form`, are sent to addresses below `forms`."""
    step = page.step
    way_back = store.terms.way_back(step.code, panel_id) if isinstance(step, Finish) else None
    context |= {"step": step, "progress": page.progress, "forms": forms, "form": form}
    return pages.draw(_STEPS[type(step).__name__], panel_id=panel_id, way_back=way_back, **context)
