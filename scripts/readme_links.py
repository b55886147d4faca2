"""Write the README into the metadata of the package, with links that work elsewhere too; hatchling calls it."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"(!?)(\[[^]]*\])\((?![a-z]+:|#)([^)]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Set the field `readme`, which pyproject.toml calls dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Link pages and images to the source that the project names."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, metadata["urls"]["Source"])}


def absolute(text: str, source: str) -> str:
    """Make relative links absolute; an image is linked to its file, not to the page about it."""
    return RELATIVE.sub(lambda f: f"{f[1]}{f[2]}({source}/{'raw' if f[1] else 'blob'}/main/{f[3]})", text)
