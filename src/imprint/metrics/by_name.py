"""Every metric by its name: WEAT, WEFAT and SEAT, those of other works, and plug-ins'."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from imprint.association.battery import run_battery
from imprint.association.weat import WordSets, asked_test
from imprint.checks import check_choice
from imprint.embeddings.embedding import Embedding
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError
from imprint.metrics import METRICS
from imprint.metrics.agreement import metric_agreement
from imprint.metrics.groups import group_metrics
from imprint.metrics.metric import Metric, is_metric
from imprint.metrics.run import measure_metrics, with_things
from imprint.rows import Findings, Row, Rows
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import AnyTest, GroupsTest, words_of
from imprint.subjects.framed import foreign_vectors, word_vectors
from imprint.subjects.opening import EncoderLike, open_subject
from imprint.types import Progress


class ChosenMetrics(NamedTuple):
    """Metrics by name: those of other works with their settings, and functions that make rows of their own."""

    metrics: Mapping[str, Metric]
    functions: Mapping[str, Callable[..., Findings]]

    def words(self, tests: Sequence[AnyTest]) -> set[str]:
        """Return the words that tests need, and their metrics besides."""
        return {*words_of(tests), *(word for metric in self.metrics.values() for word in metric.also(tests))}

    @property
    def from_plugins(self) -> set[str]:
        """Functions of plug-ins; they may ask about any word."""
        return METRICS.plugins().keys() & self.functions.keys()


def metric(
    name: str,
    subject: EncoderLike,
    test: AnyTest | str | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    **settings: Any,
) -> Findings:
    """Run a metric by its name.

    Parameters
    ----------
    name
        weat, wefat, seat, a metric of another work such as rnd (`imprint metrics` lists them), or one of a plug-in.
        Entry points of the group `imprint.metrics` add names.
    subject
        What is measured: an embedding or an encoder, as `open_subject` accepts it.
    test
        A test of the catalogue by its id, or one of your own.
    targets
        Two lists of words, x and y, in place of a test.
    attributes
        Two lists of words, a and b, in place of a test.
    settings
        The metric's own settings.

    Returns
    -------
    Findings
        One row, or a result of several.

    Examples
    --------
    >>> imprint.metric("weat", "default", "caliskan-6").p_value
    7.77000777000777e-05
    """
    measure = METRICS.get(name)
    if not is_metric(measure):
        sets = {"targets": targets, "attributes": attributes}
        given = {key: value for key, value in sets.items() if value is not None}
        findings: Findings = measure(subject, test, **given, **settings)
        return findings
    seed = settings.pop("seed", 0)
    if test is None or targets is not None or attributes is not None:
        test = asked_test("metric", test, targets, attributes)
    opened = get(test) if isinstance(test, str) else test
    return measure_metrics(subject, [opened], {name: make_metric(name, **settings)}, seed=seed)


def run_metrics(
    subject: EncoderLike,
    tests: Sequence[AnyTest],
    metrics: Mapping[str, Mapping[str, Any]],
    *,
    vectors: Embedding | None = None,
    cache: EncodingStore | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows[Row]:
    """Run several metrics on the same tests and words, and say which agree.

    Parameters
    ----------
    subject
        What is measured: an embedding or an encoder, as `open_subject` accepts it.
    tests
        Tests of the catalogue, or your own.
    metrics
        Names of metrics, each with its settings.
    vectors
        An encoder's vectors of the words, where they have been made.
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.
    progress
        Called with the values measured and their total number.

    Returns
    -------
    Rows
        The rows of each metric, and which metrics agree.

    Examples
    --------
    >>> imprint.run_metrics("default", [imprint.catalogue()[5]], {"rnd": {"distance": "cos"}, "weat": {}})
    Rows(1 weat: 1 cannot tell; 2 metric: 2 cannot tell; 1 metric-agreement)
    """
    chosen, opened = choose_metrics(metrics, tests), open_subject(subject)
    weats = [test for test in tests if not isinstance(test, GroupsTest)]
    rows: list[Row] = []
    for name, measure in chosen.functions.items():
        settings = {} if name in chosen.from_plugins else {"seed": seed}
        if name != "weat":
            rows += [row for test in tests for row in measure(opened, test, **settings).findings()]
    if chosen.metrics or "weat" in chosen.functions:
        foreign = foreign_vectors(opened, with_things(weats), cache=cache)
        if vectors is None:
            vectors = word_vectors(opened, sorted(chosen.words(tests)), cache=cache)
        if "weat" in chosen.functions:
            rows += [row for row in run_battery(vectors, weats, seed=seed, foreign=foreign) if row.kind != "topic"]
        rows += measure_metrics(vectors, tests, chosen.metrics, seed=seed, foreign=foreign, progress=progress)
    return Rows([*rows, *metric_agreement(rows)])


def choose_metrics(metrics: Mapping[str, Mapping[str, Any]], tests: Sequence[AnyTest]) -> ChosenMetrics:
    """Return metrics by name with their settings; refuse settings, and groups, that they do not take."""
    with_groups = any(isinstance(test, GroupsTest) for test in tests)
    for name in metrics:
        check_choice("metric", name, METRICS.names())
        if with_groups and name not in group_metrics():
            takers = ", ".join(group_metrics())
            raise SettingError(option="metric", got=name, expected=f"one that takes groups: {takers}")
    made: dict[str, Metric] = {}
    functions: dict[str, Callable[..., Findings]] = {}
    for name, settings in metrics.items():
        if is_metric(METRICS.get(name)):
            made[name] = make_metric(name, **settings)
        elif settings:
            raise SettingError(f"{name} takes no settings here", option="metric", got=next(iter(settings)))
        else:
            functions[name] = METRICS.get(name)
    return ChosenMetrics(made, functions)


def make_metric(name: str, **settings: Any) -> Metric:
    """Make a metric by its name, with settings of its own; texts are read as the type that a setting has."""
    kind = METRICS.get(name)
    defined = {setting.name: setting for setting in fields(kind)}
    made: dict[str, Any] = {}
    for setting, value in settings.items():
        check_choice(f"a setting of {name}", setting, defined)
        made[setting] = _typed(f"{name}:{setting}", value, defined[setting].default)
    metric: Metric = kind(**made)
    return metric


def _typed(option: str, value: Any, default: Any) -> Any:
    """Read a text as the type of the default."""
    if not isinstance(value, str) or isinstance(default, str):
        return value
    if isinstance(default, bool):
        if value.lower() not in ("true", "false"):
            raise SettingError(option=option, got=value, expected="true or false")
        return value.lower() == "true"
    try:
        return type(default)(value)
    except (TypeError, ValueError) as error:
        raise SettingError(option=option, got=value, expected="a number") from error
