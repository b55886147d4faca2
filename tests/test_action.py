"""The GitHub Action: its steps run as they are written, and nothing from its inputs is run by a shell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from made_rows import make_row
from systems import posix

from imprint.writing import write_findings

pytestmark = posix
ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
POLICY = '[[require]]\ntest = "gender-career"\nsize = {}\n'


@pytest.fixture
def runner(tmp_path):
    """Run the step that audits, with imprint where the step before installs it."""
    (tmp_path / "imprint" / "bin").mkdir(parents=True)
    (tmp_path / "imprint" / "bin" / "imprint").symlink_to(Path(sys.executable).with_name("imprint"))

    def run(**inputs):
        given = {name.upper(): inputs.get(name, field.get("default", "")) for name, field in ACTION["inputs"].items()}
        step = ACTION["runs"]["steps"][1]
        assert {*step["env"]} <= {*given}
        environment = (
            os.environ | given | {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        )
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


def saved(folder, low, high):
    judged = make_row("audit", judged=True)
    size = make_row(
        test="gender-career", is_question=True, size=(low + high) / 2, size_low=low, size_high=high, part="weat"
    )
    write_findings(folder / "findings.jsonl", [judged, size])


@pytest.mark.parametrize(("limit", "code"), [(0.5, 0), (0.2, 3), (0.1, 2)])
def test_saved_findings_are_held_to_the_policy(runner, tmp_path, limit, code):
    saved(tmp_path, 0.15, 0.3)
    (tmp_path / "imprint.toml").write_text(POLICY.format(limit))
    done = runner(policy="imprint.toml")
    assert done.returncode == code, done.stderr
    assert (tmp_path / "gate.xml").is_file()
    assert "gender-career" in (tmp_path / "summary.md").read_text()


def test_options_on_several_lines_are_all_given(runner, tmp_path):
    saved(tmp_path, 0.15, 0.3)
    (tmp_path / "imprint.toml").write_text(POLICY.format(0.5))
    done = runner(
        policy="imprint.toml",
        options="--require weat:gender-career:|size|<0.5\n\n--require weat:gender-career:|size|<0.1\n",
    )
    assert done.returncode == 2, done.stderr


def test_inputs_are_words_of_one_command_and_never_run(runner, tmp_path):
    saved(tmp_path, 0.15, 0.3)
    hostile = "$(touch broken) `touch broken`; touch broken #"
    for name in ("policy", "findings", "subject", "options", "junit"):
        done = runner(**{"policy": "imprint.toml"} | {name: hostile})
        assert done.returncode != 0
    assert not (tmp_path / "broken").exists()


@pytest.mark.slow
def test_a_subject_is_audited_in_one_step(runner, tmp_path):
    (tmp_path / "imprint.toml").write_text(POLICY.format(0.5))
    done = runner(subject="default", policy="imprint.toml", options="--quick --debias none")
    assert done.returncode == 0, done.stderr
    assert {"report.html", "findings.jsonl", "gate.xml", "summary.md"} <= {file.name for file in tmp_path.iterdir()}


def test_every_input_reaches_a_step_by_its_environment_alone():
    steps = ACTION["runs"]["steps"]
    used = " ".join(value for step in steps for value in step["env"].values())
    assert all(f"inputs.{name} " in used or f"inputs.{name}" + " }" in used for name in ACTION["inputs"])
    assert not any("${{" in step["run"] for step in steps)
