"""`imprint reproduce`: the published figures of the five works beside ours."""

from typing import Annotated

import typer

from imprint.cli.evaluate import BenchmarksOption
from imprint.cli.options import JsonOption, PageOption, SeedOption


def reproduce_command(
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="caliskan, talk, seat, ube or bolukbasi. [default: all]"),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME=SOURCE",
            help="A model of the papers: word2vec=vectors.bin, glove-840b, fasttext, bert, gpt and more; may repeat.",
        ),
    ] = None,
    benchmarks: BenchmarksOption = None,
    page: PageOption = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Compute the published figures and compare them.

    Each row has what the paper prints, what imprint computes and a verdict: equal to rounding, differs because, or
    cannot be computed because. Figures of models that are not bundled are computed where you give the model.
    """
    from imprint.cli.console import check_target, phases, show_findings, write_report
    from imprint.reproduction.subjects import parse_models

    models = parse_models(model or ())
    if page is not None:
        check_target(page, reading="")
    from imprint.reproduction.reproduce import reproduce

    with phases() as report:
        found = reproduce(papers or (), models=models, benchmarks=benchmarks, seed=seed, report=report).findings()
    show_findings(found, json=json)
    write_report(page, found, json=json)
