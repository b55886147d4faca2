"""A small real embedding, so that every part of an audit runs within seconds."""

from dataclasses import replace

import numpy as np
import pytest

import imprint
from imprint.evaluation.benchmarks import bundled_benchmarks
from imprint.evaluation.comparison import comparison_words
from imprint.stimuli.catalog import catalogue, choose, languages, questions
from imprint.stimuli.definition import words_of
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import background, definitional_pairs
from imprint.subjects.opening import load


@pytest.fixture(scope="session")
def small():
    """Return the words that the parts need, of the published tests those of gender alone, and common words."""
    bundled = load("default")
    published = choose(catalogue(), ("caliskan-[12678]", "caliskan-wefat-names"))
    wanted = {
        *words_of(published),
        *comparison_words(questions(), bundled_benchmarks("rg-65")),
        *languages()["en"].valence,
        *(word for pair in definitional_pairs() for word in pair),
        *background()[:200],
        *first_names().names[:250],
    }
    wanted |= {word.lower() for word in wanted}
    common = np.flatnonzero(bundled.common)[:1_500]
    rows = sorted({*common.tolist(), *(bundled.index[word] for word in wanted if word in bundled.index)})
    return replace(
        bundled,
        name="small",
        words=[bundled.words[row] for row in rows],
        vectors=np.array(bundled.vectors[rows]),
        source=None,
        ranks=bundled.ranks[rows],
        common=bundled.common[rows],
    )


@pytest.fixture(scope="session")
def without(small):
    """Return a function that gives the small embedding without some words."""

    def take_out(*words):
        kept = [row for row, word in enumerate(small.words) if word not in words]
        return replace(
            small,
            words=[small.words[row] for row in kept],
            vectors=small.vectors[kept],
            ranks=small.ranks[kept],
            common=small.common[kept],
        )

    return take_out


def audit_all(small, **options):
    """Audit an embedding quickly, beside itself as an encoder and 60 of its dimensions as another embedding."""
    other = replace(small, name="other", vectors=np.array(small.vectors[:, :60]))
    beside = {"encoder": replace(small, name="encoder"), "against": other}
    return imprint.audit(small, **beside, quick=True, **options)


@pytest.fixture(scope="session")
def audit(small):
    """Return the audit of everything, the embedding itself as the encoder and as the other one."""
    reports = []
    found = audit_all(small, report=lambda *said: reports.append(said))
    return found, reports
