"""`imprint debias --group` of an embedding: fitted on words of several groups, judged on held-out words of theirs."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import imprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from imprint.checks import EmbeddingFormat


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
    from imprint.cli.debias_encoder import read_groups
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
