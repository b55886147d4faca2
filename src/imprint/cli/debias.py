"""`imprint debias`: take an axis away from an embedding or encoder, write the result, and say how far it went."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import imprint
from imprint.cli.encoders import EncoderSettings, SubjectArgument
from imprint.cli.options import (
    DEFAULT_PAIR,
    AxisOption,
    FormatOption,
    JsonOption,
    SeedOption,
    are_words,
    is_debiaser,
    is_file,
    pairs_given,
    with_settings,
)
from imprint.debiasing import DEBIASERS, LABELS_METHOD, METHODS
from imprint.errors import SettingError, VocabularyError

if TYPE_CHECKING:
    from imprint.checks import EmbeddingFormat
    from imprint.debiasing.debiaser import DebiaserOption
    from imprint.debiasing.transform import Transform
    from imprint.directions.axis import Pairs
    from imprint.stimuli.seeds import Seeds
    from imprint.types import Report

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
    if compare:
        _refuse("--compare", OUT=target, method=method, axis=axis, pairs=pairs, strength=strength, seeds=seeds)
        _refuse("--compare", transform=save, apply=load, frontier=show_frontier, group=group, format=form)
        about.refuse()
        _compare(subject, page, seed=seed, json=json)
        return
    _refuse("a debiasing without --compare", page=page)
    if target is None:
        raise SettingError("OUT is missing", option="OUT", hint="name the file to write, or give --compare")
    from imprint.subjects.sources import EMBEDDING, find_source

    if find_source(subject).adapter != EMBEDDING:
        _refuse("an encoder", axis=axis, pairs=pairs, seeds=seeds, frontier=show_frontier, format=form)
        _check_apply(load, method, strength, group, save)
        _check_strength(method or LABELS_METHOD, strength)
        _check_apart(target, save)
        from imprint.cli.console import check_target
        from imprint.cli.debias_labelled import apply_transform, debias_encoder
        from imprint.files import free_folder

        free_folder(target)
        if load is not None:
            _refuse("--apply for an encoder", json=json)
            apply_transform(subject, target, load, about=about)
            return
        if save is not None:
            check_target(save, reading=subject)
        debias_encoder(
            subject,
            target,
            method=method or LABELS_METHOD,
            strength=strength,
            groups=group,
            save=save,
            about=about,
            seed=seed,
            json=json,
        )
        return
    about.refuse()
    if group:
        _refuse("--group of an embedding", axis=axis, pairs=pairs, strength=strength, seeds=seeds, apply=load)
        _refuse("--group of an embedding", frontier=show_frontier)
        from imprint.cli.debias_labelled import debias_groups

        debias_groups(
            subject,
            target,
            method=method or LABELS_METHOD,
            groups=group,
            form=form,
            save=save,
            seed=seed,
            json=json,
        )
        return
    from imprint.cli.console import check_targets, open_embedding, phases, print_note, show_findings
    from imprint.embeddings.convert import choose_format

    given = pairs_given(axis, pairs)
    _check_apply(load, method, strength, seeds, save)
    _check_options(method, strength, seeds, load, show_frontier=show_frontier)
    check_targets({"OUT": target, "--transform": save}, reading=[subject, *([] if load is None else [str(load)])])
    choose_format(target, form)
    words = None if seeds is None else imprint.read_seeds(seeds)
    opened = open_embedding(subject)
    along = imprint.pair_axis(opened, given)
    gendered = given == (DEFAULT_PAIR,)
    with phases() as report:
        step = partial(report, f"debiasing {opened.name}")
        step(0, 2)
        if load is None:
            transform = _fit(opened, method or METHODS[0], given, along, strength, words, report)
        else:
            transform = imprint.load_transform(load)
        step(1, 2)
        debiased = write_debiased(opened, transform, target, form, save, report)
        rows = _findings(
            opened, debiased, transform, along, words, report, gendered=gendered, show_frontier=show_frontier
        )
    if load is None and words is None and transform.card.seeds and not _is_gender(along):
        print_note(
            f"seeds: {len(transform.card.seeds)} professions, listed for gender; "
            f"give --seeds for words to remove {along.name} from"
        )
    show_findings(rows, json=json)
    if transform.card.embedding_sha256 != opened.sha256:
        print_note(
            f"note: the transform was fitted on another embedding ({transform.card.embedding}); check the WEATs"
        )
    note_debiased(opened, target, save)


def write_debiased(
    opened: "imprint.Embedding",
    transform: "Transform",
    target: Path,
    form: "EmbeddingFormat | None",
    save: Path | None,
    report: "Report",
) -> "imprint.Embedding":
    """Write the debiased embedding, and the transform if asked for; return what anybody will find in the file."""
    moved = transform.apply(opened)
    report(f"debiasing {opened.name}", 2, 2)
    imprint.convert(moved, target, format=form, progress=partial(report, f"writing {target}"))
    if save is not None:
        transform.save(save)
    return imprint.load(target, progress=partial(report, f"reading {target}"))


def note_debiased(opened: "imprint.Embedding", target: Path, save: Path | None) -> None:
    """Say what was written."""
    from imprint.cli.console import print_note

    print_note(f"{len(opened):,} words written to {target}{'' if save is None else f', the transform to {save}'}")


def read_strength(strength: str, besides: str = "") -> float:
    """Read a strength; `besides` says what else it may be."""
    try:
        return float(strength)
    except ValueError as error:
        expected = f"a number of at least 0{besides}"
        raise SettingError(option="--strength", got=strength, expected=expected) from error


def _compare(subject: str, page: Path | None, *, seed: int, json: bool) -> None:
    """Compare the debiasers on an embedding, print what each leaves and costs, and write a page of it."""
    from imprint.cli.console import check_target, open_embedding, phases, print_note, show_findings, write_report
    from imprint.cli.gate import print_sentences

    if page is not None:
        check_target(page, reading=subject)
    opened = open_embedding(subject)
    with phases() as report:
        found = imprint.compare_debiasers(opened, seed=seed, report=report).findings()
    show_findings(found, json=json)
    if not json:
        print_sentences(found, print_note)
    write_report(page, found, json=json)


def _refuse(subject: str, **options: object) -> None:
    """Refuse options that have no meaning for the subject."""
    for name, value in options.items():
        if value:
            option = name if name.isupper() else f"--{name.replace('_', '-')}"
            raise SettingError(f"{option} cannot be used with {subject}", option=option, hint="leave it out")


def _check_apply(load: Path | None, *fitting: object) -> None:
    if load is not None and any(one is not None for one in fitting):
        raise SettingError(
            "--apply uses a transform as it is",
            option="--apply",
            hint="leave out --method, --strength, --seeds, --group and --transform",
        )


def _check_apart(target: Path, save: Path | None) -> None:
    if save is not None and save.absolute() == target.absolute():
        raise SettingError(
            "is named for both the result and the transform", option="--transform", where=target, hint="give two names"
        )


def _takes(method: str | None, option: "DebiaserOption") -> bool:
    """Tell whether an option has a meaning for a method."""
    return option in DEBIASERS.get(method or METHODS[0]).options


def _check_strength(method: str, strength: str | None) -> None:
    if strength is not None and not _takes(method, "strength"):
        raise SettingError(
            f"--strength cannot be used with --method {method}",
            option="--strength",
            got=strength,
            hint=f"use --method {METHODS[0]}, or leave it out",
        )


def _check_options(
    method: str | None, strength: str | None, seeds: str | None, load: Path | None, *, show_frontier: bool
) -> None:
    refused = (strength is not None and not _takes(method, "strength")) or (
        seeds is not None and not _takes(method, "seeds")
    )
    if refused:
        raise SettingError(
            f"--strength and --seeds cannot be used with --method {method}",
            option="--method",
            got=method,
            hint=f"use --method {METHODS[0]}, or leave them out",
        )
    if show_frontier and (load is not None or not _takes(method, "frontier")):
        raise SettingError(
            f"--frontier works only when fitting with --method {METHODS[0]}", option="--frontier", hint="leave it out"
        )


def _fit(
    embedding: "imprint.Embedding",
    method: str,
    pairs: "Pairs",
    along: "imprint.Axis",
    strength: str | None,
    seeds: "Seeds | None",
    report: "Report",
) -> "Transform":
    from imprint.cli.console import print_note

    settings = {} if strength is None or strength == AUTO else {"strength": read_strength(strength, f", or {AUTO}")}
    seeded: dict[str, Any] = {} if seeds is None else {"seeds": seeds.fitted}
    judges = () if seeds is None else seeds.held_out
    debiaser, note = imprint.debiaser(method, **settings).choose_settings(
        embedding, axis=along, judges=judges, progress=partial(report, "choosing a strength"), **seeded
    )
    if pairs == (DEFAULT_PAIR,) and seeds is None:
        transform = debiaser.fit_gender(embedding)
    else:
        transform = debiaser.fit(embedding, pairs=pairs, **seeded)
    if note:
        print_note(note)
    return transform


def _findings(
    before: "imprint.Embedding",
    after: "imprint.Embedding",
    transform: "Transform",
    axis: "imprint.Axis",
    seeds: "Seeds | None",
    report: "Report",
    *,
    gendered: bool,
    show_frontier: bool,
) -> "list[imprint.Row]":
    """Return what was fitted and what changed; what the embedding lacks words for becomes a row that says so."""
    from imprint.debiasing.frontier import stereotype_variances
    from imprint.debiasing.rows import debiasing_finding, frontier_finding
    from imprint.rows import skipped

    fitted, held_out = (None, None) if seeds is None else (seeds.fitted, seeds.held_out or None)
    judges = fitted if held_out is None else held_out  # a user's own seeds, where none are held out, judge themselves

    def spread() -> "list[imprint.Row]":
        variances = stereotype_variances(before, after, axis, held_out=judges)
        return [debiasing_finding(before, transform, axis, variances)]

    def strengths() -> "list[imprint.Row]":
        debiaser = DEBIASERS.get(transform.method)
        points = debiaser.frontier(before, transform, axis=axis, seeds=fitted, held_out=held_out)
        return [frontier_finding(before, transform, axis, points)]

    judged = gendered or seeds is not None
    found: list[imprint.Row] = [] if judged else [debiasing_finding(before, transform, axis, None)]
    for asked, name, title, work in (
        (judged, "variances", "Variances before and after", spread),
        (show_frontier, "frontier", "Other strengths", strengths),
        (gendered, "weats", "WEATs of gender before and after", lambda: _test(before, after, report)),
    ):
        if asked:
            try:
                found += work()
            except VocabularyError as error:
                found += [debiasing_finding(before, transform, axis, None)] if work is spread else []
                found.append(skipped((before.name, before.sha256), name, title, error, part="debiasing"))
    return [row.in_part("debiasing") for row in found]


def _is_gender(axis: "imprint.Axis") -> bool:
    """Tell whether every word of an axis is gendered by meaning, or among the pairs that define gender."""
    from imprint.stimuli.seeds import definitional_pairs, gender_specific

    known = {word.lower() for word in (*gender_specific(), *(word for pair in definitional_pairs() for word in pair))}
    return all(word.lower() in known for word in axis.positive + axis.negative)


def _test(before: "imprint.Embedding", after: "imprint.Embedding", report: "Report") -> "list[imprint.Row]":
    from imprint.association.battery import run_battery
    from imprint.association.changes import before_and_after
    from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose

    tests, label = choose(catalogue(), GENDER_TESTS), "testing before and after"
    report(label, 0, 2 * len(tests))
    first = run_battery(before, tests, progress=lambda done, total: report(label, done, 2 * total))
    second = run_battery(after, tests, progress=lambda done, total: report(label, total + done, 2 * total))
    return before_and_after(first, second)
