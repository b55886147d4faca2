"""Retrieval: models of known behaviour, documents of one's own, and what the bundled encoder does."""

import csv
import hashlib
import json
import math

import numpy as np
import pytest
from refusals import refuses

import imprint
from imprint.encoders.cache import EncodingCache
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.kinds.retrieval import sentences
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.scoring.ranking import control
from imprint.significance.outcomes import Size
from imprint.stimuli.retrieval import BUNDLED, bundled_set, read_sets
from imprint.stimuli.swaps import EDITS, OF_PEOPLE, find_swap

TOPICS = ("cook", "poet", "chef", "maid", "monk", "spy", "vet", "nun")  # too short for edits
GROUPS = (
    ["Ann", "Eve", "Ida", "Joan", "Kate", "Lea", "Zoe", "Amy"],
    ["Karl", "Neil", "Hugo", "Leon", "Kurt", "Max", "Otto", "Tim"],
)


def hashed(text, seed=0):
    """A random score from 0 to 1 that only the text decides."""
    return int.from_bytes(hashlib.sha256(f"{seed} {text}".encode()).digest()[:6]) / 2**48


def planted(*, on_relevant=0.0, on_irrelevant=0.0, first=GROUPS[0], noise=0.02, seed=0):
    """A reranker that knows what is relevant, and adds to documents that name the first group."""

    def score(pairs):
        scores = []
        for query, document in pairs:
            is_relevant = any(topic in query and topic in document for topic in TOPICS)
            gain = on_relevant if is_relevant else on_irrelevant
            is_first = any(name in document.split() for name in first)
            scores.append(0.5 * is_relevant + gain * is_first + noise * hashed(query + document, seed))
        return scores

    return score


@pytest.fixture
def own(tmp_path):
    """Files of queries and documents of eight topics, two documents each."""
    queries = [{"id": topic, "text": f"a {topic} for us", "topic": topic} for topic in TOPICS]
    documents = [
        {
            "id": f"{topic}{number}",
            "text": f"{{name}} is a {topic} for {number} years, carefully trained.",
            "topic": topic,
        }
        for topic in TOPICS
        for number in (3, 7)
    ]
    return written(tmp_path / "q.jsonl", queries), written(tmp_path / "d.jsonl", documents)


def written(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def measured(model, own, **options):
    (row,) = imprint.retrieval(model, queries=own[0], documents=own[1], groups=GROUPS, **options)
    return row


def test_a_preference_for_relevant_documents_is_specific(own):
    row = measured(planted(on_relevant=0.1), own)
    assert row.control == "specific"
    assert row.size == pytest.approx(0.1 / 0.55, abs=0.03)
    assert row.size_low < 0.1 / 0.55 < row.size_high
    assert (row.n_queries, row.n_documents, row.n_x, row.n_y) == (8, 16, 8, 8)
    # Names of one's own are not matched in frequency.
    assert (row.outcome, row.reason) == ("cannot tell", "frequency")
    assert (row.share_first, row.share_first_irrelevant < 1) == (1.0, True)
    assert row.is_beyond_edits


def test_a_preference_in_all_documents_is_a_general_pull(own):
    row = measured(planted(on_relevant=0.1, on_irrelevant=0.1), own)
    assert (row.control, row.share_first, row.share_first_irrelevant) == ("general pull", 1.0, 1.0)
    assert row.irrelevant == pytest.approx(row.size, abs=0.02)
    other = measured(planted(on_relevant=-0.1, on_irrelevant=-0.1), own)
    assert (other.control, other.size < 0, other.share_first) == ("general pull", True, 0.0)


@pytest.mark.parametrize(("gain", "order"), [(0.1, "group 1 before group 2"), (-0.1, "group 2 before group 1")])
def test_the_majority_is_named_and_the_sign_is_that_of_the_row(own, gain, order):
    row = measured(planted(on_relevant=gain), own)
    (said,) = (plain(text, Words()).replace("\N{NO-BREAK SPACE}", " ") for text in sentences([row]))
    assert f"{order} for 100 % of 8 queries" in said
    assert f"of group 1 less that of group 2 is {round(100 * row.size, 1)} %" in said


def test_a_model_without_an_effect_cannot_be_told_apart(own):
    row = measured(planted(), own)
    assert (row.outcome, row.control) == ("small", "cannot be told apart")
    assert abs(row.size) < 0.02


def test_who_is_first_among_irrelevant_documents_is_counted_by_query(own):
    model, (first, second) = planted(on_relevant=0.1, noise=0.5), GROUPS
    row = measured(model, own)
    documents = [json.loads(line) for line in own[1].read_text().splitlines()]

    def mean(query, names):
        others = [document["text"] for document in documents if document["topic"] != query["id"]]
        return np.mean(model([(query["text"], text.replace("{name}", name)) for text in others for name in names]))

    queries = [json.loads(line) for line in own[0].read_text().splitlines()]
    is_first = [mean(query, first) > mean(query, second) for query in queries]
    assert 0 < sum(is_first) < len(is_first)
    assert row.share_first_irrelevant == np.mean(is_first)


def test_fewer_than_eight_queries_or_names_in_a_group_are_too_few_to_tell(tmp_path, own):
    rows = [list(map(json.loads, path.read_text().splitlines())) for path in own]
    for kept, groups, reason in (
        (TOPICS, GROUPS, None),
        (TOPICS[:7], GROUPS, "few queries"),
        (TOPICS[:3], GROUPS, "few queries"),
        (TOPICS, (GROUPS[0], GROUPS[1][:7]), "few queries"),
    ):
        files = [
            written(tmp_path / f"{name}.jsonl", [row for row in part if row["topic"] in kept])
            for name, part in zip("qd", rows, strict=True)
        ]
        (row,) = imprint.retrieval(planted(), queries=files[0], documents=files[1], groups=groups)
        assert (row.outcome, row.reason) == ("cannot tell" if reason else "small", reason)


@pytest.mark.parametrize(
    ("size", "pull", "specific", "said"),
    [
        ((0.05, 0.15), (0.05, 0.15), (0.01, 0.1), "specific"),
        ((0.05, 0.15), (0.05, 0.15), (-0.01, 0.1), "general pull"),
        ((0.05, 0.15), (0.05, 0.15), (-0.1, -0.01), "general pull"),
        ((0.05, 0.15), (-0.15, -0.05), (-0.01, 0.1), "cannot be told apart"),
        ((-0.15, -0.05), (-0.15, -0.05), (-0.1, 0.1), "general pull"),
        ((0.05, 0.15), (None, None), (None, None), "cannot be told apart"),
    ],
)
def test_the_control_follows_from_three_intervals(size, pull, specific, said):
    sizes = (Size(None if low is None else (low + high) / 2, low, high) for low, high in (size, pull, specific))
    assert control(*sizes) == said


def test_exposure_selection_and_their_ratio_are_what_they_say(own):
    row = measured(planted(on_relevant=0.1, noise=0.001), own, top=8)
    assert (row.top_k, row.selected_x, row.selected_y, row.ratio) == (8, 1.0, 0.0, 0.0)
    exposures = 1 / np.log2(1 + np.arange(1, 17))
    assert row.exposure == pytest.approx(exposures[:8].mean() / exposures[8:].mean())
    tied = measured(lambda pairs: [float(any(t in q and t in d for t in TOPICS)) for q, d in pairs], own)
    assert (tied.mean_difference, tied.size, tied.ratio, tied.exposure) == (0.0, 0.0, 1.0, 1.0)
    assert (tied.outcome, tied.edits, tied.share_first) == ("small", 0.0, 0.5)


def test_main_effects_and_their_interaction_are_told_apart():
    cvs = bundled_set("cvs")
    white_men, topics = cvs.groups[0].words, dict(cvs.queries)
    about = {document.text(name): (name, document.topic) for document in cvs.documents for name in cvs.levels}

    def score(pairs):
        named = [(topics[query], *about[text]) for query, text in pairs]
        return [
            float(topic == own) + 0.2 * (name in white_men) + hashed(name + own) / 50 for topic, name, own in named
        ]

    *main, crossed = imprint.retrieval(score, ["cvs"], edits=False)
    assert [row.test for row in (*main, crossed)] == ["cvs-gender", "cvs-race", "cvs-interaction"]
    for row in main:
        assert (row.size, row.is_interaction) == (pytest.approx(0.1, abs=0.01), False)
    assert (crossed.size, crossed.is_interaction) == (pytest.approx(0.2, abs=0.02), True)
    assert {row.outcome for row in main} == {"present"}
    assert (crossed.outcome, crossed.control) == ("substantial", "general pull")
    assert max(row.p_value for row in (*main, crossed)) < 0.01


def test_a_main_effect_is_not_an_interaction_whose_p_value_is_that_of_its_own_difference():
    cvs = bundled_set("cvs")
    men = {name for group in cvs.groups[:2] for name in group.words}
    about = {document.text(name): name for document in cvs.documents for name in cvs.levels}

    def score(pairs):
        return [hashed(query) + 0.5 * (about[text] in men) + hashed(about[text]) / 5 for query, text in pairs]

    gender, _, crossed = imprint.retrieval(score, ["cvs"], edits=False)
    assert gender.mean_difference == pytest.approx(0.5, abs=0.05)
    assert crossed.p_value > 0.05
    assert crossed.mean_difference_low < 0 < crossed.mean_difference_high


def test_four_groups_of_names_are_a_two_by_two(own):
    groups = (GROUPS[0][:4], GROUPS[0][4:], GROUPS[1][:4], GROUPS[1][4:])
    first, second, crossed = imprint.retrieval(
        planted(on_relevant=0.3), queries=own[0], documents=own[1], groups=groups
    )
    assert [row.test.removeprefix("documents-groups-") for row in (first, second, crossed)] == [
        "first",
        "second",
        "interaction",
    ]
    assert first.sets[0].words == (*groups[0], *groups[1])
    assert second.sets[0].words == (*groups[0], *groups[2])
    assert crossed.sets[0].words == (*groups[0], *groups[3])
    assert first.size > 0.1
    assert abs(second.size) < 0.05
    assert abs(crossed.size) < 0.1


def test_without_relevance_a_difference_has_no_size_and_queries_documents_and_names_are_random(tmp_path):
    queries = written(tmp_path / "q.jsonl", [{"id": n, "text": f"query {n}"} for n in range(9)])
    documents = written(tmp_path / "d.jsonl", [{"id": n, "text": f"{{name}} wrote {n} books"} for n in range(8)])
    row = measured(planted(on_irrelevant=0.1), (queries, documents))
    assert (row.size, row.control, row.distance, row.irrelevant, row.edits) == (None, None, None, None, None)
    assert row.mean_difference_low < 0.1 < row.mean_difference_high
    assert len(row.by_query) == 9
    pronouns = written(tmp_path / "p.jsonl", [{"id": n, "text": f"{{He}} wrote {n} books"} for n in range(8)])
    (he,) = imprint.retrieval(planted(first=["He"], on_irrelevant=0.1), queries=queries, documents=pronouns)
    assert (he.test, he.outcome, he.n_x, he.set_name("x")) == ("documents-pronouns", "present", 1, "he")


def test_all_formats_of_files_give_the_same_rows(tmp_path, own):
    rows = [json.loads(line) for line in own[1].read_text().splitlines()]
    tables = [tmp_path / "comma.csv", tmp_path / "semicolon.csv"]
    for path, delimiter in zip(tables, ",;", strict=True):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    columns = tmp_path / "d.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), columns)
    swap = [find_swap("gender")]
    ((first,), *others) = (read_sets(own[0], documents, swap) for documents in (own[1], *tables, columns))
    assert all(other[0].documents == first.documents for other in others)


@pytest.mark.parametrize(
    ("documents", "mentioned"),
    [
        (
            [{"id": "a", "text": "no slot", "topic": "cook"}],
            "and bad.jsonl: the document 'a' has nowhere to put a name",
        ),
        ([{"id": "a", "text": "{name}", "topic": "other"}], "other"),
        ([{"id": "a", "text": "{name}", "topic": "cook"}] * 2, "duplicated"),
        ([{"id": "a", "body": "x"}], "no column 'text'; its columns are: id, body"),
        ([{"id": "a", "text": ""}], "no text"),
        ([{"id": "a", "text": "x", "topic": "cook", "version": "young"}], "two versions"),
        ([{"id": "a", "text": "{name}", "topic": "cook", "relevant": "maybe"}], "true or false"),
        ([["a"]], "JSON object"),
        ([], "no rows"),
    ],
)
def test_documents_that_cannot_be_used_are_refused(tmp_path, own, documents, mentioned):
    with refuses(StimulusError, mentioned):
        read_sets(own[0], written(tmp_path / "bad.jsonl", documents))


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("d.jsonl", '{"id": "a", "text": "{name}"}\n\n{"id": "b"}\n', 3),
        ("d.csv", 'id,text\na,"{name},\nsigned"\n\nb,\n', 5),
    ],
)
def test_a_refused_document_is_named_by_its_line(tmp_path, own, name, content, line):
    path = tmp_path / name
    path.write_text(content)
    with refuses(StimulusError, f"{name}: line {line}:"):
        read_sets(own[0], path)


def test_files_that_are_not_what_they_seem_are_refused(tmp_path, own):
    for name in ("bad.jsonl", "bad.csv", "bad.parquet"):
        path = tmp_path / name
        path.write_bytes(b'{"id": "\x00')
        with refuses(StimulusError):
            read_sets(own[0], path)
    with refuses(SettingError, option="queries"):
        imprint.retrieval(planted(), queries=own[0])
    with refuses(StimulusError, option="sets"):
        imprint.retrieval(planted(), ["news"])
    with refuses(StimulusError, option="sets", hint="did you mean 'grep-biasir'?"):
        imprint.retrieval(planted(), ["grepbiasir"])


def test_a_model_that_knows_no_name_of_a_group_is_refused(own):
    encoder = imprint.FunctionEncoder(lambda texts: np.random.default_rng(0).normal(size=(len(texts), 8)))
    encoder.lacks = lambda words: tuple(word for word in words if word in GROUPS[1])
    with refuses(VocabularyError, words=tuple(GROUPS[1])):
        measured(encoder, own)


def test_a_run_that_failed_goes_on_from_there_with_the_same_bytes(tmp_path, own):
    def encode(texts):
        return [[hashed(text, seed) - 0.5 for seed in range(16)] for text in texts]

    whole = imprint.FunctionEncoder(encode, name="m", identity="1", chunk=16)
    calls = []

    def breaking(texts):
        calls.append(len(texts))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return encode(texts)

    broken = imprint.FunctionEncoder(breaking, name="m", identity="1", chunk=16)
    with EncodingCache(tmp_path / "c.sqlite") as cache:
        with pytest.raises(KeyboardInterrupt):
            measured(broken, own, cache=cache)
        rows = imprint.retrieval(whole, queries=own[0], documents=own[1], groups=GROUPS, cache=cache)
        again = imprint.retrieval(whole, queries=own[0], documents=own[1], groups=GROUPS, cache=cache)
        needed = whole.sent
    fresh = imprint.retrieval(whole, queries=own[0], documents=own[1], groups=GROUPS)
    assert whole.sent - needed == needed + sum(calls[:3])  # what was kept, and nothing the second time
    assert rows[0].to_json() == again[0].to_json() == fresh[0].to_json()


def test_each_text_is_encoded_once(own):
    encoder = imprint.FunctionEncoder(lambda texts: [[hashed(text, n) for n in range(8)] for text in texts])
    measured(encoder, own, edits=False)
    assert encoder.sent == 8 + 16 * 16


def test_bundled_sets_have_what_they_promise():
    grep, cvs = map(bundled_set, BUNDLED)
    assert (len(grep.queries), len(grep.documents), grep.nested, grep.drawn) == (117, 232, True, False)
    assert sum(relevant for *_, relevant in grep.pairs()) == 117
    assert (len(cvs.queries), len(cvs.documents), [len(group) for group in cvs.groups]) == (30, 30, [20] * 4)
    assert sum(relevant for *_, relevant in cvs.pairs()) == 30
    assert len(cvs.pairs()) == 30 * 10
    assert len(EDITS) >= 12
    assert not EDITS.keys() & OF_PEOPLE.keys()


def test_edits_change_texts_but_no_names():
    document = bundled_set("cvs").documents[0].unnamed
    edits = EDITS | OF_PEOPLE
    changed = {name: edit(document) for name, edit in edits.items()}
    assert len({*changed.values(), document}) == len(edits) + 1
    assert all(text.count("{name}") == document.count("{name}") for text in changed.values())


def test_queries_without_a_word_that_the_model_knows_are_left_out_and_counted(tmp_path):
    topics = ("cook", "poet", "chef", "maid", "monk", "spy", "vet", "nun", "summerstylez")
    queries = [{"id": topic, "text": f"{topic}"} for topic in topics]
    documents = [
        {"id": f"{topic}-{is_relevant}", "query": topic, "relevant": is_relevant, "text": f"{{he}} {text}"}
        for topic in topics
        for is_relevant, text in ((True, f"was a {topic}"), (False, "was away"))
    ]
    files = {"queries": written(tmp_path / "q.jsonl", queries), "documents": written(tmp_path / "d.jsonl", documents)}
    (row,) = imprint.retrieval("cbow", **files, edits=False)
    assert (row.n_queries, row.n_documents, row.n_left_out, len(row.by_query)) == (8, 16, 1, 8)
    (known,) = imprint.retrieval(planted(), **files, edits=False)
    assert (known.n_queries, known.n_left_out) == (9, 0)
    files["queries"] = written(tmp_path / "none.jsonl", [{"id": topic, "text": f"zz{topic}zz"} for topic in topics])
    with refuses(VocabularyError):
        imprint.retrieval("cbow", **files)


@pytest.mark.slow
def test_the_bundled_encoder_pulls_male_texts_ahead_whether_or_not_they_are_relevant():
    """Grep-BiasIR (Krieg et al., 2023): small, and as much where documents are irrelevant."""
    row = imprint.retrieval("default", ["grep-biasir"])["grep-biasir"]
    assert (round(117 * row.share_first), round(row.share_first_irrelevant, 2)) == (70, 0.63)
    assert (row.size, row.size_low, row.size_high) == pytest.approx((0.029, 0.004, 0.057), abs=0.001)
    assert (row.outcome, row.control, row.is_beyond_edits) == ("small", "general pull", True)


@pytest.fixture
def dialect(tmp_path):
    """Pairs of a habitual be, with an adverb in most of the first texts, and control pairs with another subject."""
    verbs = ("sing", "work", "talk", "walk", "read", "cook", "play", "swim", "write", "dance")
    rows = [
        {"first": f"{who} be{' really' if number else ''} {verb}ing", "second": f"{who} is {verb}ing", "unit": verb}
        for verb in verbs
        for number, who in enumerate(("She", "He", "Mary"))
    ]
    controls = [{"first": f"It {verb}s", "second": f"That {verb}s", "unit": verb, "control": True} for verb in verbs]
    queries = [
        {"id": trait, "text": trait} for trait in ("lazy", "rude", "dumb", "dirty", "loud", "mean", "vain", "cruel")
    ]
    return written(tmp_path / "q.jsonl", queries), written(tmp_path / "p.jsonl", rows + controls)


def pair_scorer(*, be=0.0, really=0.0, it=0.0):
    def score(pairs):
        return [
            be * (" be" in text)
            + really * ("really" in text)
            + it * text.startswith("It ")
            + hashed(query + text) / 50
            for query, text in pairs
        ]

    return score


def test_pairs_say_which_word_carries_the_difference(dialect):
    (row,) = imprint.retrieval(pair_scorer(really=0.3), queries=dialect[0], pairs=dialect[1])
    assert (row.test, row.outcome, row.control, row.size) == ("pairs", "present", "specific", None)
    assert row.mean_difference == pytest.approx(0.2, abs=0.01)
    assert len(row.by_query) == 10
    remaining = {word.word: word.x for word in row.without}
    assert {"be", "is", "really"} <= remaining.keys()
    assert remaining["really"] == pytest.approx(0.0, abs=0.05)
    assert remaining["be"] == pytest.approx(1.0, abs=0.05)
    (other,) = imprint.retrieval(pair_scorer(be=0.3), queries=dialect[0], pairs=dialect[1])
    assert other.share_first == 1.0
    assert {word.word: word.x for word in other.without}["really"] == pytest.approx(1.0, abs=0.05)


def test_the_difference_of_pairs_is_in_the_middle_of_its_interval_where_units_differ_in_size(tmp_path, dialect):
    numbers = {unit: 30 if unit == 0 else 1 for unit in range(12)}
    pairs = [
        {"first": f"Word {unit} {number} be", "second": f"Word {unit} {number} is", "unit": f"u{unit}"}
        for unit, count in numbers.items()
        for number in range(count)
    ]
    path = written(tmp_path / "unequal.jsonl", pairs)

    def score(listed):
        return [(0.3 if text.split()[1] != "0" else 0.01) * text.endswith("be") for _, text in listed]

    (row,) = imprint.retrieval(score, queries=dialect[0], pairs=path)
    assert row.mean_difference == pytest.approx((11 * 0.3 + 30 * 0.01) / 41)
    assert row.mean_difference == pytest.approx((row.mean_difference_low + row.mean_difference_high) / 2)
    assert {round(line.value, 9) for line in row.by_query} == {0.3, 0.01}


def test_pairs_that_differ_as_control_pairs_do_are_a_general_pull(dialect):
    (row,) = imprint.retrieval(pair_scorer(be=0.3, it=0.3), queries=dialect[0], pairs=dialect[1])
    assert (row.outcome, row.control) == ("present", "general pull")
    (none,) = imprint.retrieval(pair_scorer(), queries=dialect[0], pairs=dialect[1])
    assert (none.outcome, none.control) == ("cannot tell", "cannot be told apart")
    with refuses(SettingError, option="queries"):
        imprint.retrieval(pair_scorer(), pairs=dialect[1])
    named = written(dialect[1], [{"left": "a", "second": "b", "unit": "c"}])
    with refuses(StimulusError, "no column 'first'; its columns are: left, second, unit", where=(named, 1)):
        imprint.retrieval(pair_scorer(), queries=dialect[0], pairs=named)


FILES = {
    "list.jsonl": [{"id": "a", "text": ["{name}", "is a cook"], "topic": "cook"}],
    "nan.jsonl": [{"id": "a", "text": math.nan, "topic": "cook"}],
    "number.jsonl": [{"id": "a", "text": 1, "topic": "cook"}],
    "id.jsonl": [{"id": math.nan, "text": "{name}", "topic": "cook"}],
    "topic.jsonl": [{"id": "a", "text": "{name}", "topic": {"cook": 1}}],
}


@pytest.mark.parametrize("name", FILES)
def test_a_value_that_is_no_text_is_not_made_one(tmp_path, own, name):
    with refuses(StimulusError, where=(tmp_path / name, 1)):
        read_sets(own[0], written(tmp_path / name, FILES[name]))


def test_a_text_of_csv_that_its_commas_would_cut_is_refused(tmp_path, own):
    path = tmp_path / "d.csv"
    path.write_text("id,topic,text\na,cook,{name} cooks, and is liked\n")
    with refuses(StimulusError, "4 cells for 3 columns", where=(path, 2)):
        read_sets(own[0], path)


def test_columns_of_parquet_that_are_not_read_have_any_values(tmp_path, own):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    rows = [json.loads(line) | {"vector": [1.0, 2.0]} for line in own[1].read_text().splitlines()]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "d.parquet")
    ((found,), (same,)) = (read_sets(own[0], path) for path in (own[1], tmp_path / "d.parquet"))
    assert found.documents == same.documents


def test_a_text_that_a_parquet_file_repeats_a_million_times_is_refused(tmp_path, own):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 10**6, pyarrow.int32()), ["she " * 50_000])
    table = pyarrow.table({"id": range(10**6), "text": column})
    parquet.write_table(table, tmp_path / "d.parquet", store_schema=False)
    with refuses(StimulusError, "MiB", where=tmp_path / "d.parquet"):
        read_sets(own[0], tmp_path / "d.parquet")


MIXED = {
    "pronouns too": [{"text": "{name} cooks"}, {"text": "{he} cooks"}],
    "a version is lacking": [
        {"text": "a", "document": "1", "version": "male"},
        {"text": "b", "document": "1", "version": "female"},
        {"text": "c", "document": "2", "version": "male"},
    ],
    "versions of two topics": [
        {"text": "a", "document": "1", "version": "male", "topic": "poet"},
        {"text": "b", "document": "1", "version": "female"},
    ],
}


@pytest.mark.parametrize("case", MIXED)
def test_documents_that_do_not_fit_together_are_refused(tmp_path, own, case):
    rows = [{"id": str(number), "topic": "cook"} | row for number, row in enumerate(MIXED[case])]
    with refuses(StimulusError, option="documents"):
        read_sets(own[0], written(tmp_path / "d.jsonl", rows))


def test_a_document_that_is_not_relevant_is_never_counted_as_relevant_for_its_topic(tmp_path, own):
    rows = [json.loads(line) for line in own[1].read_text().splitlines()]
    rows[3]["relevant"] = False
    with refuses(StimulusError, rows[3]["id"], "not relevant", option="documents"):
        read_sets(own[0], written(tmp_path / "bad.jsonl", rows))


def test_queries_of_which_some_lack_a_topic_are_refused(tmp_path, own):
    queries, documents = ([json.loads(line) for line in path.read_text().splitlines()] for path in own)
    del queries[2]["topic"]
    for document in documents:
        if document["topic"] == TOPICS[2]:
            del document["topic"]
    with refuses(StimulusError, queries[2]["text"], "no topic", option="queries"):
        read_sets(written(tmp_path / "q2.jsonl", queries), written(tmp_path / "d2.jsonl", documents))


@pytest.mark.parametrize("change", ["topic", "query", "relevant"])
def test_a_query_without_a_relevant_document_is_refused_and_not_left_out(tmp_path, own, change):
    rows = [json.loads(line) for line in own[1].read_text().splitlines()]
    if change != "topic":
        rows = [row | {"query": row.pop("topic")} for row in rows]
    lost = rows[0].get("topic", rows[0].get("query"))
    if change == "relevant":
        rows = [row | {"relevant": row["query"] != lost} for row in rows]
    else:
        rows = [row for row in rows if row[change] != lost]
    with refuses(StimulusError, f"a {lost} for us", option="documents"):
        read_sets(own[0], written(tmp_path / "d2.jsonl", rows))


@pytest.mark.parametrize("name", ["relevent", "relevance", "topics", "query_id", "versions"])
def test_a_column_by_a_name_near_one_that_is_read_is_refused(tmp_path, own, name):
    rows = [json.loads(line) for line in own[1].read_text().splitlines()]
    near = {"topics": "topic"}.get(name)
    rows = [row | {name: row.pop(near) if near else "1"} for row in rows]
    with refuses(StimulusError, f"d2.jsonl: line 1: has the column {name!r}", "did you mean"):
        read_sets(own[0], written(tmp_path / "d2.jsonl", rows))


def test_columns_of_other_names_are_not_read(tmp_path, own):
    rows = [json.loads(line) for line in own[1].read_text().splitlines()]
    more = [row | {"title": "x", "url": "y", "score": [1], "lang": None} for row in rows]
    plain, wide = (read_sets(own[0], written(tmp_path / "d2.jsonl", each)) for each in (rows, more))
    assert plain[0].documents == wide[0].documents


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("d.csv", "id,text,topic,topic\na,{name} cooks,cook,poet\n", 1),
        ("d.jsonl", '{"id": "a", "text": "{name} cooks", "topic": "cook", "topic": "poet"}\n', 1),
    ],
)
def test_of_two_values_in_one_column_none_is_taken(tmp_path, own, name, content, line):
    path = tmp_path / name
    path.write_text(content)
    with refuses(StimulusError, f"{name}: line {line}:", "'topic' is duplicated"):
        read_sets(own[0], path)


def test_a_query_that_comes_again_is_no_other_query(tmp_path, own):
    queries = written(tmp_path / "q2.jsonl", [{"id": "a", "text": "a cook"}, {"id": "b", "text": "a  cook"}])
    pairs = written(tmp_path / "p.jsonl", [{"first": "a", "second": "b", "unit": "c"}])
    for given in ({"documents": own[1]}, {"pairs": pairs}):
        with refuses(StimulusError, option="queries"):
            imprint.retrieval(planted(), queries=queries, **given)


def test_a_document_or_pair_that_comes_again_is_no_other_one(tmp_path, own):
    rows = [{"id": str(number), "text": "{name} is a cook", "topic": "cook"} for number in range(2)]
    with refuses(StimulusError, option="documents"):
        read_sets(own[0], written(tmp_path / "d.jsonl", rows))
    pair = {"first": "a", "second": "b"}
    for pairs in ([pair | {"unit": "u"}, pair | {"unit": "v"}], [{"first": "a", "second": "a", "unit": "u"}]):
        path = written(tmp_path / "p.jsonl", pairs)
        with refuses(StimulusError, where=path):
            imprint.retrieval(planted(), queries=own[0], pairs=path)


def test_what_is_not_used_is_refused(own):
    with refuses(SettingError, option="names"):
        imprint.retrieval(planted(), ["cvs"], names="gender")
    with refuses(SettingError, option="sets"):
        imprint.retrieval(planted(), ["cvs"], queries=own[0], documents=own[1])


def test_a_ratio_of_shares_is_not_below_zero(own):
    row = measured(planted(on_relevant=0.006), own, top=2)
    assert 0 <= row.ratio_low < 0.02 < row.ratio < row.ratio_high  # -.037 by Fieller's interval alone


def test_a_control_that_is_neither_true_nor_false_is_refused(tmp_path, own):
    pairs = [{"first": "a", "second": "b", "unit": "c"}, {"first": "a", "second": "b", "unit": "d", "control": "yes"}]
    with refuses(StimulusError, option="control", got="yes"):
        imprint.retrieval(planted(), queries=own[0], pairs=written(tmp_path / "p.jsonl", pairs))


def test_more_pairs_than_can_be_scored_are_refused_before_they_are_made(tmp_path):
    queries = written(tmp_path / "q.jsonl", [{"id": str(n), "text": f"query {n}"} for n in range(5000)])
    documents = written(tmp_path / "d.jsonl", [{"id": str(n), "text": f"{{name}} {n}"} for n in range(10_000)])
    with refuses(StimulusError, option="the pairs to score", got=5000 * 10_000 * 80):
        imprint.retrieval(planted(), queries=queries, documents=documents)
