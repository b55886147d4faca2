"""A policy file: what a subject must show before it may be used, written down before anyone looks.

    owner = "the search team"
    reason = "the model ranks candidates"
    tests = ["our-tests.toml"]          # tests of your own, beside the catalogue's
    on_cannot_tell = "fail"             # or "cannot tell" (exit code 3, the default), or "warn" (exit code 0)

    [[require]]
    test = "gender-*"                   # a question, a test, or a pattern; or topic = "gender"
    size = 0.10                         # share of the distance between the two kinds of words, either way

    [[require]]
    benchmark = "ws-353"
    least = 0.5

It is imprint.toml, or [tool.imprint] of pyproject.toml.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from imprint.checks import check_between, did_you_mean, unknown_choice
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.policies.conditions import Condition, check_share
from imprint.policies.kinds import OnCannotTell
from imprint.policies.settings import PolicyLike
from imprint.significance.outcomes import MARGIN
from imprint.stimuli.catalog import catalogue, questions, read_tests
from imprint.stimuli.definition import Test, WeatTest
from imprint.stimuli.files import TomlTable, read_table
from imprint.stimuli.retrieval import BUNDLED, OWN, bundled_set

FILE = "imprint.toml"

_PROJECT = "pyproject.toml"
_KEYS = ("owner", "reason", "tests", "on_cannot_tell", "require")
_SIZED = {"test": "weat", "topic": "topic", "retrieval": "retrieval"}  # what has a size, and the kind of its rows
_REQUIREMENT = (*_SIZED, "benchmark", "size", "least", "reason")


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
    on_cannot_tell
        What counts where findings do not decide: "cannot tell", "fail", or "warn", which lets the model through.
    """

    path: Path
    owner: str
    reason: str
    tests: tuple[Test, ...]
    conditions: tuple[Condition, ...]
    sha256: str
    on_cannot_tell: OnCannotTell = "cannot tell"


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
    table = TomlTable(values, (str(source),)).allow(_KEYS)
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
        _on_cannot_tell(table, source),
    )


def _on_cannot_tell(table: TomlTable, source: Path) -> OnCannotTell:
    choice = table.get("on_cannot_tell", str) or "cannot tell"
    if choice not in get_args(OnCannotTell):
        raise unknown_choice("on_cannot_tell", choice, get_args(OnCannotTell), where=str(source))
    return cast(OnCannotTell, choice)


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
    return """# What a model must show before it may be used.
# Best written before you look at results; say in `reason` if it was not.
# Check it:  imprint audit SUBJECT --policy imprint.toml
#       or:  imprint gate findings.jsonl --policy imprint.toml
# Exit code: 0 passed, 2 failed, 3 cannot tell.

owner = ""    # who decides
reason = ""   # what the model is for, and whom it could harm

# Tests of your own, beside the catalogue's (`imprint stimuli` lists those):
# tests = ["our-tests.toml"]

# What counts where the findings do not decide: "cannot tell" (exit code 3), "fail" (2) or "warn" (0).
on_cannot_tell = "cannot tell"

# Largest allowed difference: 0.10 is a tenth of the distance between the two kinds of words. A requirement passes only
# if the whole 99.5 % interval lies within this size, either way, fails if the whole interval lies outside, and
# cannot tell otherwise. Leave out what does not matter for your use.
{requirements}
# The model must still be good for something:
[[require]]
benchmark = "ws-353"
least = 0.4
""".format(requirements="".join(map(_example_of, questions())))


def _example_of(question: WeatTest) -> str:
    return f'[[require]]  # {question.title}\ntest = "{question.id}"\nsize = {MARGIN:.2f}\n\n'


def _condition(entry: object, path: Path, number: int, own: tuple[Test, ...]) -> Condition:
    """Return what one [[require]] says: sizes within a limit, or a benchmark of at least a value."""
    where = (str(path), f"require {number}")
    if not isinstance(entry, dict):
        raise SettingError(option="require", got=entry, expected="tables, [[require]]", where=where)
    table = TomlTable(entry, where).allow(_REQUIREMENT)
    named = [key for key in (*_SIZED, "benchmark") if key in entry]
    if len(named) != 1:
        raise SettingError(
            "names " + (" and ".join(named) or "nothing"),
            expected="one of test, topic, retrieval and benchmark",
            where=where,
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
    check_share("size", limit, where)
    _refuse_unknown(key, name, own, where)
    return Condition("require", _SIZED[key], name, "size", True, "<", limit, reason=reason)


def _refuse_unknown(key: str, name: str, own: tuple[Test, ...], where: tuple[str, ...]) -> None:
    if key == "retrieval" and name.startswith(OWN):  # documents of one's own, which are not known here
        return
    if key == "retrieval":
        ids = {comparison.id for each in BUNDLED for comparison in bundled_set(each).comparisons}
    else:
        tests = [test for test in (*catalogue(), *own) if isinstance(test, WeatTest)]
        ids = {test.id for test in tests} if key == "test" else {topic for test in tests for topic in test.topics}
    names = sorted(ids)
    pattern = Condition("require", "weat", name, "size", True, "<", 1.0)
    if not any(map(pattern.names, names)):
        hint = did_you_mean(name, names) or ("`imprint stimuli` lists them" if key == "test" else ", ".join(names))
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
