"""The preview for the administrator: every page as people see it. It is made of what is asked, and stores nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.study.steps import Consent, Familiarise, Finish, PagesDone, Question, Step, StoredItem, Task
from imprint.study.store import Store
from imprint.study.turn import drawn_names, ordered_groups, ordered_items

PANEL_ID = "PREVIEW"  # in place of a panel's number

_NOBODY = 0  # no participant has this number


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
