"""A second embedding on the page: the same tests on both, and whether they place words alike."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report.marking import Words, count, number
from imprint.report.sections import benchmarks, directions
from imprint.report.sections.weat import side_by_side, title
from imprint.report.view import Block, Column, Prose, Table


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell effects side by side, agreement of words' scores, professions, and benchmarks."""
    tests = [one for one in findings if one.kind == "weat"]
    if tests:
        yield Prose("Both embeddings asked on the words that both have, and corrected together.")
        yield side_by_side("The same tests on both", tests, words, corrected=True)
    agreements = [one for one in findings if one.kind == "agreement"]
    if agreements:
        yield _agreements(agreements, words)
    yield from directions.blocks(findings, words)
    yield from benchmarks.blocks(findings, words)


def _agreements(rows: Sequence[Finding], words: Words) -> Table:
    columns = (
        Column("Scores of"),
        Column("Words", numeric=True),
        Column("Pearson", numeric=True),
        Column("Interval", "Middle 95 % over words drawn again."),
        Column("Spearman", numeric=True),
    )
    lines = tuple(
        (
            words.text(title(one)),
            count(one.details.get("n_words")),
            number(one.details.get("pearson")),
            Markup("{} to {}").format(number(one.details.get("pearson_low")), number(one.details.get("pearson_high"))),
            number(one.details.get("spearman")),
        )
        for one in rows
    )
    return Table("Do both associate the same words alike?", columns, lines)
