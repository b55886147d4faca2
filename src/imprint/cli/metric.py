"""`imprint metric` and `imprint metrics`: metrics by name, ours, those of other works and those of plug-ins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import imprint
from imprint.cli import console
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import GroupOption, JsonOption, SeedOption, named_words
from imprint.errors import SettingError
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.stimuli.definition import AnyTest


def metric_command(
    subject: SubjectArgument,
    *,
    metric: Annotated[
        Sequence[str],
        option("A metric's name, also with settings: rnd:distance=cos. May repeat; see imprint metrics."),
    ],
    test: Annotated[Sequence[str] | None, option("A test's id, or a pattern such as 'seat-*'; may repeat.")] = None,
    group: GroupOption = None,
    attributes: Annotated[
        Sequence[str] | None,
        option("Attributes of a group, where a metric needs them; may repeat.", metavar="NAME=WORDS"),
    ] = None,
    about: EncoderSettings,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run several metrics on the same tests and words.

    With several metrics, a table says which agree.
    """
    from imprint.stimuli.catalog import choose
    from imprint.stimuli.files import groups_from_files

    if bool(test) == bool(group):
        raise SettingError(
            "give either --test or --group",
            option="test" if test else "group",
            hint="`imprint stimuli` lists the tests",
        )
    if attributes and not group:
        raise SettingError("--attributes belong to --group", option="attributes", got=attributes[0])
    metrics = _asked(metric)
    tests: list[AnyTest] = [*choose(imprint.catalogue(), test or ())]
    if group:
        tests = [groups_from_files(named_words("group", group), named_words("attributes", attributes))]
    from imprint.evaluation.controls import control_words, with_controls  # after the choice: they load numpy
    from imprint.metrics.by_name import choose_metrics

    chosen = choose_metrics(metrics, tests)
    words = chosen.words(tests)
    languages = {test.language for test in tests}
    only = None if chosen.from_plugins else words | control_words(languages)
    with opened_subjects([subject], about, only) as opened:
        vectors = None
        if chosen.metrics or "weat" in chosen.functions:
            (vectors,) = opened.words(sorted(words), languages=languages)
        with console.progress_bar("metrics") as progress:
            rows = imprint.run_metrics(
                opened.subjects[0], tests, metrics, vectors=vectors, cache=opened.cache, seed=seed, progress=progress
            )
        rows = with_controls(rows, *opened.subjects, cache=opened.cache)
    console.show_findings(rows.findings(), json=json)


def metrics_command() -> None:
    """List the metrics by name."""
    from imprint.metrics import METRICS

    widest = max(map(len, METRICS.names()))
    for name in METRICS.names():
        measure = METRICS.get(name)
        said = getattr(measure, "summary", None) or (measure.__doc__ or "").strip().partition("\n")[0]
        console.print_answer(f"{name:{widest}}  {said}")


def _asked(given: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of each metric; one asked twice would be one name for two values."""
    asked: dict[str, dict[str, Any]] = {}
    for name, settings in map(_with_settings, given):
        if name in asked:
            raise SettingError(f"{name} is duplicated", option="metric", got=name, hint="run it twice instead")
        asked[name] = settings
    return asked


def _with_settings(given: str) -> tuple[str, dict[str, Any]]:
    """Tell a name from its settings: rnd:distance=cos,normalize=false."""
    name, _, rest = given.partition(":")
    settings = {}
    for setting in filter(None, rest.split(",")):
        key, equals, value = setting.partition("=")
        if not equals:
            raise SettingError(option="metric", got=given, expected="settings as name=value, such as rnd:distance=cos")
        settings[key.strip()] = value.strip()
    return name.strip(), settings
