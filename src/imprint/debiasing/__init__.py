"""Taken away: one debiaser per file, each fitting a small frozen transform."""

BUILTIN = {
    "linear": "imprint.debiasing.linear:LinearDebiaser",
    "hard": "imprint.debiasing.hard:HardDebiaser",
    "leace": "imprint.debiasing.leace:LeaceDebiaser",
}
METHODS = tuple(BUILTIN)
