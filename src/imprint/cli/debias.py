"""`imprint debias`: take an axis away from an embedding, write the result, and say how far it went."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.options import DEFAULT_PAIR, AxisOption, EmbeddingArgument, JsonOption
from imprint.debiasing import METHODS
from imprint.errors import SettingError, VocabularyError

if TYPE_CHECKING:
    from imprint.debiasing.linear import LinearDebiaser
    from imprint.debiasing.transform import Transform
    from imprint.directions.axis import Axis, Pairs
    from imprint.embeddings.embedding import Embedding
    from imprint.rows import Row
    from imprint.stimuli.seeds import Seeds
    from imprint.types import Report

AUTO = "auto"


def debias_command(
    embedding: EmbeddingArgument,
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write: a name that ends in .safetensors.")
    ],
    method: Annotated[
        str | None,
        typer.Option("--method", help=f"{', '.join(METHODS)}, or a plug-in's. [default: {METHODS[0]}]"),
    ] = None,
    axis: AxisOption = None,
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", help="A file of pairs, one per line (he,she): the axis, or leace's labels."),
    ] = None,
    strength: Annotated[
        str | None,
        typer.Option(
            "--strength",
            help="Of linear: a number from 0, 1 balancing keeping and removing, or auto: chosen, and the spread with "
            "it, on folds of the seeds. [default: 10]",
        ),
    ] = None,
    seeds: Annotated[
        Path | None, typer.Option("--seeds", help="A file of words to take the axis from. [default: professions]")
    ] = None,
    save: Annotated[Path | None, typer.Option("--transform", help="A file to save the transform in as well.")] = None,
    load: Annotated[
        Path | None, typer.Option("--apply", help="A saved transform to apply instead of fitting.")
    ] = None,
    show_frontier: Annotated[
        bool, typer.Option("--frontier", help="Of linear: print as well what other strengths would do.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Debias an embedding and print what changed: stereotype words, background words, WEATs of gender."""
    from imprint.cli.console import check_target, open_embedding, phases, say, show_findings
    from imprint.debiasing.saved import load_transform
    from imprint.directions.axis import pair_axis
    from imprint.embeddings.convert import check_name, convert
    from imprint.stimuli.seeds import read_pairs, read_seeds
    from imprint.subjects.opening import load as load_embedding

    _check_options(method, axis, pairs, strength, seeds, save, load, show_frontier=show_frontier)
    for path in (target, *(() if save is None else (save,))):
        check_target(path, reading=embedding)
    check_name(target)
    if load is not None:
        check_target(target, reading=str(load))
    if save is not None and save.absolute() == target.absolute():
        raise SettingError(
            "is named for both the embedding and the transform",
            option="--transform",
            where=target,
            hint="give two files",
        )
    words = None if seeds is None else read_seeds(seeds)
    opened = open_embedding(embedding)
    given = (axis or DEFAULT_PAIR,) if pairs is None else read_pairs(pairs)
    along = pair_axis(opened, given)
    gendered = given == (DEFAULT_PAIR,)
    with phases() as report:
        step = partial(report, f"debiasing {opened.name}")
        step(0, 2)
        if load is None:
            transform = _fit(opened, method or METHODS[0], given, strength, words, report)
        else:
            transform = load_transform(load)
        step(1, 2)
        moved = transform.apply(opened)
        step(2, 2)
        convert(moved, target, progress=partial(report, f"writing {target}"))
        if save is not None:
            transform.save(save)
        # Measured as anybody will find it who opens the file.
        debiased = load_embedding(target, progress=partial(report, f"reading {target}"))
        rows = _findings(
            opened, debiased, transform, along, words, report, gendered=gendered, show_frontier=show_frontier
        )
    if load is None and words is None and transform.card.seeds and not _is_gender(along):
        say(
            f"seeds: {len(transform.card.seeds)} professions, listed for gender; "
            f"give --seeds for words that {along.name} should be taken from"
        )
    show_findings(rows, json=json)
    if transform.card.embedding_sha256 != opened.sha256:
        say(f"note: the transform was fitted on another embedding, {transform.card.embedding}; judge by the WEATs")
    say(f"{len(opened):,} words written to {target}{'' if save is None else f', the transform to {save}'}")


def _check_options(
    method: str | None,
    axis: tuple[str, str] | None,
    pairs: Path | None,
    strength: str | None,
    seeds: Path | None,
    save: Path | None,
    load: Path | None,
    *,
    show_frontier: bool,
) -> None:
    if axis is not None and pairs is not None:
        raise SettingError("--axis and --pairs cannot be used together", option="--axis", hint="give one of them")
    if load is not None and (method, strength, seeds, save) != (None, None, None, None):
        raise SettingError(
            "--apply uses a transform as it is",
            option="--apply",
            hint="leave out --method, --strength, --seeds and --transform",
        )
    linear = method is None or _is_linear(method)
    if not linear and (strength, seeds) != (None, None):
        raise SettingError(
            f"--strength and --seeds cannot be used with --method {method}",
            option="--method",
            got=method,
            hint=f"use --method {METHODS[0]}, or leave them out",
        )
    if show_frontier and (load is not None or not linear):
        raise SettingError(
            f"--frontier works only when fitting with --method {METHODS[0]}", option="--frontier", hint="leave it out"
        )


def _is_linear(method: str) -> bool:
    """Tell whether a method has strengths and seeds; refuse one that does not exist."""
    from imprint.debiasing.debiaser import DEBIASERS
    from imprint.debiasing.linear import LinearDebiaser

    return issubclass(DEBIASERS.get(method), LinearDebiaser)


def _fit(
    embedding: "Embedding",
    method: str,
    pairs: "Pairs",
    strength: str | None,
    seeds: "Seeds | None",
    report: "Report",
) -> "Transform":
    from imprint.debiasing.debiaser import debiaser
    from imprint.directions.axis import pair_axis

    if strength is not None or seeds is not None:
        fitted = None if seeds is None else seeds.fitted
        along = pair_axis(embedding, pairs)
        return _linear(embedding, along, strength, seeds, report).fit(embedding, axis=along, seeds=fitted)
    chosen = debiaser(method)
    return chosen.fit_gender(embedding) if pairs == (DEFAULT_PAIR,) else chosen.fit(embedding, pairs=pairs)


def _linear(
    embedding: "Embedding",
    along: "Axis",
    strength: str | None,
    seeds: "Seeds | None",
    report: "Report",
) -> "LinearDebiaser":
    from imprint.cli.console import say
    from imprint.debiasing.folds import choose_debiaser, fold_frontier
    from imprint.debiasing.linear import LinearDebiaser

    if strength is None:
        return LinearDebiaser()
    if strength == AUTO:
        fitted, judges = (None, ()) if seeds is None else (seeds.fitted, seeds.held_out)
        progress = partial(report, "choosing a strength")
        points = fold_frontier(embedding, axis=along, seeds=fitted, judges=judges, progress=progress)
        chosen = choose_debiaser(points)
        say(f"chosen on folds of the seeds: strength {chosen.strength:g}, spread {chosen.spread:g}")
        return chosen
    try:
        return LinearDebiaser(float(strength))
    except ValueError as error:
        raise SettingError(option="--strength", got=strength, expected=f"a number of at least 0, or {AUTO}") from error


def _findings(
    before: "Embedding",
    after: "Embedding",
    transform: "Transform",
    axis: "Axis",
    seeds: "Seeds | None",
    report: "Report",
    *,
    gendered: bool,
    show_frontier: bool,
) -> "list[Row]":
    """Return what was fitted and what changed; what the embedding lacks words for becomes a row that says so."""
    from imprint.debiasing.frontier import frontier, stereotype_variances
    from imprint.debiasing.rows import debiasing_finding, frontier_finding
    from imprint.rows import skipped

    fitted, held_out = (None, None) if seeds is None else (seeds.fitted, seeds.held_out or None)
    judges = fitted if held_out is None else held_out  # a user's own seeds, where none are held out, judge themselves

    def spread() -> "list[Row]":
        variances = stereotype_variances(before, after, axis, held_out=judges)
        return [debiasing_finding(before, transform, axis, variances)]

    def strengths() -> "list[Row]":
        points = frontier(before, axis=axis, seeds=fitted, held_out=held_out)
        return [frontier_finding(before, transform, axis, points)]

    judged = gendered or seeds is not None
    found: list[Row] = [] if judged else [debiasing_finding(before, transform, axis, None)]
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


def _is_gender(axis: "Axis") -> bool:
    """Tell whether every word of an axis is gendered by meaning, or among the pairs that define gender."""
    from imprint.stimuli.seeds import definitional_pairs, gender_specific

    known = {word.lower() for word in (*gender_specific(), *(word for pair in definitional_pairs() for word in pair))}
    return all(word.lower() in known for word in axis.positive + axis.negative)


def _test(before: "Embedding", after: "Embedding", report: "Report") -> "list[Row]":
    from imprint.association.battery import run_battery
    from imprint.association.changes import before_and_after
    from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose

    tests, label = choose(catalogue(), GENDER_TESTS), "testing before and after"
    report(label, 0, 2 * len(tests))
    first = run_battery(before, tests, progress=lambda done, total: report(label, done, 2 * total))
    second = run_battery(after, tests, progress=lambda done, total: report(label, total + done, 2 * total))
    return before_and_after(first, second)
