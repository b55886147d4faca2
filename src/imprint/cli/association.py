"""`imprint weat`, `wefat`, `seat` and `calibrate`: association tests, and what they find by chance."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.association.settings import BatterySettings, CalibrationSettings, SeatSettings
from imprint.cli import console
from imprint.cli.encoders import ENCODER_HELP, EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import (
    EmbeddingArgument,
    JsonOption,
    SeedOption,
    TestsOption,
    ThreadSettings,
    TopicOption,
    chosen_weats,
    is_encoder,
    is_file,
)
from imprint.errors import SettingError, VocabularyError
from imprint.settings import Option, option

if TYPE_CHECKING:
    from imprint.stimuli.definition import WeatTest, WefatTest


def _words(explained: str) -> Option:
    return option(explained, names_a="words", metavar="WORDS")


def weat_command(
    embedding: EmbeddingArgument,
    test: Annotated[
        Sequence[str] | None, option("A test's id or a pattern; may repeat. [default: questions and caliskan-*]")
    ] = None,
    topic: TopicOption = None,
    tests: TestsOption = None,
    x: Annotated[str | None, _words("First targets: a file, or a list such as nurse,teacher.")] = None,
    y: Annotated[str | None, _words("Second targets.")] = None,
    a: Annotated[str | None, _words("First attributes.")] = None,
    b: Annotated[str | None, _words("Second attributes.")] = None,
    *,
    settings: BatterySettings,
    json: JsonOption = False,
) -> None:
    """Compare two word sets by association with two others.

    This is the WEAT. To test your own words, give four sets (--x --y --a --b) or a TOML file (--tests).
    """
    from imprint.stimuli.catalog import WEAT_TESTS, is_pattern
    from imprint.stimuli.definition import words_of

    # Of what a pattern finds, tests without words are told as not run; one asked for by its name is an error, after
    # what could be measured is printed.
    named = bool(tests or x or y or a or b) or not all(map(is_pattern, test or WEAT_TESTS))
    chosen = _weats(test, tests, topic, (x, y, a, b))
    # After the choice: both load numpy.
    from imprint.association.battery import run_battery
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.rows import SkippedRow

    words = words_of(chosen) | control_words({weat.language for weat in chosen}, chosen)
    opened = console.open_embedding(embedding, words)
    hint = "other tests: --test '*', or your own words: --x --y --a --b"
    with console.progress_bar("testing") as report, _hinting(hint, unless=bool(test) or named):
        battery = run_battery(opened, chosen, skip=len(chosen) > 1 or not named, progress=report, **asdict(settings))
    console.show_findings(with_controls(battery, opened, tests=chosen).findings(), json=json)
    if lost := [row.test for row in battery.of(SkippedRow) if tests or row.test in (test or ())]:
        raise VocabularyError(f"{', '.join(lost)} could not be run")


def wefat_command(
    subject: SubjectArgument,
    test: Annotated[
        Sequence[str] | None, option("A test's id, or a pattern; may repeat. [default: all with a property]")
    ] = None,
    tests: TestsOption = None,
    property_file: Annotated[
        Path | None,
        option("A CSV file word,value: the numbers for the one test of --test.", "--property", callback=is_file),
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
    from imprint.stimuli.catalog import is_pattern
    from imprint.stimuli.definition import words_of

    named = bool(tests) or not all(map(is_pattern, test or ()))
    chosen = _wefats(test, tests, property_file)
    # After the choice: both load numpy.
    from imprint.association.battery import run_battery
    from imprint.embeddings.embedding import Embedding
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.subjects.framed import foreign_vectors, foreign_words

    languages = {wefat.language for wefat in chosen}
    asked = words_of(chosen) | control_words(languages, chosen)
    with opened_subjects([subject], about, asked) as opened:
        (opened_subject,) = opened.subjects
        apart = {} if isinstance(opened_subject, Embedding) else foreign_words(chosen)
        here = words_of(wefat for wefat in chosen if wefat.language not in apart)
        (words,) = opened.words(here, languages=languages, foreign=apart)
        foreign = foreign_vectors(opened_subject, chosen, cache=opened.cache)
        hint = "your own tests: --tests FILE"
        with console.progress_bar("testing") as report, _hinting(hint, unless=bool(test) or named):
            battery = run_battery(words, chosen, seed=seed, skip=not named, foreign=foreign, progress=report)
        rows = with_controls(battery, *opened.subjects, tests=chosen, cache=opened.cache)
    console.show_findings(rows.findings(), json=json)


def seat_command(
    encoder: Annotated[list[str], typer.Argument(callback=is_encoder, metavar="ENCODER...", help=ENCODER_HELP)],
    test: Annotated[
        Sequence[str] | None, option("A test's id or a pattern; may repeat. [default: questions and the paper's]")
    ] = None,
    topic: TopicOption = None,
    tests: TestsOption = None,
    *,
    settings: SeatSettings,
    work: ThreadSettings,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Run the WEAT on sentence encoders (SEAT).

    Sizes are of words in the same sentences. As in the paper, words and sentences are permuted too. Encodings are
    kept on disk: a second run encodes nothing.
    """
    from imprint.stimuli.catalog import SEAT_TESTS

    named = bool(test or tests)
    chosen = chosen_weats(test, tests, topic, default=SEAT_TESTS, hint="WEFATs have no sentences")
    # After the choice: both load numpy.
    from imprint.association.seat_battery import all_in_sentences, by_importance, run_seat_battery
    from imprint.evaluation.controls import control_words, with_controls
    from imprint.subjects.encodings import announce_texts

    texts: list[Iterable[str]] = []  # what a text has is known when it is read
    if not settings.contexts:
        questions, _ = all_in_sentences(chosen, settings.context, settings.patterns, skip=not named)
        # Questions are held against words of like frequency, and judged by controls.
        texts = [group for _, group in by_importance(questions)]
        texts.append(control_words({weat.language for weat in chosen}, chosen))
    workers = work.chosen
    every = {*chain(*texts)} or None
    encoders = [each.open(source, every) for source, each in zip(encoder, about.shared(encoder), strict=True)]
    with about.kept() as cache, console.phases() as report:
        for opened in encoders:
            announce_texts(opened, texts, cache)
        battery = run_seat_battery(
            encoders, chosen, cache=cache, skip=not named, workers=workers, report=report, **asdict(settings)
        )
        rows = with_controls(battery, *encoders, tests=chosen, cache=cache)
    console.show_findings(rows.findings(), json=json)
    if not json:
        encoded = sum(opened.sent for opened in encoders)
        console.print_note(f"{encoded:,} texts encoded." if encoded else "every text was known from an earlier run.")


def calibrate_command(
    subject: SubjectArgument,
    test: Annotated[
        Sequence[str] | None, option("A test's id, or a pattern; may repeat. [default: the questions]")
    ] = None,
    *,
    work: ThreadSettings,
    settings: CalibrationSettings,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Count findings in copies that have nothing to find.

    Vectors are exchanged among all words, or among words of like frequency, or names among like names.
    """
    from imprint.stimuli.catalog import catalogue, choose
    from imprint.stimuli.definition import WeatTest

    tests = [entry for entry in choose(catalogue(), test) if isinstance(entry, WeatTest)] if test else None
    from imprint.association.calibration import calibrate  # after the choice: it loads numpy

    workers = work.chosen
    with opened_subjects([subject], about) as opened, console.phases() as report:
        calibration = calibrate(
            opened.subjects[0], tests=tests, cache=opened.cache, workers=workers, report=report, **asdict(settings)
        )
    console.show_findings(calibration.findings(), json=json)


@contextmanager
def _hinting(hint: str, *, unless: bool) -> Iterator[None]:
    """Say what else there is to ask where nothing could be measured, unless tests were asked for by their names."""
    try:
        yield
    except VocabularyError as error:
        if unless:
            raise
        raise VocabularyError(error.message, where=error.where, words=error.words, hint=hint) from error


def _weats(
    patterns: Sequence[str] | None, file: Path | None, topics: Sequence[str] | None, words: tuple[str | None, ...]
) -> "tuple[WeatTest, ...]":
    """Return the tests of the catalogue or a file, or the one of four sets of words."""
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


def _wefats(patterns: Sequence[str] | None, file: Path | None, property_file: Path | None) -> "list[WefatTest]":
    """Return the tests of the catalogue or a file, one of them with the numbers of a property's file."""
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
        console.print_note(
            f"note: {property_file} has values for {len(words)} of {len(test.words)} words; the rest is ignored"
        )
        test = replace(test, words=words)
    return [test.with_property(values)]
