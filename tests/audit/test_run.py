import json
from dataclasses import replace

import numpy as np
import pytest

import imprint
from imprint import kinds
from imprint.audits import run
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError, SettingError, VocabularyError
from imprint.jobs.job import Job, Plan
from imprint.jobs.progress import STARTING
from imprint.kinds import find_kind
from imprint.kinds.findings import read_findings
from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose
from imprint.stimuli.seeds import held_out
from imprint.writing import write_findings

from .conftest import audit_all

KINDS = {
    "weat": {"weat", "topic", "skipped"},
    "calibration": {"calibration"},
    "wefat": {"wefat"},
    "enumeration": {"ube", "ube-group", "ube-overview"},
    "directions": {"projection", "projection comparison", "pairs"},
    "analogies": {"analogy"},
    "debiasing": {"debiasing", "debiased projection", "weat", "change", "topic-change", "skipped"},
    "benchmarks": {"similarity"},
    "seat": {"seat", "topic", "seat-anisotropy", "controls", "skipped"},
    "against": {"weat", "change", "topic-change", "agreement", "projection comparison", "similarity", "skipped"},
}


RUN = [kind for kind in kinds.all_kinds() if kind.run is not None]
PARTS = {kind.part.name: kind for kind in RUN if "embedding" in kind.part.asks}


@pytest.fixture
def put_in(monkeypatch):
    """Let a function run in a part's place."""

    def put(part, function):
        known = kinds.all_kinds()
        changed = [replace(kind, run=function) if kind is PARTS[part] else kind for kind in known]
        monkeypatch.setattr(run, "all_kinds", lambda: changed)

    return put


def debias(embedding, plan):
    return list(find_kind("debiasing").run(Job(embedding, plan), lambda done, total: None))


def by_part(audit):
    found = {}
    for row in audit.rows:
        found.setdefault(row.part, []).append(row)
    return found


def reasons(audit):
    return {row.test: row.why for row in audit.parts if not row.ran}


def test_every_part_gives_its_kinds_of_findings(audit):
    found, _ = audit
    assert not reasons(found)
    rows = by_part(found)
    assert rows.keys() == {"audit", *KINDS}
    assert next(iter(rows)) == "audit"
    for part, expected in KINDS.items():
        assert expected <= {row.kind for row in rows[part]}, part
        assert [row.test for row in rows[part] if row.kind == "part"] == [part]


def test_the_first_row_tells_what_was_done_with_what(audit, small):
    first = audit[0].rows[0]
    assert first.kind == "audit"
    assert first.n_words == len(small)
    assert first.dimension == 100
    assert first.to_dict()["settings"] == {
        "language": "en", "quick": True, "debias": "double-hard", "seed": 0, "fdr": 0.1, "against": "other",
        "encoder": "encoder", "policy_sha256": None, "topics": [],
    }  # fmt: skip
    assert {one.name for one in first.versions} == {"imprint", "python", "numpy", "scipy", "numba"}


def test_findings_read_back_as_they_were_written(audit, tmp_path):
    found, _ = audit
    write_findings(tmp_path / "findings.jsonl", found.findings())
    read = read_findings(tmp_path / "findings.jsonl")
    assert [row.to_json() for row in read] == [row.to_json() for row in found.findings()]


def test_the_frame_has_a_row_a_finding_and_the_repr_a_line(audit):
    found, _ = audit
    frame = found.to_frame()
    assert len(frame) == sum(row.kind != "skipped" for row in found.rows)
    assert set(frame["part"]) == {"audit", *PARTS}
    assert repr(found) == f"Audit(small: {len(found.findings())} rows, 10 of 10 parts ran)"


def test_the_same_seed_gives_the_same_bytes(audit, small):
    parts = KINDS.keys() - {"seat", "against"}
    again = audit_all(small, parts=parts)
    rows = [row.to_json() for row in audit[0].rows if row.part in {"audit", *parts}]
    assert [row.to_json() for row in again.rows] == rows


def test_progress_never_falls_and_ends_at_the_whole(audit):
    _, reports = audit
    done = [step for _, step, _ in reports]
    (total,) = {whole for _, _, whole in reports}
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == total
    assert {label for label, _, _ in reports} == {STARTING} | {kind.part.title for kind in PARTS.values()}
    assert len(set(done)) > 20


def test_an_embedding_without_the_words_has_parts_that_say_why(without):
    found = imprint.audit(without("he", "she"), quick=True, debias="linear")
    assert set(reasons(found)) == {"analogies", "debiasing", "seat", "against"}
    assert "'she'" in reasons(found)["analogies"]
    # Other pairs can still be drawn, and benchmarks run on the embedding as it is.
    rows = by_part(found)
    assert {"pairs", "skipped"} <= {row.kind for row in rows["directions"]}
    assert "projection" not in {row.kind for row in rows["directions"]}
    assert [row.test for row in rows["directions"] if row.kind == "skipped"] == ["projection", "crowd"]
    assert all(row.embedding == "small" for row in rows["benchmarks"])


def test_what_was_not_asked_for_needs_no_reason(small):
    found = imprint.audit(small, debias=None, quick=True)
    assert reasons(found) == {"debiasing": None, "seat": None, "against": None}
    assert next(row for row in found.rows if row.kind == "similarity").change_spearman is None


def test_an_embedding_of_other_words_still_gets_its_reasons():
    words = [f"wort{number}" for number in range(50)]
    vectors = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    found = imprint.audit(Embedding("fremd", words, vectors))
    why = reasons(found)
    assert set(why) == set(PARTS)
    assert all("fremd" in why[part] for part in set(PARTS) - {"seat", "against"})
    assert all("\n" not in (reason or "") for reason in why.values())


def test_a_part_that_fails_leaves_the_others(small, put_in):
    def refuse(subject, progress):
        raise VocabularyError("not today")

    put_in("enumeration", refuse)
    found = imprint.audit(small, quick=True, parts=("weat", "directions", "enumeration", "analogies"))
    assert reasons(found) == {"enumeration": "not today"}
    assert {"weat", "projection", "analogy"} <= {row.kind for row in found.rows}


@pytest.mark.parametrize("part", ["weat", "enumeration"])
def test_a_bug_is_not_taken_for_a_reason(small, put_in, part):
    def fail(subject, progress):
        raise ZeroDivisionError("a bug")

    put_in(part, fail)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        imprint.audit(small, quick=True, parts=("weat", "enumeration"))


def test_stopping_one_part_stops_the_long_one_beside_it(small, put_in):
    seen = []

    def stop(subject, progress):
        raise KeyboardInterrupt

    put_in("weat", stop)
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        imprint.audit(small, parts=("weat", "enumeration"), report=lambda *said: seen.append(said))
    # The repeats of the enumeration are most of the work.
    _, done, total = seen[-1]
    assert done < total / 2


@pytest.mark.parametrize("method", ["hard", "leace"])
def test_other_methods_debias_too(small, method):
    rows = debias(small, Plan(debias=method, quick=True))
    assert {row.method for row in rows if row.kind in ("debiasing", "debiased projection")} == {method}
    asked = [test.id for test in choose(catalogue(), GENDER_TESTS)]
    tests = [(row.test, row.embedding) for row in rows if row.kind == "weat"]
    assert tests == [(test, name) for name in ("small", f"small debiased ({method})") for test in asked]
    changes = {row.test: row for row in rows if row.kind == "change"}
    assert changes.keys() == {*asked}
    assert abs(changes["gender-career"].size_after) < abs(changes["gender-career"].size_before)


def test_words_to_judge_debiasing_by_may_be_missing(without):
    embedding = without(*held_out())
    rows = debias(embedding, Plan(quick=True))
    assert [row.test for row in rows if row.kind == "skipped"] == ["variances", "projections", "leakage"]
    assert next(row for row in rows if row.kind == "debiasing").variances is None


@pytest.mark.parametrize(
    "options",
    [{"debias": "soft"}, {"topics": ("hair",)}, {"language": "fr"}, {"seed": -1}, {"encoder": 7}],
)
def test_bad_settings_are_refused_before_any_work(small, options):
    (name,) = options
    with pytest.raises(
        (SettingError, ImprintError), match={"encoder": "encod|int", "topics": "topic"}.get(name, name)
    ):
        imprint.audit(small, **options, report=lambda *said: pytest.fail("work has begun"))


def test_an_audit_is_held_against_its_policy_and_its_conditions(small, tmp_path):
    policy = tmp_path / "imprint.toml"
    policy.write_text('owner = "us"\n[[require]]\ntest = "gender-career"\nsize = 0.01\n')
    asked = {"parts": ("weat",), "topics": ("gender",)}
    found = imprint.audit(small, quick=True, policy=policy, fail_on="weat:size_low>0.9", **asked)
    whole, *answers = found.findings()[:3]
    assert (whole.kind, whole.settings.policy_sha256) == ("audit", imprint.policy(policy).sha256)
    assert [(row.rule, row.owner, row.verdict) for row in answers] == [
        ("require", "us", "failed"),
        ("fail-on", "", "passed"),
    ]
    assert found.gate.verdict == "failed"
    assert repr(found).startswith("Audit(small: failed; ")
    assert found.findings() == [whole, *answers, *found.rows[1:]]
    again = imprint.gate(found, policy=policy, fail_on=["weat:size_low>0.9"])
    assert (again.rows, again.changed) == (found.gate.rows, False)


@pytest.mark.parametrize(
    "options", [{"fail_on": ["waet:p<1"]}, {"require": "weat:gendr-*:|size|<1"}, {"policy": "nowhere.toml"}]
)
def test_what_no_finding_can_decide_is_refused_before_any_work(options):
    with pytest.raises((SettingError, ImprintError), match=r"waet|gendr|nowhere"):
        imprint.audit("no such subject", **options)


def test_findings_hold_no_vectors_and_no_times(audit):
    whole = "\n".join(row.to_json() for row in audit[0].rows)
    assert not {"seconds", "time", "date"} & {key for line in whole.split("\n") for key in json.loads(line)}
    longest = max(len(line) for line in whole.split("\n"))
    assert longest < 500_000
