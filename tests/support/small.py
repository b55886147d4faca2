"""A quick audit of an encoder made smaller still: every part runs, on few tests, words, names and copies."""

from functools import partial

import pytest

from imprint.evaluation.benchmarks import bundled_benchmarks
from imprint.evaluation.comparison import comparison_words
from imprint.jobs import job
from imprint.stimuli.catalog import questions


def small_audits():
    """Let audits ask little while inside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "QUICK_ENCODED", 300)
        patch.setattr(job, "QUICK_BEARERS", 300_000)
        patch.setattr(job, "QUICK_COPIES", 8)
        patch.setattr(job, "SEAT_TESTS", ("gender-*", "caliskan-[1678]"))
        few = partial(comparison_words, questions()[:1], bundled_benchmarks("rg-65"))
        patch.setattr(job, "comparison_words", few)
        yield
