"""`imprint translate-probe`: which pronoun does a translator choose?"""

from pathlib import Path
from typing import Annotated

import typer

from imprint.cli.options import JsonOption, PageOption, is_embedding, is_file


def translate_probe_command(
    translator: Annotated[
        str,
        typer.Argument(
            metavar="TRANSLATOR",
            help="'command:PROGRAM ARGUMENTS' (reads and writes lines; {source} and {target} are codes), or the URL "
            "of a service such as LibreTranslate.",
        ),
    ],
    language: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="CODE", help="tr, eu, hu, fi, et, id, fa or sw. [default: all]"),
    ] = None,
    target: Annotated[
        str,
        typer.Option("--target", metavar="CODE", help="Language to translate into: en, de or fr."),
    ] = "en",
    embedding: Annotated[
        str,
        typer.Option("--embedding", callback=is_embedding, help="Whose associations predict the pronoun."),
    ] = "default",
    sentences: Annotated[
        Path | None,
        typer.Option("--sentences", callback=is_file, help="A TOML file of your own sentences and words."),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option("--batch", min=1, help="Sentences at once. [default: 25 for a service, all for a command]"),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", help="Seconds for each batch. [default: 60 for a service, 600 for a command]"),
    ] = None,
    page: PageOption = None,
    json: JsonOption = False,
) -> None:
    """Count the pronouns that a translator chooses.

    Sentences in eight languages that leave the gender open are translated to English, German or French. The report
    counts he, she, neither and untranslated, and says what predicts them.
    """
    from imprint.cli.console import check_target, progress_bar, show_findings, write_report
    from imprint.translation.probe import translate_probe

    if page is not None:
        check_target(page, reading="")
    with progress_bar("translating") as report:
        found = translate_probe(
            translator,
            language or (),
            target=target,
            embedding=embedding,
            sentences=sentences,
            batch=batch,
            timeout=timeout,
            progress=report,
        ).findings()
    show_findings(found, json=json)
    write_report(page, found, json=json)
