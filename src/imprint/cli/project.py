"""`imprint project`: where words lie along an axis such as he - she."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

import imprint
from imprint.checks import PairMethod
from imprint.cli import options
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.errors import SettingError


@options.with_settings
def project_command(
    subject: SubjectArgument,
    axis: options.AxisOption = None,
    pairs: options.PairsOption = None,
    sets: Annotated[
        tuple[str, str] | None,
        typer.Option(
            callback=options.are_words,
            metavar="WORDS WORDS",
            help="Two files or lists of words, such as he,him she,her: the axis joins their means.",
        ),
    ] = None,
    method: Annotated[
        PairMethod | None, typer.Option(help="Of several pairs: their mean difference, or pca. [default: difference]")
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            callback=options.are_words,
            metavar="WORDS",
            help="Words to project: a file, or a list such as nurse,teacher. [default: professions]",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(callback=options.is_subject, metavar="OTHER", help="Another subject to compare with."),
    ] = None,
    top: Annotated[
        int,
        typer.Option(
            min=1, help="Words to show at each end and in the middle; fewer than three times as many are listed once."
        ),
    ] = 10,
    *,
    about: EncoderSettings,
    json: options.JsonOption = False,
) -> None:
    """Place words on an axis: which lie nearer to he or she?

    Without --words the words are professions not gendered by definition, and their places are compared with what a
    crowd thinks of them.
    """
    from imprint.cli.console import print_findings, show_blocks
    from imprint.directions.projection import FEWEST, compare_projections, compare_with_scores, joined
    from imprint.kinds.directions import CROWD, show_comparisons, show_projections

    ends, make_axis = _recipe(axis, pairs, sets, method)
    scores = {one.word: one.stereotype for one in imprint.professions()}
    asked = tuple(scores) if words is None else imprint.read_seeds(words).words
    needed = {*asked, *map(joined, asked), *ends}
    with opened_subjects((subject, against), about, needed) as opened:
        placed = [imprint.project(one, make_axis(one), asked) for one in opened.words((*ends, *asked))]
    one = placed[0]
    comparisons = [compare_projections(one, other) for other in placed[1:]]
    gendered = sets is None and (pairs in (None, options.DEFAULT_PAIRS)) and axis in (None, options.DEFAULT_PAIR)
    if gendered and one.n_words >= FEWEST and all(joined(word) in scores for word in one.to_mapping()):
        comparisons.append(compare_with_scores(one, scores, name=CROWD))
    if json:
        print_findings([*placed, *comparisons])
    else:
        show_blocks((*show_projections(placed, top), *(show_comparisons(comparisons) if comparisons else ())))


def _recipe(
    axis: tuple[str, str] | None, pairs: str | None, sets: tuple[str, str] | None, method: PairMethod | None
) -> "tuple[set[str], Callable[[imprint.Embedding], imprint.Axis]]":
    """Return the words to make an axis of, and what makes it in one embedding or in several."""
    from imprint.stimuli.files import read_words

    if sum(option is not None for option in (axis, pairs, sets)) > 1:
        raise SettingError(
            "--axis, --pairs and --sets cannot be used together", option="--axis", hint="give one of them"
        )
    if sets is None:
        given = options.pairs_given(axis, pairs)
        words = {word for pair in given for word in pair}
        return words, partial(imprint.pair_axis, pairs=given, method=method or "difference")
    if method is not None:
        raise SettingError(
            "--method works with pairs only",
            option="--method",
            got=method,
            hint="leave it out: two sets have one axis",
        )
    positive, negative = map(read_words, sets)
    return {*positive, *negative}, partial(imprint.set_axis, positive=positive, negative=negative)
