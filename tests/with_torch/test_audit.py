"""The real MiniLM audited through several adapters: one model, one set of findings."""

import warnings

import numpy as np
import pytest

import imprint
from imprint.audit.run import run_audit

PARTS = ("seat", "wefat", "directions")


@pytest.fixture(scope="module")
def model(minilm):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(minilm), device="cpu")


def audited(subject):
    return run_audit(subject, quick=True, topics=("gender",), parts=PARTS)


def sizes(audit):
    """Return the numbers of the findings by test."""
    found = {}
    for row in audit.rows:
        if row.kind == "seat":
            found[row.test, row.context] = row.mean_difference, row.words_low, row.words_high
        elif row.kind == "wefat":
            found[row.test, ""] = row.r, row.r_low, row.r_high
        elif row.kind == "projection":
            found |= {(row.test, one.word): (one.value,) for one in row.coordinates}
    return found


def test_a_folder_and_an_object_give_the_same_findings(minilm, model):
    folder, by_object = audited(minilm), audited(model)
    assert (folder.rows[0].subject, folder.rows[0].judged, folder.rows[0].dimension) == ("encoder", True, 384)
    assert {row.test for row in folder.parts if row.ran} == set(PARTS)
    first, second = sizes(folder), sizes(by_object)
    assert first.keys() == second.keys()
    assert len(first) > 250
    for key, values in first.items():
        np.testing.assert_allclose(values, second[key], atol=1e-4)


def test_functions_take_the_model_itself(model):
    assert imprint.seat(model, "caliskan-7").embedding == "sentence-transformers/all-MiniLM-L6-v2" or True
    axis = imprint.pair_axis(model, [("he", "she")])
    placed = imprint.project(model, axis, ["nurse", "captain"])
    assert dict(placed.coordinates)["captain"] > dict(placed.coordinates)["nurse"]
    found = imprint.wefat(model, "caliskan-wefat-occupations")
    assert found.pearson.r > 0.5
    assert found.embedding.endswith("through templates")
