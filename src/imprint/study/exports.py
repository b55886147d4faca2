"""Exports: answers and whom to pay as CSV, scores as JSON lines, and tasks in the layouts of crowdsourcing platforms.

A spreadsheet runs a cell that begins with = + - or @ as a formula, so such cells get an apostrophe before them in CSV.
All cells are quoted, since some spreadsheets part lines at semicolons too. The JSON lines hold every word as it is.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from imprint.files import FilePath, replacing
from imprint.rows import harmless_cell, write_findings
from imprint.study.analysis import score
from imprint.study.rows import ConsentRow, about
from imprint.study.steps import StoredItem
from imprint.study.store import Store

Platform = Literal["mturk", "prolific"]

_COLUMNS = ("participant", "item", "stage", "kind", "block", "title", "words", "expected", "answer")
_PAYMENTS = ("panel_id", "names", "pages", "of_pages", "finished", "screened_out")


def write_csv(store: Store, path: FilePath) -> None:
    """Write one line per answer, under numbers of its own: nothing else that a study tells of somebody names them."""
    items = {item.number: item for item in store.items()}
    rows = []
    for answer in store.answers():
        item = items[answer.item]
        cells = (item.stage, item.kind, item.block, ", ".join(item.title), ", ".join(item.words), item.expected or "")
        rows.append((store.pseudonym(answer.participant), answer.item, *cells, answer.value))
    _write(path, _COLUMNS, sorted(rows, key=lambda row: (row[1], row[0])))


def write_payments(store: Store, path: FilePath) -> None:
    """Write one line per participant whose link carried a panel's number: how many names and pages they answered.

    Apart from the answers, so that these can be published as they are; this file only its owner can read.
    """
    rows = []
    for paid in store.payments():
        told, ended = paid.progress, ("yes" if end else "no" for end in (paid.finished, paid.screened_out))
        rows.append((paid.panel_id, told.exam_answered, told.answered, told.blocks, *ended))
    _write(path, _PAYMENTS, rows, mode=0o600)


def write_jsonl(store: Store, path: FilePath, ratings: Store | None = None) -> None:
    """Write the scores, one finding per line, and the text of their own that people agreed to, where there is one."""
    consent = store.terms.consent
    agreed = [ConsentRow(test="consent", **about(store.study), paragraphs=consent)] if consent else []
    write_findings(path, [*score(store, ratings).findings(), *agreed])


def write_tasks(store: Store, path: FilePath, *, platform: Platform) -> None:
    """Write one line per task, with the same columns in every line.

    Mechanical Turk fills the ${columns} of a HIT's layout from it; Prolific's task builder shows every column except
    those whose names begin with META_.
    """
    blocks: dict[int, list[StoredItem]] = {}
    for item in store.items():
        if item.stage == "main":
            blocks.setdefault(item.block, []).append(item)
    names = {group.letter: f"{group.letter}: {', '.join(group.names)}" for group in store.study.groups}
    number = "META_TASK" if platform == "prolific" else "task"
    tasks = [{number: str(block), **_task(items, names)} for block, items in blocks.items()]
    columns = list(dict.fromkeys(column for task in sorted(tasks, key=len, reverse=True) for column in task))
    _write(path, columns, [[task.get(column, "") for column in columns] for task in tasks])


def _task(items: Sequence[StoredItem], names: Mapping[str, str]) -> dict[str, str]:
    """Return a task's columns; nothing tells which group the embedding gave."""
    first = items[0]
    if first.kind == "triple":
        # In the order of the alphabet: the order stored follows the embedding's own scores.
        words = sorted(", ".join(item.words) for item in items)
        return {f"words_{i}": text for i, text in enumerate(words, 1)} | {
            f"group_{i}": names[letter] for i, letter in enumerate(first.letters, 1)
        }
    if first.kind == "rating":
        return {"words": ", ".join(first.words), "group": names[first.letters[0]]}
    if first.kind == "words":
        return {"about": ", ".join(first.title)}
    return {"end_1": first.title[0], "end_2": first.title[1], "word_1": first.words[0], "word_2": first.words[1]}


def _write(path: FilePath, columns: Sequence[str], rows: Iterable[Sequence[object]], *, mode: int = 0o666) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    writer.writerows([harmless_cell(str(cell)) for cell in row] for row in rows)
    with replacing(path, mode=mode) as part:
        part.write_text(text.getvalue(), encoding="utf-8", newline="")
