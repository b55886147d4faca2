"""Prompts of queries and documents, as sentence-transformers itself chooses them."""

import numpy as np
import pytest

from imprint.subjects.opening import open_for_search


@pytest.mark.parametrize(
    ("prompts", "default"),
    [
        ({"query": "this is ", "document": "there is "}, None),
        ({"query": "this is ", "passage": "there is "}, None),
        ({"query": "this is "}, None),
        ({"query": "this is "}, "query"),
        ({"other": "this is "}, "other"),
        ({}, None),
    ],
)
def test_a_models_own_prompts_are_those_that_its_library_uses(assembled, prompts, default):
    from sentence_transformers import SentenceTransformer

    folder = assembled(prompts=prompts, default_prompt_name=default)
    library = SentenceTransformer(str(folder), device="cpu")
    queries, documents = open_for_search(folder)
    assert np.allclose(queries.encode(["a cat"]), library.encode_query(["a cat"]), atol=1e-5)
    assert np.allclose(documents.encode(["a cat"]), library.encode_document(["a cat"]), atol=1e-5)
    assert prompts or queries is documents


def test_a_prompt_is_a_text_or_the_name_of_one_of_the_models_own(assembled):
    folder = assembled(prompts={"query": "this is ", "topic": "there is "})
    queries, documents = open_for_search(folder, query_prompt="topic", document_prompt="here is ")
    assert (queries.settings["prompt"], documents.settings["prefix"]) == ("topic", "here is ")
    assert not np.allclose(queries.encode(["a cat"]), documents.encode(["a cat"]), atol=1e-3)
