"""`imprint seat`: association tests on sentence encoders."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from imprint.checks import Alternative, Context
from imprint.cli.encoders import ENCODER_HELP, EncoderSettings
from imprint.cli.options import (
    ByGenderOption,
    DaskOption,
    JsonOption,
    SeedOption,
    TestsOption,
    TopicOption,
    WorkersOption,
    chosen_weats,
    given_workers,
    is_encoder,
    is_file,
    with_settings,
)


@with_settings
def seat_command(
    encoder: Annotated[list[str], typer.Argument(callback=is_encoder, metavar="ENCODER...", help=ENCODER_HELP)],
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id or a pattern; may repeat. [default: questions and the paper's]"),
    ] = None,
    topic: TopicOption = None,
    tests: TestsOption = None,
    templates: Annotated[
        Path | None,
        typer.Option("--templates", callback=is_file, help="A TOML file of sentence templates by kind of word."),
    ] = None,
    context: Annotated[
        Context | None,
        typer.Option("--context", help="Words alone, or one kind of sentences alone. [default: all a test has]"),
    ] = None,
    alternative: Annotated[
        Alternative, typer.Option("--alternative", help="Alternative hypothesis of the p-value.")
    ] = "greater",
    by_gender: ByGenderOption = False,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    *,
    about: EncoderSettings,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run the WEAT on sentence encoders (SEAT).

    Sizes are of words in the same sentences. As in the paper, words and sentences are permuted too. Encodings are
    kept on disk: a second run encodes nothing.
    """
    from imprint.cli.console import phases, print_note, show_findings
    from imprint.stimuli.catalog import SEAT_TESTS
    from imprint.stimuli.templates import read_templates

    asked = bool(test or tests)
    chosen = chosen_weats(test, tests, topic, default=SEAT_TESTS, hint="WEFATs have no sentences")
    own = None if templates is None else read_templates(templates)
    # After the choice: both load numpy.
    from imprint.association.seat_battery import all_in_sentences, by_importance, run_seat_battery
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.subjects.encodings import announce_texts

    questions, _ = all_in_sentences(chosen, context, own, skip=not asked)
    # Questions are held against words of like frequency, and judged by controls.
    texts = [
        *(group for _, group in by_importance(questions)),
        control_words({test.language for test in chosen}, chosen),
    ]
    chosen_workers = given_workers(workers, dask)
    every = {*chain(*texts)}
    encoders = [one.open(source, every) for source, one in zip(encoder, about.shared(encoder), strict=True)]
    with about.kept() as cache, phases() as report:
        for opened in encoders:
            announce_texts(opened, texts, cache)
        battery = run_seat_battery(
            encoders,
            chosen,
            context=context,
            templates=own,
            alternative=alternative,
            cache=cache,
            seed=seed,
            skip=not asked,
            by_gender=by_gender,
            workers=chosen_workers,
            report=report,
        )
        rows = with_controls(battery, *encoders, tests=chosen, cache=cache)
    show_findings(rows.findings(), json=json)
    if not json:
        encoded = sum(opened.sent for opened in encoders)
        print_note(f"{encoded:,} texts encoded." if encoded else "every text was known from an earlier run.")
