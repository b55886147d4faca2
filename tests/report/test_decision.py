"""The first screen of an audit with a policy: the decision, whose policy it is, and what to do next."""

import re
from html import unescape

import pytest
from made_rows import make_row

import imprint
from imprint.audits.run import Audit
from imprint.evaluation.controls import Control
from imprint.jobs.job import Plan
from imprint.kinds.audit import AuditedSettings
from imprint.masking import Words
from imprint.policies.gate import check, parse_conditions
from imprint.render.numbers import plain
from imprint.reports.page import render_page
from imprint.reports.summary import certainty, steps, verdict

POLICY = 'owner = "us"\nreason = "it ranks people."\n'
SIZE = '[[require]]\ntest = "{}"\nsize = {}\n'
LEAST = '[[require]]\nbenchmark = "ws-353"\nleast = {}\n'
PASSED = Control("similar words", 0.7, 0.25, True, 65, 0)
SETTINGS = AuditedSettings(quick=True, debias=None, fdr=0.1)


def question(test, size, low, high):
    """Return a question with a size and its interval."""
    return make_row(test=test, is_question=True, size=size, size_low=low, size_high=high, part="weat")


MEASURED = [
    make_row("audit", judged=True, controls=(PASSED,) * 5, settings=SETTINGS),
    question("gender-career", 0.2, 0.1, 0.3),
    question("gender-maths", 0.1, 0.0, 0.2),
    make_row("similarity", test="ws-353", spearman=0.5, spearman_low=0.45, spearman_high=0.55),
]


def decided(folder, *requirements, fail_on=()):
    (folder / "imprint.toml").write_text(POLICY + "".join(requirements))
    gate = check(MEASURED, parse_conditions(fail_on), imprint.policy(folder / "imprint.toml"))
    return [MEASURED[0], *gate.findings(), *MEASURED[1:]]


@pytest.mark.parametrize(
    ("requirements", "first", "numbers"),
    [
        ((SIZE.format("gender-career", 0.05), LEAST.format(0.4)), "Failed", ("gender-career", "5 %", "20 % [10")),
        ((SIZE.format("gender-maths", 0.15), LEAST.format(0.4)), "Cannot tell", ("gender-maths", "15 %", "[0 to")),
        ((SIZE.format("gender-maths", 0.9), LEAST.format(0.4)), "Passed", ("2",)),
    ],
)  # fmt: skip
def test_the_page_opens_with_the_decision_its_limit_and_its_number(tmp_path, requirements, first, numbers):
    rows = decided(tmp_path, *requirements)
    headline = plain(verdict(rows), Words()).replace("\N{NO-BREAK SPACE}", " ")
    assert headline.startswith(f"{first}: ")
    assert [one for one in numbers if one not in headline] == []
    assert f"<h1>{first}: " in render_page(rows)


def test_below_the_decision_are_the_policys_owner_and_reason_once(tmp_path):
    rows = decided(tmp_path, SIZE.format("gender-career", 0.05), LEAST.format(0.4), fail_on=["weat:d>9"])
    assert [(row.owner, row.policy_reason) for row in rows if row.kind == "gate"] == [
        *[("us", "it ranks people.")] * 2,
        ("", ""),
    ]
    assert plain(certainty(rows)[0], Words()) == "Policy of us: it ranks people."
    assert sum("it ranks people" in plain(text, Words()) for text in certainty(rows)) == 1


def test_what_to_do_next_keeps_the_limits_and_fits_the_decision(tmp_path):
    failed = steps(decided(tmp_path, SIZE.format("gender-career", 0.05), fail_on=["weat:d>9"]))
    assert [command.split()[1:3] for _, command in failed] == [
        ["debias", "EMBEDDING"],
        ["audit", "debiased.safetensors"],
        ["swap", "command:./score"],
        ["audit", "EMBEDDING"],
    ]
    policy = tmp_path / "imprint.toml"
    assert all(command.endswith(f" --policy {policy} --fail-on 'weat:d>9'") for _, command in failed[1::2])
    useless = steps(decided(tmp_path, LEAST.format(0.9)))
    assert [command.split()[1:3] for _, command in useless] == [["audit", "OTHER"], ["audit", "EMBEDDING"]]
    passed = steps(decided(tmp_path, LEAST.format(0.4)))
    assert [command for _, command in passed] == [
        "imprint swap command:./score",
        f"imprint audit EMBEDDING --policy {policy}",
    ]


def test_the_chart_draws_the_limit_of_each_question_that_has_one_and_says_so(tmp_path):
    rows = decided(tmp_path, SIZE.format("gender-career", 0.05), SIZE.format("gender-career", 0.4))
    page = render_page(rows)
    career, maths = (part.partition("</details>")[0] for part in page.split('class="answer ')[1:])
    places = [float(place) for place in re.findall(r'class="limit" style="left:([\d.]+)%"', career)]
    zero, low = (float(re.search(rf'class="{name}" style="left:([\d.]+)%', career)[1]) for name in ("zero", "band"))
    tenth = zero - low  # the band reaches a tenth to the left
    assert places == pytest.approx([zero - tenth / 2, zero + tenth / 2], abs=0.2)  # the tighter of two limits, 5 %
    assert 'class="limit"' not in maths
    assert "Dashed lines" in page
    assert "Dashed lines" not in render_page(MEASURED)


def test_findings_in_a_file_are_given_to_the_gate(tmp_path):
    (_, *commands) = steps(MEASURED, "my findings.jsonl")[1]
    assert commands == ["imprint policy init", "imprint gate 'my findings.jsonl' --policy imprint.toml"]


def test_in_a_notebook_an_audit_opens_with_its_verdict(tmp_path):
    for rows in (MEASURED, decided(tmp_path, SIZE.format("gender-career", 0.05))):
        drawn = Audit("small", Plan(), tuple(rows))._repr_html_()
        text = unescape(re.sub("<[^>]*>", "", drawn.partition("</style>")[2])).split("\n")
        assert [line for line in text if line][:2] == ["Verdict", plain(verdict(rows), Words())]
    assert "Verdict</h2>" not in MEASURED[1]._repr_html_()
