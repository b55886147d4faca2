"""`imprint audit`: the main job, every test that applies."""

from pathlib import Path
from typing import Annotated

import typer

from imprint.cli.options import AlphaOption, EmbeddingArgument, JsonOption, SeedOption


def audit_command(
    embedding: EmbeddingArgument,
    out: Annotated[Path, typer.Option("--out", help="Where to write the findings.")] = Path("findings.jsonl"),
    language: Annotated[str, typer.Option("--language", help="Run the tests of this language: en, de or all.")] = "en",
    alpha: AlphaOption = 0.05,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run every WEAT and WEFAT that applies; print a table and write findings.jsonl."""
    from imprint.audit import run_audit, tests_in
    from imprint.cli.console import check_target, open_embedding, progress_bar, say
    from imprint.cli.tables import show_battery, summarise
    from imprint.finding import write_findings
    from imprint.stimuli.catalog import catalogue
    from imprint.stimuli.definition import words_of

    check_target(out, reading=embedding)
    opened = open_embedding(embedding, words_of(tests_in(language)))
    with progress_bar("testing") as report:
        battery = run_audit(opened, language=language, alpha=alpha, seed=seed, progress=report)
    findings = battery.findings()
    write_findings(out, findings)
    show_battery(battery, json=json)
    for line in summarise(battery):
        say(line)
    others = len(catalogue()) - len(tests_in(language))
    if others:
        say(f"{others} tests of the catalogue are in other languages: --language all runs them too.")
    say(f"{len(findings)} findings written to {out}")
