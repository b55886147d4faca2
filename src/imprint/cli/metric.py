"""`imprint metric` and `imprint metrics`: metrics by name, ours, those of other works and those of plug-ins."""

from typing import Annotated, Any

import typer

import imprint
from imprint.checks import check_choice
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import GroupOption, JsonOption, SeedOption, named_words, with_settings
from imprint.errors import SettingError


@with_settings
def metric_command(
    subject: SubjectArgument,
    metric: Annotated[
        list[str],
        typer.Option(help="A metric's name, also with settings: rnd:distance=cos. May repeat; see imprint metrics."),
    ],
    test: Annotated[
        list[str] | None, typer.Option(help="A test's id, or a pattern such as 'seat-*'; may repeat.")
    ] = None,
    group: GroupOption = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=WORDS", help="Attributes of a group, where a metric needs them; may repeat."),
    ] = None,
    *,
    about: EncoderSettings,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run several metrics on the same tests and words.

    With several metrics, a table says which agree.
    """
    from imprint.cli.console import progress_bar, show_findings
    from imprint.stimuli.catalog import choose
    from imprint.stimuli.definition import words_of
    from imprint.stimuli.files import groups_from_files

    if bool(test) == bool(group):
        raise SettingError(
            "give either --test or --group",
            option="test" if test else "group",
            hint="`imprint stimuli` lists the tests",
        )
    if attributes and not group:
        raise SettingError("--attributes belong to --group", option="attributes", got=attributes[0])
    asked = _asked(metric)
    tests = choose(imprint.catalogue(), test or ())
    groups = [groups_from_files(named_words("group", group), named_words("attributes", attributes))] if group else []
    from imprint.evaluation.controls import control_words, controls  # after the choice: they load numpy
    from imprint.metrics import METRICS
    from imprint.metrics.agreement import metric_agreement
    from imprint.metrics.by_name import make_metric
    from imprint.metrics.groups import group_metrics
    from imprint.metrics.metric import is_metric
    from imprint.metrics.run import run_metrics
    from imprint.subjects.framed import foreign_vectors

    for name in asked:
        check_choice("metric", name, METRICS.names())
    measures = {name: METRICS.get(name) for name in asked}
    for name, settings in asked.items():
        if settings and not is_metric(measures[name]):
            raise SettingError(f"{name} takes no settings here", option="metric", got=next(iter(settings)))
        if groups and name not in group_metrics():
            takers = ", ".join(group_metrics())
            raise SettingError(option="metric", got=name, expected=f"one that takes groups: {takers}")
    others = {name: make_metric(name, **given) for name, given in asked.items() if is_metric(measures[name])}
    own = {name: measures[name] for name in asked if name not in others and name != "weat"}
    words = {*words_of([*tests, *groups]), *(word for one in others.values() for word in one.also([*tests, *groups]))}
    languages = {one.language for one in tests} or {"en"}
    from_plugins = METRICS.plugins().keys() & own  # they may ask about any word
    only = None if from_plugins else words | control_words(languages)
    with opened_subjects([subject], about, only) as subjects:
        opened = subjects.subjects[0]
        found = [
            row
            for name, measure in own.items()
            for one in tests
            for row in measure(opened, one, **({} if name in from_plugins else {"seed": seed})).findings()
        ]
        if others or "weat" in asked:
            foreign = foreign_vectors(opened, tests, cache=subjects.cache)
            (vectors,) = subjects.words(sorted(words))
        if "weat" in asked:
            battery = imprint.run_battery(vectors, tests, seed=seed, foreign=foreign)
            found += [*battery.weats, *battery.skipped]
        if others:
            with progress_bar("metrics") as progress:
                found += run_metrics(
                    vectors, [*tests, *groups], others, seed=seed, foreign=foreign, progress=progress
                ).findings()
        known_controls = controls(opened, languages=languages, cache=subjects.cache).findings()
    show_findings([*found, *metric_agreement(found), *known_controls], json=json)


def metrics_command() -> None:
    """List the metrics by name."""
    from imprint.cli.console import print_answer
    from imprint.metrics import METRICS

    widest = max(map(len, METRICS.names()))
    for name in METRICS.names():
        measure = METRICS.get(name)
        said = getattr(measure, "summary", None) or (measure.__doc__ or "").strip().partition("\n")[0]
        print_answer(f"{name:{widest}}  {said}")


def _asked(given: list[str]) -> dict[str, dict[str, Any]]:
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
    for one in filter(None, rest.split(",")):
        key, equals, value = one.partition("=")
        if not equals:
            raise SettingError(option="metric", got=given, expected="settings as name=value, such as rnd:distance=cos")
        settings[key.strip()] = value.strip()
    return name.strip(), settings
