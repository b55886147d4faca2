"""The release script builds what a user installs, and refuses what is not ready."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


PIN = re.compile(r"^([\w.-]+)==([^\s;]+)(.*(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)*)", re.MULTILINE)


def pins(name):
    """Return what a list pins, by name as packages are compared, with the number of hashes."""
    text = (ROOT / name).read_text()
    return {canonicalize_name(one): (version, rest.count("--hash")) for one, version, rest in PIN.findall(text)}


@pytest.mark.parametrize("name", ["requirements/dev.txt", "requirements/build.txt"])
def test_every_locked_package_has_hashes_and_the_version_of_the_constraints(name):
    known, locked = pins("constraints.txt"), pins(name)
    assert [one for one, (_, hashes) in locked.items() if not hashes] == []
    versions = {one: version for one, (version, _) in locked.items() if one in known}
    assert versions == {one: known[one][0] for one in versions}
    assert locked.keys() - known.keys() <= {"appnope"}  # macOS alone needs it
    lines = (ROOT / name).read_text().splitlines()
    assert [line for line in lines if not re.match(r"#|[\w.-]+==\S+( ; .*)? \\$|    --hash=sha256:", line)] == []


def test_the_lock_has_all_that_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    own = canonicalize_name(project["project"]["name"])
    asked = [Requirement(one) for one in [*project["project"]["dependencies"], *extras["dev"]]]
    for one in asked:
        if canonicalize_name(one.name) == own:
            asked += [Requirement(below) for extra in one.extras for below in extras[extra]]
    locked = pins("requirements/dev.txt")
    for one in asked:
        if canonicalize_name(one.name) != own:
            assert one.specifier.contains(locked[canonicalize_name(one.name)][0]), one
    for one in map(Requirement, project["build-system"]["requires"]):
        assert one.specifier.contains(pins("requirements/build.txt")[one.name][0])
