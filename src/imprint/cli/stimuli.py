"""`imprint stimuli`: list, show and check tests."""

import json as json_lines
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.options import JsonOption, is_file

if TYPE_CHECKING:
    from imprint.stimuli.definition import Test


def stimuli_command(
    test: Annotated[
        list[str] | None, typer.Argument(metavar="[TEST]...", help="Ids or patterns to show in full.")
    ] = None,
    tests: Annotated[
        Path | None,
        typer.Option(callback=is_file, help="Check and list a TOML file of your own, instead of the catalogue."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the tests, show some in full, or check your file."""
    from imprint.cli.console import print_answer
    from imprint.stimuli.catalog import catalogue, choose, read_tests

    known = catalogue() if tests is None else read_tests(tests)
    chosen = choose(known, test or ("*",))
    for found in chosen:
        if json:
            sys.stdout.write(f"{json_lines.dumps(_row(found), ensure_ascii=False)}\n")
        elif test:
            print_answer(f"{_in_full(found)}\n")
        else:
            print_answer(f"{found.id:28} {found.language:3} {_sizes(found):>14}  {found.title}")


def _row(test: "Test") -> dict[str, object]:
    from imprint.stimuli.definition import WeatTest

    return {"kind": "weat" if isinstance(test, WeatTest) else "wefat", **asdict(test)}


def _sizes(test: "Test") -> str:
    from imprint.stimuli.definition import word_sets

    return "+".join(str(len(words)) for words in word_sets(test).values())


def _in_full(test: "Test") -> str:
    from imprint.stimuli.definition import WeatTest, WefatTest, word_sets

    lines = [f"{test.id}: {test.title}", f"  source: {test.source}", f"  language: {test.language}"]
    for key, words in word_sets(test).items():
        lines.append(f"  {key} ({words.name}): {', '.join(words.words)}")
    for figure in test.published:
        values = (("r =", figure.r), ("d =", figure.effect), ("p", figure.p))
        said = ", ".join(f"{name} {value}" for name, value in values if value is not None)
        lines.append(f"  published: {said} on {figure.embedding} ({figure.source})")
    if isinstance(test, WeatTest) and test.human:
        people = f", {test.human.participants:,} participants" if test.human.participants else ""
        lines.append(
            f"  people: d = {test.human.effect}, p {test.human.p}{people} ({test.human.source}); "
            "another scale, not comparable"
        )
    if isinstance(test, WeatTest) and test.unbleached:
        lines.append(f"  sentences: {' '.join(test.unbleached.targets)} {' '.join(test.unbleached.attributes)}")
    if isinstance(test, WefatTest):
        lines.append(f"  property: {test.property_name}{'' if test.property else ' (give it with --property)'}")
    if test.adapted:
        lines.append(f"  adapted: {test.adapted}")
    if test.notes:
        lines.append(f"  notes: {test.notes}")
    return "\n".join(lines)
