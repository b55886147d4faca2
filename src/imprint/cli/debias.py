"""`imprint debias`: take an axis away from an embedding or encoder, write the result, and say how far it went."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import imprint
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import JsonOption, are_words, with_settings
from imprint.debiasing.settings import DebiasOptions, DebiasSettings
from imprint.errors import SettingError


@with_settings
def debias_command(
    subject: SubjectArgument,
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUT",
            help="The file to write: .safetensors, .txt, .vec, .bin or .kv; for an encoder, the folder to make. Not "
            "used with --compare.",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            callback=are_words,
            metavar="WORDS",
            help="Words of one group, a file or a list; repeat for each of two groups or more. [default: men, women]",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare all methods on held-out words and recommend one; needs no OUT."),
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="With --compare: also write a page (HTML).")
    ] = None,
    *,
    settings: DebiasOptions,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Debias an embedding or encoder, and print what changed.

    An embedding is judged by stereotype words, background words and the WEATs of gender, before and after. An encoder
    is judged by names and sentences that it was not fitted on. With --group, held-out words of the groups judge the
    result.
    """
    if compare:
        about.refuse()
        for name, value in {"OUT": target, "group": group, **vars(replace(settings, seed=0))}.items():
            if value:
                raise SettingError(f"{name} cannot be used with --compare", option=name, hint="leave it out")
        _compare(subject, page, seed=settings.seed, json=json)
        return
    if page is not None:
        raise SettingError("--page is for --compare", option="--page", hint="give --compare too")
    if target is None:
        raise SettingError("OUT is missing", option="OUT", hint="name the file to write, or give --compare")
    from imprint.cli.console import check_targets, phases, print_note, show_findings
    from imprint.subjects.sources import EMBEDDING, find_source

    is_encoder = find_source(subject).adapter != EMBEDDING
    arguments: dict[str, Any] = vars(settings) | {"target": target, "groups": group or None}
    DebiasSettings(**arguments).check("encoder" if is_encoder else "embedding")
    reading = [subject] if settings.apply is None else [subject, str(settings.apply)]
    saved = None if settings.transform is None else Path(settings.transform)
    check_targets({"OUT": None if is_encoder else target, "--transform": saved}, reading=reading)
    arguments["groups"] = _read_groups(group) if group else None
    with opened_subjects([subject], about) as opened, phases() as report:
        done = imprint.debias(opened.subjects[0], **arguments, cache=opened.cache, report=report)
    show_findings(done.findings(), json=json)
    for note in done.notes:
        print_note(note)


def _compare(subject: str, page: Path | None, *, seed: int, json: bool) -> None:
    """Compare the debiasers on an embedding, print what each leaves and costs, and write a page of it."""
    from imprint.cli.console import check_target, open_embedding, phases, print_note, show_findings, write_report
    from imprint.cli.gate import print_sentences

    if page is not None:
        check_target(page, reading=subject)
    opened = open_embedding(subject)
    with phases() as report:
        rows = imprint.compare_debiasers(opened, seed=seed, report=report).findings()
    show_findings(rows, json=json)
    if not json:
        print_sentences(rows, print_note)
    write_report(page, rows, json=json)


def _read_groups(groups: Sequence[str]) -> list[imprint.WordSet]:
    """Read a group from each file or list, named by its file or by its number."""
    names = [Path(group).stem if Path(group).is_file() else f"group {n}" for n, group in enumerate(groups, start=1)]
    return [
        imprint.WordSet.of(name, imprint.read_seeds(group).words, "name")
        for name, group in zip(names, groups, strict=True)
    ]
