"""Metrics by name: each takes a subject and a test, and returns a result whose rows have a kind."""

from typing import Any

from imprint.registry import Registry
from imprint.rows import Result
from imprint.stimuli.definition import Test
from imprint.subjects.opening import EncoderLike

METRICS = Registry(
    "imprint.metrics",
    {
        "weat": "imprint.association.weat:weat",
        "wefat": "imprint.association.wefat:wefat",
        "seat": "imprint.association.seat:seat",
    },
)


def metric(name: str, subject: EncoderLike, test: Test | str, **settings: Any) -> Result:
    """Run a metric by its name.

    Parameters
    ----------
    name
        weat, wefat, seat, or a metric that a plug-in brings; entry points of the group `imprint.metrics` add names.
    subject
        What is measured: an embedding or an encoder, as `open_subject` takes it.
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
    result: Result = METRICS.get(name)(subject, test, **settings)
    return result
