"""`imprint enumerate`: which biases are in my embedding, or in my sentence encoder?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imprint.checks import Centre, Cleaning, Correction, Device, NullMethod
from imprint.cli.encoders import AboutEncoder, OptionalSubjectArgument, opened_subjects, takes_encoder
from imprint.cli.options import DaskOption, JsonOption, SeedOption, WorkersOption, are_words, is_encoder, is_subject
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.embeddings.embedding import Embedding
    from imprint.enumeration.result import BiasComparison, Enumeration

_NAMES = ("first", "surnames", "embedding")
CONTENT_NOTE = "These associations come from the embedding: many are offensive, and none is a fact about anybody."
LETTERS = "Groups are letters; --show-names prints their names."


def _are_names(given: str) -> str:
    """Refuse what names no names while options are read."""
    return given if given in _NAMES else are_words(given)


@takes_encoder
def enumerate_command(
    subject: OptionalSubjectArgument = None,
    encoder: Annotated[
        str | None,
        typer.Option("--encoder", callback=is_encoder, help="A sentence encoder, in place of SUBJECT."),
    ] = None,
    names: Annotated[
        str,
        typer.Option(
            "--names",
            callback=_are_names,
            help="first or surnames (US), embedding (found in it), or a file or a list of names.",
        ),
    ] = "first",
    groups: Annotated[
        str, typer.Option("--groups", help="Number of name groups; several, as 4,8,12, run one after the other.")
    ] = "12",
    categories: Annotated[int, typer.Option("--categories", help="Number of word categories.")] = 64,
    words: Annotated[int, typer.Option("--words", help="Most frequent lower-case words to ask about.")] = 30_000,
    top: Annotated[int, typer.Option("--top", help="Words per association.")] = 3,
    method: Annotated[
        NullMethod,
        typer.Option("--method", help="Compare with mirrored copies of the names, or with the paper's rotations."),
    ] = "mirrored",
    copies: Annotated[int, typer.Option("--copies", help="Mirrored copies of each kind.")] = 400,
    rotations: Annotated[
        int, typer.Option("--rotations", help="With --method paper: random rotations behind each p-value.")
    ] = 10_000,
    fdr: Annotated[
        float | None, typer.Option("--fdr", help="False discovery rate. [default: 0.1; 0.05 with --method paper]")
    ] = None,
    cleaning: Annotated[
        Cleaning, typer.Option("--cleaning", help="How to find words that are not names; they are dropped.")
    ] = "margin",
    centre: Annotated[
        Centre, typer.Option("--centre", help="Measure scores from the mean of these words.")
    ] = "category",
    correction: Annotated[
        Correction,
        typer.Option("--correction", help="With --method paper: correction for many tests; max is family-wise."),
    ] = "bh",
    overlapping: Annotated[bool, typer.Option("--overlapping", help="Let groups share words (footnote 2).")] = False,
    weighted: Annotated[bool, typer.Option("--weighted", help="Count each name by its bearers (footnote 4).")] = False,
    without_frequency: Annotated[
        bool, typer.Option("--without-frequency", help="Remove the direction of word frequency first.")
    ] = False,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats", help="Repeats with other K-means seeds: how often does each association recur? 0 for none."
        ),
    ] = 20,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            callback=is_subject,
            help="A second subject, such as a debiased one, scored over the same groups.",
        ),
    ] = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    device: Annotated[Device, typer.Option("--device", help="Device for the paper's rotations.")] = "cpu",
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="Save finished work in this file, and continue from it.")
    ] = None,
    show_names: Annotated[bool, typer.Option("--show-names", help="Print the names behind the letters.")] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
    *,
    about: AboutEncoder,
) -> None:
    """Find which words lie near groups of names (UBE).

    No group and no stereotype is named in advance. The words found are often offensive. They come from the embedding
    and are not facts about anyone.
    """
    from imprint.cli.cluster import given_workers
    from imprint.cli.console import print_note, progress_bar, show_findings
    from imprint.enumeration.settings import Settings

    runs = [
        Settings(
            groups=size,
            categories=categories,
            words=words,
            top=top,
            method=method,
            copies=copies,
            rotations=rotations,
            fdr=fdr,
            seed=seed,
            cleaning=cleaning,
            centre=centre,
            correction=correction,
            overlapping=overlapping,
            weighted=weighted,
            without_frequency=without_frequency,
            repeats=repeats,
        )
        for size in _sizes(groups)
    ]
    if checkpoint is not None and (len(runs) > 1 or against is not None):
        raise SettingError(
            "--checkpoint works with one number of groups and one embedding only",
            option="--checkpoint",
            got=checkpoint,
        )
    if dask is not None and device != "cpu":
        raise SettingError("--dask brings its own workers", option="--dask", got=dask, hint="leave --device out")
    chosen = given_workers(workers, dask)
    # slow imports, after what the options say was checked
    from imprint.enumeration.enumerate import compare_biases, enumerate_biases

    opened, other = _open(subject, encoder, against, about, words=words, names=names)
    found: list[tuple[Enumeration, BiasComparison | None]] = []
    with chosen as executor:
        for settings in runs:
            options: dict[str, Any] = {"settings": settings, "executor": executor, "device": device}
            comparison = None
            with progress_bar(f"enumerating, {settings.groups} groups") as report:
                if other is None:
                    first = enumerate_biases(opened, names, **options, checkpoint=checkpoint, progress=report)
                else:
                    comparison = compare_biases(opened, other, names, **options, progress=report)
                    first = comparison.first
            found.append((first, comparison))
    # Printed only now: a run that fails in its second half has printed nothing.
    note = CONTENT_NOTE if show_names else f"{CONTENT_NOTE} {LETTERS}"
    for first, comparison in found:
        rows = (comparison or first).findings()
        show_findings(rows, json=json, unmask=unmask, more=show_names, note=note if first.associations else "")
        note = "" if first.associations else note
        for remark in first.notes if json else ():
            print_note(f"note: {remark}")


def _open(
    subject: str | None, encoder: str | None, against: str | None, about: AboutEncoder, *, words: int, names: str
) -> "tuple[Embedding, Embedding | None]":
    """Open what is named, by its words; an encoder is given the names and the most frequent words."""
    from imprint.embeddings.embedding import Embedding
    from imprint.enumeration.enumerate import check_names, vocabulary_words

    if (subject is None) == (encoder is None):
        both = f"{subject!r} and --encoder {encoder!r} cannot be used together"
        problem = both if subject else "SUBJECT or --encoder is needed"
        raise SettingError(problem, option="--encoder", got=encoder, hint="name one of them")
    with opened_subjects((subject, against), about, encoder=encoder) as opened:
        vocabulary: list[str] = []
        if opened.encoder or not all(isinstance(one, Embedding) for one in opened.subjects):
            check_names(names)
            vocabulary = vocabulary_words(words, names)
        first, *others = opened.words(vocabulary)
    return first, others[0] if others else None


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise SettingError(option="--groups", got=text, expected="a number, or several as 4,8,12") from None
