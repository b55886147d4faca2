"""`imprint wefat`: what word vectors know about a number in the world."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import JsonOption, SeedOption, TestsOption, is_file, with_settings
from imprint.cli.weat import hinting
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.stimuli.definition import WefatTest


@with_settings
def wefat_command(
    subject: SubjectArgument,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id, or a pattern; may repeat. [default: all with a property]"),
    ] = None,
    tests: TestsOption = None,
    property_file: Annotated[
        Path | None,
        typer.Option(
            "--property", callback=is_file, help="A CSV file word,value: the numbers for the one test of --test."
        ),
    ] = None,
    *,
    about: EncoderSettings,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Correlate associations with a number about the world.

    This is the WEFAT: each word's association with two sets, against a property such as the share of women. A
    sentence encoder is asked about words in sentences.
    """
    from imprint.cli.console import progress_bar, show_findings
    from imprint.stimuli.catalog import is_pattern
    from imprint.stimuli.definition import words_of

    named = bool(tests) or not all(map(is_pattern, test or ()))
    chosen = _choose(test, tests, property_file)
    # After the choice: both load numpy.
    from imprint.association.battery import run_battery
    from imprint.embeddings.embedding import Embedding
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.subjects.framed import foreign_vectors, foreign_words

    languages = {test.language for test in chosen}
    asked = words_of(chosen) | control_words(languages, chosen)
    with opened_subjects([subject], about, asked) as opened:
        (opened_subject,) = opened.subjects
        apart = {} if isinstance(opened_subject, Embedding) else foreign_words(chosen)
        here = words_of(test for test in chosen if test.language not in apart)
        (words,) = opened.words(here, languages=languages, foreign=apart)
        foreign = foreign_vectors(opened_subject, chosen, cache=opened.cache)
        hint = "your own tests: --tests FILE"
        with progress_bar("testing") as report, hinting(hint, unless=bool(test) or named):
            battery = run_battery(words, chosen, seed=seed, skip=not named, foreign=foreign, progress=report)
        rows = with_controls(battery, *opened.subjects, tests=chosen, cache=opened.cache)
    show_findings(rows.findings(), json=json)


def _choose(patterns: list[str] | None, file: Path | None, property_file: Path | None) -> "list[WefatTest]":
    from imprint.cli.console import print_note
    from imprint.stimuli.catalog import catalogue, choose, read_tests
    from imprint.stimuli.definition import WefatTest
    from imprint.stimuli.files import read_property

    tests = catalogue() if file is None else read_tests(file)
    chosen = [test for test in choose(tests, patterns or ("*",)) if isinstance(test, WefatTest)]
    if not chosen:
        raise SettingError(
            option="--test",
            got=", ".join(patterns or "*"),
            expected="at least one WEFAT",
            hint="run WEATs with imprint weat",
        )
    if property_file is None:
        return chosen if patterns or file else [test for test in chosen if test.property is not None]
    if len(chosen) != 1:
        raise SettingError(
            f"--property is for one test, but {len(chosen)} are chosen",
            option="--property",
            got=property_file,
            hint=f"name one with --test, such as {chosen[0].id}",
        )
    values = read_property(property_file)
    test = replace(chosen[0], property_name=property_file.stem)
    words = test.words.subset(word for word in test.words.words if word in values)
    if 0 < len(words) < len(test.words):
        print_note(
            f"note: {property_file} has values for {len(words)} of {len(test.words)} words; the rest is ignored"
        )
        test = replace(test, words=words)
    return [test.with_property(values)]
