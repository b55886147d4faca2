"""`imprint debias`: take an axis away from an embedding or encoder, write the result, and say how far it went."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import imprint
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import (
    AxisOption,
    FormatOption,
    JsonOption,
    SeedOption,
    are_words,
    is_debiaser,
    is_file,
    with_settings,
)
from imprint.debiasing import LABELS_METHOD, METHODS
from imprint.errors import SettingError

AUTO = "auto"


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
    method: Annotated[
        str | None,
        typer.Option(
            callback=is_debiaser,
            help=f"{', '.join(METHODS)}, or a plug-in's. "
            f"[default: {METHODS[0]}; for an encoder or --group {LABELS_METHOD}]",
        ),
    ] = None,
    axis: AxisOption = None,
    pairs: Annotated[
        Path | None,
        typer.Option(callback=is_file, help="A file of pairs, one per line (he,she): the axis, or leace's labels."),
    ] = None,
    strength: Annotated[
        str | None,
        typer.Option(
            help="For linear: 0 keeps all, 1 balances, more removes more; auto chooses it on folds of the seeds. "
            "An encoder has no seeds. [default: auto; for an encoder 10]"
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            callback=are_words,
            metavar="WORDS",
            help="Words to remove the axis from: a file, or a list such as nurse,teacher. [default: professions]",
        ),
    ] = None,
    save: Annotated[Path | None, typer.Option("--transform", help="Also save the transform in this file.")] = None,
    load: Annotated[
        Path | None,
        typer.Option("--apply", callback=is_file, help="A saved transform to apply instead of fitting."),
    ] = None,
    show_frontier: Annotated[
        bool, typer.Option("--frontier", help="For linear: also print what other strengths would do.")
    ] = False,
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
    form: FormatOption = None,
    *,
    about: EncoderSettings,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Debias an embedding or encoder, and print what changed.

    An embedding is judged by stereotype words, background words and the WEATs of gender, before and after. An encoder
    is judged by names and sentences that it was not fitted on. With --group, held-out words of the groups judge the
    result.
    """
    settings: dict[str, Any] = {"method": method, "axis": axis, "pairs": pairs, "strength": strength, "seeds": seeds}
    settings |= {"groups": group or None, "apply": load, "transform": save, "frontier": show_frontier, "format": form}
    if compare:
        about.refuse()
        for name, value in {"OUT": target, **settings}.items():
            if value:
                raise SettingError(f"{name} cannot be used with --compare", option=name, hint="leave it out")
        _compare(subject, page, seed=seed, json=json)
        return
    if page is not None:
        raise SettingError("--page is for --compare", option="--page", hint="give --compare too")
    if target is None:
        raise SettingError("OUT is missing", option="OUT", hint="name the file to write, or give --compare")
    from imprint.cli.console import check_targets, phases, print_note, show_findings
    from imprint.evaluation.debias import DebiasSettings
    from imprint.stimuli.seeds import read_pairs
    from imprint.subjects.sources import EMBEDDING, find_source

    is_encoder = find_source(subject).adapter != EMBEDDING
    DebiasSettings(target, **settings).check("encoder" if is_encoder else "embedding")
    reading = [subject] if load is None else [subject, str(load)]
    check_targets({"OUT": None if is_encoder else target, "--transform": save}, reading=reading)
    settings |= {
        "pairs": None if pairs is None else read_pairs(pairs),
        "strength": _read_strength(strength, is_encoder=is_encoder),
        "seeds": None if seeds is None else imprint.read_seeds(seeds),
        "groups": _read_groups(group) if group else None,
        "apply": None if load is None else imprint.load_transform(load),
    }
    with opened_subjects([subject], about) as opened, phases() as report:
        done = imprint.debias(opened.subjects[0], target, **settings, cache=opened.cache, seed=seed, report=report)
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


def _read_strength(strength: str | None, *, is_encoder: bool) -> float | None:
    if strength is None or (strength == AUTO and not is_encoder):
        return None
    try:
        return float(strength)
    except ValueError as error:
        expected = f"a number of at least 0{'' if is_encoder else f', or {AUTO}'}"
        raise SettingError(option="--strength", got=strength, expected=expected) from error


def _read_groups(groups: Sequence[str]) -> list[imprint.WordSet]:
    """Read a group from each file or list, named by its file or by its number."""
    names = [Path(group).stem if Path(group).is_file() else f"group {n}" for n, group in enumerate(groups, start=1)]
    return [
        imprint.WordSet.of(name, imprint.read_seeds(group).words, "name")
        for name, group in zip(names, groups, strict=True)
    ]
