"""`imprint evaluate`: what an embedding is good for, alone or against another."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import DEFAULT_PAIR, GroupOption, JsonOption, is_subject, named_words, with_settings
from imprint.errors import SettingError
from imprint.evaluation.benchmarks import EvaluationSettings

BenchmarksOption = Annotated[
    Path | None,
    typer.Option(
        "--benchmarks", metavar="FOLDER", help="A folder of more benchmarks: .tsv, .csv or .txt files, also as .gz."
    ),
]


@with_settings
def evaluate_command(
    subject: SubjectArgument,
    against: Annotated[
        str | None,
        typer.Option(callback=is_subject, metavar="OTHER", help="An earlier one: print the differences from it."),
    ] = None,
    benchmarks: BenchmarksOption = None,
    leakage: Annotated[
        bool,
        typer.Option("--leakage", help="Try to recover gender from names, professions and the words furthest out."),
    ] = False,
    group: GroupOption = None,
    *,
    settings: EvaluationSettings,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Run benchmarks of word similarity and analogy.

    With --against, what was lost or won. Bundled: RG-65, WordSim-353, MEN and Google's analogies. Others may not
    be redistributed: give their files. A sentence encoder is asked about the similarity of words in sentences.
    """
    from imprint.cli.console import phases, show_findings
    from imprint.evaluation.benchmarks import all_benchmarks, pair_words
    from imprint.stimuli.files import groups_from_files

    groups = {own.name: own.words for own in groups_from_files(named_words("group", group)).groups} if group else {}
    if groups and not leakage:
        raise SettingError("--group is for --leakage", option="--group", hint="give --leakage too")
    chosen = all_benchmarks(benchmarks)
    from imprint.evaluation.leakage import leakage_words  # after the choice: it loads numpy

    asked = [*pair_words(chosen), *((*DEFAULT_PAIR, *leakage_words()) if leakage else ())]
    asked += [word for own in groups.values() for word in own]
    with opened_subjects((subject, against), about) as subjects:
        opened, *others = subjects.words(asked)
    before = others[0] if others else None
    with phases() as report:
        benchmarked = imprint.evaluate(opened, chosen, against=before, report=report, **asdict(settings))
        rows: list[imprint.Row] = [*benchmarked]
        if leakage:
            first, second = (opened, None) if before is None else (before, opened)
            axis = imprint.pair_axis(first, [DEFAULT_PAIR])
            rows += imprint.leakage(first, axis, after=second, groups=groups, seed=settings.seed, report=report)
    show_findings(rows, json=json)
