"""Benchmarks on the page: what the embedding is good for, and what debiasing costs."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report.marking import NOTHING, Words, count, number
from imprint.report.view import Block, Cell, Column, Prose, Table

# Measure by kind of finding; analogies are scored by the share of questions answered right.
_MEASURES = {"similarity": "spearman", "analogy_benchmark": "3cosadd"}


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell every benchmark, with the difference where two embeddings were measured."""
    rows = [one for one in findings if one.kind in _MEASURES]
    if not rows:
        return
    other = any(one.details.get("against") for one in rows)
    yield Prose(
        "How well cosines rank pairs of words as people do (Spearman's correlation), and how many analogies are "
        "completed "
        "right." + (" A change whose interval contains zero is no change that these data can show." if other else "")
    )
    columns = [
        Column("Benchmark"),
        Column("Asked", "Pairs or questions all of whose words are among the words looked at, of all."),
    ]
    names = list(dict.fromkeys(one.details["against"] for one in rows if one.details.get("against")))
    columns += [Column(f"In {words.plain(name)}", numeric=True) for name in names[:1]]
    columns += [Column(f"In {words.plain(rows[0].embedding)}", numeric=True)]
    if other:
        columns += [
            Column("Change", numeric=True),
            Column("Interval", "95 % interval of the change; pairs that share a word rise and fall together."),
        ]
    columns += [Column("Published", "For Google News vectors, before and after debiasing.")]
    yield Table("Benchmarks", tuple(columns), tuple(_row(one, other=other) for one in rows))


def _row(one: Finding, *, other: bool) -> tuple[Cell | Markup | str, ...]:
    get, measure = one.details.get, _MEASURES[one.kind]
    found = Markup("{} of {}").format(count(get("found")), count(get("asked")))
    cells: list[Cell | Markup | str] = [one.test, Cell(found, order=get("found"))]
    if other:
        cells.append(number(get(f"against_{measure}"), 3))
    cells.append(number(get(measure), 3))
    if other:
        low, high = get(f"change_{measure}_low"), get(f"change_{measure}_high")
        interval = NOTHING if low is None else Markup("{} to {}").format(number(low, 3), number(high, 3))
        cells += [number(get(f"change_{measure}"), 3), interval]
    published = get("published")
    cells.append(NOTHING if not published else Markup("{}, {}").format(*(number(value, 3) for value in published)))
    return tuple(cells)
