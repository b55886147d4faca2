"""What misled people who used version 0.1: a pass, a picture or a sentence that the numbers do not support."""

import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from gensim.models import Word2Vec

import imprint
from imprint.association.battery import run_battery
from imprint.association.changes import before_and_after
from imprint.association.verdicts import FOUND
from imprint.audit import run as auditing
from imprint.directions.analogies import analogies
from imprint.directions.axis import pair_axis
from imprint.directions.projection import project
from imprint.embeddings.embedding import Embedding
from imprint.evaluation.controls import controls
from imprint.kinds.analogies import ANALOGY
from imprint.kinds.directions import PROJECTION
from imprint.kinds.findings import read_findings
from imprint.kinds.gate import GATE
from imprint.kinds.sections import blocks
from imprint.kinds.weat import WEAT
from imprint.masking import Words
from imprint.policy.gate import check, parse_conditions
from imprint.render.charts.forest import ForestRow, forest
from imprint.render.html import draw_fragment
from imprint.render.numbers import plain
from imprint.render.terminal import draw_blocks
from imprint.report.card import render_card
from imprint.rows import write_findings
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import word_sets
from imprint.stimuli.seeds import gender_specific
from imprint.subjects.opening import load
from imprint.view import Chart, Section, Table

ROOT = Path(__file__).parents[1]
SHOWN = Words()
ASKED = ("caliskan-6", "caliskan-8")
README_GATE = parse_conditions(["weat:p<0.01"])


@pytest.fixture(scope="module")
def bundled():
    return load("default")


def asked_by(*names):
    return choose(catalogue(), names)


def said(texts):
    return " ".join(plain(text, SHOWN) for text in texts)


def tables(rows):
    """Return every table that the rows have, those of charts too."""
    for block in blocks(rows):
        if isinstance(block, Table | Chart):
            yield block if isinstance(block, Table) else block.table


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
    """Audit a subject with two tests; the other parts take long, and none of them is what a gate asks."""
    monkeypatch.setattr(auditing, "all_kinds", list)

    def audit(subject):
        (whole,) = auditing.run_audit(subject, quick=True).findings()
        return [whole, *run_battery(subject, asked_by(*ASKED)).findings()]

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
        assert len(list(GATE.opening([row]))) == 1
    can = render_card(rows).partition("### What can be concluded\n")[2].partition("###")[0]
    failed = [one for one in rows[0].controls if not one.passed]
    assert failed
    assert "cannot be judged" in can
    assert all(one.name in can for one in failed)
    assert "vidence" not in can


def test_half_noise_is_still_judged(bundled, audited):
    rows = audited(with_noise(bundled, 0.5))
    assert rows[0].judged
    assert check(rows, README_GATE).exit_code == 2
    assert "cannot be judged" not in render_card(rows)


def test_the_command_says_so_too(in_process, monkeypatch, tmp_path):
    monkeypatch.setattr(auditing, "all_kinds", lambda: [WEAT])
    trained_on_a_few_pages().wv.save_word2vec_format(tmp_path / "small.bin", binary=True)
    result = in_process("audit", "small.bin", "--quick", "--fail-on", "weat:p<0.01")
    assert result.returncode == 3
    assert "cannot be judged" in result.stdout
    assert "cannot be judged" in in_process("card", "findings.jsonl").stdout


# 2. A reversed bias passes as not significant


@pytest.fixture(scope="module")
def turned(bundled):
    """Two tests about people, the first with its names the other way round."""
    first, second = asked_by(*ASKED)
    return run_battery(bundled, [replace(first, id="turned", x=first.y, y=first.x), second]).findings()[:2]


def test_a_reversed_bias_is_as_evident_as_the_bias(bundled, turned):
    straight = run_battery(bundled, asked_by(*ASKED)).findings()[0]
    reverse = turned[0]
    assert reverse.effect_size == pytest.approx(-straight.effect_size)
    assert FOUND.index(reverse.evidence) <= FOUND.index(straight.evidence)
    assert (straight.direction, reverse.direction) == ("as predicted", "reversed")
    assert check([*turned, *controls(bundled).findings()], README_GATE).exit_code == 2


def test_a_reversed_bias_is_called_reversed_everywhere(turned):
    for rows in (turned, turned[:1]):
        assert "reversed" in draw_blocks(WEAT.blocks(rows))[0]
        assert "reversed" in draw_fragment([Section("weat", "Tests", tuple(WEAT.blocks(rows)))])
        assert "reversed" in render_card(rows)


def drawn(rows):
    """Return the evidence that each row of the forest is drawn with, and the legend's looks."""
    (chart,) = (block for block in blocks(rows) if isinstance(block, Chart))
    return looks(chart.draw(SHOWN))


def looks(spec):
    (point,) = (layer for layer in spec["layer"] if layer["mark"]["type"] == "point")
    shape, fill = (point["encoding"][channel]["scale"] for channel in ("shape", "fill"))
    legend = dict(zip(shape["domain"], zip(shape["range"], fill["range"], strict=True), strict=True))
    listed = spec["datasets"][point["data"]["name"]]
    return {row["label"]: row["evidence"] for row in listed}, legend


def test_a_reversed_bias_has_a_mark_of_its_own(turned):
    marks, legend = drawn(turned)
    assert marks[turned[0].title] == f"{turned[0].evidence}, reversed"
    assert marks[turned[0].title] in legend
    levels = [
        *FOUND,
        *(f"{level}, reversed" for level in FOUND),
        "none shown",
        "too few words",
        "control",
        "not judged",
    ]
    _, legend = looks(forest([ForestRow(level, 0.1, evidence=level) for level in levels], x_title="x", band="band"))
    assert list(legend) == levels
    assert len(set(legend.values())) == len(levels)  # shape and filling alone tell them apart


# 3. A lone test is drawn as "not significant"


def test_a_lone_test_and_findings_from_a_file_show_their_evidence(bundled, tmp_path):
    found = [imprint.weat(bundled, name) for name in ("caliskan-6", "caliskan-7")]  # as in a notebook
    html = found[0]._repr_html_()
    assert found[0].p_value == pytest.approx(1 / 12_870)
    assert (found[0].evidence, found[0].judged.family_size) == ("strong", 1)
    assert "strong" in html
    assert "one test alone" in html
    assert "not significant" not in html
    write_findings(tmp_path / "f.jsonl", [row for result in found for row in result.findings()])
    read = read_findings(tmp_path / "f.jsonl")
    marks, _ = drawn(read)
    assert marks == {result.test.title: result.evidence for result in found}


def test_a_row_without_evidence_has_a_word_and_a_mark_of_its_own(turned):
    plain_p = msgspec.structs.replace(turned[0], evidence=None, title="only p", p_holm=None)
    control = msgspec.structs.replace(plain_p, topics=("neutral",), title="a control")
    rows = [plain_p, control, turned[1]]
    marks, legend = drawn(rows)
    assert (marks["only p"], marks["a control"]) == ("not judged", "control")
    assert len({legend[mark] for mark in marks.values()}) == 3
    text, notes = draw_blocks(WEAT.blocks(rows))
    assert "not judged" in text
    assert {"Not judged", "Control"} <= {note.partition(":")[0] for note in (*text.splitlines(), *notes)}


# 4. A level of evidence without its family

FAMILY = re.compile(r"corrected over (\d+ or )*\d+ tests|one test alone|each test alone")


def test_every_table_with_evidence_names_its_family(bundled):
    asked = asked_by("caliskan-6", "caliskan-8", "caliskan-wefat-names", "winobias-wefat-occupations")
    found = run_battery(bundled, asked)
    other = run_battery(with_noise(bundled, 0.1), asked)
    rows, others = found.findings(), other.findings()
    changes = before_and_after(found, other)
    for shown in (rows, rows[:1], [*rows[:2], *others[:2]], changes):
        listed = [one for one in tables(shown) if "Evidence" in [plain(c.title, SHOWN) for c in one.columns]]
        assert listed
        for table in listed:
            assert FAMILY.search(plain(table.caption, SHOWN)), plain(table.caption, SHOWN)


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
)
def test_so_does_every_table_of_the_documentation(page):
    text = (ROOT / page).read_text("utf-8")
    for output in re.findall(r"```(?:console)?\n(.*?)```", text, re.DOTALL):
        if re.search(r"^  Test .*Evidence", output, re.MULTILINE):
            assert FAMILY.search(" ".join(output.split())), output


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
    result = project(embedding, pair_axis(embedding, [("he", "she")]), embedding.words[2:])
    row = result.finding()
    sides = {
        "he": {one.word for one in row.coordinates if one.value > 0},
        "she": {one.word for one in row.coordinates if one.value < 0},
    }
    assert [len(side) for side in sides.values()] == [he, she]
    texts = [said(PROJECTION.sentences([row]))]
    texts += [plain(block.alt, SHOWN) for block in PROJECTION.blocks([row]) if isinstance(block, Chart)]
    for text in texts:
        for end, listed in re.findall(r"urthest towards (he|she)(?: are|:) ([^;.]*)", text):
            words = set(listed.split(", "))
            assert words == {"none"} if not sides[end] else words <= sides[end]
    for table in PROJECTION.blocks([row]):
        for place, column in enumerate(getattr(table, "columns", ())):
            end = plain(column.title, SHOWN).removeprefix("most ")
            if end in sides and plain(column.title, SHOWN) != end:
                shown = {plain(line[place], SHOWN) for line in table.rows} - {"–"}
                assert shown <= sides[end]
                assert len(shown) == min(10, len(sides[end]))
    assert {word for word, _ in result.most_positive(99)} == sides["he"]
    assert {word for word, _ in result.most_negative(99)} == sides["she"]


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
    found = analogies(embedding, axis, delta=2.0, names=False, neutral=True).findings()
    paired = {word for row in found for word in (row.first, row.second)}
    assert paired <= {*unlisted}
    assert {(row.gendered_left_out, row.names_left_out) for row in found} == {(5, 2)}
    text = noted(found)
    assert "5 words of the axis or of the list of words gendered by meaning" in text
    assert "2 US first names" in text
    assert "gaps" in text
    everything = analogies(embedding, axis, delta=2.0).findings()
    assert "Left out" not in noted(everything)
