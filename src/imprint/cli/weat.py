"""`imprint weat`: association tests with exact p-values."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.choices import Alternative
from imprint.cli.options import AlphaOption, EmbeddingArgument, JsonOption, SeedOption
from imprint.errors import SettingError, VocabularyError

if TYPE_CHECKING:
    from imprint.stimuli.definition import WeatTest

DEFAULT_TESTS = ("caliskan-*",)


def weat_command(
    embedding: EmbeddingArgument,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id, or a pattern such as 'seat-*'; may repeat. [default: caliskan-*]"),
    ] = None,
    tests: Annotated[
        Path | None, typer.Option("--tests", help="A TOML file of your own tests, instead of the catalogue.")
    ] = None,
    x: Annotated[
        Path | None, typer.Option("--x", help="A file of words: first targets. Needs --y, --a and --b.")
    ] = None,
    y: Annotated[Path | None, typer.Option("--y", help="A file of words: second targets.")] = None,
    a: Annotated[Path | None, typer.Option("--a", help="A file of words: first attributes.")] = None,
    b: Annotated[Path | None, typer.Option("--b", help="A file of words: second attributes.")] = None,
    alternative: Annotated[
        Alternative, typer.Option("--alternative", help="Alternative hypothesis of the p-value.")
    ] = "greater",
    alpha: AlphaOption = 0.05,
    sampled: Annotated[
        int | None,
        typer.Option("--sampled", min=1, help="Estimate p from this many random partitions instead of counting."),
    ] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Test whether two sets of words differ in their association with two others (WEAT).

    To test your own words, give four word files (--x --y --a --b) or a TOML file (--tests).
    """
    from imprint.association.battery import run_battery
    from imprint.cli.console import open_embedding, progress_bar, show_findings
    from imprint.stimuli.catalog import is_pattern
    from imprint.stimuli.definition import words_of

    # Of what a pattern finds, tests without words are told as not run; one asked for by its name is an error.
    named = bool(tests or x or y or a or b) or not all(map(is_pattern, test or DEFAULT_TESTS))
    chosen = _choose(test, tests, (x, y, a, b))
    opened = open_embedding(embedding, words_of(chosen))
    try:
        with progress_bar("testing") as report:
            battery = run_battery(
                opened,
                chosen,
                alternative=alternative,
                alpha=alpha,
                draws=sampled,
                seed=seed,
                skip=not named,
                progress=report,
            )
    except VocabularyError as error:
        if test or named:
            raise
        raise VocabularyError(
            error.message,
            where=error.where,
            words=error.words,
            hint="other tests: --test '*', or your own words: --x --y --a --b",
        ) from error
    show_findings(battery.findings(), json=json)


def _choose(patterns: list[str] | None, file: Path | None, words: tuple[Path | None, ...]) -> "tuple[WeatTest, ...]":
    from imprint.stimuli.catalog import catalogue, choose, read_tests
    from imprint.stimuli.definition import WeatTest
    from imprint.stimuli.files import weat_from_files

    if any(words):
        x, y, a, b = words
        if patterns or file:
            raise SettingError(
                "--test, --tests and the four word files cannot be used together",
                option="--test",
                hint="give one of them",
            )
        if x is None or y is None or a is None or b is None:
            raise SettingError("four word files are needed", option="--x", hint="give --x --y --a --b")
        return (weat_from_files(x, y, a, b),)
    known = catalogue() if file is None else read_tests(file)
    chosen = choose(known, patterns or (DEFAULT_TESTS if file is None else ("*",)))
    found = tuple(test for test in chosen if isinstance(test, WeatTest))
    if not found:
        raise SettingError(
            option="--test",
            got=", ".join(patterns or "*"),
            expected="at least one WEAT",
            hint="run WEFATs with imprint wefat",
        )
    return found
