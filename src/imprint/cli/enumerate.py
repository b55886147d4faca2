"""`imprint enumerate`: which biases are in my embedding, or in my sentence encoder?"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from imprint.cli import console
from imprint.cli.encoders import EncoderSettings, OptionalSubjectArgument, opened_subjects
from imprint.cli.options import JsonOption, ThreadSettings, are_words
from imprint.enumeration.settings import Settings
from imprint.errors import SettingError
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.embeddings.embedding import Embedding

_NAMES = ("first", "surnames", "embedding")
CONTENT_NOTE = "These associations come from the embedding: many are offensive, and none is a fact about anybody."
LETTERS = "Groups are letters; --show-names prints their names."


def _are_names(given: str) -> str:
    """Refuse what names no names while options are read."""
    return given if given in _NAMES else are_words(given)


def enumerate_command(
    subject: OptionalSubjectArgument = None,
    encoder: Annotated[str | None, option("A sentence encoder, in place of SUBJECT.", names_a="encoder")] = None,
    names: Annotated[
        str,
        option("first or surnames (US), embedding (found in it), or a file or a list of names.", callback=_are_names),
    ] = "first",
    groups: Annotated[str, option("Number of name groups; several, as 4,8,12, run one after the other.")] = "12",
    *,
    settings: Settings,
    against: Annotated[
        str | None,
        option("A second subject, such as a debiased one, scored over the same groups.", names_a="subject"),
    ] = None,
    work: ThreadSettings,
    checkpoint: Annotated[Path | None, option("Save finished work in this file, and continue from it.")] = None,
    show_names: Annotated[bool, option("Print the names behind the letters.")] = False,
    unmask: Annotated[bool, option("Print slurs in full.")] = False,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Find which words lie near groups of names (UBE).

    No group and no stereotype is named in advance. The words found are often offensive. They come from the embedding
    and are not facts about anyone.
    """
    runs = [replace(settings, groups=size) for size in _sizes(groups)]
    if checkpoint is not None and (len(runs) > 1 or against is not None):
        raise SettingError(
            "--checkpoint works with one number of groups and one embedding only",
            option="--checkpoint",
            got=checkpoint,
        )
    # Here the option is about the rotations, which embeddings have too.
    device, about = about.device or "cpu", replace(about, device=None)
    if work.dask is not None and device != "cpu":
        raise SettingError("--dask brings its own workers", option="--dask", got=work.dask, hint="leave --device out")
    workers = work.chosen
    # slow imports, after what the options say was checked
    from imprint.enumeration.enumerate import enumerate_biases

    opened, other = _open(subject, encoder, against, about, words=settings.words, names=names)
    results = []
    for run in runs:
        with console.progress_bar(f"enumerating, {run.groups} groups") as report:
            results.append(
                enumerate_biases(
                    opened,
                    names=names,
                    against=other,
                    workers=workers,
                    device=device,
                    checkpoint=checkpoint,
                    progress=report,
                    **asdict(run),
                )
            )
    # Printed only now: a run that fails in its second half has printed nothing.
    note = CONTENT_NOTE if show_names else f"{CONTENT_NOTE} {LETTERS}"
    for result in results:
        console.show_findings(
            result.findings(), json=json, unmask=unmask, more=show_names, note=note if result.cells else ""
        )
        note = "" if result.cells else note
        for remark in result.overview.notes if json else ():
            console.print_note(f"note: {remark}")


def _open(
    subject: str | None, encoder: str | None, against: str | None, about: EncoderSettings, *, words: int, names: str
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
        if opened.encoder or not all(isinstance(each, Embedding) for each in opened.subjects):
            check_names(names)
            vocabulary = vocabulary_words(words, names)
        first, *others = opened.words(vocabulary)
    return first, others[0] if others else None


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise SettingError(option="--groups", got=text, expected="a number, or several as 4,8,12") from None
