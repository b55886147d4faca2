"""`imprint evaluate`, `compare` and `reproduce`: what vectors are good for, two subjects, and published figures."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

import imprint
from imprint.cli import console
from imprint.cli.encoders import SUBJECT_HELP, EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import (
    DEFAULT_PAIR,
    BenchmarksOption,
    GroupOption,
    JsonOption,
    PageOption,
    SeedOption,
    chosen_weats,
    is_subject,
    named_words,
)
from imprint.errors import SettingError
from imprint.evaluation.benchmarks import BenchmarkSettings, EvaluationSettings
from imprint.settings import option


def evaluate_command(
    subject: SubjectArgument,
    against: Annotated[
        str | None, option("An earlier one: print the differences from it.", names_a="subject", metavar="OTHER")
    ] = None,
    benchmarks: BenchmarksOption = None,
    leakage: Annotated[
        bool, option("Try to recover gender from names, professions and the words furthest out.")
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
    from imprint.evaluation.benchmarks import all_benchmarks, pair_words
    from imprint.stimuli.files import groups_from_files

    groups = {each.name: each.words for each in groups_from_files(named_words("group", group)).groups} if group else {}
    if groups and not leakage:
        raise SettingError("--group is for --leakage", option="--group", hint="give --leakage too")
    chosen = all_benchmarks(benchmarks)
    from imprint.evaluation.leakage import leakage_words  # after the choice: it loads numpy

    asked = [*pair_words(chosen), *((*DEFAULT_PAIR, *leakage_words()) if leakage else ())]
    asked += [word for words in groups.values() for word in words]
    with opened_subjects((subject, against), about) as subjects:
        opened, *others = subjects.words(asked)
    before = others[0] if others else None
    with console.phases() as report:
        benchmarked = imprint.evaluate(opened, chosen, against=before, report=report, **asdict(settings))
        rows: list[imprint.Row] = [*benchmarked]
        if leakage:
            first, second = (opened, None) if before is None else (before, opened)
            axis = imprint.pair_axis(first, [DEFAULT_PAIR])
            rows += imprint.leakage(first, axis, after=second, groups=groups, seed=settings.seed, report=report)
    console.show_findings(rows, json=json)


def compare_command(
    first: Annotated[str, typer.Argument(callback=is_subject, metavar="A", help=SUBJECT_HELP)],
    second: Annotated[str, typer.Argument(callback=is_subject, metavar="B", help="Another.")],
    test: Annotated[
        Sequence[str] | None,
        option("A WEAT's id, or a pattern; may repeat. [default: questions, Caliskan's ten]"),
    ] = None,
    benchmarks: BenchmarksOption = None,
    *,
    settings: BenchmarkSettings,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Compare two subjects: biases, associations, benchmarks.

    Among others: do both associate the same words alike? A sentence encoder is asked about words in sentences.
    """
    from imprint.evaluation.benchmarks import all_benchmarks

    hint = "every WEFAT is compared anyway"
    tests = None if not test else chosen_weats(test, None, None, default=(), hint=hint)
    chosen = all_benchmarks(benchmarks)
    from imprint.evaluation.comparison import compare, comparison_words  # after the choice: they load numpy
    from imprint.evaluation.controls import with_controls

    with opened_subjects([first, second], about) as opened:
        languages = {weat.language for weat in tests or ()} or {"en"}
        words = opened.words(comparison_words(tests, chosen), languages=languages)
        with console.phases() as report:
            rows = compare(*words, tests=tests, benchmarks=chosen, report=report, **asdict(settings))
        judged = with_controls(rows, *opened.subjects, cache=opened.cache)
    console.show_findings(judged.findings(), json=json)


def reproduce_command(
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="caliskan, talk, seat, ube or bolukbasi. [default: all]"),
    ] = None,
    model: Annotated[
        Sequence[str] | None,
        option(
            "A model of the papers: word2vec=vectors.bin, glove-840b, fasttext, bert, gpt and more; may repeat.",
            metavar="NAME=SOURCE",
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
    from imprint.reproduction.subjects import parse_models

    models = parse_models(model or ())
    console.check_target(page)
    from imprint.reproduction.reproduce import reproduce

    with console.phases() as report:
        rows = reproduce(papers or (), models=models, benchmarks=benchmarks, seed=seed, report=report).findings()
    console.show_findings(rows, json=json)
    console.write_report(page, rows, json=json)
