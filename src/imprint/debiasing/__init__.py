"""Taken away: one debiaser per file, each fitting a small frozen transform."""

from imprint.registry import Registry

DEBIASERS = Registry(
    "imprint.debiasers",
    {
        "linear": "imprint.debiasing.linear:LinearDebiaser",
        "hard": "imprint.debiasing.hard:HardDebiaser",
        "leace": "imprint.debiasing.leace:LeaceDebiaser",
        "inlp": "imprint.debiasing.inlp:InlpDebiaser",
        "sentence-debias": "imprint.debiasing.sentence_debias:SentenceDebiaser",
        "projection": "imprint.debiasing.projection:ProjectionDebiaser",
        "multiclass-hard": "imprint.debiasing.multiclass_hard:MulticlassHardDebiaser",
        "double-hard": "imprint.debiasing.double_hard:DoubleHardDebiaser",
        "half-sibling": "imprint.debiasing.half_sibling:HalfSiblingDebiaser",
    },
)
METHODS = tuple(DEBIASERS.builtin)
DEFAULT_METHOD = "double-hard"  # of gender: what `imprint debias --compare` recommends, see docs/debiasing.md
SEEDED_METHOD = "linear"  # by default along other axes, and for what it alone takes: strength, seeds, frontier
LABELS_METHOD = "leace"  # by default of encoders and of several groups: it needs labels alone
