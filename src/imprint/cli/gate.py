"""`imprint gate` and `policy`: findings held against what was required before; the exit code says how it went."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from msgspec.structs import asdict

import imprint
from imprint.cli import console
from imprint.cli.options import FindingsArgument, JsonOption
from imprint.errors import SettingError
from imprint.policies.settings import GateSettings
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.policies.gate import Gate

policy_app = typer.Typer(no_args_is_help=True, help="Write down what a model must show before it may be used.")


@dataclass(frozen=True, kw_only=True)
class VerdictFiles:
    """Where verdicts are written, besides what is printed."""

    junit: Annotated[Path | None, option("Write the verdicts as JUnit XML, for a list of tests.", metavar="FILE")] = (
        None
    )
    summary: Annotated[
        Path | None,
        option("Add the verdicts to this file as Markdown, such as $GITHUB_STEP_SUMMARY.", metavar="FILE"),
    ] = None

    @property
    def targets(self) -> dict[str, Path | None]:
        """The files by their options."""
        return {"--junit": self.junit, "--summary": self.summary}

    def exit_with(self, gate: "Gate") -> NoReturn:
        """Write the verdicts where they were asked for, and exit with the code that says how it went."""
        from imprint.policies.exports import append_summary, write_junit

        if self.junit is not None:
            write_junit(self.junit, gate)
        if self.summary is not None:
            append_summary(self.summary, gate)
        raise typer.Exit(gate.exit_code)


def gate_command(
    findings: FindingsArgument, *, settings: GateSettings, files: VerdictFiles, json: JsonOption = False
) -> None:
    """Check findings against a policy or conditions.

    The exit code is 0 passed, 2 failed, 3 cannot tell, 1 an error. Nothing is computed. A condition without a
    matching finding is undecided, and never passes.
    """
    settings.check()  # before the slow imports
    console.check_targets(files.targets, reading=[findings, settings.policy])
    gate = imprint.gate(findings, **asdict(settings))
    if gate.changed:
        console.print_note("note: the findings were made under another policy than this one")
    if json:
        console.print_findings(gate.findings())
    else:
        print_sentences(gate.findings(), console.print_answer)
    files.exit_with(gate)


def print_sentences(rows: "Sequence[imprint.Row]", write: "Callable[[str], None]") -> None:
    """Print what rows mean, each sentence on one line, as pipelines read them."""
    from imprint.kinds.sections import sentences
    from imprint.masking import Words
    from imprint.render.numbers import plain

    for sentence in sentences(rows):
        write(plain(sentence, Words()))


@policy_app.callback()
def _policies() -> None:
    """Keep `init` a subcommand although it is the only one."""


@policy_app.command("init")
def init_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("imprint.toml"),
) -> None:
    """Write a policy with comments, for you to edit."""
    from imprint.files import writable, write_text
    from imprint.policies.policy import example

    if writable(file).exists():
        raise SettingError("is there already", where=file, hint="edit it, or name another file")
    write_text(file, example())
    console.print_answer(f"wrote {file}; edit its sizes, then run: imprint audit SUBJECT --policy {file}")
