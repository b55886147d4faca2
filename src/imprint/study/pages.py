"""What a participant sees: each step of the study as a page, its form, and the same pages as a preview.

A form can be sent by its own page alone: it holds a token made of the study's secret and of whose form it is. The
preview is for the administrator: every page as people see it, made of what is asked, and nothing is stored.
"""

import hmac
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.responses import Response

from imprint.masking import Words
from imprint.study.design import LONGEST_SUGGESTED, MOST_SUGGESTED, RATINGS, YES_NO
from imprint.study.steps import Consent, Familiarise, Finish, PagesDone, Question, Step, StoredItem, Task, Visitor
from imprint.study.store import Store
from imprint.study.turn import drawn_names, ordered_groups, ordered_items
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


def given_answers(form: Mapping[str, str]) -> dict[int, str]:
    """Return the answers of a form by their question's number; fields of another name are ignored."""
    answered = ((name.removeprefix(FIELD), value) for name, value in form.items() if name.startswith(FIELD) and value)
    numbered = ((whole_number(number, _MOST_ITEMS), value) for number, value in answered)
    return {number: value for number, value in numbered if number is not None}


@dataclass(frozen=True)
class PreviewPage:
    """A page of the preview, and how far a person would be there."""

    step: Step
    progress: PagesDone


def preview_pages(store: Store) -> tuple[PreviewPage, ...]:
    """Return every page in the order in which people see them, and then all that can end the study."""
    study, terms = store.study, store.terms
    blocks: dict[int, list[StoredItem]] = defaultdict(list)
    for item in store.items():
        blocks[item.block].append(item)
    exam = [_task(store, block, items) for block, items in blocks.items() if items[0].stage == "exam"]
    main = [_task(store, block, items) for block, items in blocks.items() if items[0].stage == "main"]
    steps: list[tuple[Step, int]] = [(Consent(), 0), *((task, 0) for task in exam)]
    if exam:
        steps += [(Familiarise(ordered_groups(study, _NOBODY)), 0)]
    steps += [(task, done) for done, task in enumerate(main)]
    steps += [(Finish("answered", terms.completion_code), len(main))]
    if exam:
        steps += [(Finish("not-qualified", terms.screen_out_code), 0)]
    steps += [(Finish("closed", terms.screen_out_code), 0), (Finish("waiting"), 0), (Finish("left"), 0)]
    names = study.exam.names
    placed = steps.index((exam[0], 0)) if exam else -1
    return tuple(
        PreviewPage(step, PagesDone(done, len(main), names if page > placed else 0, names))
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


def _way_back(store: Store, step: Step, panel_id: str | None) -> str | None:
    return store.terms.way_back(step.code, panel_id) if isinstance(step, Finish) else None


def _task(store: Store, block: int, items: Sequence[StoredItem]) -> Task:
    study, first = store.study, items[0]
    known = {item.number: Question(item.number, item.kind, item.words) for item in items}
    order = [*known]
    if first.stage == "exam":
        pools: dict[str, list[int]] = defaultdict(list)
        for item in items:
            pools[str(item.expected)].append(item.number)
        order = drawn_names(study, _NOBODY, pools)
    elif study.protocol == "ube":
        order = ordered_items(study, _NOBODY, order)
    groups = ordered_groups(study, _NOBODY, first.letters, first.stage)
    return Task(block, first.stage, first.title, tuple(known[number] for number in order), groups)
