"""What `imprint debias` prints for people: what was fitted, what changed, and what other strengths would do."""

from imprint.association.battery import Battery
from imprint.cli.console import say
from imprint.cli.formats import make_table, number, p_value, show_table
from imprint.cli.tables import say_skipped
from imprint.debiasing.frontier import (
    PAPER_BACKGROUND,
    PAPER_HELD_OUT,
    WANTED_REDUCTION,
    Variances,
    choose_strength,
    frontier,
)
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.stimuli.seeds import FEWEST_JUDGES, Seeds

FACTS = {
    "strength": "strength",
    "spread": "share of the background in the stereotype term",
    "background": "background words",
    "kept": "words kept as they were",
    "pairs": "pairs equalised",
    "gap": "certificate: at most so far above the optimum, relatively",
    "iterations": "iterations (0: closed form)",
    "cone_active": "the positive semidefinite cone is active",
    "geometry_lost": "inner products between background words changed by",
    "stereotype_left": "seed words' squared projections left, as the programme sees them",
    "changed": "labelled words' variance taken away",
}
_NOTHING = 1e-9  # variance of what has been taken away before
_ALL_GONE = 1e6  # times smaller: what is left is rounding
WANTED_BACKGROUND = 0.15  # change of the background's variance, as a share, from which on a note is due
LEGEND = (
    "Variances are of rows at length one before debiasing and as they are after it, on the axis the same words make.",
    "The paper: Bolukbasi et al. (2016), section 3, on Google News and other words than these.",
    "What one axis no longer shows, another may: a WEAT that is gone does not prove that the bias is. Below 0 it is",
    "reversed, not gone; p is one-sided, for the stereotype.",
)


def show_debiasing(
    transform: Transform, axis: Axis, variances: Variances | None, batteries: tuple[Battery, Battery] | None
) -> None:
    """Print what was fitted, the variances and the WEATs before and after, and what they mean."""
    known = {**transform.card.settings, **transform.card.measured}
    table = make_table(f"Debiased ({transform.method})", ("fitted", "left"), ("", "right"))
    for name, text in FACTS.items():
        if name in known:
            table.add_row(text, _plain(known[name]))
    show_table(table)
    if variances is not None:
        _show_variances(axis, variances)
    if batteries is not None:
        _show_weats(*batteries)
    for line in LEGEND:
        say(line)


def _show_variances(axis: Axis, variances: Variances) -> None:
    title = f"Variance of projections on {axis.name}; that axis is {variances.axis_left:.0%} as long as before"
    right = ("before", "after", "after / before", "paper before", "paper after")
    table = make_table(title, ("", "left"), ("words", "right"), *((name, "right") for name in right))
    for what, count, before, after, paper in (
        (
            "held-out stereotype words",
            f"{variances.held_out:,} of {variances.held_out_asked:,}",
            variances.held_out_before,
            variances.held_out_after,
            PAPER_HELD_OUT,
        ),
        (
            "background words",
            f"{variances.background:,} of {variances.background_asked:,}",
            variances.background_before,
            variances.background_after,
            PAPER_BACKGROUND,
        ),
    ):
        ratio = _plain(after / before) if before > _NOTHING else "-"
        table.add_row(what, count, _plain(before), _plain(after), ratio, *(f"{value:g}" for value in paper))
    show_table(table)
    if variances.held_out < FEWEST_JUDGES:
        say(f"Too few held-out words ({variances.held_out}) to judge this by; at least {FEWEST_JUDGES} are wanted.")
        return
    say(
        f"The held-out variance is {_less(variances.reduction)} (the middle 95 % over resamples of the words: "
        f"{_less(variances.reduction_low)} to {_less(variances.reduction_high)})."
    )
    short = [f"less than {WANTED_REDUCTION:g} times"] if variances.reduction < WANTED_REDUCTION else []
    if abs(variances.background_ratio - 1) > WANTED_BACKGROUND:
        short.append(f"the background's variance changed by more than {WANTED_BACKGROUND:.0%}")
    if short:
        say(f"note: {' and '.join(short)}; strengths differ between embeddings: --frontier shows what others would do")


def print_frontier(embedding: Embedding, axis: Axis, seeds: Seeds | None) -> None:
    """Print what every strength would do to the words that judge, and the smallest that does enough."""
    fitted, held_out = (None, None) if seeds is None else (seeds.fitted, seeds.held_out or None)
    points = frontier(embedding, axis=axis, seeds=fitted, held_out=held_out)
    columns = ("strength", "held-out after / before", "background after / before", "axis left")
    table = make_table("The frontier: what other strengths would do", *((name, "right") for name in columns))
    for point in points:
        one = point.variances
        table.add_row(
            f"{point.strength:g}", f"{1 / one.reduction:.3f}", f"{one.background_ratio:.3f}", f"{one.axis_left:.0%}"
        )
    show_table(table)
    chosen = choose_strength(points)
    say(f"{chosen:g} is the smallest that leaves a {WANTED_REDUCTION:g}th of the held-out variance, or the last one.")


def _show_weats(before: Battery, after: Battery) -> None:
    right = ("d before", "p before", "d after", "p after")
    table = make_table("WEATs of gender", ("test", "left"), ("", "left"), *((name, "right") for name in right))
    later = {row.result.test.id: row.result for row in after.weats}
    for row in before.weats:
        one, other = row.result, later[row.result.test.id]
        cells = [cell for r in (one, other) for cell in (number(r.effect_size), p_value(r.significance))]
        table.add_row(one.test.id, one.test.title, *cells)
    show_table(table)
    say_skipped(before.skipped)


def _less(reduction: float) -> str:
    """Say how many times smaller a variance has become, or larger."""
    if reduction > _ALL_GONE:
        return "all gone"
    return f"{reduction:.1f} times smaller" if reduction >= 1 else f"{1 / reduction:.1f} times larger"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
