"""Taken away: one debiaser per file, each fitting a small frozen transform."""

from imprint.registry import Registry

DEBIASERS = Registry(
    "imprint.debiasers",
    {
        "linear": "imprint.debiasing.linear:LinearDebiaser",
        "hard": "imprint.debiasing.hard:HardDebiaser",
        "leace": "imprint.debiasing.leace:LeaceDebiaser",
    },
)
METHODS = tuple(DEBIASERS.builtin)
