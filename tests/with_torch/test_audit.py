"""The real MiniLM through several adapters: one model, one set of findings."""

import warnings

import numpy as np
import pytest

import imprint
from imprint.audit.run import run_audit

PARTS = ("wefat", "directions")


def opened(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(folder), device="cpu")


def sizes(audit):
    """Return the numbers of the findings by test."""
    found = {}
    for row in audit.rows:
        if row.kind == "wefat":
            found[row.test, ""] = row.r, row.r_low, row.r_high
        elif row.kind == "projection":
            found |= {(row.test, one.word): (one.value,) for one in row.coordinates}
    return found


def test_a_folder_and_an_object_give_the_same_findings(minilm):
    folder, model = (
        run_audit(subject, quick=True, topics=("gender",), parts=PARTS) for subject in (minilm, opened(minilm))
    )
    assert (folder.rows[0].subject, folder.rows[0].judged, folder.rows[0].dimension) == ("encoder", True, 384)
    assert {row.test for row in folder.parts if row.ran} == set(PARTS)
    first, second = sizes(folder), sizes(model)
    assert first.keys() == second.keys()
    assert len(first) > 250
    for key, values in first.items():
        np.testing.assert_allclose(values, second[key], atol=1e-4)


def test_functions_take_the_model_itself(minilm):
    model = opened(minilm)
    found = imprint.wefat(model, "caliskan-wefat-occupations")
    assert found.pearson.r > 0.5
    assert found.embedding.endswith("through templates")
    assert imprint.wefat(minilm, "caliskan-wefat-occupations").pearson.r == pytest.approx(found.pearson.r, abs=1e-4)
    seat = imprint.seat(model, "caliskan-7", context="word")
    assert (seat.test.id, seat.unit, len(seat.missing)) == ("caliskan-7", "word", 0)
