"""What misled people who used version 0.1: a pass, a picture or a sentence that the numbers do not support."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import msgspec
import numpy as np
import pytest
from command_results import lines
from gensim.models import Word2Vec

import imprint
from imprint.association.battery import run_battery
from imprint.audits import run as auditing
from imprint.directions.analogies import analogies
from imprint.directions.axis import pair_axis
from imprint.directions.projection import project
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import FunctionEncoder
from imprint.evaluation.controls import Control, ControlsRow, control_words, controls
from imprint.jobs import job
from imprint.kinds.analogies import ANALOGY
from imprint.kinds.answers import answer_sentence
from imprint.kinds.audit import AUDIT, CONTROLS, judgement
from imprint.kinds.directions import PROJECTION
from imprint.kinds.findings import read_findings
from imprint.kinds.sections import blocks, draw_rows
from imprint.kinds.weat import WEAT
from imprint.masking import Words
from imprint.policies.conditions import NO_CONTROLS, NO_LANGUAGE, UNJUDGED
from imprint.policies.gate import check, parse_conditions
from imprint.policies.kinds import GATE
from imprint.render.numbers import plain
from imprint.render.terminal import draw_blocks
from imprint.reports.summary import brief
from imprint.significance.outcomes import CONFIDENCE, OUTCOMES
from imprint.stimuli import catalog
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import WeatTest, word_sets, words_of
from imprint.stimuli.seeds import gender_specific
from imprint.subjects.opening import load, open_encoder
from imprint.view import AnswerChart, Chart, Prose, flat
from imprint.writing import write_findings

ROOT = Path(__file__).parents[1]
SHOWN = Words()
ASKED = ("caliskan-6", "caliskan-8")
QUESTION = "gender-career"  # which the bundled embedding answers
README_GATE = parse_conditions(["weat:p<0.01"])


@pytest.fixture(scope="module")
def bundled():
    return load("default")


def asked_by(*names):
    return choose(catalogue(), names)


def said(texts):
    return " ".join(plain(text, SHOWN) for text in texts)


ANSWERED = "of the distance from"  # in each answer to a question


def concluded(rows):
    """Return what a card says can be concluded."""
    return imprint.card(rows).partition("### What can be concluded\n")[2].partition("###")[0]


# 1. Vectors that know nothing pass the gate


def with_noise(bundled, share, seed=0):
    """Return a copy in which so large a share of the variance is noise."""
    noise = np.random.default_rng(seed).normal(size=bundled.vectors.shape)
    length = np.linalg.norm(bundled.vectors, axis=1, keepdims=True) / np.sqrt(bundled.dimension)
    rows = np.sqrt(1 - share) * bundled.vectors + np.sqrt(share) * length * noise
    return Embedding(f"noise {share}", bundled.words, rows.astype(np.float32))


def trained_on_a_few_pages():
    """Return a word2vec of this documentation, and of the words of two tests in any order."""
    text = "\n".join(path.read_text("utf-8").lower() for path in sorted((ROOT / "docs").glob("*.md")))
    sentences = [re.findall("[a-z]+", line) for line in text.splitlines()]
    asked = [word for test in asked_by(*ASKED) for one in word_sets(test).values() for word in one.words]
    sentences += np.random.default_rng(0).permutation([asked] * 5, axis=1).tolist()
    return Word2Vec(sentences, vector_size=50, min_count=1, epochs=5, workers=1, seed=0)


@pytest.fixture
def audited(monkeypatch):
    """Audit a subject with a question and two tests; the other parts take long, and no gate here asks for them."""
    monkeypatch.setattr(auditing, "all_kinds", list)

    def audit(subject):
        (whole,) = imprint.audit(subject, quick=True).findings()
        return [whole, *run_battery(subject, asked_by(QUESTION, *ASKED)).findings()]

    return audit


JUNK = {
    "Gaussian": lambda bundled: with_noise(bundled, 1.0),
    "noise": lambda bundled: with_noise(bundled, 0.9),
    "small text": lambda _: load(trained_on_a_few_pages()),
}


@pytest.mark.parametrize("name", JUNK)
def test_vectors_that_know_no_words_pass_no_gate(name, bundled, audited):
    rows = audited(JUNK[name](bundled))
    gate = check(rows, README_GATE)
    assert gate.exit_code == 3
    for row in gate.findings():
        assert "judged" in row.why
        assert {row.verdict, *(one.verdict for one in row.outcomes)} == {"cannot tell"}
        assert len(list(GATE.sentences([row]))) == 1
    can = concluded(rows)
    failed = [one for one in rows[0].controls if not one.passed]
    assert failed
    assert "cannot be judged" in can
    assert all(one.name in can for one in failed)
    assert ANSWERED not in can


def test_half_noise_is_still_judged(bundled, audited):
    rows = audited(with_noise(bundled, 0.5))
    assert rows[0].judged
    assert check(rows, README_GATE).exit_code == 2
    assert "cannot be judged" not in imprint.card(rows)
    assert ANSWERED in concluded(rows)


def test_the_command_says_so_too(in_process, monkeypatch, tmp_path):
    monkeypatch.setattr(auditing, "all_kinds", lambda: [WEAT])
    trained_on_a_few_pages().wv.save_word2vec_format(tmp_path / "small.bin", binary=True)
    result = in_process("audit", "small.bin", "--quick", "--fail-on", "weat:p<0.01")
    assert result.returncode == 3
    assert "cannot be judged" in result.stdout
    assert "cannot be judged" in in_process("card", "findings.jsonl").stdout


def refused(rows, *conditions, require=()):
    """Return why a gate cannot tell anything about these rows."""
    gate = check(rows, parse_conditions(conditions, require))
    assert gate.exit_code == 3
    (reason,) = {row.why for row in gate.findings()}
    assert all(one.verdict == "cannot tell" for row in gate.findings() for one in row.outcomes)
    return reason


def test_findings_without_controls_pass_and_fail_nothing(bundled):
    rows = run_battery(bundled, asked_by(*ASKED)).findings()
    conditions = ("weat:p<0.01", "weat:caliskan-6:p<1e-9", "topic:gender:|size|>1")
    assert refused(rows, *conditions) == NO_CONTROLS
    assert refused(rows, require=["topic:gender:|size|<1"]) == NO_CONTROLS
    other = msgspec.structs.replace(controls(bundled).findings()[0], embedding_sha256="0" * 64)
    assert refused([other, *rows], *conditions) == NO_CONTROLS
    own = controls(bundled).findings()
    assert check([*rows, *own], parse_conditions(conditions)).exit_code == 2
    assert check([*rows, *own], parse_conditions((), ["topic:gender:|size|<1"])).exit_code == 0


def test_one_subject_does_not_speak_for_another(bundled):
    noise = with_noise(bundled, 1.0)
    rows = [row for one in (bundled, noise) for row in run_battery(one, asked_by("caliskan-8")).findings()]
    known = [row for one in (bundled, noise) for row in controls(one).findings()]
    for listed in (known, known[::-1]):
        gate = check([*listed, *rows], parse_conditions((), ["weat:caliskan-*:|size|<1"]))
        assert [one.verdict for one in gate.rows[0].outcomes] == ["passed", "cannot tell"]
        assert gate.exit_code == 3
    assert refused([*known, known[0], *rows[1:]], "weat:p<0.01") == UNJUDGED


def test_benchmarks_need_no_controls(bundled):
    rows = imprint.evaluate(bundled, resamples=20).findings()
    assert check(rows, parse_conditions((), ["similarity:rg-65:spearman>0.2"])).exit_code == 0


@pytest.mark.parametrize(("share", "judged"), [(1.0, False), (0.1, True)])
def test_the_command_writes_the_controls_beside_its_tests(in_process, tmp_path, bundled, share, judged):
    noise = with_noise(bundled, share)
    words = sorted((words_of(asked_by("caliskan-8")) | control_words()) & noise.index.keys())
    lines = (f"{word} {' '.join(map(str, noise.vectors[noise.index[word]].tolist()))}\n" for word in words)
    (tmp_path / "small.txt").write_text("".join(lines))
    found = in_process("weat", "small.txt", "--test", "caliskan-8", "--json")
    assert ("cannot be judged" in found.stderr) is not judged
    (tmp_path / "f.jsonl").write_text(found.stdout)
    (known,) = (row for row in read_findings(tmp_path / "f.jsonl") if row.kind == "controls")
    assert known.judged is judged
    gate = in_process("gate", "f.jsonl", "--require", "weat:caliskan-*:|size|<1")
    assert gate.returncode == (0 if judged else 3)
    shown = in_process("weat", "small.txt", "--test", "caliskan-8")
    assert ("cannot be judged" in shown.stderr) is not judged


# An encoder that knows nothing


@pytest.fixture(scope="module")
def encoded():
    """The bundled encoder's vectors of the words that controls ask about."""
    words = sorted(control_words())
    return dict(zip(words, open_encoder("default-encoder").encode(words), strict=True))


def noisy(encoded, share, seed):
    """Return an encoder with so large a share of noise in the variance of each text's vector."""

    def encode(texts):
        rows = np.array([encoded[text] for text in texts], dtype=np.float64)
        drawn = [np.random.default_rng([seed, *text.encode()]).normal(size=rows.shape[1]) for text in texts]
        length = np.linalg.norm(rows, axis=1, keepdims=True) / np.sqrt(rows.shape[1])
        return np.sqrt(1 - share) * rows + np.sqrt(share) * length * np.array(drawn)

    return FunctionEncoder(encode, name=f"noise {share}")


@pytest.mark.parametrize(("share", "judged"), [(0.0, True), (0.5, True), (0.9, False), (1.0, False)])
def test_encoders_are_judged_by_what_they_know(encoded, share, judged):
    found = [controls(noisy(encoded, share, seed)) for seed in range(5)]
    assert {one.judged for one in found} == {judged}
    assert {one[0].controls[0].value for one in found} == {1.0}  # it has a vector for every text


@pytest.mark.parametrize(("share", "code"), [(0.0, 0), (1.0, 3)])
def test_an_embedding_does_not_speak_for_the_encoder_beside_it(monkeypatch, bundled, share, code):
    monkeypatch.setattr(job, "SEAT_TESTS", (QUESTION, "caliskan-8"))
    asked = open_encoder(with_noise(bundled, share))
    rows = imprint.audit(bundled, encoder=asked, quick=True, parts={"seat"}).findings()
    assert [(row.embedding_sha256, row.judged) for row in rows if isinstance(row, ControlsRow)] == [
        (bundled.sha256, True),
        (asked.sha256, code == 0),
    ]
    assert {row.embedding_sha256 for row in rows if row.kind in ("seat", "topic")} == {asked.sha256}
    assert check(rows, parse_conditions((), ["seat:gender-*:|size|<1"])).exit_code == code
    can = concluded(rows)
    assert ("cannot be judged" in can, ANSWERED in can) == (code == 3, code == 0)


# Words of a language without controls


def german(bundled):
    """Return the German tests, and an embedding of their words."""
    tests = [test for test in catalogue() if test.language == "de"]
    words = sorted(words_of(tests))
    return tests, Embedding("german", words, bundled.vectors[: len(words)])


def test_a_subject_that_fails_german_controls_cannot_be_judged_in_german(bundled, monkeypatch):
    monkeypatch.setattr(auditing, "all_kinds", lambda: [WEAT])
    _, subject = german(bundled)
    rows = imprint.audit(subject, language="de", quick=True).findings()
    assert (rows[0].judged, rows[0].language) == (False, "de")
    assert refused(rows, "weat:*:|size|>1", require=["weat:*:|size|<1"]) == UNJUDGED
    (told,) = brief(rows)
    assert "cannot be judged in German" in said([told])
    assert said([told]) in imprint.card(rows)


def test_a_language_is_controlled_only_where_its_tests_ran(in_process):
    rows = lines(in_process("wefat", "default", "--json"))
    assert "de-wefat-occupations" in {row["test"] for row in rows if row["kind"] == "skipped"}
    assert [row["language"] for row in rows if row["kind"] == "controls"] == ["en"]


def test_a_language_that_fails_beside_one_that_passes_is_noted_for_its_own_tests_only(bundled):
    rows = controls(bundled, languages=["en", "de"]).findings()
    assert [row.judged for row in rows] == [True, False]
    (noted,) = (one for one in CONTROLS.blocks(rows) if isinstance(one, Prose))
    (warned,) = (one for one in CONTROLS.blocks(rows[1:]) if isinstance(one, Prose))
    assert (noted.tone, warned.tone) == ("note", "warning")
    assert "tests in German" in said([noted.text])
    assert "tests in German" in said([warned.text])


@pytest.mark.parametrize(
    ("value", "least", "shown"),
    [(0.496, 0.5, "0.496, must be at least 0.50"), (0.5, 0.5, "0.50, must be above 0.50"), (0.2, 0.8, "0.20, must")],
)
def test_a_value_that_fails_a_limit_does_not_read_as_equal_to_it(bundled, value, least, shown):
    (row,) = controls(bundled).findings()
    row = msgspec.structs.replace(row, judged=False, controls=(Control("words found", value, least, False, 9, 0),))
    assert shown in said(judgement([row]))


def test_a_language_without_controls_passes_nothing(bundled, monkeypatch):
    monkeypatch.setattr(auditing, "all_kinds", lambda: [WEAT])
    tests, subject = german(bundled)
    tests = [replace(test, language="fr") for test in tests if isinstance(test, WeatTest)]
    monkeypatch.setattr(catalog, "catalogue", lambda: tuple(tests))
    rows = imprint.audit(subject, language="fr", quick=True).findings()
    assert (rows[0].judged, rows[0].controls) == (None, ())
    assert refused(rows, "weat:*:|size|>1", require=["weat:*:|size|<1"]) == NO_LANGUAGE
    ((_, cannot),) = AUDIT.concluded(rows[:1])
    assert said([cannot]) in [said([line]) for line in brief(rows)]
    assert said([cannot]) in imprint.card(rows).partition("### What cannot be concluded")[2]
    short = [test for test in tests if len(test.x.words) < 10]  # the others take seconds to count
    rows = [*run_battery(subject, short).findings(), *controls(subject, languages=["fr"]).findings()]
    assert refused(rows, "weat:*:|size|>1") == NO_LANGUAGE


def test_controls_in_english_say_nothing_about_tests_in_german(bundled):
    english, foreign = asked_by("caliskan-8")[0], replace(asked_by("caliskan-8")[0], id="fremd", language="de")
    found = run_battery(bundled, [english, foreign]).findings()
    conditions = parse_conditions((), ["weat:*:|size|<1", "topic:gender:|size|<1"])
    tests, topic = check([*found, *controls(bundled).findings()], conditions).rows
    assert [one.why for one in tests.outcomes] == [None, NO_LANGUAGE]
    assert (topic.verdict, topic.why) == ("cannot tell", NO_LANGUAGE)


# 2. A reversed bias passes as not significant


@pytest.fixture(scope="module")
def turned(bundled):
    """A question about people as it is, with its names the other way round, and with its words the other way round."""
    (question,) = asked_by(QUESTION)
    names = replace(question, id="names-turned", x=question.y, y=question.x)
    both = replace(names, id="both-turned", a=question.b, b=question.a)
    rows = run_battery(bundled, [question, names, both]).findings()
    return [row for row in rows if row.kind == "weat"]


def test_a_reversed_bias_is_as_substantial_as_the_bias(bundled, turned):
    straight, names, both = turned
    assert straight.outcome == "substantial"
    assert (names.outcome, both.outcome) == ("substantial", "substantial")
    for field in ("size", "effect_size", "mean_difference"):
        value = getattr(straight, field)
        assert [getattr(row, field) for row in (names, both)] == pytest.approx([-value, value])
    assert (names.size_low, names.size_high) == pytest.approx((-straight.size_high, -straight.size_low))
    for row in turned:
        gate = check([row, *controls(bundled).findings()], parse_conditions((), ["weat:|size|<0.1"]))
        assert gate.exit_code == 2


def test_a_reversed_bias_is_said_in_the_same_words_everywhere(turned):
    """Which names are nearer to which words does not depend on which are called X."""
    (answer,) = {said([answer_sentence(row)]) for row in turned[:2]}
    for row in turned[:2]:
        assert answer.split() == draw_blocks(WEAT.blocks([row]))[1][0].split()
        assert answer in unescape(re.sub("<[^>]*>", "", draw_rows([row])))
        assert answer.replace("\xa0", " ") in concluded([row]).replace("\\", "")
    other = said([answer_sentence(turned[2])])
    assert other != answer
    assert other.startswith("Women's names lie nearer to family words than men's names, by ")


# 3. A lone test, or a finding from a file, is drawn as "not significant"


def drawn(rows):
    """Return the outcome that each row of the main chart is drawn with, and the legend's looks."""
    chart = next(block.chart for block in flat(blocks(rows)) if isinstance(block, AnswerChart))
    return looks(chart.draw(SHOWN, 860))


def looks(spec):
    (point,) = (layer for layer in spec["layer"] if layer["mark"]["type"] == "point")
    shape, fill = (point["encoding"][channel]["scale"] for channel in ("shape", "fill"))
    legend = dict(zip(shape["domain"], zip(shape["range"], fill["range"], strict=True), strict=True))
    listed = spec["datasets"][point["data"]["name"]]
    return {row.get("hint0"): row["outcome"] for row in listed}, legend


def test_a_question_says_the_same_alone_and_among_others_and_from_a_file(bundled, tmp_path):
    names = (QUESTION, "black-pleasant", "hispanic-pleasant", "gender-pleasant")
    alone = [imprint.weat(bundled, name) for name in names]  # as in a notebook
    outcomes = {row.test: row.outcome for row in alone}
    assert set(outcomes.values()) == set(OUTCOMES)
    for row in alone:
        html = row._repr_html_()
        assert row.outcome in html
        assert "significant" not in html
    together = [row for row in run_battery(bundled, asked_by(*names)).findings() if row.kind == "weat"]
    assert {row.test: row.outcome for row in together} == outcomes
    write_findings(tmp_path / "f.jsonl", alone)
    marks, legend = drawn(read_findings(tmp_path / "f.jsonl"))
    assert marks == outcomes
    assert len({legend[outcome] for outcome in OUTCOMES}) == len(OUTCOMES)  # shape and filling alone tell them apart


# 4. A count of findings without what chance gives


def test_outcomes_are_counted_beside_what_chance_gives(bundled):
    rows = run_battery(bundled, asked_by(QUESTION, "gender-pleasant", *ASKED)).findings()
    (counted,) = (said([text]) for text in brief(rows) if "of 2 answers" in said([text]))
    assert counted.endswith(f"1 audit in {round(1 / (2 * (1 - CONFIDENCE)))} has one.")


# 5. "Towards he" names words that lie towards she


def leaning(towards_he, towards_she):
    """Return an embedding in which so many words lie on each side of he - she."""
    places = [*np.linspace(0.1, 0.9, towards_he), *np.linspace(-0.9, -0.1, towards_she)]
    words = ["he", "she", *(f"word{place}" for place in range(len(places)))]
    rows = [(1.0, 0.0), (-1.0, 0.0), *((x, np.sqrt(1 - x * x)) for x in places)]
    return Embedding("leaning", words, np.array(rows, dtype=np.float32))


@pytest.mark.parametrize(("he", "she"), [(0, 40), (2, 40), (40, 2), (40, 0), (1, 1)])
def test_only_words_on_a_side_are_listed_for_it(he, she):
    embedding = leaning(he, she)
    row = project(embedding, pair_axis(embedding, [("he", "she")]), embedding.words[2:])
    sides = {
        "he": {one.word for one in row.coordinates if one.value > 0},
        "she": {one.word for one in row.coordinates if one.value < 0},
    }
    assert [len(side) for side in sides.values()] == [he, she]
    texts = [said(PROJECTION.sentences([row]))]
    texts += [plain(block.alt, SHOWN) for block in flat(PROJECTION.blocks([row])) if isinstance(block, Chart)]
    for text in texts:
        for end, listed in re.findall(r"urthest towards (he|she)(?: are|:) ([^;.]*)", text):
            words = set(listed.split(", "))
            assert words == {"none"} if not sides[end] else words <= sides[end]
    for table in flat(PROJECTION.blocks([row])):
        for place, column in enumerate(getattr(table, "columns", ())):
            end = plain(column.title, SHOWN).removeprefix("most ")
            if end in sides and plain(column.title, SHOWN) != end:
                shown = {plain(line[place], SHOWN) for line in table.rows} - {"–"}
                assert shown <= sides[end]
                assert len(shown) == min(10, len(sides[end]))
    assert {placed.word for placed in row.most_positive(99)} == sides["he"]
    assert {placed.word for placed in row.most_negative(99)} == sides["she"]


# 6. "Words gendered by meaning are left out" above abbot and abbess


def noted(rows):
    text, notes = draw_blocks(ANALOGY.blocks(rows))
    return " ".join(" ".join([text, *notes]).split())


def test_what_was_left_out_is_counted_and_the_list_is_not_called_complete():
    unlisted = ("mr", "mrs", "abbot", "abbess")
    assert not {*unlisted} & {word.lower() for word in gender_specific()}
    words = ("he", "she", *unlisted, "king", "queen", "Mother", "James", "Mary")
    rng = np.random.default_rng(0)
    gender = [1 if place % 2 == 0 else -1 for place in range(len(words))]
    rows = np.column_stack([gender, rng.normal(size=(len(words), 3)) / 4])
    embedding = Embedding("small", words, rows.astype(np.float32))
    axis = pair_axis(embedding, [("he", "she")])
    found = analogies(embedding, axis, delta=2.0, no_names=True, neutral=True).findings()
    paired = {word for row in found for word in (row.first, row.second)}
    assert paired <= {*unlisted}
    assert {(row.gendered_left_out, row.names_left_out) for row in found} == {(5, 2)}
    text = noted(found)
    assert "5 words of the axis or of the list of words gendered by meaning" in text
    assert "2 US first names" in text
    assert "gaps" in text
    everything = analogies(embedding, axis, delta=2.0).findings()
    assert "Left out" not in noted(everything)
