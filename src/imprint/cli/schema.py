"""`imprint schema`: what a row of each kind holds, as JSON Schema."""

from typing import Annotated

import typer


def schema_command(
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help="One kind, such as weat. [default: all]")] = None,
) -> None:
    """Print the JSON Schema of the rows in findings.jsonl."""
    import inspect
    import json

    import msgspec

    from imprint.checks import unknown_choice
    from imprint.cli.console import print_answer
    from imprint.kinds import REGISTRY, all_kinds
    from imprint.rows import SCHEMA_VERSION

    kinds = [one for one in all_kinds() if kind in (None, one.name)]
    if not kinds:
        raise unknown_choice("KIND", kind, REGISTRY.names())
    schemas, parts = msgspec.json.schema_components([one.row for one in kinds], ref_template="#/$defs/{name}")
    for part in parts.values():  # Python 3.13 takes the indentation off docstrings, older ones keep it
        if "description" in part:
            part["description"] = inspect.cleandoc(part["description"])
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A row of findings.jsonl, schema version {SCHEMA_VERSION}",
        "oneOf": list(schemas),
        "$defs": parts,
    }
    print_answer(json.dumps(whole, indent=2))
