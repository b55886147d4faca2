"""Named things that are imported when first asked for: imprint's own, then those of installed plug-ins.

A plug-in is an entry point of the group (Python packaging user guide, "Entry points specification"). The parts of
imprint that its core does not know (the gate, boards, studies) register by entry points too. A name of the core never
looks for entry points. They are read from the folders of installed packages, as pip writes them: importlib.metadata,
which brings all of Python's email along, takes a sixth of the time of `imprint --help`.
"""

import contextlib
import os
import re
import sys
from collections.abc import Mapping
from functools import cached_property, reduce
from importlib import import_module
from pathlib import Path
from typing import Any

from imprint.checks import unknown_choice
from imprint.errors import ImprintError, SettingError
from imprint.version import DISTRIBUTION


class Registry:
    """One kind of thing by name: `builtin` gives "module:attribute" (or "module") for each of the core's."""

    used_plugin = False  # whether this process has imported any plug-in, of any group

    def __init__(self, group: str, builtin: Mapping[str, str]) -> None:
        self.group = group
        self.builtin = dict(builtin)

    def get(self, name: str) -> Any:
        """Return the thing of this name, importing its module now."""
        if self.is_own(name):
            return _load(self.builtin.get(name) or self.registered[name])
        plugin = self.plugins().get(name)
        if plugin is None:
            raise unknown_choice(self.group.removeprefix("imprint.").removesuffix("s"), name, self.names())
        Registry.used_plugin = True
        try:
            return _load(plugin)
        except Exception as error:
            # Any exception: a plug-in's module is code of others, and may fail in any way when it is imported.
            raise self.broken(name, "cannot be imported", error) from error

    def names(self) -> tuple[str, ...]:
        """Return every name: those of the core in their order, those that imprint registers, and plug-ins', sorted."""
        return (*self.builtin, *self.registered, *sorted(self.plugins()))

    def __contains__(self, name: str) -> bool:
        return self.is_own(name) or name in self.plugins()

    def is_own(self, name: str) -> bool:
        """Tell whether a name is imprint's own, whatever plug-ins are installed."""
        return name in self.builtin or name in self.registered

    @cached_property
    def registered(self) -> dict[str, str]:
        """What imprint's own package registers, by name: "module:attribute"."""
        file = _entry_points().get(DISTRIBUTION.replace("-", "_"))
        if file is None:
            hint = f"install it: pip install {DISTRIBUTION}, or pip install -e . in a clone"
            raise ImprintError(f"{DISTRIBUTION} is not installed", hint=hint)
        return _points_of(file, self.group)

    def plugins(self) -> dict[str, str]:
        """Return what other packages register, by name; none can replace what is imprint's own."""
        found = (_points_of(file, self.group).items() for file in _entry_points().values())
        return {name: value for points in found for name, value in points if not self.is_own(name)}

    def broken(self, name: str, problem: str, error: Exception) -> SettingError:
        """Return the error of one line that names a plug-in, says what is wrong with it, and what to do."""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        value = self.plugins()[name]
        return SettingError(
            f"the plug-in {name!r} ({value}, group {self.group}) {problem} ({reason})",
            got=name,
            hint="reinstall or remove it",
        )


def _load(value: str) -> Any:
    """Import what a value such as "module:attribute" names; extras in brackets after it say nothing to Python."""
    module, _, attribute = value.partition("[")[0].partition(":")
    return reduce(getattr, filter(None, attribute.strip().split(".")), import_module(module.strip()))


def _entry_points() -> dict[str, Path]:
    """Return the file of entry points, if any, of each installed package; the first on Python's path counts."""
    files: dict[str, Path] = {}
    for folder in map(Path, sys.path):
        with contextlib.suppress(OSError):  # no folder, such as Python's own zip file, or one that cannot be read
            for about in os.listdir(folder):  # noqa: PTH208 - iterdir makes a Path of each module
                if about.endswith((".dist-info", ".egg-info")):
                    package = re.split(r"-|\.(?:dist|egg)-info$", about)[0].lower()
                    files.setdefault(package, folder / about / "entry_points.txt")
    return files


def _points_of(file: Path, group: str) -> dict[str, str]:
    """Return the names and values below the heading of a group; most packages have no such file."""
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    section = re.search(rf"^\[{re.escape(group)}\]\s*?$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"^\s*([^#;=\s][^=\n]*?)\s*=\s*(.*?)\s*$", section[1], re.MULTILINE) if section else ())
