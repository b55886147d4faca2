"""`imprint project`, `analogies` and `neighbours`: words along an axis, pairs of them, and words that are near."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

import imprint
from imprint.checks import PairMethod
from imprint.cli import console, options
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.directions.settings import AnalogySettings
from imprint.errors import SettingError
from imprint.settings import option

_CONTENT_NOTE = "These analogies are the embedding's own. Many are offensive, and none is a fact about anybody."


def project_command(
    subject: SubjectArgument,
    axis: options.AxisOption = None,
    pairs: options.PairsOption = None,
    sets: Annotated[
        tuple[str, str] | None,
        option(
            "Two files or lists of words, such as he,him she,her: the axis joins their means.",
            callback=options.are_words,
            metavar="WORDS WORDS",
        ),
    ] = None,
    method: Annotated[
        PairMethod | None, option("Of several pairs: their mean difference, or pca. [default: difference]")
    ] = None,
    words: Annotated[
        str | None,
        option(
            "Words to project: a file, or a list such as nurse,teacher. [default: professions]",
            names_a="words",
            metavar="WORDS",
        ),
    ] = None,
    against: Annotated[
        str | None, option("Another subject to compare with.", names_a="subject", metavar="OTHER")
    ] = None,
    top: Annotated[
        int,
        option("Words to show at each end and in the middle; fewer than three times as many are listed once.", min=1),
    ] = 10,
    *,
    about: EncoderSettings,
    json: options.JsonOption = False,
) -> None:
    """Place words on an axis: which lie nearer to he or she?

    Without --words the words are professions not gendered by definition, and their places are compared with what a
    crowd thinks of them.
    """
    from imprint.directions.projection import FEWEST, compare_projections, compare_with_scores, joined
    from imprint.kinds.directions import CROWD, show_comparisons, show_projections

    ends, make_axis = _recipe(axis, pairs, sets, method)
    scores = {profession.word: profession.stereotype for profession in imprint.professions()}
    asked = tuple(scores) if words is None else imprint.read_seeds(words).words
    needed = {*asked, *map(joined, asked), *ends}
    with opened_subjects((subject, against), about, needed) as opened:
        placed = [imprint.project(vectors, make_axis(vectors), asked) for vectors in opened.words((*ends, *asked))]
    first, *others = placed
    comparisons = [compare_projections(first, other) for other in others]
    gendered = sets is None and pairs in (None, options.DEFAULT_PAIRS) and axis in (None, options.DEFAULT_PAIR)
    if gendered and first.n_words >= FEWEST and all(joined(word) in scores for word in first.to_mapping()):
        comparisons.append(compare_with_scores(first, scores, name=CROWD))
    if json:
        console.print_findings([*placed, *comparisons])
    else:
        shown = show_comparisons(comparisons) if comparisons else ()
        console.show_blocks((*show_projections(placed, top), *shown))


def _recipe(
    axis: tuple[str, str] | None, pairs: str | None, sets: tuple[str, str] | None, method: PairMethod | None
) -> "tuple[set[str], Callable[[imprint.Embedding], imprint.Axis]]":
    """Return the words to make an axis of, and what makes it in one embedding or in several."""
    from imprint.stimuli.files import read_words

    if sum(given is not None for given in (axis, pairs, sets)) > 1:
        raise SettingError(
            "--axis, --pairs and --sets cannot be used together", option="--axis", hint="give one of them"
        )
    if sets is None:
        given_pairs = options.pairs_given(axis, pairs)
        words = {word for pair in given_pairs for word in pair}
        return words, partial(imprint.pair_axis, pairs=given_pairs, method=method or "difference")
    if method is not None:
        raise SettingError(
            "--method works with pairs only",
            option="--method",
            got=method,
            hint="leave it out: two sets have one axis",
        )
    positive, negative = map(read_words, sets)
    return {*positive, *negative}, partial(imprint.set_axis, positive=positive, negative=negative)


def analogies_command(
    embedding: options.EmbeddingArgument,
    axis: options.AxisOption = None,
    pairs: options.PairsOption = None,
    *,
    settings: AnalogySettings,
    unmask: Annotated[bool, option("Print slurs in full.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Find pairs of words that differ as he and she do.

    He is to she as surgeon is to nurse; --axis asks about other words. All pairs of the vocabulary are compared.
    Many of the analogies are offensive: they are the embedding's own.
    """
    ends = options.pairs_given(axis, pairs)
    opened = console.open_embedding(embedding)
    with console.progress_bar("comparing all pairs") as report:
        rows = imprint.analogies(opened, ends, **asdict(settings), progress=report)
    console.show_findings(rows.findings(), json=json, unmask=unmask, note=_CONTENT_NOTE if rows else "")
    if len(rows) < settings.k:
        console.print_note(
            f"found {len(rows):,} of {settings.k:,} analogies: no other words within {settings.delta:g} differ along "
            "the axis"
        )


def neighbours_command(
    embedding: options.EmbeddingArgument,
    words: Annotated[
        list[str], typer.Argument(metavar="WORD...", help="Words, or queries of several words in quotation marks.")
    ],
    count: Annotated[int, option("Nearest words to print.", min=1, max=100)] = 10,
    swap: Annotated[bool, option("Rank names by each query instead: pages that differ in a name only.")] = False,
    document: Annotated[
        str | None, option("With --swap, the rest of the page. [default: the query]", metavar="TEXT")
    ] = None,
    x: Annotated[
        str | None,
        option("With --swap, first names: a file or a list. [default: men's]", names_a="words", metavar="NAMES"),
    ] = None,
    y: Annotated[
        str | None, option("Second names, likewise. [default: women's]", names_a="words", metavar="NAMES")
    ] = None,
    unmask: options.UnmaskOption = False,
    json: options.JsonOption = False,
) -> None:
    """List the words nearest to a word or a query.

    With --swap, rank names by the query as a search engine would rank two pages that differ in the name only.
    """
    from imprint.stimuli.files import read_words

    for flag, given in (("--document", document), ("--x", x), ("--y", y)):
        if given is not None and not swap:
            raise SettingError(f"{flag} works with --swap only", option=flag, got=given, hint="add --swap")
    opened = console.open_embedding(embedding)
    if swap:
        first, second = (None if names is None else read_words(names) for names in (x, y))
        ranked = [imprint.rank_names(opened, word, document=document, x=first, y=second) for word in words]
        console.show_findings(ranked, json=json, unmask=unmask)
        return
    rows = [imprint.neighbours(opened, word, count=count) for word in words]
    console.show_findings(rows, json=json, unmask=unmask)
