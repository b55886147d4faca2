"""`imprint seat`: association tests on sentence encoders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.choices import Alternative, Context
from imprint.cli.encoders import (
    ENCODER_HELP,
    BatchOption,
    CacheOption,
    LayersOption,
    MaxTextsOption,
    ModelOption,
    NoCacheOption,
    PoolingOption,
    PrefixOption,
    PromptOption,
    RetriesOption,
    TimeoutOption,
    TokenizerOption,
)
from imprint.cli.options import AlphaOption, JsonOption, SeedOption, is_encoder
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.stimuli.definition import WeatTest


def seat_command(
    encoder: Annotated[list[str], typer.Argument(callback=is_encoder, metavar="ENCODER...", help=ENCODER_HELP)],
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id, or a pattern such as 'seat-*'; may repeat. [default: the paper's]"),
    ] = None,
    tests: Annotated[
        Path | None, typer.Option("--tests", help="A TOML file of your own tests, instead of the catalogue.")
    ] = None,
    templates: Annotated[
        Path | None, typer.Option("--templates", help="A TOML file of sentence templates by kind of word.")
    ] = None,
    context: Annotated[
        Context | None,
        typer.Option("--context", help="Words alone, or one kind of sentences alone. [default: all a test has]"),
    ] = None,
    alternative: Annotated[
        Alternative, typer.Option("--alternative", help="Alternative hypothesis of the p-value.")
    ] = "greater",
    alpha: AlphaOption = 0.05,
    model: ModelOption = None,
    pooling: PoolingOption = None,
    layers: LayersOption = None,
    prefix: PrefixOption = None,
    prompt_name: PromptOption = None,
    tokenizer: TokenizerOption = None,
    batch: BatchOption = None,
    timeout: TimeoutOption = None,
    retries: RetriesOption = None,
    max_texts: MaxTextsOption = None,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run association tests on sentence encoders (SEAT), by words and, as in the paper, by sentences.

    Each encoder's tests are corrected together. Encodings are cached, so a second run encodes nothing.
    """
    from imprint.association.seat_battery import all_in_sentences, run_seat_battery
    from imprint.cli.console import phases, print_note, show_findings
    from imprint.cli.encoders import opened_cache, opened_encoder
    from imprint.stimuli.templates import read_templates

    asked = bool(test or tests)
    chosen = _choose(test, tests)
    own = None if templates is None else read_templates(templates)
    questions, _ = all_in_sentences(chosen, context, own, skip=not asked)
    texts = {text for question in questions for text in question.texts + question.frames}
    encoders = [
        opened_encoder(
            source,
            texts=texts,
            model=model,
            pooling=pooling,
            layers=layers,
            prefix=prefix,
            prompt_name=prompt_name,
            tokenizer=tokenizer,
            batch=batch,
            timeout=timeout,
            retries=retries,
            max_texts=max_texts,
        )
        for source in encoder
    ]
    with opened_cache(cache, unused=no_cache) as kept, phases() as report:
        battery = run_seat_battery(
            encoders,
            chosen,
            context=context,
            templates=own,
            alternative=alternative,
            alpha=alpha,
            cache=kept,
            seed=seed,
            skip=not asked,
            report=report,
        )
    show_findings(battery.findings(), json=json)
    if not json:
        encoded = (
            f"{battery.encoded:,} texts encoded" if battery.encoded else "every text was known from an earlier run"
        )
        print_note(f"{encoded}.")


def _choose(patterns: list[str] | None, file: Path | None) -> "tuple[WeatTest, ...]":
    from imprint.stimuli.catalog import SEAT_TESTS, catalogue, choose, read_tests
    from imprint.stimuli.definition import WeatTest

    known = catalogue() if file is None else read_tests(file)
    chosen = choose(known, patterns or (SEAT_TESTS if file is None else ("*",)))
    found = tuple(test for test in chosen if isinstance(test, WeatTest))
    if not found:
        raise SettingError(
            option="--test",
            got=", ".join(patterns or "*"),
            expected="at least one WEAT",
            hint="WEFATs have no sentences",
        )
    return found
