"""`imprint debias` of an encoder: fitted on sentences, judged on others, written as a model and as a matrix."""

from pathlib import Path
from typing import TYPE_CHECKING

import imprint
from imprint.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from imprint.cli.encoders import AboutEncoder
    from imprint.debiasing.transform import DebiasedEncoder


def debias_encoder(
    source: str,
    target: Path,
    *,
    method: str,
    strength: str | None,
    groups: "Sequence[str] | None",
    save: Path | None,
    about: "AboutEncoder",
    seed: int,
    json: bool,
) -> None:
    """Fit, judge, print what changed, and write."""
    from imprint.cli.console import phases, show_findings

    fitter = imprint.debiaser(method, **({} if strength is None else {"strength": _number(strength)}))
    sets = read_groups(groups or ())
    opened = about.open(source)
    with about.kept() as kept, phases() as report:
        done = imprint.debias_encoder(opened, fitter, groups=sets or None, cache=kept, seed=seed, report=report)
    show_findings(done.findings(), json=json)  # before writing, which may fail
    if save is not None:
        done.transform.save(save)
    _write(done.encoder, target)


def read_groups(groups: "Sequence[str]") -> "list[imprint.WordSet]":
    """Read a group from each file or list, named by its file or by its place."""
    return [
        imprint.WordSet.of(_named(one, place), imprint.read_seeds(one).words, "name")
        for place, one in enumerate(groups)
    ]


def apply_transform(source: str, target: Path, saved: Path, *, about: "AboutEncoder") -> None:
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


def _named(group: str, place: int) -> str:
    """Name a group by its file, or by its place."""
    return Path(group).stem if Path(group).is_file() else f"group {place + 1}"


def _number(strength: str) -> float:
    try:
        return float(strength)
    except ValueError as error:
        raise SettingError(option="--strength", got=strength, expected="a number of at least 0") from error
