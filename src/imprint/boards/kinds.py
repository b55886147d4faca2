"""The rows of a board as kinds: the table of subjects, bias against quality, ranks and pairwise differences."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from imprint.boards.rows import PART, BoardDifferenceRow, BoardRankingRow, BoardRow, BoardTestRow
from imprint.kinds import Kind, Part
from imprint.tables import Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Claim,
    Details,
    Listing,
    Span,
    Text,
    count,
    estimate,
    first_claim,
    footnote,
    join,
    number,
    percent,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.masking import Words

BOARD_PART = Part(PART, "Board of models", 1, controlled=False)

_SHOWN = 4  # columns of a page's table; the rest is shown on request
_ALIKE = 1.5  # times the smallest spread of cosines, above which sizes are not on one scale
_TOPIC_SIZE = "Mean difference with its 95 % interval over words; the strongest evidence; how many tests count."
_SIZE_TITLE = "size of bias (absolute value)"


def show_board(rows: Sequence[BoardRow]) -> Iterator[Block]:
    """Show every subject with its quality and its size in each topic, then size against quality."""
    found = Counter[str]()
    for row in rows:
        found[row.topic] += 1 + row.n_found
    topics = sorted(found, key=lambda topic: -found[topic])
    sizes = [
        Field(title=title(topic.capitalize()), meaning=_TOPIC_SIZE, cell=_size_in(topic), numeric=True)
        for topic in topics
    ]
    model = Field("embedding", meaning="Opens the model's own page.", cell=_model)
    columns = (model, Field("quality", cell=_quality), *sizes)
    lines = [[row for row in rows if row.embedding == name] for name in dict.fromkeys(row.embedding for row in rows)]
    yield table(BoardRow, "Sizes of bias, and quality", lines, columns[:_SHOWN], more=columns[_SHOWN:])
    unit = "" if rows[0].scale == "cosine" else ", divided by the standard deviation of the model's cosines"
    yield Listing(
        (
            "Size: how much closer one group's words are to one set of words than the other group's words are. It is "
            f"in cosines{unit}, averaged over the topic's tests. Positive: as the stereotype predicts.",
            f"Quality: Spearman's correlation with people's ratings of pairs of words, in {_benchmark(rows)}.",
            "In brackets: the 95 % interval for other words of the same kinds.",
            "Evidence: the strongest that any one test of the topic has, corrected for all tests of this model. An "
            "interval without zero can go with “none shown”, because it is not corrected.",
            "Tests: models lack different words, so sizes in one column can be over different tests. Differences use "
            "what both models have.",
            "A click on a topic sorts by the absolute size.",
        ),
        ("page", "terminal"),
    )
    charts = [
        chart for place, topic in enumerate(topics, start=1) if (chart := _chart(rows, topic, place)) is not None
    ]
    yield from (replace(chart, main=True) for chart in charts[:1])
    if charts[1:]:
        yield Details("Bias against quality in the other topics", tuple(charts[1:]), ("page",))


def _model(rows: Sequence[BoardRow]) -> Cell:
    first = rows[0]
    spread: Text = "" if first.spread is None else say(" · spread {}", number(first.spread, 3))
    return Cell(title(first.embedding), link=first.page or "", below=say("{}{}", first.subject, spread))


def _quality(rows: Sequence[BoardRow]) -> Cell:
    first = rows[0]
    text = estimate(first.quality, first.quality_low, first.quality_high)
    return Cell(text, order=first.quality, below=_pairs(first))


def _size_in(topic: str) -> Callable[[Sequence[BoardRow]], Cell]:
    return lambda rows: _cell({row.topic: row for row in rows}[topic])


def _pairs(row: BoardRow) -> Text:
    """Say how many pairs of the benchmark the quality is over, unless it is over all."""
    if row.quality_pairs is None or row.quality_asked is None or row.quality_pairs == row.quality_asked:
        return ""
    return say("{} of {} pairs", count(row.quality_pairs), count(row.quality_asked))


def _cell(row: BoardRow) -> Cell:
    asked = len(row.tests) + len(row.tests_left_out)
    tests = say("{} of {} tests", count(len(row.tests)), count(asked)) if row.tests_left_out else ""
    if row.mean_difference is None:
        return Cell(NOTHING, below=tests)
    if row.judged is False:
        return Cell(_size(row), faint=True, below="cannot be judged")
    ranks = [] if row.rank_best is None else [say("rank {}", _ranks(row.rank_best, row.rank_worst))]
    part = "weat" if row.subject == "embedding" else "seat"
    span = Span(row.mean_difference, row.words_low, row.words_high)
    return Cell(
        _size(row),
        order=abs(row.mean_difference),
        link=f"{row.page}#{part}" if row.page else "",
        span=span,
        below=join([row.evidence or "not judged", *([tests] if tests else []), *ranks], " · "),
    )


def _ranks(best: int, worst: int | None) -> Text:
    return count(best) if worst in (None, best) else say("{} to {}", count(best), count(worst))


def _benchmark(rows: Sequence[BoardRow]) -> str:
    return next((row.benchmark.upper() for row in rows if row.benchmark), "a benchmark")


def _chart(every: Sequence[BoardRow], topic: str, place: int) -> Chart | None:
    """Draw size against quality, the efficient subjects named first; nothing where fewer than two have both."""
    shown = [row for row in every if row.topic == topic and row.judged is not False]
    shown = [row for row in shown if row.mean_difference is not None and row.quality is not None]
    if len(shown) < 2:
        return None
    quality = f"quality (Spearman, {_benchmark(shown)})"

    def draw(words: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point

        ordered = sorted(shown, key=lambda row: not row.efficient)
        points = [
            Point(
                words.plain(row.embedding),
                row.quality or 0.0,
                abs(row.mean_difference or 0.0),
                "efficient" if row.efficient else "not efficient",
            )
            for row in ordered
        ]
        return scatter(points, x_title=quality, y_title=_SIZE_TITLE, from_zero=True, width=width)

    efficient = join((title(row.embedding) for row in shown if row.efficient), "; ")
    columns = (
        Field(title="Model", cell=lambda row: title(row.embedding)),
        Field(title="Quality", cell=lambda row: Cell(number(row.quality, 3), order=row.quality), numeric=True),
        Field(title="Size", cell=_absolute, numeric=True),
        "efficient",
    )
    name = title(topic)
    return Chart(
        f"board-{place}",
        say("Bias against quality: {}", name),
        say(
            "A dot for each of {} models. The best place is at the lower right: good quality, small size.",
            f"{len(shown)}",
        ),
        draw,
        table(BoardRow, say("Bias against quality: {}", name), shown, columns),
        note=say(
            "Efficient: {}. No other model is at least as good in both, and better in one. Each pair is compared on "
            "the words that both have. This ignores uncertainty: a model can be efficient by chance.",
            efficient,
        ),
    )


def _size(row: BoardRow | BoardDifferenceRow) -> Text:
    return estimate(row.mean_difference, row.words_low, row.words_high, 3)


def _absolute(row: BoardRow) -> Cell:
    return Cell(number(row.mean_difference, 3), order=abs(row.mean_difference or 0.0))


def say_board(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Say which subjects cannot be judged, and that sizes are not on one scale."""
    failed = dict.fromkeys(row.embedding for row in rows if row.judged is False)
    if failed:
        yield say(
            "Not compared, because they fail controls that every usable model passes, or lack their words: {}.",
            join(map(title, failed), "; "),
        )
    spreads = [row.spread for row in rows if row.spread is not None and row.judged is not False]
    if rows[0].scale == "cosine" and spreads and max(spreads) > _ALIKE * min(spreads):
        yield say(
            "Some models give most pairs of words similar cosines, others do not (standard deviations {} to {}). So "
            "equal sizes need not mean equal bias.",
            number(min(spreads), 3),
            number(max(spreads), 3),
        )


def claim_board(rows: Sequence[BoardRow]) -> Iterator[Claim]:
    """Pair what sizes are with what they are not."""
    yield (
        "How large each association is, for words like those tested.",
        "That the model with the smallest size is fair, or does less harm: that depends on its use.",
    )


def show_rankings(rows: Sequence[BoardRankingRow]) -> Iterator[Block]:
    """Show the ranks of each topic, or that it has none."""
    tests = Field("tests", cell=lambda row: count(len(row.tests)), numeric=True)
    columns = ("topic", "agreement", tests, Field("subjects", cell=_order))
    yield table(BoardRankingRow, "Ranks by topic", rows, columns)
    least, splits = rows[0].least, rows[0].splits
    yield footnote(
        say(
            "The smallest absolute size has rank 1. If the ranks of two models overlap, their order is unknown. "
            "Before ranking, the words are split at random into halves, {} times. We count how often both halves put "
            "two models in the same order, on average over all pairs of models. A topic is ranked only if they agree "
            "in at least {} of cases, both in cosines and in units of each model's spread of cosines. Chance gives "
            "about 50 %. Ranks are over the tests and words that all models have.",
            count(splits),
            percent(least),
        )
    )


def _order(row: BoardRankingRow) -> Text:
    if not row.has_order:
        return "not ranked"
    if all(worst == len(row.subjects) for worst in row.ranks_worst):
        return "no order known"
    ranks = zip(row.subjects, row.ranks_best, row.ranks_worst, strict=True)
    return join((say("{} ({})", title(name), _ranks(best, worst)) for name, best, worst in ranks), "; ")


def say_rankings(rows: Sequence[BoardRankingRow]) -> Iterator[Text]:
    """Say which topics have an order, and why the others have none."""
    if all(len(row.subjects) < 2 for row in rows):
        yield "There is nothing to compare: fewer than two models can be judged."
    disagreeing, apart = (
        [row for row in rows if not row.has_order and len(row.subjects) > 1 and (row.agreement is None) is without]
        for without in (False, True)
    )
    if disagreeing:
        yield _unranked(disagreeing, rows)
        yield "With one half of the words, models often come in another order than with the other half."
    if apart:
        yield say("{} No test there has enough words in all models.", _unranked(apart, rows))
    for row in rows:
        if not row.has_order:
            continue
        last = len(row.subjects)
        first = [name for name, worst in zip(row.subjects, row.ranks_worst, strict=True) if worst < last]
        if first:
            yield say(
                "{}: {} {} a smaller size than at least one other model.",
                title(row.topic.capitalize()),
                join(map(title, first), "; "),
                "has" if len(first) == 1 else "have",
            )
        else:
            yield say("{}: no two models are known to differ in size.", title(row.topic.capitalize()))


def _unranked(some: Sequence[BoardRankingRow], rows: Sequence[BoardRankingRow]) -> Text:
    if len(some) == len(rows):
        return "No topic is ranked."
    return say("Not ranked: {}.", join((title(row.topic) for row in some), ", "))


def show_differences(rows: Sequence[BoardDifferenceRow]) -> Iterator[Block]:
    """Show the significant differences, and those of every pair one click away."""
    ordered = sorted(rows, key=lambda row: 2.0 if row.p_together is None else row.p_together)
    other_scale = Field("p_other_scale", f"p, in {'spreads' if rows[0].scale == 'cosine' else 'cosines'}")
    alone = Field(
        title="This difference alone",
        meaning="With its own 95 % interval over words.",
        cell=lambda row: Cell(_size(row), order=row.mean_difference),
        numeric=True,
    )
    columns = ("topic", "embedding", "other", "mean_difference", "p_together", "larger", other_scale)
    more = (alone, "p_words")
    if significant := [row for row in ordered if _significant(row)]:
        yield table(BoardDifferenceRow, "Significant differences between two models", significant, columns, more=more)
    reading = footnote(
        "Two models are compared on the words and tests that both have, so a difference may not equal one size minus "
        "the other. Intervals and p-values are corrected together, by resampling the words for all models at once. A "
        "difference whose interval contains zero is not significant."
    )
    heading = "Differences between two models"
    listed = table(BoardDifferenceRow, heading, ordered, columns, more=more, filtered=True)
    yield Details("Differences between all pairs of models", (listed, reading))


def _significant(row: BoardDifferenceRow) -> bool:
    return row.p_together is not None and row.p_together <= (row.alpha or 0.0)


def say_differences(rows: Sequence[BoardDifferenceRow]) -> Iterator[Text]:
    """Say how many differences are significant, on the other scale too, and which model's size is the larger one."""
    found = [row for row in rows if _significant(row)]
    counts = count(len(found)), count(len(rows))
    if not found:
        yield say("None of {} differences between two models is significant, corrected for their number.", counts[1])
        return
    yield say("{} of {} differences between two models are significant, corrected for their number.", *counts)
    both = sum(row.p_other_scale is not None and row.p_other_scale <= (row.alpha or 0.0) for row in found)
    other = "divided by the spread of each model's cosines" if rows[0].scale == "cosine" else "taken in cosines"
    yield say("With sizes {}, {} of them {} significant too.", other, count(both), "is" if both == 1 else "are")
    yield from _larger(found)


def _larger(found: Sequence[BoardDifferenceRow]) -> Iterator[Text]:
    """Say per topic whose sizes exceed whose; models that exceed the same others share a sentence."""
    below: dict[tuple[str, str], list[str]] = {}
    for row in found:
        if row.larger is not None and row.other is not None:
            smaller = row.other if row.larger == row.embedding else row.embedding
            below.setdefault((row.topic, row.larger), []).append(smaller)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (topic, larger), exceeded in below.items():
        together.setdefault((topic, tuple(sorted(exceeded))), []).append(larger)
    for (topic, others), models in together.items():
        yield say(
            "{}: larger in {} than in {}.",
            title(topic.capitalize()),
            join(map(title, models), "; "),
            join(map(title, others), "; "),
        )


def show_tests(rows: Sequence[BoardTestRow]) -> Iterator[Block]:
    """Show every test of every subject."""
    columns = (
        Field("test", cell=lambda row: say("{}: {}", title(row.test), title(row.title))),
        Field("embedding", cell=lambda row: Cell(title(row.embedding), link=row.page or "")),
        "mean_difference",
        Field("evidence", cell=lambda row: row.evidence or "not judged"),
        "direction",
    )
    listed = table(BoardTestRow, "Tests", rows, columns, filtered=True)
    yield Details("Every test of every model", (listed,), ("page",))


BOARD = Kind(
    "board",
    row=BoardRow,
    part=BOARD_PART,
    blocks=show_board,
    sentences=say_board,
    claims=claim_board,
    rank=-3,
    method="Models were compared on the words that both have. Differences have intervals over words and were "
    "corrected together for all pairs and topics (max-T). A topic was ranked only if random halves of its words "
    "agreed on the order of two models in at least two thirds of cases.",
)
BOARD_RANKING = Kind(
    "board-ranking",
    row=BoardRankingRow,
    part=BOARD_PART,
    blocks=show_rankings,
    sentences=say_rankings,
    rank=-2,
    opens=1,
)
BOARD_DIFFERENCE = Kind(
    "board-difference",
    row=BoardDifferenceRow,
    part=BOARD_PART,
    blocks=show_differences,
    sentences=say_differences,
    claims=lambda rows: first_claim(
        say_differences(rows), "That models without a significant difference are equally biased: words may be too few."
    ),
    aliases={"p": "p_together"},
    rank=-4,
    opens=3,
)
BOARD_TEST = Kind("board-test", row=BoardTestRow, part=BOARD_PART, blocks=show_tests)
