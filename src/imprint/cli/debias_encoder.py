"""`imprint debias` of an encoder: fitted on sentences, judged on others, written as a model and as a matrix."""

from pathlib import Path
from typing import TYPE_CHECKING

import imprint
from imprint.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from imprint.cli.encoders import AboutEncoder


def debias_encoder(
    source: str,
    target: Path,
    *,
    method: str,
    strength: str | None,
    groups: "Sequence[str] | None",
    save: Path | None,
    load: Path | None,
    about: "AboutEncoder",
    seed: int,
    json: bool,
) -> None:
    """Fit, judge, write, and say what was written."""
    from imprint.cli.console import check_target, phases, print_note, show_findings
    from imprint.files import free_folder

    free_folder(target)
    if save is not None:
        check_target(save, reading=source)
    fitter = imprint.debiaser(method, **({} if strength is None else {"strength": _number(strength)}))
    sets = [
        imprint.WordSet.of(_named(one, place), imprint.read_seeds(one).words, "name")
        for place, one in enumerate(groups or ())
    ]
    opened = about.open(source)
    if load is not None:
        transform = imprint.load_transform(load)
        dimension = opened.encode(["word"]).shape[1]
        if dimension != transform.dimension:
            expected = f"a transform of {dimension} dimensions, as {opened.name} has"
            raise SettingError(option="--apply", got=transform.dimension, expected=expected)
        _say_written(target, transform.apply(opened).save(target))
        print_note(f"see what changed: imprint audit {target} --against {source}")
        return
    with about.kept() as kept, phases() as report:
        done = imprint.debias_encoder(opened, fitter, groups=sets or None, cache=kept, seed=seed, report=report)
        made = done.encoder.save(target)
        if save is not None:
            done.transform.save(save)
    show_findings(done.findings(), json=json)
    _say_written(target, made)


def _say_written(target: Path, made: str | None) -> None:
    from imprint.cli.console import print_note
    from imprint.encoders.export import MATRIX

    model = f"a {made} and " if made else "only the matrix, since this encoder is not a model that can be written: "
    print_note(f"written to {target}: {model}{MATRIX} (weight and bias)")


def _named(group: str, place: int) -> str:
    """Name a group by its file, or by its place."""
    return Path(group).stem if Path(group).is_file() else f"group {place + 1}"


def _number(strength: str) -> float:
    try:
        return float(strength)
    except ValueError as error:
        raise SettingError(option="--strength", got=strength, expected="a number of at least 0") from error
