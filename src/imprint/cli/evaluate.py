"""`imprint evaluate`: what an embedding is good for, alone or against another."""

from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.cli.options import DEFAULT_PAIR, EmbeddingArgument, JsonOption, SeedOption, is_embedding

BenchmarksOption = Annotated[
    Path | None,
    typer.Option(
        "--benchmarks", metavar="FOLDER", help="A folder of more benchmarks: .tsv, .csv or .txt files, also as .gz."
    ),
]
WordsOption = Annotated[
    int, typer.Option("--most-words", min=1, help="Number of most frequent words to search for analogies.")
]


def evaluate_command(
    embedding: EmbeddingArgument,
    against: Annotated[
        str | None,
        typer.Option(
            callback=is_embedding, metavar="OTHER", help="An earlier embedding: print the differences from it."
        ),
    ] = None,
    benchmarks: BenchmarksOption = None,
    most_words: WordsOption = 300_000,
    leakage: Annotated[
        bool,
        typer.Option("--leakage", help="Try to recover gender from names, professions and the words furthest out."),
    ] = False,
    resamples: Annotated[int, typer.Option(min=1, help="Resamples behind intervals of analogies.")] = 1_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run benchmarks of word similarity and analogy.

    With --against, what was lost or won. Bundled: RG-65, WordSim-353, MEN and Google's analogies. Others may not
    be redistributed: give their files.
    """
    from imprint.cli.console import open_embedding, phases, show_findings
    from imprint.evaluation.benchmarks import all_benchmarks

    chosen = all_benchmarks(benchmarks)
    opened = open_embedding(embedding)
    before = None if against is None else open_embedding(against)
    with phases() as report:
        found = imprint.evaluate(
            opened, chosen, against=before, most_words=most_words, resamples=resamples, seed=seed, report=report
        ).findings()
        if leakage:
            first, second = (opened, None) if before is None else (before, opened)
            axis = imprint.pair_axis(first, [DEFAULT_PAIR])
            found += imprint.leakage(first, axis, after=second, seed=seed, report=report).findings()
    show_findings(found, json=json)
