"""`imprint debias` on labelled words: of an encoder, in sentences, or of an embedding with --group.

An encoder is fitted on sentences, judged on others, and written as a model and as a matrix. An embedding is fitted on
words of several groups, and judged on held-out words of theirs.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import imprint
from imprint.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from imprint.checks import EmbeddingFormat
    from imprint.cli.encoders import EncoderSettings
    from imprint.debiasing.transform import DebiasedEncoder


def debias_encoder(
    source: str,
    target: Path,
    *,
    method: str,
    strength: str | None,
    groups: "Sequence[str] | None",
    save: Path | None,
    about: "EncoderSettings",
    seed: int,
    json: bool,
) -> None:
    """Fit, judge, print what changed, and write."""
    from imprint.cli.console import phases, show_findings
    from imprint.cli.debias import read_strength

    fitter = imprint.debiaser(method, **({} if strength is None else {"strength": read_strength(strength)}))
    sets = read_groups(groups or ())
    opened = about.open(source)
    with about.kept() as kept, phases() as report:
        done = imprint.debias_encoder(opened, fitter, groups=sets or None, cache=kept, seed=seed, report=report)
    show_findings(done.findings(), json=json)  # before writing, which may fail
    if save is not None:
        done.transform.save(save)
    _write(done.encoder, target)


def debias_groups(
    subject: str,
    target: Path,
    *,
    method: str,
    groups: "Sequence[str]",
    form: "EmbeddingFormat | None",
    save: Path | None,
    seed: int,
    json: bool,
) -> None:
    """Fit, write, and print what was fitted and how well the groups are still recovered."""
    from imprint.cli.console import check_targets, open_embedding, phases, print_note, show_findings
    from imprint.cli.debias import note_debiased, write_debiased
    from imprint.debiasing.rows import fitted_finding
    from imprint.embeddings.convert import choose_format
    from imprint.evaluation.leakage import PART, group_leakage, hold_out

    check_targets({"OUT": target, "--transform": save}, reading=[subject])
    choose_format(target, form)
    fitted, held_out = hold_out(read_groups(groups))
    fitter = imprint.debiaser(method)
    opened = open_embedding(subject)
    with phases() as report:
        step = partial(report, f"debiasing {opened.name}")
        step(0, 2)
        transform = fitter.fit_groups(opened, fitted)
        step(1, 2)
        debiased = write_debiased(opened, transform, target, form, save, report)
        rows = [fitted_finding(transform), group_leakage(opened, debiased, transform, fitted, held_out, seed=seed)]
    if transform.card.seeds:
        print_note(f"seeds: {len(transform.card.seeds)} professions, listed for gender")
    show_findings([row.in_part(PART) for row in rows], json=json)
    note_debiased(opened, target, save)


def read_groups(groups: "Sequence[str]") -> "list[imprint.WordSet]":
    """Read a group from each file or list, named by its file or by its place."""
    return [
        imprint.WordSet.of(_named(group, index), imprint.read_seeds(group).words, "name")
        for index, group in enumerate(groups)
    ]


def apply_transform(source: str, target: Path, saved: Path, *, about: "EncoderSettings") -> None:
    """Put a saved transform behind an encoder, and write that."""
    from imprint.cli.console import print_note

    opened, transform = about.open(source), imprint.load_transform(saved)
    dimension = opened.encode(["word"]).shape[1]
    if dimension != transform.dimension:
        expected = f"a transform of {dimension} dimensions, as {opened.name} has"
        raise SettingError(option="--apply", got=transform.dimension, expected=expected)
    made = _write(transform.apply(opened), target)
    if transform.card.embedding_sha256 != opened.identity:
        print_note(f"note: the transform was fitted on another encoder ({transform.card.embedding})")
    if made:
        print_note(f"see what changed: imprint audit {target} --against {source}")


def _write(encoder: "DebiasedEncoder", target: Path) -> str | None:
    from imprint.cli.console import print_note
    from imprint.encoders.export import MATRIX

    made = encoder.save(target)
    if made:
        print_note(f"written to {target}: a {made} and {MATRIX} (weight and bias)")
    else:
        print_note(
            f"written to {target}: {MATRIX} alone, since this encoder is not a model that can be written; "
            "apply it to the encoder's vectors x: weight @ x + bias"
        )
    return made


def _named(group: str, index: int) -> str:
    """Name a group by its file, or by its number."""
    return Path(group).stem if Path(group).is_file() else f"group {index + 1}"
