"""`imprint weat`: association tests with exact p-values."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imprint.association.settings import BatterySettings
from imprint.cli.options import (
    EmbeddingArgument,
    JsonOption,
    TestsOption,
    TopicOption,
    are_words,
    chosen_weats,
    with_settings,
)
from imprint.errors import SettingError, VocabularyError

if TYPE_CHECKING:
    from pathlib import Path

    from imprint.stimuli.definition import WeatTest


def _words(name: str, explained: str) -> Any:
    return typer.Option(name, callback=are_words, metavar="WORDS", help=explained)


@with_settings
def weat_command(
    embedding: EmbeddingArgument,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id or a pattern; may repeat. [default: questions and caliskan-*]"),
    ] = None,
    topic: TopicOption = None,
    tests: TestsOption = None,
    x: Annotated[str | None, _words("--x", "First targets: a file, or a list such as nurse,teacher.")] = None,
    y: Annotated[str | None, _words("--y", "Second targets.")] = None,
    a: Annotated[str | None, _words("--a", "First attributes.")] = None,
    b: Annotated[str | None, _words("--b", "Second attributes.")] = None,
    *,
    settings: BatterySettings,
    json: JsonOption = False,
) -> None:
    """Compare two word sets by association with two others.

    This is the WEAT. To test your own words, give four sets (--x --y --a --b) or a TOML file (--tests).
    """
    from imprint.cli.console import open_embedding, progress_bar, show_findings
    from imprint.stimuli.catalog import WEAT_TESTS, is_pattern
    from imprint.stimuli.definition import words_of

    # Of what a pattern finds, tests without words are told as not run; one asked for by its name is an error, after
    # what could be measured is printed.
    named = bool(tests or x or y or a or b) or not all(map(is_pattern, test or WEAT_TESTS))
    chosen = _choose(test, tests, topic, (x, y, a, b))
    # After the choice: both load numpy.
    from imprint.association.battery import run_battery
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.rows import SkippedRow

    opened = open_embedding(embedding, words_of(chosen) | control_words({one.language for one in chosen}, chosen))
    hint = "other tests: --test '*', or your own words: --x --y --a --b"
    with progress_bar("testing") as report, hinting(hint, unless=bool(test) or named):
        battery = run_battery(opened, chosen, skip=len(chosen) > 1 or not named, progress=report, **asdict(settings))
    show_findings(with_controls(battery, opened, tests=chosen).findings(), json=json)
    if lost := [row.test for row in battery.of(SkippedRow) if tests or row.test in (test or ())]:
        raise VocabularyError(f"{', '.join(lost)} could not be run")


@contextmanager
def hinting(hint: str, *, unless: bool) -> Iterator[None]:
    """Say what else there is to ask where nothing could be measured, unless tests were asked for by their names."""
    try:
        yield
    except VocabularyError as error:
        if unless:
            raise
        raise VocabularyError(error.message, where=error.where, words=error.words, hint=hint) from error


def _choose(
    patterns: list[str] | None, file: "Path | None", topics: list[str] | None, words: tuple[str | None, ...]
) -> "tuple[WeatTest, ...]":
    from imprint.stimuli.catalog import WEAT_TESTS
    from imprint.stimuli.files import weat_from_files

    if not any(words):
        return chosen_weats(patterns, file, topics, default=WEAT_TESTS, hint="run WEFATs with imprint wefat")
    x, y, a, b = words
    if patterns or file or topics:
        raise SettingError(
            "--test, --tests, --topic and four sets of words cannot be used together",
            option="--test",
            hint="give one of them",
        )
    if x is None or y is None or a is None or b is None:
        raise SettingError("four sets of words are needed", option="--x", hint="give --x --y --a --b")
    return (weat_from_files(x, y, a, b),)
