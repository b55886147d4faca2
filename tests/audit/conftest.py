"""A small real embedding, so that every part of an audit runs within seconds."""

from dataclasses import replace

import numpy as np
import pytest

from imprint.audit.run import run_audit
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import words_of
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import background, definitional_pairs, professions
from imprint.subjects.opening import load

ROTATIONS = 30


@pytest.fixture(scope="session")
def small():
    """Return the words that the parts need, of the association tests those of gender alone, and common words."""
    bundled = load("default")
    wanted = {
        *words_of(choose(catalogue(), ("caliskan-[678]", "caliskan-wefat-names"))),
        *(one.word for one in professions()),
        *(word for pair in definitional_pairs() for word in pair),
        *background()[:200],
        *(name.lower() for name in first_names().names[:250]),
        *("car", "automobile", "coast", "shore", "king", "queen", "boy", "girl", "brother", "sister"),
    }
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


@pytest.fixture(scope="session")
def audit(small):
    """Return the audit of everything, the embedding itself as the encoder and as the other one."""
    reports = []
    found = run_audit(
        small,
        encoder=small,
        against=replace(small, name="other"),
        rotations=ROTATIONS,
        quick=True,
        report=lambda *said: reports.append(said),
    )
    return found, reports
