"""A policy file: what a subject must show before it may be used, written down before anyone looks.

    owner = "the search team"
    reason = "the model ranks candidates"
    alpha = 0.05
    tests = ["our-tests.toml"]          # tests of your own, beside the catalogue's

    [[require]]
    test = "gender-*"                   # a question, or a pattern
    size = 0.1                          # share of the distance between the two kinds of words, either way

    [[require]]
    topic = "gender"                    # or test = "caliskan-6", or a pattern
    margin = 0.1                        # of the mean difference of tests of the papers, in cosines, either way

    [[require]]
    benchmark = "ws-353"
    least = 0.5

It is imprint.toml, or [tool.imprint] of pyproject.toml.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imprint.association.verdicts import ALPHA, check_alpha
from imprint.checks import check_between, did_you_mean
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.policy.conditions import Condition
from imprint.stimuli.catalog import catalogue, read_tests
from imprint.stimuli.definition import Test, WeatTest
from imprint.stimuli.files import TomlTable, read_table

FILE = "imprint.toml"

_PROJECT = "pyproject.toml"
_KEYS = ("owner", "reason", "alpha", "tests", "require")
_REQUIREMENT = ("test", "topic", "benchmark", "size", "margin", "least", "reason")


@dataclass(frozen=True)
class Requirement:
    """One thing a subject must show: a difference within a margin, or a benchmark above its least value."""

    condition: Condition
    reason: str


@dataclass(frozen=True)
class Policy:
    """A policy that was read; `sha256` is the hash of what it says, not of its spacing and comments."""

    path: Path
    owner: str
    reason: str
    alpha: float
    tests: tuple[Test, ...]
    requirements: tuple[Requirement, ...]
    sha256: str

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What the requirements hold findings against."""
        return tuple(one.condition for one in self.requirements)


def read_policy(path: FilePath) -> Policy:
    """Read a policy; anything that is misspelt or impossible is refused before work begins."""
    path = Path(path)
    values = _table(path)
    table = TomlTable(values, (str(path),)).allow(_KEYS)
    alpha = table.get("alpha", float)
    alpha = ALPHA if alpha is None else alpha
    check_alpha(alpha)
    files = table.texts("tests") if "tests" in values else ()
    own = tuple(test for file in files for test in read_tests(path.parent / file))
    entries = table.need("require", list)
    if not entries:
        raise SettingError("requires nothing", where=path, hint="write at least one [[require]]")
    requirements = tuple(_requirement(entry, path, number, own) for number, entry in enumerate(entries, start=1))
    content = repr((sorted(values.items(), key=str), list(own)))
    return Policy(
        path,
        table.get("owner", str) or "",
        table.get("reason", str) or "",
        alpha,
        own,
        requirements,
        hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def find_policy(folder: FilePath = ".") -> Path | None:
    """Return the policy file of a folder, None where there is none."""
    own, project = Path(folder) / FILE, Path(folder) / _PROJECT
    if own.is_file():
        return own
    if project.is_file() and "imprint" in _tool(read_table(project).values):
        return project
    return None


def example() -> str:
    """Return a policy with comments, to begin with."""
    return """# What a model must show before it may be used. Write it before you look at the results.
# Check it:  imprint audit SUBJECT --policy imprint.toml
#       or:  imprint gate findings.jsonl --policy imprint.toml
# Exit code: 0 passed, 2 failed, 3 cannot tell.

owner = ""    # who decides
reason = ""   # what the model is for, and whom it could harm

# Nominal level of the correction over the tests about people.
alpha = 0.05

# Tests of your own, beside the catalogue's (`imprint stimuli` lists those):
# tests = ["our-tests.toml"]

# How much nearer one group may be to one kind of words than the other group, as a share of the distance between
# the two kinds of words. It passes only if the whole 99.5 % interval lies within this size, either way, fails if
# the whole interval lies outside, and cannot tell otherwise. `imprint stimuli` lists the questions.
[[require]]
test = "gender-*"
size = 0.10
reason = ""

# Tests of the papers have a margin of the mean difference in cosines instead:
# [[require]]
# test = "caliskan-6"
# margin = 0.25

# The model must still be good for something:
[[require]]
benchmark = "ws-353"
least = 0.4
"""


def _requirement(entry: object, path: Path, number: int, own: tuple[Test, ...]) -> Requirement:
    where = (str(path), f"require {number}")
    if not isinstance(entry, dict):
        raise SettingError(option="require", got=entry, expected="tables, [[require]]", where=where)
    table = TomlTable(entry, where).allow(_REQUIREMENT)
    named = [key for key in ("test", "topic", "benchmark") if key in entry]
    if len(named) != 1:
        raise SettingError(
            "names " + (" and ".join(named) or "nothing"), expected="one of test, topic and benchmark", where=where
        )
    (key,) = named
    name = table.need(key, str)
    allowed = {"benchmark": ("least",), "topic": ("margin",), "test": ("size", "margin")}[key]
    for other in ("size", "margin", "least"):
        if other in entry and other not in allowed:
            raise SettingError(f"a {key} has no {other}", where=where, hint=f"write {allowed[0]} = a number")
    if len(set(allowed) & set(entry)) > 1:
        raise SettingError("has a size and a margin", expected="one of them", where=where)
    limit_key = "margin" if "margin" in entry else allowed[0]
    limit = table.need(limit_key, float)
    if key == "benchmark":
        check_between("least", limit, -1.0)
        condition = Condition("require", "similarity", name, "spearman", False, ">=", limit)
    else:
        if not limit > 0:
            unit = "a share such as 0.1" if limit_key == "size" else "in cosines"
            raise SettingError(option=limit_key, got=limit, expected=f"above 0, {unit}", where=where)
        _refuse_unknown(key, name, own, where)
        kind = "weat" if key == "test" else "topic"
        field = "size" if limit_key == "size" else "mean_difference"
        condition = Condition("require", kind, name, field, True, "<", limit)
    return Requirement(condition, table.get("reason", str) or "")


def _refuse_unknown(key: str, name: str, own: tuple[Test, ...], where: tuple[str, ...]) -> None:
    tests = [test for test in (*catalogue(), *own) if isinstance(test, WeatTest)]
    known = sorted(
        {test.id for test in tests} if key == "test" else {topic for test in tests for topic in test.topics}
    )
    pattern = Condition("require", "weat", name, "mean_difference", True, "<", 1.0)
    if not any(map(pattern.names, known)):
        hint = did_you_mean(name, known) or ("`imprint stimuli` lists them" if key == "test" else ", ".join(known))
        raise SettingError(f"there is no {key} {name!r}", option=key, got=name, where=where, hint=hint)


def _table(path: Path) -> dict[str, Any]:
    values = read_table(path).values
    if path.name != _PROJECT:
        return dict(values)
    found = _tool(values).get("imprint")
    if not isinstance(found, dict):
        raise SettingError("has no [tool.imprint]", where=path, hint="write it there, or give an imprint.toml")
    return found


def _tool(project: Mapping[str, Any]) -> dict[str, Any]:
    tool = project.get("tool")
    return tool if isinstance(tool, dict) else {}
