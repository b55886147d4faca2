"""The catalogue itself: every test is whole, usable and says where it comes from."""

import subprocess
import sys
from collections import defaultdict

import pytest
from refusals import refuses

from imprint.errors import StimulusError
from imprint.stimuli.catalog import catalogue, choose, get, languages, published_tests, shared_sets
from imprint.stimuli.definition import Unbleached, WeatTest, WefatTest, problems, word_sets, words_of

ALL = pytest.mark.parametrize("test", catalogue(), ids=lambda test: test.id)
WEATS = [test for test in catalogue() if isinstance(test, WeatTest)]

# May et al. (2019), table 4: effect sizes; * significant at 0.01, ** after correction for multiple testing.
MODELS = ["CBoW (GloVe 840B)", "InferSent", "GenSen", "USE", "ELMo", "GPT", "BERT"]
CONTEXT_OF = {"word": "word", "sent": "bleached", "sent(u)": "unbleached"}
SIGNIFICANCE = (">0.01", "<0.01", "<0.01 after Holm")
TABLE_4 = """
caliskan-1                 word    1.50** 1.56** 1.24** 1.38** -0.03  0.20   0.22
caliskan-1                 sent    1.56** 1.65** 1.22** 1.38** 0.42** 0.81** 0.62**
caliskan-3                 word    1.41** 1.33** 1.32** 0.52   -0.40  0.60*  -0.11
caliskan-3                 sent    0.52** 1.07** 0.97** 0.32*  -0.38  0.19   0.05
caliskan-6                 word    1.81*  1.78*  1.84*  0.02   -0.45  0.22   0.21
caliskan-6                 sent    1.74** 1.69** 1.63** 0.83** -0.38  0.35   0.08
seat-abw-names             word    1.10*  1.18*  1.57** -0.39  0.53   0.08   -0.32
seat-abw-names             sent    0.62** 0.98** 1.05** -0.19  0.52*  -0.07  -0.17
seat-double-bind-competent word    1.62*  1.09   1.49*  1.51*  -0.35  -0.28  -0.81
seat-double-bind-competent sent    0.79** 0.57*  0.83** 0.25   -0.15  0.10   0.39
seat-double-bind-competent sent(u) 0.84   1.42*  1.03   0.71   0.20   0.71   1.17*
seat-double-bind-likable   word    1.29*  0.65   1.31*  0.16   -0.60  0.91   -0.55
seat-double-bind-likable   sent    0.69*  0.37   0.25   0.32   -0.45  -0.20  -0.35
seat-double-bind-likable   sent(u) 0.51   1.33*  0.05   0.48   -0.90  -0.87  0.99
"""


def weat(identifier: str) -> WeatTest:
    test = get(identifier)
    assert isinstance(test, WeatTest)
    return test


def wefat(identifier: str) -> WefatTest:
    test = get(identifier)
    assert isinstance(test, WefatTest)
    return test


def test_the_catalogue_holds_the_papers_tests() -> None:
    assert {test.id for test in published_tests()} == {
        *(f"caliskan-{number}" for number in range(1, 11)),
        "caliskan-wefat-occupations",
        "caliskan-wefat-names",
        "winobias-wefat-occupations",
        "angry-black-woman",
        *(f"seat-{number}b" for number in (3, 5, 6, 7, 8)),
        "seat-abw-names",
        "seat-abw-terms",
        "seat-double-bind-competent",
        "seat-double-bind-likable",
        "talk-disease-controllable",
        "talk-sexuality",
        "talk-transgender",
        "talk-de-career",
        "talk-de-science",
        "talk-de-nationality",
        "de-flowers",
        "de-instruments",
        "de-wefat-occupations",
        "es-flowers",
        "es-instruments",
        "tr-flowers",
        "tr-instruments",
    }


@ALL
def test_every_test_is_usable_and_says_what_it_is(test: WeatTest | WefatTest) -> None:
    assert problems(test) == []
    assert test.title != test.id
    assert test.source
    assert test.topics
    assert test.language in languages()


@ALL
def test_every_word_has_a_kind(test: WeatTest | WefatTest) -> None:
    assert all("unknown" not in words.kinds for words in word_sets(test).values())


@ALL
def test_no_target_is_also_an_attribute(test: WeatTest | WefatTest) -> None:
    sets = word_sets(test)
    attributes = {*sets.pop("a").words, *sets.pop("b").words}
    assert not attributes.intersection(word for words in sets.values() for word in words.words)


@pytest.mark.parametrize("test", WEATS, ids=lambda test: test.id)
def test_targets_are_balanced_and_so_are_attributes(test: WeatTest) -> None:
    assert len(test.x) == len(test.y)
    assert len(test.a) == len(test.b)


def test_a_word_has_one_kind_wherever_it_stands() -> None:
    kinds = defaultdict(set)
    for test in catalogue():
        for words in word_sets(test).values():
            for word, kind in zip(words.words, words.kinds, strict=True):
                kinds[test.language, word].add(kind)
    assert {word: found for word, found in kinds.items() if len(found) > 1} == {}


def test_every_shared_set_is_used() -> None:
    used = {id(words) for test in catalogue() for words in word_sets(test).values()}
    used |= {id(words) for language in languages().values() for words in language.things or ()}
    assert [name for name, words in shared_sets().items() if id(words) not in used] == []


@pytest.mark.parametrize(
    ("number", "effect", "p", "targets", "attributes"),
    [
        (1, 1.50, "<1e-7", 25, 25),
        (2, 1.53, "<1e-7", 25, 25),
        (3, 1.41, "<1e-8", 32, 25),
        (4, 1.50, "<1e-4", 16, 25),
        (5, 1.28, "<1e-3", 16, 8),
        (6, 1.81, "<1e-3", 8, 8),
        (7, 1.06, "1e-2", 8, 8),
        (8, 1.24, "1e-2", 8, 8),
        (9, 1.38, "1e-2", 6, 7),
        (10, 1.21, "1e-2", 8, 8),
    ],
)
def test_caliskans_figures_are_as_printed(number: int, effect: float, p: str, targets: int, attributes: int) -> None:
    test = weat(f"caliskan-{number}")
    glove = [row for row in test.published if row.embedding == "GloVe 840B"]
    assert [(row.effect, row.p) for row in glove] == [(effect, p)]
    assert (len(test.x), len(test.a)) == (targets, attributes)


def test_word2vec_figures_are_there_where_they_are_known() -> None:
    rows = {test.id: row.effect for test in WEATS for row in test.published if row.embedding == "word2vec GoogleNews"}
    assert rows == {"caliskan-1": 1.54, "caliskan-6": 1.89, "caliskan-7": 0.97}


def test_human_baselines_are_as_quoted() -> None:
    human = {
        test.id: (test.human.effect, test.human.p, test.human.participants) for test in WEATS if test.human is not None
    }
    assert human == {
        "caliskan-1": (1.35, "1e-8", 32),
        "caliskan-2": (1.66, "1e-10", 32),
        "caliskan-3": (1.17, "1e-6", 26),
        "caliskan-6": (0.72, "<1e-2", 38797),
        "caliskan-7": (0.82, "<1e-2", 28108),
        "caliskan-8": (1.47, "1e-24", 83),
        "caliskan-9": (1.01, "1e-3", 135),
        "caliskan-10": (1.42, "<1e-2", 43000),
    }


@pytest.mark.parametrize("row", TABLE_4.strip().splitlines(), ids=lambda row: "-".join(row.split()[:2]))
def test_seats_table_4_is_as_printed(row: str) -> None:
    identifier, context, *cells = row.split()
    found = [
        figure
        for figure in weat(identifier).published
        if "table 4" in figure.source and figure.context == CONTEXT_OF[context]
    ]
    assert [figure.embedding for figure in found] == MODELS
    assert [(figure.effect, figure.p) for figure in found] == [
        (float(cell.rstrip("*")), SIGNIFICANCE[cell.count("*")]) for cell in cells
    ]


def test_no_other_test_claims_a_figure_of_table_4() -> None:
    claimed = {(test.id, figure.context) for test in WEATS for figure in test.published if "table 4" in figure.source}
    assert claimed == {(row.split()[0], CONTEXT_OF[row.split()[1]]) for row in TABLE_4.strip().splitlines()}


def test_p_values_of_seats_text_are_as_printed() -> None:
    found = {
        (test.id, figure.context, figure.embedding.split()[0]): figure.p
        for test in WEATS
        for figure in test.published
        if "section 4" in figure.source
    }
    # May et al. (2019), section 4
    assert found == {
        ("caliskan-3", "word", "CBoW"): "1e-5",
        ("caliskan-4", "word", "CBoW"): "1e-5",
        ("caliskan-5", "word", "CBoW"): "1e-4",
        ("caliskan-3", "bleached", "CBoW"): "1e-5",
        ("caliskan-4", "bleached", "CBoW"): "1e-5",
        ("caliskan-5", "bleached", "CBoW"): "1e-2",
        ("caliskan-3", "word", "ELMo"): "0.95",
        ("caliskan-4", "word", "ELMo"): "0.45",
        ("caliskan-5", "word", "ELMo"): "0.08",
        ("caliskan-3", "bleached", "ELMo"): "1",
        ("caliskan-4", "bleached", "ELMo"): "0.97",
        ("caliskan-5", "bleached", "ELMo"): "1e-4",
        ("caliskan-7", "word", "CBoW"): "0.016",
        ("caliskan-8", "word", "CBoW"): "1e-2",
        ("caliskan-7", "bleached", "CBoW"): "1e-5",
        ("caliskan-8", "bleached", "CBoW"): "1e-5",
        ("caliskan-7", "bleached", "BERT"): "1e-5",
        ("caliskan-8", "bleached", "BERT"): "0.14",
        ("caliskan-7", "bleached", "GenSen"): "0.12",
        ("caliskan-8", "bleached", "GenSen"): "1e-3",
        ("caliskan-7", "bleached", "GPT"): "0.89",
        ("caliskan-8", "bleached", "GPT"): "1e-4",
    }


@pytest.mark.parametrize("test", WEATS, ids=lambda test: test.id)
def test_the_first_effect_published_is_one_of_words(test: WeatTest) -> None:
    effects = [figure for figure in test.published if figure.effect is not None]
    assert [figure.context for figure in effects[:1]] in ([], ["word"])


def test_only_the_double_binds_have_sentences_of_their_own() -> None:
    patterns = {test.id: test.unbleached for test in WEATS if test.unbleached}
    about = ("The engineer is {word}.",)
    assert patterns == {
        "seat-double-bind-competent": Unbleached(("{word} is an engineer.",), about),
        "seat-double-bind-likable": Unbleached(("{word} is an engineer with superior technical skills.",), about),
    }


def test_the_two_long_unpleasant_lists_differ_by_the_two_words_the_paper_swaps() -> None:
    flowers, names = set(weat("caliskan-1").b.words), set(weat("caliskan-3").b.words)
    assert flowers - names == {"agony", "prison"}
    assert names - flowers == {"bomb", "evil"}


def test_kinds_follow_the_sense_intended() -> None:
    kinds = {
        word: kind
        for test in catalogue()
        for words in word_sets(test).values()
        for word, kind in zip(words.words, words.kinds, strict=True)
    }
    assert kinds["NASA"] == "mass noun"
    assert kinds["Einstein"] == "name"
    assert kinds["evil"] == "adjective"
    assert kinds["kill"] == "verb"
    assert kinds["parents"] == "plural person noun"
    assert kinds["equations"] == "plural noun"
    assert kinds["hers"] == "possessive pronoun"
    assert kinds["forever"] == "adverb"


def test_only_the_talks_tests_and_those_in_other_languages_are_adapted_and_all_of_them() -> None:
    assert {test.id for test in catalogue() if test.adapted} == {
        test.id for test in published_tests() if test.id.startswith("talk-") or test.language != "en"
    }


def test_german_nouns_are_capitalised_and_adjectives_are_not() -> None:
    german = [words for test in catalogue() if test.language == "de" for words in word_sets(test).values()]
    assert german
    for words in german:
        for word, kind in zip(words.words, words.kinds, strict=True):
            assert word[0].isupper() == (kind not in ("adjective", "verb")), word


def test_wefats_carry_the_correlations_and_their_properties() -> None:
    occupations, names = wefat("caliskan-wefat-occupations"), wefat("caliskan-wefat-names")
    assert [(row.r, row.p) for row in occupations.published] == [(0.90, "<1e-18")]
    assert [(row.r, row.p) for row in names.published] == [(0.84, "<1e-13")]
    assert (len(occupations.words), len(names.words)) == (50, 50)
    for test in (occupations, names, wefat("winobias-wefat-occupations")):
        assert test.property is not None
        assert set(test.property) == set(test.words.words)
        assert all(0 <= share <= 100 for share in test.property.values())


def test_percentages_point_the_way_the_attributes_do() -> None:
    for identifier in ("caliskan-wefat-occupations", "winobias-wefat-occupations"):
        test = wefat(identifier)
        assert test.property is not None
        assert test.property["nurse"] > test.property["carpenter"]
        assert "she" in test.a.words


def test_words_of_tests_are_those_of_all_their_sets() -> None:
    assert {"aster", "Tyree", "Großmutter", "black woman", "sheriff"} <= words_of(catalogue())
    assert "Großmutter" not in words_of(test for test in catalogue() if test.language == "en")


def test_patterns_choose_tests_in_the_catalogues_order() -> None:
    chosen = [test.id for test in choose(catalogue(), ["seat-7b", "caliskan-1*"])]
    assert chosen == ["caliskan-1", "caliskan-10", "seat-7b"]
    with refuses(StimulusError, "'seat-7b'", got="seat-7"):
        choose(catalogue(), ["seat-7"])
    with refuses(StimulusError, got="seat-*"):
        get("seat-*")


def test_a_misspelt_id_gets_the_nearest_one() -> None:
    with refuses(StimulusError, "'caliskan-1'", got="caliskan1"):
        get("caliskan1")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("muslim", "did you mean 'muslim-pleasant'?"),
        ("religion", "religion is a topic: imprint weat default --topic religion"),
    ],
)
def test_a_part_of_an_id_and_a_topic_are_told_what_to_write(name: str, hint: str) -> None:
    for ask in (lambda: get(name), lambda: choose(catalogue(), [name])):
        with refuses(StimulusError, got=name, hint=hint):
            ask()


def test_an_id_like_no_other_is_sent_to_the_list() -> None:
    with refuses(StimulusError, "imprint stimuli", got="???"):
        get("???")


def test_importing_the_catalogue_reads_no_file_and_loads_no_heavy_library() -> None:
    program = (
        "import sys\n"
        "import imprint\n"
        "before = set(sys.modules)\n"
        "import imprint.stimuli.catalog as catalog\n"
        "loaded = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "assert not loaded & {'numpy', 'numba', 'pandas', 'scipy', 'rich', 'typer'}, loaded\n"
        "assert catalog.catalogue.cache_info().currsize == 0\n"
        "assert catalog.shared_sets.cache_info().currsize == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
