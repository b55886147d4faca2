"""The numbers of the summary, counted anew from the findings they sum up."""

from dataclasses import replace

import pytest

from imprint.audit.summary import summarise
from imprint.finding import Finding
from imprint.report.marking import Words
from imprint.report.sections.story import parts
from imprint.report.summary import sentences


def row(kind, part, test="a test", effect=None, **details):
    return Finding(kind, test, "vectors", "0" * 64, effect, None, None, 0, details={"part": part, **details})


def summary(*findings):
    (one,) = summarise(findings)
    return one.details


def test_only_associations_that_were_found_are_counted_as_left_without_frequency():
    settings = {"groups": 2, "categories": 3, "fdr": 0.05, "rotations": 99}
    cells = [
        row("ube", "enumeration", significant=found, survives_without_frequency=left, settings=settings)
        for found, left in ((True, True), (True, False), (True, True), (False, True), (False, True), (False, False))
    ]
    told = summary(*cells)
    assert (told["associations"], told["left_without_frequency"], told["cells"]) == (3, 2, 6)


def test_debiasing_is_told_by_what_is_left_of_the_variance():
    variances = {
        "held_out_before": 0.02, "held_out_after": 0.005, "reduction_low": 2.0, "reduction_high": 8.0,
        "background_before": 0.01, "background_after": 0.008, "held_out": 52, "held_out_asked": 58,
    }  # fmt: skip
    names = row(
        "leakage", "debiasing", words="first names, by sex", method="linear", accuracy=0.9, against_accuracy=0.97
    )
    worse = row(
        "leakage", "debiasing", words="words furthest out", method="linear", accuracy=1.0, against_accuracy=1.0
    )
    told = summary(row("debiasing", "debiasing", method="linear", variances=variances), worse, names)
    assert told["held_out_ratio"] == pytest.approx(0.25)
    assert (told["ratio_low"], told["ratio_high"]) == (pytest.approx(0.125), pytest.approx(0.5))
    assert told["background_ratio"] == pytest.approx(0.8)
    assert (told["recovered"], told["recovered_before"]) == (0.9, 0.97)
    assert told["judged"]


def test_debiasing_that_two_words_would_judge_is_told_as_not_judged():
    variances = {"held_out_before": 0.02, "held_out_after": 0.03, "held_out": 2, "held_out_asked": 58}
    one = row("debiasing", "debiasing", method="linear", variances=variances)
    (said,) = sentences(summarise([one]))
    assert said.striptags() == (
        "A trial of debiasing (linear; your file is as it was) cannot be judged: of 58 professions to judge it by, "
        "the embedding has 2."
    )


@pytest.mark.parametrize(("count", "named"), [(2, "test0, test1"), (7, "test0, test1, test2, test3, test4, …")])
def test_tests_that_could_not_be_run_are_told_in_the_summary(count, named):
    ran = row("weat", "weat", verdict="significant", topics=["gender"], alpha=0.05, p_holm=0.01, effect=1.0)
    skipped = [row("skipped", "weat", f"test{number}") for number in range(count)]
    told = summary(ran, *skipped)
    assert (told["skipped"], told["skipped_tests"]) == (count, [f"test{number}" for number in range(count)])
    said = [one.striptags() for one in sentences(summarise([ran, *skipped]))]
    assert f"Could not be run on this embedding: {count} ({named}). These show nothing." in said


def test_the_largest_effect_says_where_most_of_its_words_are_missing():
    words = {"x": ["a", "b", "c", "d"], "y": ["e", "f", "g", "h"], "a": ["i", "j"], "b": ["k", "l"]}
    sets = {"x": "mathematics", "y": "arts", "a": "men", "b": "women"}
    found = {"verdict": "significant", "topics": ["gender"], "alpha": 0.05, "p_holm": 0.01, "p_method": "certified"}
    one = replace(row("weat", "weat", effect=1.0, sets=sets, set_words=words, **found), missing=("a", "b", "e"))
    assert summary(one)["strongest"]["sparse"] == [{"set": "mathematics", "kept": 2, "words": 4}]
    first, largest = (sentence.striptags() for sentence in sentences(summarise([one])))
    assert first.startswith("1 of 1 test about people finds")
    assert largest == (
        "The largest effect: mathematics with men, arts with women (d = 1.00, p ≤ 0.01 after correction; 2 of 4 words "
        "of mathematics are there)."
    )


def test_names_that_are_there_and_benchmarks_that_could_not_be_run_are_told():
    settings = {"groups": 2, "categories": 3, "fdr": 0.05, "rotations": 99}
    cell = row("ube", "enumeration", significant=True, survives_without_frequency=True, settings=settings)
    whole = row("ube-overview", "enumeration", names_found=295, names_asked=9656)
    (said,) = sentences(summarise([cell, whole]))
    assert "2 groups of first names (295 of 9,656 names are there) with words" in said.striptags()
    change = {"change_spearman": 0.1, "change_spearman_low": -0.1, "change_spearman_high": 0.2, "found": 9, "asked": 9}
    (said,) = sentences(
        summarise([row("similarity", "benchmarks", "men", **change), row("skipped", "benchmarks", "rg-65")])
    )
    assert said.striptags().endswith(": none. Could not be run: rg-65.")


def test_neutral_tests_alone_are_no_tests_about_people():
    said = sentences(summarise([row("weat", "weat", verdict="significant", topics=["neutral"], alpha=0.05)]))
    assert said == ["No test about people could be run."]


def test_a_benchmark_has_changed_only_where_its_interval_leaves_zero_out():
    def benchmark(name, low, value, high, measure="spearman"):
        change = {f"change_{measure}": value, f"change_{measure}_low": low, f"change_{measure}_high": high}
        return row("similarity", "benchmarks", name, **change)

    told = summary(
        benchmark("open", -0.02, -0.01, 0.001),
        benchmark("worse", -0.005, -0.003, -0.001),
        benchmark("better", 0.01, 0.02, 0.03, "3cosadd"),
    )
    assert told["benchmarks"] == 3
    assert told["changed"] == [{"test": "worse", "change": -0.003}, {"test": "better", "change": 0.02}]


def test_the_ends_of_the_axis_are_the_words_furthest_out():
    coordinates = {"d": 0.1, "a": -0.4, "f": 0.5, "b": -0.3, "e": 0.2, "c": -0.2}
    placed = row("projection", "directions", coordinates=coordinates, positive=["he"], negative=["she"], n_words=6)
    told = summary(placed, row("projection comparison", "directions", effect=-0.3))
    assert told["most_positive"] == ["f", "e", "d"]
    assert told["most_negative"] == ["a", "b", "c"]
    assert told["crowd_r"] == -0.3


def test_two_versions_of_a_file_under_one_name_are_two_embeddings():
    tests = [row("weat", "against", f"test{place}", topics=["race"], verdict="significant") for place in range(3)]
    other = [replace(one, embedding_sha256="1" * 64, details={**one.details, "verdict": "not"}) for one in tests]
    counts = [(one["tests"], one["significant"]) for one in summary(*tests, *other)["embeddings"]]
    assert counts == [(3, 3), (3, 0)]
    (section,) = parts([replace(one, details={**one.details, "part": "weat"}) for one in (*tests, *other)], Words())
    assert section.blocks[-1].caption == "Every test on both"


def test_a_test_of_two_topics_counts_once():
    tests = [
        row("weat", "weat", f"test{place}", 0.1, topics=topics, verdict=verdict, alpha=0.05)
        for place, (topics, verdict) in enumerate(
            [(["race"], "significant"), (["race", "gender"], "not significant"), (["neutral"], "significant")]
        )
    ]
    told = summary(*tests)
    assert told["topics"] == {
        "race": {"significant": 1, "tests": 1},
        "race and gender": {"significant": 0, "tests": 1},
    }


def test_sentences_are_counted_for_the_audits_own_words_not_for_the_debiased_ones():
    assert summarise([row("weat", "debiasing", topics=["gender"], verdict="significant")]) == []
