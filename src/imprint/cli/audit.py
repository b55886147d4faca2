"""`imprint audit`: the main job, everything that applies, told on one page."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from imprint.cli import end_quickly
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.gate import (
    FailOnOption,
    JunitOption,
    RequireOption,
    SummaryOption,
    exit_with_verdict,
    print_sentences,
    refuse_unknown,
)
from imprint.cli.options import (
    DaskOption,
    JsonOption,
    WorkersOption,
    is_encoder,
    is_subject,
    with_settings,
)
from imprint.cli.policy import PolicyOption
from imprint.errors import SettingError
from imprint.jobs.settings import AuditSettings

FINDINGS = "findings.jsonl"

OutOption = Annotated[Path, typer.Option("--out", help="The page to write.")]
UnmaskOption = Annotated[bool, typer.Option("--unmask", help="Show slurs in full on the page.")]
OpenOption = Annotated[bool, typer.Option("--open", help="Open the page in your browser.")]


@with_settings
def audit_command(
    subject: SubjectArgument,
    encoder: Annotated[
        str | None,
        typer.Option("--encoder", callback=is_encoder, help="Beside an embedding, ask a sentence encoder too."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", callback=is_subject, metavar="OTHER", help="A second subject to compare with the first."
        ),
    ] = None,
    *,
    settings: AuditSettings,
    about: EncoderSettings,
    out: OutOption = Path("report.html"),
    findings: Annotated[
        Path | None,
        typer.Option(
            "--findings",
            help=f"Where to write the findings. [default: {FINDINGS} beside report.html, x-{FINDINGS} beside x.html]",
        ),
    ] = None,
    unmask: UnmaskOption = False,
    open_page: OpenOption = False,
    policy: PolicyOption = None,
    fail_on: FailOnOption = None,
    require: RequireOption = None,
    junit: JunitOption = None,
    summary: SummaryOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    json: JsonOption = False,
) -> None:
    """Measure all that applies; write a page and its findings.

    A summary is printed. Parts: association tests, associations found without asking, he and she, analogies, debiasing
    before and after, benchmarks; with --against a comparison. A sentence encoder is tested in sentences. A part that
    cannot run says why. With --policy, --fail-on or --require the exit code is 0 passed, 2 failed or 3 cannot tell.
    """
    settings.check()  # before the slow imports
    from imprint.audits.run import run_audit
    from imprint.cli.cluster import given_workers
    from imprint.cli.console import (
        check_targets,
        note_missing_charts,
        open_in_browser,
        print_answer,
        print_findings,
        print_note,
        print_written,
        steps,
    )
    from imprint.embeddings.embedding import Embedding
    from imprint.jobs.progress import UNITS
    from imprint.policies.gate import check, parse_conditions
    from imprint.policies.policy import read_policy
    from imprint.render.terminal import draw_text
    from imprint.render.vega import bundle_ahead
    from imprint.reports.page import write_page
    from imprint.reports.summary import brief
    from imprint.rows import write_findings

    conditions = parse_conditions(fail_on or (), require or ())
    required = None if policy is None else read_policy(policy)
    own = required.tests if required else ()
    for option, given in (("--junit", junit), ("--summary", summary)):
        if given is not None and required is None and not conditions:
            raise SettingError(f"{option} needs a policy or a condition", option=option, hint="give --policy FILE")
    refuse_unknown((*(required.conditions if required else ()), *conditions), own)
    rows = findings or _beside(out)
    check_targets(
        {"--out": out, "--findings": rows, "--junit": junit, "--summary": summary},
        reading=[str(source) for source in (subject, against, policy) if source is not None],
    )
    chosen = given_workers(workers, dask)
    replaced = [str(path) for path in (out, rows) if path.exists()]
    with bundle_ahead() as script, opened_subjects((subject, against), about, encoder=encoder) as opened:
        first, *second = opened.subjects
        if opened.encoder is None and all(isinstance(one, Embedding) for one in opened.subjects):
            end_quickly()
        with chosen as executor, steps(UNITS) as report:
            audit = run_audit(
                first,
                encoder=opened.encoder,
                against=second[0] if second else None,
                tests=own,
                policy_sha256=required.sha256 if required else None,
                cache=opened.cache,
                executor=executor,
                report=report,
                **asdict(settings),
            )
            report("Writing the page", 1, 1)
            gate = check(audit.findings(), conditions, required)
            whole, *others = audit.findings()
            found = [whole, *gate.findings(), *others]
            write_findings(rows, found)
            write_page(out, found, unmask=unmask, script=script)
    if replaced:
        print_note(f"replaced from an earlier run: {' and '.join(replaced)}; --out keeps both")
    if json:
        print_findings(found)
        print_note(f"report: {out}")
    else:
        for sentence in brief(audit.findings()):
            print_answer(draw_text(sentence))
        print_written("report", out)
    print_note(f"{len(found):,} rows of findings: {rows}")
    note_missing_charts()
    if open_page:
        open_in_browser(out)
    print_sentences(gate.findings(), print_note)
    exit_with_verdict(gate, junit, summary)


def _beside(page: Path) -> Path:
    """Name the findings after their page, so that two audits in one folder keep their own."""
    return page.parent / (FINDINGS if page.stem in ("", "report") else f"{page.stem}-{FINDINGS}")
