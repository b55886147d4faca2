"""Metrics by name: each takes a subject and a test, and returns a result whose rows have a kind."""

from collections.abc import Callable
from typing import Any

from imprint.errors import SettingError
from imprint.kinds import all_kinds, find_kind
from imprint.registry import Registry
from imprint.rows import Result
from imprint.stimuli.definition import Test
from imprint.subjects.opening import EncoderLike

PLUGINS = Registry("imprint.metrics", {})  # ours are the kinds that can be measured by name


def metrics() -> dict[str, Callable[..., Result]]:
    """Return every metric by its name, those of plug-ins last."""
    ours = {kind.name: kind.measure for kind in all_kinds() if kind.measure is not None}
    return ours | {name: PLUGINS.get(name) for name in PLUGINS.names() if name not in ours}


def metric(name: str, subject: EncoderLike, test: Test | str, **settings: Any) -> Result:
    """Run a metric by its name.

    Parameters
    ----------
    name
        weat, wefat, seat, or a metric that a plug-in brings; entry points of the group `imprint.metrics` add names.
    subject
        What is measured: an embedding or an encoder, as `open_subject` accepts it.
    test
        A test of the catalogue by its id, or one of your own.
    settings
        The metric's own settings.

    Returns
    -------
    Result
        Its rows are what the metric found.

    Examples
    --------
    >>> imprint.metric("weat", "default", "caliskan-6").p_value
    7.77000777000777e-05
    """
    kind = find_kind(name)
    measure = kind.measure if kind is not None else None
    if measure is None and name in PLUGINS.plugins():
        measure = PLUGINS.get(name)
    if measure is None:
        raise SettingError(option="metric", got=name, expected=f"one of {', '.join(metrics())}")
    return measure(subject, test, **settings)
