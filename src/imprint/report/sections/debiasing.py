"""Debiasing on the page: what was taken away, and what a classifier still finds."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.debiasing.debiaser import summarise
from imprint.finding import Finding
from imprint.report import charts
from imprint.report.marking import NOTHING, Words, count, number, share
from imprint.report.sections.weat import side_by_side
from imprint.report.view import Block, Chart, Column, Prose, Table
from imprint.stimuli.seeds import FEWEST_JUDGES


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell what was done, the scatter before and after, the tests again, and what is left."""
    for one in findings:
        if one.kind == "debiasing":
            method = str(one.details.get("method"))
            what = summarise(method)
            yield Prose(f"The method “{method}” {what}. It is judged on professions that it was not told about.")
            yield _variances(one)
            judges = (one.details.get("variances") or {}).get("held_out")
            if judges is not None and judges < FEWEST_JUDGES:
                few = f"Fewer than {FEWEST_JUDGES} of these professions are in the embedding"
                yield Prose(f"{few}: too few to judge it by, here and in what follows.", "note")
        elif one.kind == "frontier":
            yield frontier_chart(one)
        elif one.kind == "debiased projection":
            yield before_after_chart(one, words)
    tests = [one for one in findings if one.kind == "weat"]
    if tests:
        yield side_by_side("The tests of gender, before and after", tests, words, corrected=False)
        yield Prose(
            "An effect below zero is an association turned round, not gone. These p-values are not corrected.",
            "note",
        )
    leaks = [one for one in findings if one.kind == "leakage"]
    if leaks:
        yield Prose(
            "Taken off an axis, a bias may still be there in other directions. Can a classifier tell women's words "
            "from men's by their vectors alone? Chance is about one half. What it still finds was hidden, not "
            "removed."
        )
        yield _leakage(leaks)


def before_after_chart(one: Finding, words: Words) -> Chart:
    """Draw how far each word lies from the middle, before and after (Bolukbasi et al., Figure 2)."""
    groups = (("held_out", "professions held out"), ("background", "background words"))
    points = [
        charts.Point(words.plain(word), abs(before), abs(after), group)
        for key, group in groups
        for word, (before, after) in (one.details.get(key) or {}).items()
    ]
    columns = (Column("Word"), Column("List"), Column("Before", numeric=True), Column("After", numeric=True))
    lines = tuple(
        (words.plain(word), group, number(before, 3), number(after, 3))
        for key, group in groups
        for word, (before, after) in (one.details.get(key) or {}).items()
    )
    return Chart(
        "debiasing-scatter",
        "How far words lie from the middle of the axis, before and after",
        "Words on the diagonal kept their place along the axis, which he and she define anew; words near the bottom "
        "lost it. Professions should fall to the bottom; background words should stay on the diagonal.",
        charts.scatter(points, x_title="distance before", y_title="distance after", line="diagonal"),
        Table("Places along the axis, before and after", columns, lines, filtered=True),
    )


def frontier_chart(one: Finding) -> Chart:
    """Draw what other strengths would do: how much less the professions vary, against what the background keeps."""
    points = one.details.get("strengths") or ()
    labelled = [
        charts.Point(f"{point['strength']:g}", point["background_ratio"], point["reduction"]) for point in points
    ]
    columns = (
        Column("Strength", numeric=True),
        Column("Professions held out, times less variance", numeric=True),
        Column("Background variance kept", numeric=True),
        Column("Length of the axis kept", numeric=True),
    )
    keys = ("strength", "reduction", "background_ratio", "axis_left")
    return Chart(
        "debiasing-frontier",
        "What other strengths would do",
        "A dot for each strength: the stronger, the less the professions vary along the axis, and the less the "
        "background words keep of their variance too. The filled dot is the strength used here.",
        charts.curve(
            labelled,
            x_title="share of the background's variance kept",
            y_title="professions held out: times less variance",
            chosen=f"{one.details.get('chosen') or 0:g}",
        ),
        Table("Strengths", columns, tuple(tuple(number(point[key]) for key in keys) for point in points)),
    )


def _variances(one: Finding) -> Table:
    known = one.details.get("variances") or {}
    columns = (
        Column("Words"),
        Column("Found", "Words the embedding has, of those asked for."),
        Column("Variance before", numeric=True),
        Column("Variance after", numeric=True),
    )
    rows = tuple(
        (
            label,
            Markup("{} of {}").format(count(known.get(key)), count(known.get(f"{key}_asked"))),
            number(known.get(f"{key}_before"), 4),
            number(known.get(f"{key}_after"), 4),
        )
        for key, label in (("held_out", "Professions held out"), ("background", "Background words"))
    )
    return Table("Spread of words along the axis", columns, rows)


def _leakage(rows: Sequence[Finding]) -> Table:
    columns = (
        Column("Words"),
        Column("Classifier"),
        Column("Chance", numeric=True),
        Column("Right before", numeric=True),
        Column("Right after", numeric=True),
        Column(
            "Interval after", "95 %: of classifiers allowing for other words to train on, of clusters for other words."
        ),
    )
    lines = tuple(
        (
            str(one.details.get("words")),
            str(one.details.get("method")),
            share(one.details.get("chance")),
            share(one.details.get("against_accuracy")),
            share(one.details.get("accuracy")),
            NOTHING
            if one.details.get("accuracy_low") is None
            else Markup("{} to {}").format(share(one.details["accuracy_low"]), share(one.details["accuracy_high"])),
        )
        for one in rows
    )
    return Table("What a classifier still finds", columns, lines)
