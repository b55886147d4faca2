"""`imprint neighbours`: the nearest words, and names ranked by a query."""

from typing import Annotated

import typer

import imprint
from imprint.cli.options import EmbeddingArgument, JsonOption, UnmaskOption, are_words


def neighbours_command(
    embedding: EmbeddingArgument,
    words: Annotated[
        list[str], typer.Argument(metavar="WORD...", help="Words, or queries of several words in quotation marks.")
    ],
    count: Annotated[int, typer.Option(min=1, max=100, help="Nearest words to print.")] = 10,
    swap: Annotated[
        bool, typer.Option("--swap", help="Rank names by each query instead: pages that differ in a name only.")
    ] = False,
    document: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With --swap, the rest of the page. [default: the query]")
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(
            callback=are_words, metavar="NAMES", help="With --swap, first names: a file or a list. [default: men's]"
        ),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(callback=are_words, metavar="NAMES", help="Second names, likewise. [default: women's]"),
    ] = None,
    unmask: UnmaskOption = False,
    json: JsonOption = False,
) -> None:
    """List the words nearest to a word or a query.

    With --swap, rank names by the query as a search engine would rank two pages that differ in the name only.
    """
    from imprint.cli.console import open_embedding, show_findings
    from imprint.errors import SettingError
    from imprint.stimuli.files import read_words

    for option, given in (("--document", document), ("--x", x), ("--y", y)):
        if given is not None and not swap:
            raise SettingError(f"{option} works with --swap only", option=option, got=given, hint="add --swap")
    opened = open_embedding(embedding)
    if swap:
        first, second = (None if names is None else read_words(names) for names in (x, y))
        ranked = [imprint.rank_names(opened, word, document=document, x=first, y=second) for word in words]
        show_findings(ranked, json=json, unmask=unmask)
        return
    found = [imprint.neighbours(opened, word, count=count) for word in words]
    show_findings(found, json=json, unmask=unmask)
