"""A board as files: board.html and board.jsonl, a page and the findings of each subject, and Parquet on request."""

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from imprint.boards.rows import BoardRow, BoardTestRow, BoardTopicRow
from imprint.boards.run import Board
from imprint.errors import SettingError, raising_as, requiring
from imprint.files import FilePath, replacing
from imprint.reports.page import report
from imprint.rows import Row
from imprint.writing import write_findings

SUBJECTS = "subjects"
PAGE, ROWS, PARQUET = "board.html", "board.jsonl", "board.parquet"

_LONGEST = 40  # characters of a subject's name in that of its page


def make_folder(folder: FilePath) -> Path:
    """Make the folders of a board, and return the outer one; refuse a place where that cannot be done."""
    place = Path(folder)
    hint = "choose another folder"
    with raising_as(OSError, SettingError, "cannot be made ({})", option="folder", where=place / SUBJECTS, hint=hint):
        (place / SUBJECTS).mkdir(parents=True, exist_ok=True)
    return place


def write_board(
    folder: FilePath,
    found: Board,
    *,
    parquet: bool = False,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
) -> list[Row]:
    """Write a board's page and rows into a folder, with a page per subject; return the rows, which name the pages."""
    from imprint.render.vega import vega_bundle

    place, bundle = make_folder(folder), functools.cache(script or vega_bundle)
    pages = {}
    for number, rows in enumerate(found.subjects, start=1):
        name = f"{SUBJECTS}/{number}-{_slug(rows[0].embedding)}"
        pages[rows[0].embedding] = f"{name}.html"
        write_findings(place / f"{name}.jsonl", rows)
        report(rows, place / f"{name}.html", unmask=unmask, script=bundle)
    linked = [_linked(row, pages) for row in found.findings()]
    write_findings(place / ROWS, linked)
    report(linked, place / PAGE, unmask=unmask, script=bundle)
    if parquet:
        _write_parquet(place / PARQUET, linked)
    return linked


def _linked(row: Row, pages: dict[str, str]) -> Row:
    is_of_model = isinstance(row, BoardRow | BoardTestRow | BoardTopicRow)
    return msgspec.structs.replace(row, page=pages.get(row.embedding)) if is_of_model else row


def _slug(name: str) -> str:
    """Return what a file's name can hold of a subject's: the number before it keeps two apart."""
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST].strip("-") or "subject"


def _write_parquet(path: Path, rows: Sequence[Row]) -> None:
    with requiring("pyarrow", "pandas"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    listed = [row.to_dict() for row in rows]
    keys = dict.fromkeys(key for row in listed for key in row)
    table = pa.table({key: [row.get(key) for row in listed] for key in keys})
    with replacing(path) as part:
        pq.write_table(table, part)
