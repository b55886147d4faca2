"""`imprint project`: where words lie along an axis such as he - she."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.choices import PairMethod
from imprint.cli.options import DEFAULT_PAIR, AxisOption, EmbeddingArgument, JsonOption
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.directions.axis import Axis
    from imprint.directions.projection import Comparison, Placed, Projections
    from imprint.embeddings.embedding import Embedding

DEFAULT_PAIRS = "default"

CROWD = "the crowd's gender stereotype scores"
AXIS_COLUMNS = ("axis", "pairs", "variance explained", "cosine between pairs", "words", "mean", "variance")
AGREEMENT_COLUMNS = ("coordinates against", "words", "Pearson", "p", "Spearman", "p")
LEGEND = (
    "Coordinates are of rows at unit length, between -1 and 1; the axis points from its second word to its first.",
    "p: two-sided, as if the words had been drawn at random; they were chosen.",
)


def project_command(
    embedding: EmbeddingArgument,
    axis: AxisOption = None,
    pairs: Annotated[
        str | None,
        typer.Option("--pairs", metavar="FILE", help="Pairs of words, one a line (he,she), or 'default': ten pairs."),
    ] = None,
    sets: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--sets", metavar="FILE FILE", help="Two files of words: the axis joins their means."),
    ] = None,
    method: Annotated[
        PairMethod | None,
        typer.Option("--method", help="Of several pairs: their mean difference, or pca. [default: difference]"),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option("--words", help="A file of words to project. [default: professions not gendered by definition]"),
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="OTHER", help="Another embedding to set beside this one.")
    ] = None,
    top: Annotated[
        int,
        typer.Option(
            "--top",
            min=1,
            help="Words to show at each end and in the middle; fewer than three times as many are listed once.",
        ),
    ] = 10,
    json: JsonOption = False,
) -> None:
    """Project words onto an axis of bias: which lie towards he, which towards she?

    Without --words the words are professions, and their places are compared with what a crowd thinks of them.
    """
    from imprint.cli.console import open_embedding, print_findings
    from imprint.directions.projection import FEWEST, compare_projections, compare_with_scores, joined, project
    from imprint.stimuli.seeds import professions, read_seeds

    recipe = _recipe(axis, pairs, sets, method)
    scores = {one.word: one.stereotype for one in professions()}
    asked = tuple(scores) if words is None else read_seeds(words).words
    needed = {*asked, *map(joined, asked), *recipe.words}
    placed = []
    for source in (embedding, *(() if against is None else (against,))):
        opened = open_embedding(source, needed)
        placed.append(project(opened, recipe.make(opened), asked))
    one = placed[0]
    comparisons = [compare_projections(one, other) for other in placed[1:]]
    gendered = sets is None and (pairs in (None, DEFAULT_PAIRS)) and axis in (None, DEFAULT_PAIR)
    if gendered and len(one.words) >= FEWEST and all(joined(word) in scores for word in one.words):
        comparisons.append(compare_with_scores(one, scores, name=CROWD))
    if json:
        print_findings(result.finding() for result in (*placed, *comparisons))
    else:
        _show(placed, comparisons, top)


@dataclass(frozen=True)
class _Recipe:
    """What to make an axis of, in one embedding or in several."""

    pairs: Sequence[tuple[str, str]]
    sets: tuple[Sequence[str], Sequence[str]] | None
    method: PairMethod = "difference"

    @property
    def words(self) -> Iterable[str]:
        return [word for group in (self.sets or self.pairs) for word in group]

    def make(self, embedding: "Embedding") -> "Axis":
        from imprint.directions.axis import pair_axis, set_axis

        if self.sets is not None:
            return set_axis(embedding, *self.sets)
        return pair_axis(embedding, self.pairs, method=self.method)


def _recipe(
    axis: tuple[str, str] | None, pairs: str | None, sets: tuple[Path, Path] | None, method: PairMethod | None
) -> _Recipe:
    from imprint.stimuli.seeds import definitional_pairs, read_pairs
    from imprint.stimuli.wordfiles import read_words

    if sum(option is not None for option in (axis, pairs, sets)) > 1:
        raise SettingError("give one of --axis, --pairs and --sets, not several")
    if sets is not None:
        if method is not None:
            raise SettingError("--method belongs to pairs; two sets have one axis: leave it out")
        return _Recipe((), (read_words(sets[0]), read_words(sets[1])))
    if pairs is not None:
        read = definitional_pairs() if pairs == DEFAULT_PAIRS else read_pairs(pairs)
        return _Recipe(read, None, method or "difference")
    return _Recipe((axis or DEFAULT_PAIR,), None, method or "difference")


def _show(placed: "Sequence[Projections]", comparisons: "Sequence[Comparison]", top: int) -> None:
    from imprint.cli.console import say

    _print_ends(placed, top)
    _print_rows("The axis, and how far the words spread along it", AXIS_COLUMNS, [_axis_row(one) for one in placed])
    if comparisons:
        _print_rows("Who agrees", AGREEMENT_COLUMNS, [_agreement_row(one) for one in comparisons])
    for line in (*LEGEND, *(_left_out(result) for result in placed if result.missing or result.axis.missing)):
        say(line)


def _print_ends(placed: "Sequence[Projections]", top: int) -> None:
    from imprint.cli.formats import TABLE_WIDTH, make_table, print_blocks, show_table, width

    one, others = placed[0], [other.to_mapping() for other in placed[1:]]
    title = " and in ".join((f"{one.axis.name} in {one.embedding}", *(other.embedding for other in placed[1:])))
    # Fewer words than three columns have places for would stand in several of them.
    few = len(one.words) < 3 * top
    ends = (
        {f"from {one.axis.positive[0]} to {one.axis.negative[0]}": one.most_positive(len(one.words))}
        if few
        else {
            f"most {one.axis.positive[0]}": one.most_positive(top),
            "nearest zero": one.nearest_zero(top),
            f"most {one.axis.negative[0]}": one.most_negative(top),
        }
    )
    cells = {end: [_cells(word, others) for word in words] for end, words in ends.items()}
    if width() < TABLE_WIDTH:
        print_blocks(
            title, [(end, ", ".join(f"{word} {place}" for word, place in words)) for end, words in cells.items()]
        )
        return
    table = make_table(title, *(column for end in cells for column in ((end, "left"), ("coordinate", "right"))))
    for words in zip(*cells.values(), strict=True):
        table.add_row(*(cell for word in words for cell in word))
    show_table(table)


def _print_rows(title: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    from imprint.cli.formats import TABLE_WIDTH, make_table, print_blocks, show_table, width

    if width() < TABLE_WIDTH:
        said = [", ".join(f"{name} {cell}" for name, cell in zip(columns[1:], row[1:], strict=True)) for row in rows]
        print_blocks(title, [(row[0], line) for row, line in zip(rows, said, strict=True)])
        return
    table = make_table(title, (columns[0], "left"), *((name, "right") for name in columns[1:]))
    for row in rows:
        table.add_row(*row)
    show_table(table)


def _cells(word: "Placed", others: Sequence[dict[str, float]]) -> tuple[str, str]:
    """Return a word and where it lies here and elsewhere."""
    from imprint.cli.formats import number
    from imprint.masking import mask

    places = (word[1], *(other.get(word[0], math.nan) for other in others))
    return mask(word[0]), " / ".join(number(round(place, 3) + 0.0, 3) for place in places)  # + 0.0: no minus zero


def _axis_row(result: "Projections") -> tuple[str, ...]:
    from imprint.cli.formats import number

    axis, found = result.axis, len(result.words)
    return (
        f"{axis.name} in {result.embedding}",
        "-" if axis.method == "sets" else str(len(axis.positive)),
        number(axis.explained),
        number(axis.agreement),
        f"{found} of {found + len(result.missing)}",
        number(float(result.coordinates.mean()), 3),
        number(result.variance, 4),
    )


def _agreement_row(comparison: "Comparison") -> tuple[str, ...]:
    return (
        comparison.other,
        str(len(comparison.words)),
        f"{comparison.pearson:.2f}",
        f"{comparison.pearson_p_value:.2g}",
        f"{comparison.spearman:.2f}",
        f"{comparison.spearman_p_value:.2g}",
    )


def _left_out(result: "Projections") -> str:
    missing = dict.fromkeys((*result.axis.missing, *result.missing))
    return f"missing words in {result.embedding}: {', '.join(missing)}"
