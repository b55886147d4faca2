"""Analogies on the page: pairs of words that differ as he and she do."""

from collections.abc import Iterator, Sequence

from imprint.finding import Finding
from imprint.report.marking import Words, count, number
from imprint.report.view import Block, Column, Prose, Table


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell the pairs, the best first."""
    rows = [one for one in findings if one.kind == "analogy"]
    if not rows:
        return
    first, second = (words.joined(rows[0].details.get(end) or ()) for end in ("positive", "negative"))
    yield Prose(
        f"Pairs of words that lie close together and differ as {first} and {second} do. Some are right by meaning; "
        "others are stereotypes that an application would repeat. Which is which, only people can tell."
    )
    if rows[0].details.get("neutral"):
        left_out = "Words gendered by what they mean are left out"
        yield Prose(f"{left_out}{'' if rows[0].details.get('names', True) else ', and so are first names'}.", "note")
    columns = (
        Column("Rank", numeric=True),
        Column(first.capitalize()),
        Column(second.capitalize()),
        Column("Score", f"Cosine between the pair's difference and {first} - {second}; one is the same way.", True),
        Column("Distance", "Between the two words: small for words that mean nearly the same.", True),
    )
    lines = tuple(
        (
            count(one.details.get("rank")),
            words.plain(str(one.details.get("first"))),
            words.plain(str(one.details.get("second"))),
            number(one.effect_size),
            number(one.details.get("distance")),
        )
        for one in rows
    )
    yield Table(f"{first.capitalize()} is to {second} as …", columns, lines, filtered=True)
