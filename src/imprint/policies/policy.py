"""A policy file: what a subject must show before it may be used, written down before anyone looks.

    owner = "the search team"
    reason = "the model ranks candidates"
    tests = ["our-tests.toml"]          # tests of your own, beside the catalogue's

    [[require]]
    test = "gender-*"                   # a question, a test, or a pattern; or topic = "gender"
    size = 0.10                         # share of the distance between the two kinds of words, either way

    [[require]]
    benchmark = "ws-353"
    least = 0.5

It is imprint.toml, or [tool.imprint] of pyproject.toml.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imprint.checks import check_between, did_you_mean
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.policies.conditions import Condition
from imprint.policies.settings import PolicyLike
from imprint.stimuli.catalog import catalogue, read_tests
from imprint.stimuli.definition import Test, WeatTest
from imprint.stimuli.files import TomlTable, read_table

FILE = "imprint.toml"

_PROJECT = "pyproject.toml"
_KEYS = ("owner", "reason", "tests", "require")
_REQUIREMENT = ("test", "topic", "benchmark", "size", "least", "reason")
_REMOVED = ("alpha", "margin")  # levels, and cosines


@dataclass(frozen=True)
class Policy:
    """A policy that was read.

    Attributes
    ----------
    path
        Its file.
    owner
        Who decides by it.
    reason
        Why there is such a policy.
    tests
        Tests of its own, beside the catalogue's.
    conditions
        What each requirement holds findings against.
    sha256
        The hash of what it says, not of its spacing and comments.
    """

    path: Path
    owner: str
    reason: str
    tests: tuple[Test, ...]
    conditions: tuple[Condition, ...]
    sha256: str


def policy(file: PolicyLike | None = None) -> Policy:
    """Read a policy; anything that is misspelt or impossible is refused before work begins.

    Parameters
    ----------
    file
        A file such as `imprint policy init` writes; by default imprint.toml, or [tool.imprint] of pyproject.toml, of
        the current folder.

    Returns
    -------
    Policy
        The requirements, their owner and reason, and the hash of what the file says.
    """
    if isinstance(file, Policy):
        return file
    source = find_policy() if file is None else Path(file)
    if source is None:
        raise SettingError(
            f"there is no {FILE} here", option="policy", hint="run `imprint policy init`, or give a file"
        )
    values = _table(source)
    table = _allow(values, _KEYS, (str(source),))
    files = table.texts("tests") if "tests" in values else ()
    tests = tuple(test for name in files for test in read_tests(source.parent / name))
    entries = table.need("require", list)
    if not entries:
        raise SettingError("requires nothing", where=source, hint="write at least one [[require]]")
    conditions = tuple(_condition(entry, source, number, tests) for number, entry in enumerate(entries, start=1))
    content = repr((sorted(values.items(), key=str), list(tests)))
    return Policy(
        source,
        table.get("owner", str) or "",
        table.get("reason", str) or "",
        tests,
        conditions,
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

# Tests of your own, beside the catalogue's (`imprint stimuli` lists those):
# tests = ["our-tests.toml"]

# How much nearer one group may be to one kind of words than the other group, as a share of the distance between
# the two kinds of words. It passes only if the whole 99.5 % interval lies within this size, either way, fails if
# the whole interval lies outside, and cannot tell otherwise. `imprint stimuli` lists the questions.
[[require]]
test = "gender-*"
size = 0.10
reason = ""

# A topic counts with the mean size of its questions:
# [[require]]
# topic = "race"
# size = 0.10

# The model must still be good for something:
[[require]]
benchmark = "ws-353"
least = 0.4
"""


def _condition(entry: object, path: Path, number: int, own: tuple[Test, ...]) -> Condition:
    """Return what one [[require]] says: sizes within a limit, or a benchmark of at least a value."""
    where = (str(path), f"require {number}")
    if not isinstance(entry, dict):
        raise SettingError(option="require", got=entry, expected="tables, [[require]]", where=where)
    table = _allow(entry, _REQUIREMENT, where)
    named = [key for key in ("test", "topic", "benchmark") if key in entry]
    if len(named) != 1:
        raise SettingError(
            "names " + (" and ".join(named) or "nothing"), expected="one of test, topic and benchmark", where=where
        )
    (key,) = named
    name = table.need(key, str)
    needed, other = ("least", "size") if key == "benchmark" else ("size", "least")
    if other in entry:
        raise SettingError(f"a {key} has no {other}", where=where, hint=f"write {needed} = a number")
    limit, reason = table.need(needed, float), table.get("reason", str) or ""
    if key == "benchmark":
        check_between("least", limit, -1.0)
        return Condition("require", "similarity", name, "spearman", False, ">=", limit, reason=reason)
    if not limit > 0:
        raise SettingError(option="size", got=limit, expected="above 0, a share such as 0.10", where=where)
    _refuse_unknown(key, name, own, where)
    kind = "weat" if key == "test" else "topic"
    return Condition("require", kind, name, "size", True, "<", limit, reason=reason)


def _allow(values: Mapping[str, Any], keys: Sequence[str], where: tuple[str, ...]) -> TomlTable:
    """Return a table that has these keys alone; those that policies had once are refused with what to write."""
    for key in _REMOVED:
        if key in values:
            hint = "in each [[require]], write size = 0.10, a share of the distance between the two kinds of words"
            raise SettingError(f"{key} is no longer a setting of policies", option=key, where=where, hint=hint)
    return TomlTable(values, where).allow(keys)


def _refuse_unknown(key: str, name: str, own: tuple[Test, ...], where: tuple[str, ...]) -> None:
    tests = [test for test in (*catalogue(), *own) if isinstance(test, WeatTest)]
    known = sorted(
        {test.id for test in tests} if key == "test" else {topic for test in tests for topic in test.topics}
    )
    pattern = Condition("require", "weat", name, "size", True, "<", 1.0)
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
