"""`imprint stimuli`: list, show and check tests."""

import json as json_lines
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli import console
from imprint.cli.options import JsonOption, is_file
from imprint.errors import SettingError
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.stimuli.definition import Test


def stimuli_command(
    test: Annotated[
        list[str] | None, typer.Argument(metavar="[TEST]...", help="Ids or patterns to show in full.")
    ] = None,
    tests: Annotated[
        Path | None, option("Check and list a TOML file of your own, instead of the catalogue.", callback=is_file)
    ] = None,
    match: Annotated[
        Path | None,
        option("Match the lists of --tests in frequency, and write the tests to this file.", metavar="OUT"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List tests, show some in full, check or match your file."""
    from imprint.stimuli.catalog import catalogue, choose, read_tests

    if match is not None:
        if tests is None:
            raise SettingError("--match needs tests of your own", option="--match", hint="give --tests FILE")
        _match(choose(read_tests(tests), test or ("*",)), tests, match)
        return
    chosen = choose(catalogue() if tests is None else read_tests(tests), test or ("*",))
    if json:
        for shown in chosen:
            sys.stdout.write(f"{json_lines.dumps(_row(shown), ensure_ascii=False)}\n")
    elif test:
        for shown in chosen:
            console.print_answer(f"{_in_full(shown)}\n")
    else:
        console.print_answer(_listing(chosen))


def _match(tests: Sequence["Test"], source: Path, target: Path) -> None:
    from imprint.embeddings.reading import frequency_table
    from imprint.stimuli.definition import quote
    from imprint.stimuli.matching import match_tests
    from imprint.stimuli.parsing import write_tests

    console.check_target(target, reading=str(source))
    matched = match_tests(tests, frequency_table())
    write_tests(target, [each.test for each in matched])
    for before, after in zip(tests, matched, strict=True):
        left_out = f"; left out, without a frequency rank: {quote(after.unranked)}" if after.unranked else ""
        console.print_note(f"{before.id}: {_sizes(before)} words, matched {_sizes(after.test)}{left_out}")
    console.print_written("tests", target)


def _listing(tests: Sequence["Test"]) -> str:
    """Return one line per test, the questions before the others and under headings of their own."""
    from imprint.stimuli.catalog import more_questions
    from imprint.stimuli.definition import WeatTest

    questions = [test for test in tests if isinstance(test, WeatTest) and test.is_question]
    parts: dict[str, list[Test]] = {
        "Questions, with long lists matched in frequency": [
            test for test in questions if test not in more_questions()
        ],
        "Questions about more people (--test more-questions), some with few words": [
            test for test in questions if test in more_questions()
        ],
        "Other tests, most of them published": [test for test in tests if test not in questions],
    }
    listed = {heading: "\n".join(map(_line, part)) for heading, part in parts.items() if part}
    return "\n\n".join(f"{heading}\n{part}" if questions else part for heading, part in listed.items())


def _line(test: "Test") -> str:
    return f"{test.id:28} {test.language:3} {_sizes(test):>15}  {test.title}"


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
