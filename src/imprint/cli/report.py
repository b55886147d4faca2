"""`imprint report`: the page of an audit drawn again from its findings, nothing computed."""

from pathlib import Path

import imprint
from imprint.cli.audit import OpenOption, OutOption, UnmaskOption
from imprint.cli.options import FindingsArgument


def report_command(
    findings: FindingsArgument,
    out: OutOption = Path("report.html"),
    unmask: UnmaskOption = False,
    open_page: OpenOption = False,
) -> None:
    """Draw the page again from findings, with nothing computed.

    The findings are those of an audit, or of any command's --json.
    """
    from imprint.cli.console import check_target, note_missing_charts, open_in_browser, print_written

    check_target(out, reading=str(findings))
    imprint.write_page(out, imprint.read_findings(findings), unmask=unmask)
    print_written("report", out)
    note_missing_charts()
    if open_page:
        open_in_browser(out)
