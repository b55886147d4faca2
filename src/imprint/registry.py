"""Named things that are imported when first asked for: imprint's own, then those of installed plug-ins.

A plug-in is an entry point of the group (Python packaging user guide, "Entry points specification"). Finding
entry points reads the metadata of every installed package, so a built-in name never looks at them.
"""

from collections.abc import Mapping
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

from imprint.checks import unknown_choice
from imprint.errors import SettingError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Registry:
    """One kind of thing by name: `builtin` gives "module:attribute" (or "module") for each of imprint's own."""

    used_plugin = False  # whether this process has imported any plug-in, of any group

    def __init__(self, group: str, builtin: Mapping[str, str]) -> None:
        self.group = group
        self.builtin = dict(builtin)

    def get(self, name: str) -> Any:
        """Return the thing of this name, importing its module now."""
        if name in self.builtin:
            module, _, attribute = self.builtin[name].partition(":")
            return reduce(getattr, filter(None, attribute.split(".")), import_module(module))
        found = self.plugins().get(name)
        if found is None:
            raise unknown_choice(self.group.removeprefix("imprint.").removesuffix("s"), name, self.names())
        Registry.used_plugin = True
        try:
            return found.load()
        except Exception as error:
            # Any exception: a plug-in's module is code of others, and may fail in any way when it is imported.
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise SettingError(
                f"the plug-in {name!r} ({found.value}, group {self.group}) cannot be imported ({reason})",
                got=name,
                hint="reinstall or remove it",
            ) from error

    def names(self) -> tuple[str, ...]:
        """Return every name: the built-in ones in their order, then those of plug-ins, sorted."""
        return (*self.builtin, *sorted(self.plugins()))

    def plugins(self) -> "dict[str, EntryPoint]":
        """Return the installed entry points by name; none can replace what is built in."""
        from importlib.metadata import entry_points  # brings all of Python's email along

        return {found.name: found for found in entry_points(group=self.group) if found.name not in self.builtin}
