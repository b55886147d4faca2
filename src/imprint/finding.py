"""Finding: one measured row, and JSON lines in and out."""

import html
import json
import math
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from imprint.errors import ImprintError
from imprint.files import replacing
from imprint.version import __version__


@dataclass(frozen=True)
class Finding:
    """What every measurement says; `details` holds what only its kind says, side by side in the JSON.

    Numbers that do not exist (an effect of scores that do not vary, an unbounded end) are None.
    """

    kind: str
    test: str
    embedding: str
    embedding_sha256: str
    effect_size: float | None
    statistic: float | None
    p_value: float | None
    seed: int
    missing: tuple[str, ...] = ()
    version: str = __version__
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def without_effect(
        cls,
        kind: str,
        test: str,
        measured: tuple[str, str],
        details: Mapping[str, Any],
        *,
        statistic: float | None = None,
        seed: int = 0,
        missing: tuple[str, ...] = (),
    ) -> "Finding":
        """Make a row that tests nothing, of what was counted, chosen or decided; `measured` is a name and its hash."""
        name, digest = measured
        return cls(kind, test, name, digest, None, statistic, None, seed, missing, details=details)

    def to_dict(self) -> dict[str, Any]:
        """Return one flat dictionary: the common fields, then the details."""
        common = {name: getattr(self, name) for name in COMMON_FIELDS}
        return {key: _plain(value) for key, value in (common | dict(self.details)).items()}

    def words_kept(self) -> list[tuple[str, int, int]]:
        """Return each word set's name, how many of its words have a vector, and how many it has; none if unknown."""
        names, sets, missing = self.details.get("sets") or {}, self.details.get("set_words"), set(self.missing)
        return [
            (str(names.get(letter, letter)), sum(word not in missing for word in words), len(words))
            for letter, words in (sets if isinstance(sets, Mapping) else {}).items()
        ]

    def to_json(self) -> str:
        """Return one line of JSON. Floats are written so that reading gives the same number back."""
        line = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)
        return line.translate(_ESCAPES)

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Finding":
        """Take a finding apart into its common fields and its details."""
        if not isinstance(row, Mapping):
            raise ImprintError("a JSON object is wanted, with a finding's fields")
        absent = [name for name in COMMON_FIELDS if name not in row]
        if absent:
            raise ImprintError(f"a finding lacks {', '.join(absent)}; is this a file that imprint wrote?")
        odd = [name for name in _TEXTS if not isinstance(row[name], str)]
        if odd:
            raise ImprintError(f"{odd[0]} is {type(row[odd[0]]).__name__}; text is wanted, as imprint writes it")
        missing = row["missing"]
        if not isinstance(missing, list | tuple) or not all(isinstance(word, str) for word in missing):
            raise ImprintError("missing is not a list of words; one is wanted, as imprint writes it")
        common = {name: row[name] for name in COMMON_FIELDS} | {"missing": tuple(missing)}
        return cls(**common, details={key: value for key, value in row.items() if key not in COMMON_FIELDS})


@dataclass(frozen=True)
class Skipped:
    """Something that could not be measured, and why; `part` is the part of an audit it belongs to."""

    part: str
    test: str
    title: str
    reason: str

    def finding(self, measured: tuple[str, str], seed: int = 0) -> Finding:
        """Return it as a row, so that who reads the others can tell that it is missing."""
        details = {"part": self.part, "title": self.title, "reason": self.reason}
        return Finding.without_effect("skipped", self.test, measured, details, seed=seed)


class Findings(ABC):
    """What every result is: rows of findings, which a notebook draws as the report would."""

    @abstractmethod
    def findings(self) -> list[Finding]:
        """Return one row a thing measured."""

    def _repr_html_(self) -> str:
        found = self.findings()
        if not found:
            return f"<code>{html.escape(repr(self))}</code>"
        # The one arrow that points up in the design, and only when a notebook asks: results know no templates.
        drawn: str = import_module("imprint.report.page").fragment(found)
        return drawn


# Characters that JSON allows in a string, but that steer terminals or that many programs take for the end of a line
# (below U+00A0, and two separators), or that UTF-8 cannot write: lone surrogates, from file names that are no text.
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000))}

COMMON_FIELDS = tuple(f.name for f in fields(Finding) if f.name != "details")

_TEXTS = ("kind", "test", "embedding", "embedding_sha256", "version")


def write_findings(path: str | os.PathLike[str], findings: Iterable[Finding]) -> None:
    """Write one JSON line a finding, beside the target and then in its place."""
    with replacing(path) as part:
        part.write_text("".join(f"{finding.to_json()}\n" for finding in findings), encoding="utf-8", newline="\n")


def read_findings(path: str | os.PathLike[str]) -> list[Finding]:
    """Read what `write_findings` wrote."""
    source = Path(path)
    findings = []
    try:
        # A pipe brings what another command prints; a device may never end.
        kind = source.stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise ImprintError(f"{source}: is a folder or a device; give a findings.jsonl")
        text = source.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ImprintError(f"{source}: cannot be read ({_reason(error)}); give a findings.jsonl") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        try:
            findings.append(Finding.from_dict(json.loads(line)))
        except json.JSONDecodeError as error:
            raise ImprintError(
                f"{source}: line {number} is not JSON; findings are wanted: the findings.jsonl of imprint audit, or "
                "what --json prints"
            ) from error
        except RecursionError as error:
            raise ImprintError(
                f"{source}: line {number} is not a finding (it is nested too deeply); give a file that imprint wrote"
            ) from error
        except (ValueError, TypeError, ImprintError) as error:
            raise ImprintError(f"{source}: line {number} is not a finding ({error})") from error
    return findings


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not text"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _plain(value: Any) -> Any:
    """Turn numpy's numbers, tuples and numbers that do not exist into what JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "item"):
        return _plain(value.item())
    return value
