"""`imprint debias` and `convert`: vectors written anew, without an axis or in another format."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import imprint
from imprint.checks import EmbeddingFormat
from imprint.cli import console
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.gate import print_sentences
from imprint.cli.options import EmbeddingArgument, JsonOption
from imprint.debiasing.settings import DebiasOptions, DebiasSettings
from imprint.errors import SettingError
from imprint.settings import option


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
        Sequence[str] | None,
        option(
            "Words of one group, a file or a list; repeat for each of two groups or more. [default: men, women]",
            names_a="words",
            metavar="WORDS",
        ),
    ] = None,
    compare: Annotated[bool, option("Compare all methods on held-out words and recommend one; needs no OUT.")] = False,
    page: Annotated[Path | None, option("With --compare: also write a page (HTML).", metavar="FILE")] = None,
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
    from imprint.subjects.sources import EMBEDDING, find_source

    is_encoder = find_source(subject).adapter != EMBEDDING
    arguments: dict[str, Any] = vars(settings) | {"target": target, "groups": group or None}
    DebiasSettings(**arguments).check("encoder" if is_encoder else "embedding")
    reading = [subject] if settings.apply is None else [subject, str(settings.apply)]
    saved = None if settings.transform is None else Path(settings.transform)
    console.check_targets({"OUT": None if is_encoder else target, "--transform": saved}, reading=reading)
    arguments["groups"] = _read_groups(group) if group else None
    with opened_subjects([subject], about) as opened, console.phases() as report:
        debiasing = imprint.debias(opened.subjects[0], **arguments, cache=opened.cache, report=report)
    console.show_findings(debiasing.findings(), json=json)
    for note in debiasing.notes:
        console.print_note(note)


def _compare(subject: str, page: Path | None, *, seed: int, json: bool) -> None:
    """Compare the debiasers on an embedding, print what each leaves and costs, and write a page of it."""
    console.check_target(page, reading=subject)
    opened = console.open_embedding(subject)
    with console.phases() as report:
        rows = imprint.compare_debiasers(opened, seed=seed, report=report).findings()
    console.show_findings(rows, json=json)
    if not json:
        print_sentences(rows, console.print_note)
    console.write_report(page, rows, json=json)


def _read_groups(groups: Sequence[str]) -> list[imprint.WordSet]:
    """Read a group from each file or list, named by its file or by its number."""
    names = [Path(group).stem if Path(group).is_file() else f"group {n}" for n, group in enumerate(groups, start=1)]
    return [
        imprint.WordSet.of(name, imprint.read_seeds(group).words, "name")
        for name, group in zip(names, groups, strict=True)
    ]


def convert_command(
    embedding: EmbeddingArgument,
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The file to write: .safetensors, .txt, .vec, .bin or .kv."),
    ],
    form: Annotated[
        EmbeddingFormat | None,
        option("Format of OUT. [default: by its ending; .txt is word2vec's text, with a header line]", "--format"),
    ] = None,
    half: Annotated[bool, option("Store float16: half the size, cosines good to 1e-3.")] = False,
) -> None:
    """Write an embedding in another format.

    A safetensors file holds the vocabulary too, and opens at once by mapping memory. The others are for other tools.
    """
    from imprint.embeddings.convert import choose_format, convert

    console.check_target(target, reading=embedding)
    choose_format(target, form, half=half)
    opened = console.open_embedding(embedding)
    with console.progress_bar(f"writing {target}") as report:
        convert(opened, target, format=form, half=half, progress=report)
    console.print_note(f"{len(opened):,} words of {opened.dimension} dimensions written to {target}")
