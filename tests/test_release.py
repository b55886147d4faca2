"""The release script builds what a user installs, and refuses what is not ready."""

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
import yaml
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LARGEST = 580  # MB of a plain install; the README says 510


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


@pytest.mark.slow  # builds both files twice
def test_both_files_are_the_same_to_the_byte_wherever_and_whenever_they_are_built(tmp_path):
    built = {}
    for name, zone, mask, mode in (("here", "UTC", 0o022, 0o644), ("elsewhere", "Asia/Tokyo", 0o077, 0o600)):
        copy = tmp_path / name / "copy"
        subprocess.run(["git", "clone", "-q", "--shared", ROOT, copy], check=True)
        for path in (copy / "src").rglob("*.py"):
            path.chmod(mode)
            os.utime(path, (mode * 1e6, mode * 1e6))
        environment = os.environ | {"TZ": zone, "PYTHONHASHSEED": str(mask)}
        command = [sys.executable, "-m", "hatchling", "build", "-d", tmp_path / name / "dist"]
        subprocess.run(command, cwd=copy, env=environment, umask=mask, check=True, capture_output=True)
        files = (tmp_path / name / "dist").iterdir()
        built[name] = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert len(built["here"]) == 2
    assert built["here"] == built["elsewhere"]


def test_nobody_publishes_a_tag_that_is_not_the_version(tmp_path):
    refused = release("--check", "--tag", "v99.0.0", "--out", str(tmp_path))
    assert refused.returncode == 1
    assert not list(tmp_path.iterdir())


def test_a_workflow_uses_actions_by_their_hash_and_keeps_no_credentials():
    for path in (ROOT / ".github/workflows").iterdir():
        workflow = yaml.safe_load(path.read_text())
        steps = [step for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
        assert [step["uses"] for step in steps if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])] == []
        checkouts = [step for step in steps if step["uses"].startswith("actions/checkout@")]
        assert checkouts
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_one_job_alone_may_publish():
    workflow = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text())
    allowed = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert workflow["permissions"] == {}
    assert allowed == {"build": {"contents": "read"}, "publish": {"id-token": "write"}}
    assert not [step for step in workflow["jobs"]["publish"]["steps"] if "run" in step]


@pytest.mark.parametrize("name", ["test.yml", "publish.yml"])
def test_the_workflows_run_what_is_there(name):
    workflow = yaml.safe_load((ROOT / ".github/workflows" / name).read_text())
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for command in commands:
        for word in command.split():
            if word.startswith(("scripts/", "tests/", ".ci/")):
                assert (ROOT / word.partition("=")[0]).exists(), command
    if name == "test.yml":
        assert ".ci/run" in commands
        assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_the_readme_of_the_package_has_links_that_work_elsewhere():
    core = ProjectMetadata(str(ROOT), PluginManager(), tomllib.loads((ROOT / "pyproject.toml").read_text())).core
    targets = re.findall(r"\]\(([^)]+)\)", core.readme)
    assert len(targets) > 10
    assert {target.split("/main/")[0] for target in targets} == {
        f"{core.urls['Source']}/{one}" for one in ("blob", "raw")
    }
    assert all((ROOT / target.split("/main/")[1].partition("#")[0]).exists() for target in targets)


PIN = re.compile(r"^([\w.-]+)==([^\s;]+)(.*(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)*)", re.MULTILINE)


def pins(text):
    """Return the versions that a list pins, each with its number of hashes, by name as packages are compared.

    A package has several where they differ by Python or by system.
    """
    found = defaultdict(dict)
    for one, version, rest in PIN.findall(text):
        found[canonicalize_name(one)][version] = rest.count("--hash")
    return found


def test_a_package_may_have_a_pin_per_system():
    hashed = f" \\\n    --hash=sha256:{'0' * 64}"
    text = f"A.b==1.0 ; sys_platform == 'win32'{hashed}\na-b==2.0 ; sys_platform != 'win32'\nc==3{hashed}{hashed}\n"
    assert pins(text) == {"a-b": {"1.0": 1, "2.0": 0}, "c": {"3": 2}}


@pytest.mark.parametrize("name", ["requirements/dev.txt", "requirements/build.txt"])
def test_every_locked_package_has_hashes_and_the_version_of_the_constraints(name):
    known, locked = (pins((ROOT / one).read_text()) for one in ("constraints.txt", name))
    assert [one for one, versions in locked.items() if not all(versions.values())] == []
    assert [one for one, versions in locked.items() if one in known and versions.keys() != known[one].keys()] == []
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
    asked = [one for one in asked if canonicalize_name(one.name) != own]
    building = [*map(Requirement, project["build-system"]["requires"])]
    for name, needed in (("requirements/dev.txt", asked), ("requirements/build.txt", building)):
        locked = pins((ROOT / name).read_text())
        for one in needed:
            versions = locked[canonicalize_name(one.name)]
            assert versions, one
            assert all(map(one.specifier.contains, versions)), one
