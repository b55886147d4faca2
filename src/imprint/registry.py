"""Named things that are imported when first asked for: imprint's own, then those of installed plug-ins.

A plug-in is an entry point of the group (Python packaging user guide, "Entry points specification"). The parts of
imprint that its core does not know (the audit, boards, studies) register by entry points too. Finding entry points
reads the metadata of installed packages, so a name of the core never looks at them, and a name that imprint itself
registers looks at its own alone.
"""

from collections.abc import Mapping
from functools import cached_property, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

from imprint.checks import unknown_choice
from imprint.errors import ImprintError, SettingError, raising_as
from imprint.version import DISTRIBUTION

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Registry:
    """One kind of thing by name: `builtin` gives "module:attribute" (or "module") for each of the core's."""

    used_plugin = False  # whether this process has imported any plug-in, of any group

    def __init__(self, group: str, builtin: Mapping[str, str]) -> None:
        self.group = group
        self.builtin = dict(builtin)

    def get(self, name: str) -> Any:
        """Return the thing of this name, importing its module now."""
        if name in self.builtin:
            module, _, attribute = self.builtin[name].partition(":")
            return reduce(getattr, filter(None, attribute.split(".")), import_module(module))
        if name in self.registered:
            return self.registered[name].load()
        plugin = self.plugins().get(name)
        if plugin is None:
            raise unknown_choice(self.group.removeprefix("imprint.").removesuffix("s"), name, self.names())
        Registry.used_plugin = True
        try:
            return plugin.load()
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
    def registered(self) -> "dict[str, EntryPoint]":
        """The entry points of imprint itself by name."""
        from importlib.metadata import PackageNotFoundError, distribution  # brings all of Python's email along

        hint = f"install it: pip install {DISTRIBUTION}, or pip install -e . in a clone"
        with raising_as(PackageNotFoundError, ImprintError, f"{DISTRIBUTION} is not installed", hint=hint):
            points = distribution(DISTRIBUTION).entry_points
        return {point.name: point for point in points.select(group=self.group)}

    def plugins(self) -> "dict[str, EntryPoint]":
        """Return the installed entry points of others by name; none can replace what is imprint's own."""
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=self.group) if not self.is_own(point.name)}

    def broken(self, name: str, problem: str, error: Exception) -> SettingError:
        """Return the error of one line that names a plug-in, says what is wrong with it, and what to do."""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        value = self.plugins()[name].value
        return SettingError(
            f"the plug-in {name!r} ({value}, group {self.group}) {problem} ({reason})",
            got=name,
            hint="reinstall or remove it",
        )
