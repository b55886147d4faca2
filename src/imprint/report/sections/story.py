"""The order of the page: which findings make which section."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from imprint.errors import ImprintError
from imprint.finding import Finding
from imprint.gate.conditions import HOMES
from imprint.report import summary
from imprint.report.marking import Words
from imprint.report.sections import (
    against,
    analogies,
    benchmarks,
    debiasing,
    directions,
    enumeration,
    method,
    seat,
    weat,
    wefat,
)
from imprint.report.view import Block, Column, Listing, Prose, Section, Table

_SHORT = 10  # lines of what could not be run that are read without being asked for


@dataclass(frozen=True)
class Part:
    """A part of the audit and how it is told."""

    name: str
    title: str
    blocks: Callable[[Sequence[Finding], Words], Iterable[Block]]
    offensive: bool = False


PARTS = (
    Part("weat", "Associations asked for", weat.blocks),
    Part("wefat", "The embedding and the world", wefat.blocks),
    Part("directions", "Along he and she", directions.blocks),
    Part("enumeration", "Found without being asked", enumeration.blocks, offensive=True),
    Part("analogies", "Stereotypes as analogies", analogies.blocks, offensive=True),
    Part("debiasing", "Before and after debiasing", debiasing.blocks),
    Part("benchmarks", "Does it still work as an embedding?", benchmarks.blocks),
    Part("seat", "In sentences", seat.blocks),
    Part("against", "Beside another embedding", against.blocks),
)


def tell(findings: Sequence[Finding], words: Words) -> tuple[Section, ...]:
    """Return the whole page: the summary first, the parts that have anything to say, the method last."""
    with _readable("summary"):
        said = summary.sentences(findings)
    with _readable("method"):
        told = tuple(method.blocks(findings, words))
    first = (Section("summary", "In short", (Listing(tuple(said)),)),) if said else ()
    last = (Section("method", "Method, settings and limits", told),)
    return (*first, *parts(findings, words), *last)


def parts(findings: Sequence[Finding], words: Words) -> tuple[Section, ...]:
    """Return the sections of measurements alone, as a notebook shows them."""
    by_part = _by_part(findings)
    refused = {
        one.test: one.details.get("why") for one in findings if one.kind == "part" and not one.details.get("ran")
    }
    sections = []
    for part in PARTS:
        with _readable(part.name):
            blocks = (*part.blocks(by_part[part.name], words), *_not_run(by_part[part.name], words))
        if refused.get(part.name):
            blocks = (Prose(f"This part was not run: {words.text(str(refused[part.name]))}", "warning"), *blocks)
        if blocks:
            sections.append(Section(part.name, part.title, blocks, offensive=part.offensive))
    return tuple(sections)


@contextmanager
def _readable(part: str) -> Iterator[None]:
    """Let a file's fault end in one line: findings are anybody's, and may hold text where a number belongs."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        wrong = f"{type(error).__name__}: {error}"
        raise ImprintError(
            f"the findings of part {part!r} cannot be drawn, a value is missing or of another type ({wrong}); "
            "give a file as imprint wrote it"
        ) from error


def _not_run(findings: Iterable[Finding], words: Words) -> Iterator[Block]:
    """Say what of a part could not be run, and why; what was tried before and after debiasing, once."""
    rows = dict.fromkeys(
        (words.text(weat.title(one)), words.text(str(one.details.get("reason") or "")))
        for one in findings
        if one.kind == "skipped"
    )
    if rows:
        yield Table("What could not be run", (Column("What"), Column("Why")), tuple(rows), folded=len(rows) > _SHORT)


def _by_part(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Sort findings by part; those of a single command do not say theirs, and have their kind's."""
    by_part: dict[str, list[Finding]] = defaultdict(list)
    for one in findings:
        by_part[str(one.details.get("part") or HOMES.get(one.kind, ""))].append(one)
    return by_part
