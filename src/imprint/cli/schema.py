"""`imprint schema`: what a row of each kind holds, as JSON Schema."""

from typing import Annotated

import typer

import imprint


def schema_command(
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help="One kind, such as weat. [default: all]")] = None,
) -> None:
    """Print the JSON Schema of the rows in findings.jsonl."""
    import json

    from imprint.cli.console import print_answer

    print_answer(json.dumps(imprint.schema(kind), indent=2))
