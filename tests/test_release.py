"""The release script builds what a user installs, and refuses what is not ready."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
LARGEST = 580  # MB of a plain install; the README says 565


def release(*arguments, cwd=ROOT):
    command = [sys.executable, "scripts/release.py", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_version_that_the_files_do_not_name_is_refused(tmp_path):
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", "--shared", ROOT, copy], check=True)
    refused = release("99.0.0", cwd=copy)
    assert refused.returncode == 1
    assert "src/imprint/version.py must name version 99.0.0" in refused.stderr
    (copy / "README.md").write_text("changed")
    assert "must be clean" in release("99.0.0", cwd=copy).stderr
    assert not subprocess.run(["git", "tag"], cwd=copy, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow  # builds, and installs into an empty environment
def test_the_wheel_works_where_nothing_else_is_installed(tmp_path):
    done = release("--check", "--out", str(tmp_path / "dist"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": works") == 6
    assert "[report]': works" in done.stdout
    assert int(re.search(r"(\d+) MB with bytecode", done.stdout)[1]) <= LARGEST
    assert {path.suffix for path in (tmp_path / "dist").iterdir()} == {".whl", ".gz"}


def test_the_workflow_runs_what_is_there():
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for command in commands:
        for word in command.split():
            if word.startswith(("scripts/", "tests/", ".ci/")):
                assert (ROOT / word.partition("=")[0]).exists(), command
    assert ".ci/run" in commands
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
