"""`imprint corpus`: which biases does text carry, and which documents carry them?"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.cli import console, options
from imprint.corpora.settings import CorpusSettings
from imprint.settings import option


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
        Sequence[str] | None,
        option("Only this test, or a pattern such as 'pronouns-*'; may repeat.", metavar="TEST"),
    ] = None,
    tests: options.TestsOption = None,
    settings: CorpusSettings,
    work: options.ProcessSettings,
    checkpoint: Annotated[Path | None, option("Save finished work in this folder, and continue from it.")] = None,
    page: options.PageOption = None,
    unmask: options.UnmaskOption = False,
    json: options.JsonOption = False,
) -> None:
    """Count which groups are near which words in text.

    Each question gets the log odds ratio with an interval over documents and words. It says which documents carry it,
    and how corpora and years differ.
    """
    from imprint.corpora.measure import text_tests
    from imprint.corpora.rows import CorpusRow
    from imprint.kinds.corpus import CONTENT_NOTE

    console.check_target(page)
    chosen = text_tests(test) if test else None
    if tests is not None:
        chosen = options.chosen_weats(test, tests, None, default=("*",), hint="give a file with a WEAT")
    workers = work.chosen
    with console.phases() as report:
        rows = imprint.corpus(
            text, tests=chosen, workers=workers, checkpoint=checkpoint, report=report, **asdict(settings)
        )
    has_passages = any(each.snippet for row in rows.of(CorpusRow) for each in row.documents)
    console.show_findings(rows.findings(), json=json, unmask=unmask, note=CONTENT_NOTE if has_passages else "")
    console.write_report(page, rows.findings(), json=json)
