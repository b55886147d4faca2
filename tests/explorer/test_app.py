"""The explorer's pages and API, asked in this process."""

import json
import re
import threading
from collections import Counter
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from refusals import refuses

from imprint.association.battery import run_battery
from imprint.association.seat import seat
from imprint.association.weat import weat
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.reading import frequency_table
from imprint.errors import EmbeddingFileError
from imprint.explorer import queries
from imprint.explorer.queries import AskedQuestion, Explorer, sets_of, weat_tests
from imprint.kinds.answers import answer_sentence
from imprint.masking import Words
from imprint.render.html import draw_text
from imprint.significance.outcomes import FOUND
from imprint.stimuli.catalog import get
from imprint.stimuli.matching import octave
from imprint.subjects.opening import load, open_encoder

from .conftest import HOSTILE, A, B, X, Y, planted

NAMED = {"x": X, "y": Y, "a": A, "b": B}
TYPED = {name: "\n".join(words) for name, words in NAMED.items()}
PATHS = ("/", "/axis", "/neighbours")


def values(page):
    """Every number on a page, as it was before it was rounded."""
    return re.findall(r'<data value="([^"]*)">', page)


def test_a_link_and_a_form_give_the_same_page(ask):
    by_link, by_form = ask("GET", "/", params=TYPED), ask("POST", "/", data=TYPED)
    assert by_link.status_code == 200
    assert by_link.text == by_form.text


def test_the_page_tells_the_numbers_of_the_api(ask):
    finding = ask("POST", "/api/weat", json={name: list(words) for name, words in NAMED.items()}).json()["finding"]
    shown = values(ask("GET", "/", params=TYPED).text)
    extreme, partitions = int(finding["extreme"]), int(finding["partitions"])
    measured = [finding["effect_size"], finding["p_value"], extreme, partitions]
    for value in (*measured, *(one["value"] for one in finding["scores"])):
        assert repr(value) in shown
    assert extreme / partitions == finding["p_value"]


def test_a_catalogue_test_fills_the_boxes_and_is_recognised(ask):
    page = ask("GET", "/", params={"test": "caliskan-6"}).text
    assert '<option value="caliskan-6" selected>' in page
    assert "imprint weat" in page
    assert "--test caliskan-6 --json" in page
    assert "executive\nmanagement" in page
    assert 'href="/?test=caliskan-6"' in page, "its link names it"
    assert 'href="/?test=caliskan-6"' in ask("GET", "/").text, (
        "the page opens with it where a question lacks its words"
    )


AGREED = (
    "gender-career", "gender-ability", "gender-science", "gender-maths", "gender-pleasant", "black-pleasant",
    "hispanic-pleasant", "asian-pleasant", "black-career", "age-pleasant", "caliskan-3", "caliskan-4", "caliskan-5",
    "caliskan-6", "caliskan-7", "caliskan-8", "caliskan-9", "caliskan-10", "seat-abw-names",
    "seat-double-bind-competent",
)  # fmt: skip


def test_explorer_and_page_agree_on_twenty_questions(asking):
    glove = load("default")
    rows = {row.test: row for row, _ in run_battery(glove, [get(name) for name in AGREED]).measured}
    assert len(rows) == 20
    ask = asking(glove)
    for name, row in rows.items():
        finding = json.loads(ask("GET", "/finding.jsonl", params={"test": name}).text)
        fields = ("size", "size_low", "size_high", "outcome", "reason", "effect_size")
        assert [finding[field] for field in fields] == [getattr(row, field) for field in fields], name
        said = str(draw_text(answer_sentence(row), Words()))
        assert f'<p class="said" data-said>{said}</p>' in ask("GET", "/", params={"test": name}).text, name


def test_explorer_and_page_agree_about_an_encoder(asking):
    encoder = open_encoder("cbow")
    row = seat(encoder, "gender-career")
    ask = asking(encoder, "cbow")
    finding = json.loads(ask("GET", "/finding.jsonl", params={"test": row.test}).text)
    assert finding == row.to_dict()
    page = ask("GET", "/", params={"test": row.test}).text
    assert str(draw_text(answer_sentence(row), Words())) in page
    assert "imprint seat cbow --test gender-career --json" in page
    assert 'href="/axis"' not in page
    assert ask("GET", "/axis").status_code == 404
    assert ask("GET", "/api/neighbours", params={"word": "nurse"}).status_code == 404


def test_an_encoder_is_asked_about_each_text_once_and_holds_a_bounded_number(monkeypatch):
    asked = []

    def encode(texts):
        asked.append(texts)
        return [np.random.default_rng([*text.encode()]).normal(size=8) for text in texts]

    encoder = open_encoder(encode)
    encoder.cacheable = True  # as one of a model's files
    explorer = Explorer(encoder, "x")
    sets = {letter: tuple(f"{letter}{number}" for number in range(4)) for letter in "xyab"}
    explorer.measure(AskedQuestion(sets))
    first = sum(map(len, asked))
    explorer.measure(AskedQuestion(sets | {"x": (*sets["x"], "new")}))
    assert 0 < sum(map(len, asked)) - first < first / 4, "the sentences of one word"
    monkeypatch.setattr(queries, "MOST_HELD", 10)
    explorer.measure(AskedQuestion(sets))
    explorer.measure(AskedQuestion(sets | {"y": (*sets["y"], "other")}))
    assert len(explorer._encodings._rows) < first


def test_only_tests_in_languages_that_can_be_judged_are_offered(asking):
    offered = {test["id"] for test in asking(load("default"))("GET", "/api/tests").json()}
    assert "gender-career" in offered
    assert {test.language for test in weat_tests() if test.id in offered} == {"en"}
    assert {test.language for test in weat_tests()} > {"en"}


def test_a_subject_that_fails_its_controls_is_said_to(ask):
    assert "fails controls" in ask("GET", "/", params=TYPED).text


def test_typed_lists_are_matched_on_request_and_have_the_names_they_are_given(asking):
    ask = asking(load("default"))
    sets = sets_of(get("gender-career"))
    sets |= {"x": sets["x"][:60]}
    fields = {letter: ",".join(words) for letter, words in sets.items()}
    fields |= {"x_name": "his <names>", "y_name": "her names", "matched": "yes"}
    page = ask("POST", "/", data=fields).text
    assert "his &lt;names&gt;" in sentence(page) or "His &lt;names&gt;" in sentence(page)
    row = json.loads(ask("GET", "/finding.jsonl", params=fields).text)
    ranks = frequency_table()
    by_octave = {one["role"]: Counter(octave(ranks[word.lower()]) for word in one["words"]) for one in row["sets"]}
    assert by_octave["x"] == by_octave["y"]
    assert by_octave["a"] == by_octave["b"]
    used = sum(len(one["words"]) for one in row["sets"])
    assert len(by_octave["x"]) > 1
    assert f'<data value="{used}">' in page
    unmatched = {name: text for name, text in fields.items() if name != "matched"}
    assert len(json.loads(ask("GET", "/finding.jsonl", params=unmatched).text)["sets"][0]["words"]) == 60


def test_a_link_reloads_the_same_answer(ask):
    page = ask("POST", "/", data=TYPED | {"x_name": "flowers & herbs", "alternative": "less"}).text
    (link,) = re.findall(r'id="link" href="([^"]*)"', page)
    again = ask("GET", unescape(link)).text
    assert re.findall(r'<section id="result".*</section>', again, re.DOTALL) == re.findall(
        r'<section id="result".*</section>', page, re.DOTALL
    )


def test_the_chart_is_a_drawing_that_stands_alone(asking):
    pytest.importorskip("vl_convert", reason="draws")
    answer = asking(load("default"))("GET", "/chart.svg", params={"test": "gender-career"})
    assert answer.headers["content-disposition"] == 'attachment; filename="chart.svg"'
    assert ElementTree.fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--" not in answer.text


def test_a_chart_is_offered_only_where_there_is_one(asking):
    ask = asking(load("default"))
    few = {"x": "he,him", "y": "she,her", "a": "work,office", "b": "home,family"}
    for fields, is_drawn in (({"test": "gender-career"}, True), (few, False)):
        page = ask("GET", "/", params=fields).text
        assert ('href="/chart.svg' in page) is is_drawn
        assert ask("GET", "/chart.svg", params=fields).status_code == (200 if is_drawn else 404)
        said = ("It is unusual in this model: 19 of 20" in page, "In this model, 19 of 20" in page)
        assert said == (is_drawn, not is_drawn), "once, as part of a list or alone"


def test_a_test_that_does_not_exist_is_said_to(ask):
    answer = ask("GET", "/", params={"test": "../../etc/passwd"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("path", "fields", "line"),
    [
        ("/", TYPED | {"x": "rose"}, "rose"),
        ("/", TYPED | {"x": ""}, "X: "),
        ("/", TYPED | {"x": "rose, ant, lily"}, "ant"),
        ("/", TYPED | {"x": "absent, lacking"}, "lacking"),
        ("/", TYPED | {"x": ",".join(map(str, range(201)))}, "201"),
        ("/", TYPED | {"alternative": "sideways"}, "alternative"),
        ("/axis", {"pairs": "he", "words": "nurse"}, "pair"),
        ("/axis", {"pairs": "", "words": "nurse"}, "pairs"),
        ("/axis", {"pairs": "he, she", "words": ""}, "words: "),
        ("/axis", {"pairs": "he, he", "words": "nurse"}, "he"),
        ("/axis", {"pairs": "he, she", "words": "nurse", "method": "magic"}, "method"),
        ("/neighbours", {"word": "absent"}, "absent"),
        ("/neighbours", {"word": ""}, "word: "),
        ("/neighbours", {"word": "rose", "count": "many"}, "neighbours"),
        ("/neighbours", {"word": "rose", "count": "0"}, "neighbours"),
        ("/neighbours", {"word": "rose", "count": "9" * 5000}, "neighbours"),
    ],
)
def test_a_mistake_is_one_line_in_its_place_and_the_words_stay(ask, path, fields, line):
    answer = ask("POST", path, data=fields)
    assert answer.status_code == 422
    (said,) = re.findall(r'<p class="error" data-said>(.*?)</p>', answer.text)
    assert line in said
    for text in fields.values():
        assert text in answer.text or len(text) > 100 or text in ("sideways", "magic")


def test_a_mistake_does_not_name_the_test_that_typed_words_become(ask):
    page = ask("POST", "/", data=TYPED | {"x": "rose", "x_name": "flowers"}).text
    (said,) = re.findall(r'<p class="error" data-said>(.*?)</p>', page)
    assert said.startswith("x (flowers): has only one word")


def test_scores_of_many_words_are_folded(asking):
    few = asking(load("default"))("GET", "/", params={"test": "caliskan-6"}).text
    sets = sets_of(get("gender-career"))
    fields = {letter: ",".join(words[:120] if letter in "xy" else words) for letter, words in sets.items()}
    many = asking(load("default"))("GET", "/", params=fields).text
    for page, is_folded in ((few, False), (many, True)):
        assert (page.index("All numbers") < page.index("Every word&#39;s score")) is is_folded


def test_too_few_words_say_that_they_could_not_tell(ask):
    page = ask("POST", "/", data={name: "\n".join(words[:2]) for name, words in NAMED.items()}).text
    assert "too few words" in page
    assert "Longer lists decide more often" in page


def sentence(page):
    """The answer, which is read out, without marks."""
    return re.sub("<.*?>", "", re.findall(r'<p class="said" data-said>(.*?)</p>', page, re.DOTALL)[0])


@pytest.mark.parametrize(("apart", "reason"), [(6.0, None), (0.0, "attributes not distinguished")])
def test_words_that_do_not_differ_are_not_called_free_of_bias(asking, apart, reason):
    words = [f"{letter}{number}" for number in range(12) for letter in "xyab"]
    vectors = 0.5 * np.random.default_rng(4).normal(size=(len(words), 40)).astype(np.float32)
    vectors[:, 0] += [{"a": apart / 2, "b": -apart / 2}.get(word[0], 0.0) for word in words]
    ask = asking(Embedding("noise", words, vectors))
    sets = {letter: [word for word in words if word[0] == letter] for letter in "xyab"}
    row = ask("POST", "/api/weat", json=sets).json()["finding"]
    assert (row["outcome"], row["reason"]) == ("cannot tell", reason)
    page = ask("POST", "/", data={letter: ",".join(listed) for letter, listed in sets.items()}).text
    assert sentence(page).startswith("It is not clear whether X or Y are nearer to A than to B")


def test_the_answer_to_a_question_is_its_size_and_outcome_and_comes_with_its_words(asking):
    row = weat("default", "gender-ability")
    page = asking(load("default"))("GET", "/", params={"test": row.test}).text
    assert '<option value="gender-ability" selected>' in page
    assert row.outcome in FOUND
    assert sentence(page).endswith(f": {row.outcome}.")
    assert {repr(value) for value in (row.size, row.size_low, row.size_high)} <= set(values(page))
    assert {repr(score.value) for score in row.scores} <= set(values(page))


def test_a_p_that_is_bounded_is_not_said_to_be_equal(asking):
    words = [f"{letter}{number}" for letter in "xyab" for number in range(30)]
    sets = {letter: ",".join(word for word in words if word[0] == letter) for letter in "xyab"}
    page = asking(Embedding("noise", words, planted(words)))("POST", "/", data=sets).text
    assert re.search(r"p <data value=\"[^\"]+\">≤ ", page)
    assert re.search(
        r"p = <data",
        asking(Embedding("noise", words, planted(words)))(
            "POST", "/", data={letter: ",".join(text.split(",")[:8]) for letter, text in sets.items()}
        ).text,
    )


def test_missing_words_are_named(ask):
    page = ask("POST", "/", data=TYPED | {"a": f"{TYPED['a']}, absent"}).text
    assert "left out: absent." in page
    assert "Missing here" not in page, "once is enough"
    assert (
        "left out: lacking, absent."
        in ask("POST", "/axis", data={"pairs": "he, she\nhim, lacking", "words": "nurse, absent, engineer"}).text
    )


def test_an_axis_of_one_word_can_be_drawn(ask):
    page = ask("POST", "/axis", data={"pairs": "he, she", "words": "nurse"}).text
    assert page.count("<svg") == 2  # one for wide screens, one for phones
    assert '<data value="1">' in page


def test_hostile_vocabularies_are_text(asking, hostile):
    ask = asking(hostile, HOSTILE[0])
    pages = [
        ask("GET", "/neighbours", params={"word": "rose"}),
        *(ask("POST", "/neighbours", data={"word": word}) for word in HOSTILE),
        ask("POST", "/axis", data={"pairs": "rose, {{7*7}}", "words": "\n".join(HOSTILE[:4])}),
        ask("POST", "/", data=dict.fromkeys("xyab", "\n".join(HOSTILE[:4]))),
    ]
    for answer in pages:
        assert answer.status_code in (200, 422)
        for word in HOSTILE[:2]:
            assert word not in answer.text
        assert "<!--" not in answer.text
        assert "\u202e" not in answer.text.partition('id="result"')[2]
        without_drawing = re.sub(r"<svg.*?</svg>", "", answer.text.partition('id="result"')[2], flags=re.DOTALL)
        assert "49" not in re.sub(r"0\.\d+|\d\d\.\d+", "", without_drawing).replace("{{7*7}}", "")
        assert "x" * 100 not in answer.text.partition('id="result"')[2]
        assert re.findall(r"<(script|img|iframe)\b[^>]*>", answer.text) == ["script"], "our own script alone"
    assert "&lt;script&gt;window.broken=true&lt;/script&gt;" in pages[0].text
    assert "\\u202edrow" in pages[0].text


def test_half_characters_of_a_vocabulary_break_neither_page_nor_api(asking):
    ask = asking(Embedding("odd", ["rose", "\ud800"], np.eye(2, dtype=np.float32)))
    assert "\\ud800" in ask("GET", "/neighbours", params={"word": "rose"}).text
    assert ask("GET", "/api/neighbours", params={"word": "rose"}).json()["finding"]["nearest"][0]["word"] == "\ud800"


def test_slurs_are_masked_on_pages_unless_told_and_whole_in_the_api(asking):
    # A mild one of the list, so that this file need not print the others.
    embedding = Embedding("tiny", ["rose", "redneck"], np.ones((2, 2), dtype=np.float32))
    ask = asking(embedding)
    page = ask("GET", "/neighbours", params={"word": "rose"}).text
    assert "r******" in page
    assert "redneck" not in page
    assert "r****** is not" not in page
    mistake = ask("POST", "/", data=dict.fromkeys("xyab", "redneck, rose")).text
    assert "redneck" not in mistake.partition('id="result"')[2]
    assert ask("GET", "/api/neighbours", params={"word": "rose"}).json()["finding"]["nearest"][0]["word"] == "redneck"
    assert "redneck" in asking(embedding, unmask=True)("GET", "/neighbours", params={"word": "rose"}).text


@pytest.mark.parametrize("path", [*PATHS, "/openapi.json", "/static/explorer.js", "/nowhere"])
def test_every_answer_forbids_what_it_does_not_need(ask, path):
    policy = ask("GET", path).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\bstyle=|<script>|\bon\w+=\"", ask("GET", path).text) or path.startswith("/static")


@pytest.mark.parametrize("path", PATHS)
def test_a_foreign_host_name_is_refused(ask, path):
    assert ask("GET", path, headers={"host": "evil.example:8000"}).status_code == 400
    assert ask("GET", path, headers={"host": "localhost:8000"}).status_code == 200


@pytest.mark.parametrize("path", [*PATHS, "/api/tests", "/api/neighbours?word=rose"])
def test_another_site_cannot_make_this_machine_work(ask, path):
    image = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}
    assert ask("GET", path, headers=image).status_code == 403
    link = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}
    assert ask("GET", path, headers=link).status_code == 200


def test_a_body_beyond_the_limit_is_refused(ask):
    assert ask("POST", "/", data={"x": "a" * 70_000}).status_code == 413
    assert ask("POST", "/api/weat", content=b"[" * 70_000).status_code == 413


def test_questions_come_at_a_bounded_pace(ask):
    answers = {ask("GET", "/api/tests").status_code for _ in range(80)}
    assert answers == {200, 429}


def test_a_question_waits_its_turn_and_no_longer_than_promised(file):
    from imprint.explorer.queries import Explorer
    from imprint.web.pages import RefusedError

    explorer = Explorer(load(file), "file", patience=0.01)
    explorer.near("rose")
    with explorer._turn, refuses(RefusedError, status=503):
        explorer.near("rose")
    patient = Explorer(load(file), "file")
    found = []
    waiting = threading.Thread(target=lambda: found.append(patient.near("rose")))
    with patient._turn:
        waiting.start()
    waiting.join()
    assert found[0] == explorer.near("rose")


def test_a_damaged_embedding_is_told_before_anything_is_served(asking):
    vectors = np.array([[1, 0], [np.nan, 1]], dtype=np.float32)
    with refuses(EmbeddingFileError, words=("b",)):
        asking(Embedding("damaged", ["a", "b"], vectors))


@pytest.mark.parametrize(
    ("path", "method"),
    [("/api/tests", "GET"), ("/api/weat", "POST"), ("/api/axis", "POST"), ("/api/neighbours", "GET")],
)
def test_the_api_answers_any_question_as_its_description_says(file, path, method):
    pytest.importorskip("fastapi", reason="the explorer needs fastapi")
    schemathesis = pytest.importorskip("schemathesis", reason="the API is tried by schemathesis")
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    from imprint.explorer.app import ExplorerPages, make_routes
    from imprint.explorer.queries import Explorer

    explorer = Explorer(load(file), "file")
    schema = schemathesis.openapi.from_asgi("/openapi.json", make_routes(explorer, ExplorerPages(explorer)))

    @settings(max_examples=40, deadline=None, database=None)
    @given(case=schema[path][method].as_strategy())
    def ask_anything(case):
        # Whether a word is in the vocabulary no description can say: a valid question may have no answer.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    ask_anything()
    assert {operation.ok().path for operation in schema.get_all_operations()} == {
        "/api/tests", "/api/weat", "/api/axis", "/api/neighbours"
    }  # fmt: skip
