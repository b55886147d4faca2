"""`imprint policy`: a policy file to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from imprint.cli.options import is_file
from imprint.errors import SettingError

policy_app = typer.Typer(no_args_is_help=True, help="Write down what a model must show before it may be used.")

PolicyOption = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        callback=is_file,
        metavar="FILE",
        help="A policy file: requirements with margins. The exit code is 0 passed, 2 failed, 3 cannot tell.",
    ),
]


@policy_app.callback()
def _policies() -> None:
    """Keep `init` a subcommand although it is the only one."""


@policy_app.command("init")
def init_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("imprint.toml"),
) -> None:
    """Write a policy with comments, for you to edit."""
    from imprint.cli.console import print_answer
    from imprint.files import replacing
    from imprint.policies.policy import example

    if file.exists():
        raise SettingError("is there already", where=file, hint="edit it, or name another file")
    with replacing(file) as part:
        part.write_text(example(), encoding="utf-8")
    print_answer(f"wrote {file}; edit its sizes, then run: imprint audit SUBJECT --policy {file}")
