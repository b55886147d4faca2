"""Every metric by its name: WEAT, WEFAT and SEAT, those of other works, and plug-ins'."""

from dataclasses import fields
from typing import Any

from imprint.checks import check_choice
from imprint.errors import SettingError
from imprint.metrics import METRICS
from imprint.metrics.metric import Metric, is_metric
from imprint.metrics.run import run_metrics
from imprint.rows import Findings
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import Test
from imprint.subjects.opening import EncoderLike


def metric(name: str, subject: EncoderLike, test: Test | str, **settings: Any) -> Findings:
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
        result: Findings = measure(subject, test, **settings)
        return result
    seed = settings.pop("seed", 0)
    opened = get(test) if isinstance(test, str) else test
    return run_metrics(subject, [opened], {name: make_metric(name, **settings)}, seed=seed)


def make_metric(name: str, **settings: Any) -> Metric:
    """Make a metric by its name, with settings of its own; texts are read as the type that a setting has."""
    kind = METRICS.get(name)
    known = {one.name: one for one in fields(kind)}
    made: dict[str, Any] = {}
    for setting, value in settings.items():
        check_choice(f"a setting of {name}", setting, known)
        made[setting] = _typed(f"{name}:{setting}", value, known[setting].default)
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
