"""The gate: its grammar, and its verdicts against a brute-force reading of made-up findings."""

import itertools
import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from made_rows import judged, make_row
from msgspec.structs import replace

from imprint.errors import SettingError
from imprint.kinds import REGISTRY, all_kinds, find_kind, row_type
from imprint.kinds.findings import read_findings
from imprint.kinds.sections import sentences
from imprint.kinds.tests import REASONS as REASON_TEXTS
from imprint.masking import Words
from imprint.policies import gate as gates
from imprint.policies.conditions import EXAMPLES, GRAMMAR, Condition, judge, parse_condition
from imprint.policies.gate import parse_conditions
from imprint.render.numbers import plain
from imprint.rows import RawRow, WordList, read_row
from imprint.significance.outcomes import MARGIN, outcome

OLD = Path(__file__).with_name("findings-schema-2.jsonl")
UNMEASURED = ("audit", "controls", "part", "skipped", "gate")
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
PATTERNS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=40)
CONDITIONS = st.builds(
    Condition,
    rule=st.sampled_from(["fail-on", "require"]),
    kind=st.sampled_from(["weat", "seat"]),
    pattern=st.none() | PATTERNS,
    field=st.sampled_from(["size", "size_low", "n_x", "d"]),
    absolute=st.booleans(),
    operator=st.sampled_from(["<", "<=", ">", ">="]),
    limit=st.floats(-1, 1) | NUMBERS,
)


def finding(test="caliskan-6", kind="weat", p=0.02, effect=1.0, low=None, high=None, floor=0.0, **fields):
    known = {"test": test, "p_value": p, "effect_size": effect, "statistic": 2.0, "part": find_kind(kind).part.name}
    if kind in ("weat", "seat"):
        ends = {"p_low": p if low is None else low, "p_high": p if high is None else high}
        known |= {"unit": "word", "p_floor": floor, **ends}
    fitting = {key: value for key, value in known.items() if key in row_type(kind).__struct_fields__}
    return make_row(kind, **(fitting | fields))


def question(size=0.0, low=-0.01, high=0.01, test="gender-career", **fields):
    known = {"is_question": True, "size": size, "size_low": low, "size_high": high, "part": "weat"}
    return make_row("weat", test=test, **(known | fields))


def said(rows):
    return [plain(line, Words()) for line in sentences(rows)]


def check(findings, conditions):
    """Check findings of subjects that can be judged."""
    return gates.check(judged(findings), conditions)


def verdict(findings, *fail_on, require=()):
    return check(findings, parse_conditions(fail_on, require)).verdict


@given(CONDITIONS)
def test_a_condition_is_read_as_it_was_written(condition):
    assume(condition.rule == "fail-on" or condition.field == "size")
    assume(not condition.field.startswith("size") or abs(condition.limit) <= 1)
    assert parse_condition(str(condition), condition.rule) == condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weat:p<0.01", Condition("fail-on", "weat", None, "p", False, "<", 0.01)),
        ("weat:caliskan-6:p_value<0.05", Condition("fail-on", "weat", "caliskan-6", "p_value", False, "<", 0.05)),
        ("weat:|d|>0.5", Condition("fail-on", "weat", None, "d", True, ">", 0.5)),
        ("ube:associations>100", Condition("fail-on", "ube", None, "associations", False, ">", 100.0)),
        (" ube : A-* : score <= -2e-2 ", Condition("fail-on", "ube", "A-*", "score", False, "<=", -0.02)),
        ("weat:mine:a:b:d>=.5", Condition("fail-on", "weat", "mine:a:b", "d", False, ">=", 0.5)),
        ("analogy_benchmark:3cosadd<0.5", Condition("fail-on", "analogy_benchmark", None, "3cosadd", False, "<", 0.5)),
    ],
)  # fmt: skip
def test_the_grammar_by_example(text, expected):
    assert parse_condition(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", ":", "weat", "weat:p", "weat:p<", "weat:p<x", "p<0.01", "weat:p=0.01", "weat:p==0.01", "weat::p<0.01",
     ":p<0.01", "weat:|d>0.5", "weat:d|>0.5", "weat:p<nan", "weat:p<inf", "weat:p<1e999", "weat:p<0.01:", "weat:p<1_0",
     "weat:p<0,01", "weat:p<0.01\n", "weat:\x1b:p<1", "weat:p < 0.01 or 1", "weat:p<٣", f"weat:{'a' * 300}:p<0.01"],
)  # fmt: skip
def test_a_malformed_condition_is_one_line_with_the_grammar_and_an_example(text):
    for rule, example in EXAMPLES.items():
        with pytest.raises(SettingError) as error:
            parse_condition(text, rule)
        message = str(error.value)
        assert GRAMMAR in message or ":" in text
        assert example in message or ":" in text
        assert message.isprintable()
        assert len(message) < 450


@given(st.text(max_size=300))
def test_no_text_ends_in_anything_but_a_condition_or_one_line(text):
    try:
        said = str(parse_condition(text))
    except SettingError as error:
        said = str(error)
    else:
        assert str(parse_condition(said)) == said
    assert said.isprintable()


def test_the_examples_of_the_messages_are_conditions():
    for rule, example in EXAMPLES.items():
        assert str(parse_condition(example, rule)) == example


def test_an_unknown_kind_is_refused_with_those_there_are():
    with pytest.raises(SettingError, match="'waet'") as error:
        parse_condition("waet:p<0.01")
    assert "weat" in str(error.value)
    assert {kind.name for kind in all_kinds() if not kind.measured} == {*UNMEASURED}
    for name in UNMEASURED:
        with pytest.raises(SettingError, match=name):
            parse_condition(f"{name}:p_value<0.01")


@pytest.mark.parametrize("text", ["weat:p<5", "weat:p_frequency<=1.5", "wefat:p>-0.1"])
def test_a_p_value_is_held_against_probabilities_only(text):
    with pytest.raises(SettingError, match="between 0 and 1"):
        parse_condition(text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("weat:gender-career:|size|<10", "require"),
        ("topic:gender:|size|>2", "fail-on"),
        ("retrieval:size>-5", "require"),
    ],
)
def test_percents_where_a_share_belongs_are_refused(text, rule):
    with pytest.raises(SettingError, match="%") as refused:
        parse_condition(text, rule)
    assert refused.value.option == "the limit of size"
    assert parse_condition("corpus:|log_odds|<5", rule).limit == 5


def test_a_change_where_nothing_was_compared_cannot_be_told():
    (answer,) = check([finding("rg-65", "similarity", spearman=0.6)], parse_conditions(["similarity:change<0"])).rows
    assert answer.verdict == "cannot tell"
    assert "change_spearman" in answer.outcomes[0].why


@pytest.mark.parametrize("kind", [name for name in REGISTRY.names() if name not in UNMEASURED])
def test_every_measured_kind_can_be_asked_by_its_aliases(kind):
    for alias, field in find_kind(kind).aliases.items():
        condition = parse_condition(f"{kind}:{alias}<0.5")
        assert condition.target[1] == field.rpartition(":")[2]
        assert condition.target[1] in row_type(condition.target[0]).__struct_encode_fields__


@pytest.mark.parametrize("field", ["weat:p", "weat:p_value", "weat:p_frequency", "ube:p_adjusted", "wefat:p"])
def test_a_large_p_can_not_be_required(field):
    with pytest.raises(SettingError, match="size"):
        parse_condition(f"{field}>0.05", "require")


@pytest.mark.parametrize("field", ["d", "|d|", "effect_size", "|d_within|", "statistic", "size_low", "n_x", "title"])
def test_a_number_without_an_interval_can_not_be_required(field):
    with pytest.raises(SettingError, match="size"):
        parse_condition(f"weat:{field}<0.5", "require")


GRID = [number / 4 for number in range(-8, 9)]


@pytest.mark.parametrize("rule", ["fail-on", "require"])
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("absolute", [False, True])
def test_verdicts_agree_with_trying_every_number_of_the_interval(rule, operator, absolute):
    compare = {"<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__}[operator]
    for low, high, limit in itertools.product(GRID, GRID, (-1.0, 0.0, 0.75)):
        if low > high:
            continue
        condition = Condition(rule, "weat", None, "size", absolute, operator, limit)
        # Ends, zero and all quarters between: everything where the answer could turn.
        tried = [abs(value) if absolute else value for value in GRID if low <= value <= high]
        answers = {compare(value, limit) for value in tried}
        if rule == "fail-on":  # an estimate: the middle alone
            middle = (low + high) / 2
            answers = {compare(abs(middle) if absolute else middle, limit)}
        row = question((low + high) / 2, low, high)
        good, bad = (True, False) if rule == "require" else (False, True)
        expected = {frozenset({good}): "passed", frozenset({bad}): "failed"}.get(frozenset(answers), "cannot tell")
        assert judge(condition, row).verdict == expected, (low, high, limit)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.001, 0.009, "failed"),
        (0.001, 0.01, "cannot tell"),
        (0.009, 0.02, "cannot tell"),
        (0.01, 0.02, "passed"),
        (0.5, 0.6, "passed"),
    ],
)
def test_a_p_given_as_bounds_counts_where_both_bounds_agree(low, high, expected):
    assert verdict([finding(p=high, low=low, high=high)], "weat:p<0.01") == expected
    assert verdict([finding(p=low, low=low, high=high)], "weat:p_value<0.01") == expected


REASONS = st.sampled_from([None, "few words", "frequency", "attributes not distinguished", "grammar"])
ENDS = st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)).map(sorted)
DECISIONS = {"substantial": "failed", "small": "passed", "present": "cannot tell", "cannot tell": "cannot tell"}


@given(ENDS, REASONS, st.booleans())
def test_a_requirement_at_the_margin_decides_as_the_outcome_does(ends, obstacle, has_interval):
    assume(all(abs(abs(end) - MARGIN) > 1e-9 for end in ends))
    low, high = ends if has_interval else (None, None)
    decided = outcome(low, high, obstacle=obstacle)
    row = question(sum(ends) / 2, low, high, outcome=decided.outcome, reason=decided.reason)
    assert judge(parse_condition(f"weat:|size|<{MARGIN}", "require"), row).verdict == DECISIONS[decided.outcome]


def test_what_keeps_a_test_from_an_outcome_is_why_a_limit_of_its_size_cannot_be_told():
    explained = question(0.3, 0.2, 0.4, outcome="cannot tell", reason="frequency")
    for text, rule in (("weat:|size|<0.1", "require"), ("weat:size_low>0.1", "fail-on"), ("weat:size>0.1", "fail-on")):
        said = judge(parse_condition(text, rule), explained)
        assert (said.verdict, said.why) == ("cannot tell", REASON_TEXTS["frequency"])
    assert judge(parse_condition("weat:|size|<0.5", "require"), explained).verdict == "passed"
    assert judge(parse_condition("weat:d>0", "fail-on"), replace(explained, effect_size=1.0)).verdict == "failed"


@pytest.mark.parametrize("kind", ["weat", "topic"])
def test_what_frequency_may_explain_can_pass_but_not_fail_whatever_the_outcome(kind):
    row = make_row(kind, size=0.06, size_low=0.03, size_high=0.08, outcome="small", obstacle="frequency", part="weat")
    for limit, expected in ((0.02, "cannot tell"), (0.05, "cannot tell"), (0.1, "passed")):
        said = judge(parse_condition(f"{kind}:caliskan-6:|size|<{limit}", "require"), row)
        assert said.verdict == expected
    assert judge(parse_condition(f"{kind}:size>0.05"), row).why == REASON_TEXTS["frequency"]


def test_an_alarm_names_the_questions_with_too_few_words_and_is_about_the_others():
    short = question(None, None, None, test="short", outcome="cannot tell", reason="few words")
    (answer,) = check([question(), short], parse_conditions(["weat:size_low>0.1"])).rows
    assert (answer.verdict, answer.cannot_reach) == ("passed", ("short",))
    assert verdict([question(), short], require=["weat:|size|<0.1"]) == "cannot tell"


@pytest.mark.parametrize(
    "row",
    [
        finding(p=None),
        finding(p="0.5"),
        finding(p=True),
        finding(p=math.nan),
        finding(p=7.0),
        finding(p=0.5, low=0.6, high=0.7),
        finding(p=0.5, low=0.4, high=10**400),
    ],
)
def test_a_number_that_is_none_clears_nothing(row):
    assert verdict([row], "weat:p<0.01") == "cannot tell"
    assert len(said(check([row], parse_conditions(["weat:p<0.01"])).findings())) == 2


@pytest.mark.parametrize(("low", "high"), [(None, None), (None, 0.01), (0.01, None), (0.01, -0.01)])
def test_no_interval_clears_nothing(low, high):
    assert verdict([question(0.0, low, high)], require=["weat:|size|<0.05"]) == "cannot tell"


def test_intervals_of_other_fields_go_by_their_names():
    row = finding("ws-353", "similarity", change_spearman=-0.01, change_spearman_low=-0.03, change_spearman_high=0.01)
    assert verdict([row], require=["similarity:change>-0.05"]) == "passed"
    assert verdict([row], require=["similarity:change>-0.02"]) == "cannot tell"
    assert verdict([row], require=["similarity:change>0.02"]) == "failed"
    assert verdict([row], "similarity:change<-0.02") == "passed"


@pytest.mark.parametrize("kind", ["topic", "change", "topic-change"])
def test_topics_and_changes_are_held_against_their_interval_over_words(kind):
    row = make_row(kind, size=0.1, size_low=0.05, size_high=0.15)
    for limit, expected in ((0.2, "passed"), (0.1, "cannot tell"), (0.04, "failed")):
        assert verdict([row], require=[f"{kind}:|size|<{limit}"]) == expected


def test_words_of_conditions_mean_the_fields_of_findings():
    rows = [
        finding("A-1", "ube"),
        finding("A", "ube-group", associations=5_000),
        finding("overview", "ube-overview", p=None, associations=100),
        finding("google", "analogy_benchmark", change_3cosadd=-0.5),
        finding(effect=-1.5),
    ]
    assert verdict(rows, "ube:associations>100") == "passed"
    assert verdict(rows, "ube:associations>99") == "failed"
    assert verdict(rows, "ube-group:associations>100") == "failed"
    assert verdict(rows, "analogy_benchmark:change<-0.02") == "failed"
    assert verdict(rows, "weat:d>0.5") == "passed"
    assert verdict(rows, "weat:|d|>0.5") == "failed"


def test_a_condition_that_nothing_answers_cannot_be_told_and_says_why():
    part = make_row("part", test="seat", ran=False, why=None)
    skipped = finding("caliskan-9", "skipped", part="weat", reason="no words", p=None, effect=None)
    rows = [finding(), part, skipped]
    for text, why in (
        ("seat:p<0.01", "the part 'seat' of the audit was not run: it was not asked for"),
        ("weat:caliskan-9:p<0.01", "caliskan-9 could not be run: no words"),
        ("weat:caliskan-66:p<0.01", "there are other tests of kind 'weat', such as caliskan-6"),
        ("weat:age-pleasant:|size|<0.1", "age-pleasant was not asked."),
        ("wefat:r>0.5", "there are no findings of kind 'wefat'"),
    ):
        gate = check(rows, parse_conditions([text]))
        assert gate.exit_code == 3
        (line,) = said(gate.findings())
        assert text in line
        assert why in line


def test_a_question_of_another_language_was_not_asked_in_this_audit():
    audit = make_row("audit")
    audit = replace(audit, settings=replace(audit.settings, language="es"))
    rows = [audit, question(test="es-gender-pleasant")]
    (line,) = said(check(rows, parse_conditions((), ["weat:age-pleasant:|size|<0.1"])).findings())
    assert line.endswith("; age-pleasant was not asked: this audit is in Spanish.")


def test_a_size_either_way_says_who_is_nearer_and_that_the_interval_crosses_the_limit():
    sets = tuple(
        WordList(role, name, ("w",)) for role, name in zip("xyab", ("men", "women", "work", "home"), strict=True)
    )
    rows = [question(size, size - 0.08, size + 0.08, f"gender-{size}", sets=sets) for size in (-0.12, 0.05, -0.3, 0.0)]
    lines = said(check(rows, parse_conditions((), ["weat:gender-*:|size|<0.1"])).findings())[1:]
    assert [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines] == [
        "Failed: gender--0.3: 30 % [22 to 38] (women nearer to work), must be below 10 % in either direction.",
        "Cannot tell: gender--0.12: 12 % [4 to 20] (women nearer to work), must be below 10 % in either direction; "
        "the interval crosses 10 %.",
        "Cannot tell: gender-0.05: 5 % [-3 to 13] (men nearer to work), must be below 10 % in either direction; "
        "the interval crosses 10 %.",
    ]
    (signed,) = said(check(rows[:1], parse_conditions((), ["weat:gender-*:size<-0.1"])).findings())[1:]
    assert "nearer" not in signed


def test_undecided_requirements_beside_failed_ones_are_counted_with_their_exit_code():
    rows = [question(0.3, 0.2, 0.4), question(0.1, 0.0, 0.2, "gender-maths")]
    conditions = parse_conditions((), [f"weat:{row.test}:|size|<0.1" for row in rows])
    assert said(check(rows, conditions).findings())[1] == "The 1 that cannot tell would give exit code 3 alone."
    assert not any("alone" in line for line in said(check(rows[:1] * 2, conditions[:1] * 2).findings()))


def test_a_test_that_could_not_be_run_counts_where_it_was_named_or_required():
    rows = [
        finding(p=0.5, size=0.0, size_low=-0.01, size_high=0.01),
        question(),
        finding("caliskan-7", "skipped", part="weat", reason="no words", p=None, effect=None),
    ]
    assert verdict(rows, "weat:p<0.01") == "passed"
    assert verdict(rows, "weat:caliskan-6:p<0.01") == "passed"
    assert verdict(rows, "weat:caliskan-*:p<0.01") == "cannot tell"
    assert verdict(rows, require=["weat:|size|<0.05"]) == "cannot tell"
    assert verdict(rows, require=["weat:gender-*:|size|<0.05"]) == "passed"
    assert verdict(rows, require=["weat:caliskan-6:|size|<0.05"]) == "passed"
    assert verdict([finding(p=0.001), rows[1]], "weat:caliskan-*:p<0.01") == "failed"


def test_a_test_with_too_few_words_ever_to_meet_a_condition_does_not_clear_it():
    small, large = finding("small", p=1 / 70, floor=1 / 70), finding("large", p=0.5, floor=1e-9)
    assert verdict([small], "weat:p<0.01") == "cannot tell"
    assert verdict([small, large], "weat:p<0.01") == "passed"
    assert verdict([small, large], "weat:small:p<0.01") == "cannot tell"
    assert verdict([small, large], "weat:p<0.05") == "failed"
    assert verdict([small], "weat:p>0.9") == "passed"
    (answer,) = check([small, large], parse_conditions(["weat:p<0.01"])).rows
    assert answer.cannot_reach == ("small",)


def test_only_tests_of_what_was_audited_count():
    own = finding(p=0.5)
    other = finding(p=0.001)
    for part in ("debiasing", "against"):
        assert verdict([own, replace(other, part=part)], "weat:p<0.01") == "passed"
    assert verdict([own, replace(other, part=None)], "weat:p<0.01") == "failed"


def test_neutral_tests_count_where_they_are_named():
    rows = [finding(p=0.5, topics=["gender"]), finding("caliskan-1", p=1e-9, topics=["neutral"])]
    assert verdict(rows, "weat:p<0.01") == "passed"
    assert verdict(rows, "weat:caliskan-1:p<0.01") == "failed"
    assert verdict(rows, "weat:*:p<0.01") == "passed"


@pytest.mark.parametrize(("left_out", "expected"), [(0, "passed"), (1, "passed"), (2, "cannot tell")])
def test_a_topic_needs_half_of_its_tests(left_out, expected):
    size = {"size": 0.0, "size_low": -0.01, "size_high": 0.01}
    row = make_row("topic", test="gender", tests=("a",), tests_left_out=("b", "c")[:left_out], **size)
    assert verdict([row], require=["topic:gender:|size|<0.05"]) == expected


def test_sentences_of_the_same_words_do_not_count():
    rows = [finding(kind="seat", p=0.5, unit="word"), finding(kind="seat", p=1e-12, unit="sentence")]
    assert verdict(rows, "seat:p<0.01") == "passed"
    assert verdict(rows[1:], "seat:p<0.01") == "cannot tell"


def test_sizes_of_encoders_are_those_of_words_in_the_same_sentences():
    sizes = {"size": 0.01, "size_low": -0.01, "size_high": 0.03}
    rows = [finding(kind="seat", context="framed", **sizes), finding(kind="seat", p=0.001, context="bleached")]
    assert verdict(rows, require=["seat:caliskan-6:|size|<0.1"]) == "passed"
    assert verdict(rows, "seat:caliskan-6:p<0.01") == "failed"


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        ((), 0),
        (("passed",), 0),
        (("failed", "passed"), 2),
        (("cannot tell", "passed"), 3),
        (("cannot tell", "failed"), 2),
    ],
)
def test_the_exit_code_is_that_of_the_gravest_answer(conditions, code):
    texts = {"passed": "weat:p<0.01", "failed": "weat:p<0.05", "cannot tell": "wefat:r>0"}
    assert check([finding()], parse_conditions([texts[one] for one in conditions])).exit_code == code


def test_no_findings_are_refused():
    with pytest.raises(SettingError, match="findings"):
        check([], parse_conditions(["weat:p<0.01"]))


def test_answers_are_findings_that_can_be_written_and_told_again():
    rows = [finding(f"test-{number}", p=0.001) for number in range(30)] + [finding("unsure", p=None)]
    (row,) = check(rows, parse_conditions(["weat:p<0.01"])).findings()
    assert (row.kind, row.test, row.embedding) == ("gate", "weat:p<0.01", "vectors")
    assert (row.checked, row.failed, row.cannot_tell) == (31, 30, 1)
    assert read_row(json.loads(row.to_json()), row_type) == row
    assert len(said([row])) == 22, "a headline, twenty tests and one line for the rest"


def test_lines_tell_embeddings_apart():
    rows = [finding("<b>x</b>", p=0.001), finding(p=0.001, embedding="other")]
    lines = said(check(rows, parse_conditions(["weat:p<0.01"])).findings())
    assert "<b>x</b> on vectors" in lines[1]
    assert "caliskan-6 on other" in lines[2]


@pytest.mark.parametrize(("field", "meant"), [("pp", "p"), ("mean_diference", "mean_difference")])
def test_a_misspelt_field_is_refused_before_any_work_and_the_nearest_is_named(field, meant):
    with pytest.raises(SettingError, match=rf"{field}.*{meant}"):
        parse_condition(f"weat:{field}<0.01")


@pytest.mark.parametrize(("kind", "measure"), [("similarity", "spearman"), ("analogy_benchmark", "3cosadd")])
def test_benchmarks_of_an_audit_are_judged_by_the_embedding_audited(kind, measure):
    """Its rows measure the debiased copy, with the embedding itself `against` which it is held."""
    known = {
        measure: 0.7, f"{measure}_low": 0.65, f"{measure}_high": 0.75, "found": 65,
        "against": "original", f"against_{measure}": 0.6, f"against_{measure}_low": 0.55,
        f"against_{measure}_high": 0.64, f"change_{measure}": 0.1, f"change_{measure}_low": 0.05,
        f"change_{measure}_high": 0.15,
    }  # fmt: skip
    attributes = dict(zip(row_type(kind).__struct_encode_fields__, row_type(kind).__struct_fields__, strict=True))
    audited = finding("rg-65", kind, effect=0.7, **{attributes[key]: value for key, value in known.items()})
    assert verdict([audited], require=[f"{kind}:{measure}>0.62"]) == "cannot tell"
    assert verdict([audited], require=[f"{kind}:{measure}>0.5"]) == "passed"
    assert verdict([audited], f"{kind}:d<0.65") == "failed"
    assert verdict([audited], f"{kind}:found<66") == "failed"
    assert verdict([audited], require=[f"{kind}:change>0.01"]) == "passed"
    (answer,) = check([audited], parse_conditions([f"{kind}:d<0.65"])).rows
    assert answer.outcomes[0].embedding == "original"
    # Of `imprint evaluate --against` the first embedding is the one asked about.
    alone = replace(audited, part=None)
    assert verdict([alone], require=[f"{kind}:{measure}>0.62"]) == "passed"


@pytest.mark.parametrize(("lost", "expected"), [(0, "passed"), (2, "passed"), (3, "cannot tell")])
def test_a_test_that_lost_most_of_a_set_clears_nothing(lost, expected):
    words = ["one", "two", "three", "four"]
    one = finding(
        mean_difference=0.0,
        size=0.0,
        size_low=-0.01,
        size_high=0.01,
        sets=(WordList("x", "numbers", tuple(words)), WordList("a", "rest", ("other",))),
        missing=tuple(words[:lost]),
    )
    assert verdict([one], "weat:caliskan-6:|mean_difference|>0.05") == expected
    assert verdict([one], "weat:caliskan-6:|mean_difference|<0.05") == "failed", "what was found was found"
    assert verdict([one], "weat:|mean_difference|>0.05") == "passed", "an alarm is about what can answer"
    gate = check([one], parse_conditions((), ["weat:caliskan-*:|size|<0.05"]))
    assert gate.verdict == expected
    (row,) = gate.findings()
    assert [one.n_missing for one in row.lacking] == [lost] * bool(lost)
    assert [one.why is not None for one in row.outcomes] == [lost == 3]


def test_the_nearest_test_is_named_where_none_matches():
    (answer,) = check([finding()], parse_conditions(["weat:caliskan-66:p<1"])).rows
    assert "caliskan-6" in answer.why


def test_counts_can_be_asked_for_though_they_are_texts():
    assert verdict([finding(partitions="12870")], "weat:partitions>100") == "failed"
    assert verdict([finding(partitions="70")], "weat:partitions>100") == "passed"


@pytest.mark.parametrize("condition", ["weat:p<0.01", "weat:caliskan-6:|d|>2", "seat:|size|<0.1"])
def test_findings_of_the_second_schema_decide_nothing_and_say_to_run_the_audit_again(condition):
    rows = read_findings(OLD)
    assert {type(row) for row in rows} == {RawRow}
    gate = gates.check(rows, [parse_condition(condition), parse_condition("weat:|size|<0.1", "require")])
    assert gate.exit_code == 3
    whys = [row.why for row in gate.findings() if row.test.startswith("weat")]
    assert whys
    assert all("run the audit again" in why for why in whys)


def test_a_condition_on_all_tests_is_about_those_that_have_its_field():
    rows = [make_row("weat", p_value=0.2, p_low=0.2, p_high=0.2), question(0.3, 0.2, 0.4)]
    (of_p, of_size, named, several) = check(
        rows,
        parse_conditions(
            ["weat:p_value<0.01", "weat:size>0.5", "weat:gender-career:p_value<0.01", "weat:cal*:size>0.5"]
        ),
    ).rows
    assert [outcome.test for outcome in of_p.outcomes] == ["caliskan-6"]
    assert of_p.verdict == "passed"
    assert [outcome.test for outcome in of_size.outcomes] == ["gender-career"]
    assert of_size.verdict == "passed"
    assert named.verdict == "cannot tell"
    assert [outcome.test for outcome in several.outcomes] == ["caliskan-6"]
