"""`imprint corpus`: which biases does text carry, and which documents carry them?"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.cli import options
from imprint.corpora.settings import CorpusSettings


@options.with_settings
def corpus_command(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...",
            help="Folders and files, which together are one corpus: text, JSON lines or Parquet, plain or compressed. "
            "- is standard input.",
        ),
    ],
    *,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="TEST", help="Only this test, or a pattern such as 'pronouns-*'; may repeat."),
    ] = None,
    tests: options.TestsOption = None,
    settings: CorpusSettings,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Number of processes. [default: 1]")] = None,
    dask: options.DaskOption = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="Save finished work in this folder, and continue from it.")
    ] = None,
    page: options.PageOption = None,
    unmask: options.UnmaskOption = False,
    json: options.JsonOption = False,
) -> None:
    """Count which groups are near which words in text.

    Each question gets the log odds ratio with an interval over documents and words. It says which documents carry it,
    and how corpora and years differ.
    """
    from imprint.cli.console import check_target, phases, show_findings, write_report
    from imprint.corpora.measure import text_tests
    from imprint.corpora.rows import CorpusRow
    from imprint.kinds.corpus import CONTENT_NOTE

    if page is not None:
        check_target(page, reading="")
    chosen = text_tests(test) if test else None
    if tests is not None:
        chosen = options.chosen_weats(test, tests, None, default=("*",), hint="give a file with a WEAT")
    working = options.given_workers(workers, dask)
    with phases() as report:
        rows = imprint.corpus(
            text, tests=chosen, workers=working, checkpoint=checkpoint, report=report, **asdict(settings)
        )
    has_passages = any(each.snippet for row in rows.of(CorpusRow) for each in row.documents)
    show_findings(rows.findings(), json=json, unmask=unmask, note=CONTENT_NOTE if has_passages else "")
    write_report(page, rows.findings(), json=json)
