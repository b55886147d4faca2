"""`imprint policy`: a policy file to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from imprint.errors import SettingError

policy_app = typer.Typer(no_args_is_help=True, help="Write down what a model must show before it may be used.")


@policy_app.callback()
def _policies() -> None:
    """Keep `init` a subcommand although it is the only one."""


@policy_app.command("init")
def init_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("imprint.toml"),
) -> None:
    """Write a policy with comments, for you to edit."""
    from imprint.cli.console import print_answer
    from imprint.files import writable, write_text
    from imprint.policies.policy import example

    if writable(file).exists():
        raise SettingError("is there already", where=file, hint="edit it, or name another file")
    write_text(file, example())
    print_answer(f"wrote {file}; edit its sizes, then run: imprint audit SUBJECT --policy {file}")
