"""`imprint board`: many subjects on one page, with the differences that the words decide."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imprint.cli import console, options
from imprint.cli.encoders import EncoderSettings
from imprint.cli.findings import PageSettings
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.boards.subjects import BoardEntry

_UNITS = "measured"


def _are_subjects(given: Any) -> Any:
    """Refuse what names no subject and no file of models, while options are read."""
    for source in given or ():
        (options.is_file if source.endswith(".toml") else options.is_subject)(source)
    return given


def board_command(
    subjects: Annotated[
        list[str],
        typer.Argument(
            callback=_are_subjects,
            metavar="SUBJECT...",
            help="Embeddings and encoders, as for audit; or models.toml files that list them.",
        ),
    ],
    out: Annotated[Path, option("The folder to write.")] = Path("board"),
    tests: options.TestsOption = None,
    topic: options.TopicOption = None,
    *,
    work: options.ProcessSettings,
    parquet: Annotated[bool, option("Write board.parquet too (needs pyarrow).")] = False,
    page: PageSettings,
    about: EncoderSettings,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
) -> None:
    """Compare many models: bias, differences and quality.

    Writes board.html and board.jsonl, and a page per model. A model that fails is listed with the reason. Measurements
    are kept in the folder; unchanged models are not measured again.
    """
    from imprint.render.terminal import draw_text

    hint = "give a file with a WEAT"
    chosen = None if tests is None else options.chosen_weats(None, tests, topic, default=("*",), hint=hint)
    from imprint.boards.pages import PAGE, ROWS, make_folder, write_board
    from imprint.boards.run import board, board_entries
    from imprint.errors import requiring
    from imprint.render.vega import bundle_ahead
    from imprint.reports.summary import verdict
    from imprint.rows import SkippedRow

    entries = board_entries(_entries(subjects, about))
    if parquet:
        with requiring("pyarrow", "pandas"):
            import pyarrow  # noqa: F401 - missing, it is refused before the work
    workers = work.chosen
    cache = about.cache_file
    make_folder(out)
    with bundle_ahead() as script, console.steps(len(entries)) as report:
        found = board(
            entries,
            tests=chosen,
            topics=topic or (),
            cache=cache,
            seed=seed,
            workers=workers,
            folder=out / _UNITS,
            report=report,
        )
        rows = write_board(out, found, parquet=parquet, unmask=page.unmask, script=script)
    for row in rows:
        if isinstance(row, SkippedRow):
            console.print_note(f"not measured: {row.test}: {row.reason}")
    if json:
        console.print_findings(rows)
    else:
        console.print_answer(draw_text(verdict(rows)))
        console.print_written("board", out / PAGE)
    console.print_note(f"{len(rows):,} rows: {out / ROWS}")
    page.finish(out / PAGE)


def _entries(subjects: list[str], about: EncoderSettings) -> "list[BoardEntry | str]":
    """Return the subjects named, with the options of encoders, and files of models as they are."""
    from imprint.boards.subjects import BoardEntry, is_list_of_models
    from imprint.subjects.sources import EMBEDDING, find_source

    named = [source for source in subjects if not is_list_of_models(source)]
    encoders = [source for source in named if find_source(source).adapter != EMBEDDING]
    if not encoders and about.given:
        about.refuse()
    shared = iter(about.shared(encoders) if encoders else [])
    entries: list[BoardEntry | str] = []
    for source in subjects:
        options: Any = next(shared).given if source in encoders else {}
        entries.append(source if is_list_of_models(source) else BoardEntry(source, options=options))
    return entries
