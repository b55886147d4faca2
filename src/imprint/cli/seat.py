"""`imprint seat`: association tests on sentence encoders."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from typing import Annotated

import typer

from imprint.association.settings import SeatSettings
from imprint.cli.encoders import ENCODER_HELP, EncoderSettings
from imprint.cli.options import (
    DaskOption,
    JsonOption,
    TestsOption,
    TopicOption,
    WorkersOption,
    chosen_weats,
    given_workers,
    is_encoder,
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
    *,
    settings: SeatSettings,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Run the WEAT on sentence encoders (SEAT).

    Sizes are of words in the same sentences. As in the paper, words and sentences are permuted too. Encodings are
    kept on disk: a second run encodes nothing.
    """
    from imprint.cli.console import phases, print_note, show_findings
    from imprint.stimuli.catalog import SEAT_TESTS

    asked = bool(test or tests)
    chosen = chosen_weats(test, tests, topic, default=SEAT_TESTS, hint="WEFATs have no sentences")
    # After the choice: both load numpy.
    from imprint.association.seat_battery import all_in_sentences, by_importance, run_seat_battery
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.subjects.encodings import announce_texts

    texts: list[Iterable[str]] = []  # what a text has is known when it is read
    if not settings.contexts:
        questions, _ = all_in_sentences(chosen, settings.context, settings.patterns, skip=not asked)
        # Questions are held against words of like frequency, and judged by controls.
        texts = [group for _, group in by_importance(questions)]
        texts.append(control_words({test.language for test in chosen}, chosen))
    chosen_workers = given_workers(workers, dask)
    every = {*chain(*texts)} or None
    encoders = [one.open(source, every) for source, one in zip(encoder, about.shared(encoder), strict=True)]
    with about.kept() as cache, phases() as report:
        for opened in encoders:
            announce_texts(opened, texts, cache)
        battery = run_seat_battery(
            encoders,
            chosen,
            cache=cache,
            skip=not asked,
            workers=chosen_workers,
            report=report,
            **asdict(settings),
        )
        rows = with_controls(battery, *encoders, tests=chosen, cache=cache)
    show_findings(rows.findings(), json=json)
    if not json:
        encoded = sum(opened.sent for opened in encoders)
        print_note(f"{encoded:,} texts encoded." if encoded else "every text was known from an earlier run.")
