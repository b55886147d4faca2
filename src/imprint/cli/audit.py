"""`imprint audit`: the main job, everything that applies, told on one page."""

from pathlib import Path
from typing import Annotated, cast

import typer
from msgspec.structs import asdict

import imprint
from imprint.audits.settings import AuditOptions
from imprint.cli import console, end_quickly
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.findings import PageSettings
from imprint.cli.gate import VerdictFiles, print_sentences
from imprint.cli.options import JsonOption, ThreadSettings
from imprint.errors import SettingError
from imprint.settings import option

FINDINGS = "findings.jsonl"


def audit_command(
    subject: SubjectArgument,
    *,
    settings: AuditOptions,
    about: EncoderSettings,
    page: PageSettings,
    findings: Annotated[
        Path | None,
        option(f"Where to write the findings. [default: {FINDINGS} beside report.html, x-{FINDINGS} beside x.html]"),
    ] = None,
    files: VerdictFiles,
    work: ThreadSettings,
    json: JsonOption = False,
) -> None:
    """Measure all that applies; write a page and its findings.

    A summary is printed. Parts: association tests, associations found without asking, he and she, analogies, debiasing
    before and after, benchmarks; with --against a comparison. A sentence encoder is tested in sentences. A part that
    cannot run says why. With --policy, --fail-on or --require the exit code is 0 passed, 2 failed or 3 cannot tell.
    Without one it is 0, or 3 if no test about people could run.
    """
    settings.check()  # before the slow imports
    from imprint.embeddings.embedding import Embedding
    from imprint.jobs.progress import UNITS
    from imprint.policies.gate import EXIT_CODES
    from imprint.render.terminal import draw_text
    from imprint.render.vega import bundle_ahead
    from imprint.reports.summary import brief, left_out, people

    policy, conditions, _ = settings.requirements()
    if policy is None and not conditions:
        for flag, file in files.targets.items():
            if file is not None:
                raise SettingError(f"{flag} needs a policy or a condition", option=flag, hint="give --policy FILE")
    rows = findings or _beside(page.out)
    console.check_targets(
        {"--out": page.out, "--findings": rows, **files.targets}, reading=[subject, settings.against, settings.policy]
    )
    workers = work.chosen
    replaced = [str(path) for path in (page.out, rows) if path.exists()]
    encoder, against = cast("tuple[str | None, str | None]", (settings.encoder, settings.against))
    with bundle_ahead() as script, opened_subjects((subject, against), about, encoder=encoder) as opened:
        first, *second = opened.subjects
        if opened.encoder is None and all(isinstance(each, Embedding) for each in opened.subjects):
            end_quickly()
        with console.steps(UNITS) as report:
            objects = {"encoder": opened.encoder, "against": second[0] if second else None, "policy": policy}
            audit = imprint.audit(
                first,
                given=subject,
                cache=opened.cache,
                workers=workers,
                report=report,
                **asdict(settings) | objects,
            )
            report("Writing the page", 1, 1)
            audit.save(rows)
            imprint.report(rows, page.out, unmask=page.unmask, script=script)
    if replaced:
        console.print_note(f"replaced from an earlier run: {' and '.join(replaced)}; --out keeps both")
    if json:
        console.print_findings(audit.findings())
        console.print_note(f"report: {page.out}")
    else:
        for sentence in brief(audit.rows):
            console.print_answer(draw_text(sentence))
        console.print_written("report", page.out)
    if (left := left_out(audit.rows)) is not None:
        console.print_note(draw_text(left))
    console.print_note(f"{len(audit.findings()):,} rows of findings: {rows}")
    page.finish(page.out)
    if audit.gate is not None:
        print_sentences(audit.gate.findings(), console.print_note)
        files.exit_with(audit.gate)
    if not people(audit.rows):
        raise typer.Exit(EXIT_CODES["cannot tell"])


def _beside(page: Path) -> Path:
    """Name the findings after their page, so that two audits in one folder keep their own."""
    return page.parent / (FINDINGS if page.stem in ("", "report") else f"{page.stem}-{FINDINGS}")
