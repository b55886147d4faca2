"""What a page tells its reader to run runs, as it is printed, beside the findings that the audit wrote."""

import json
import re
import shlex
from html import unescape

import pytest

import imprint

POLICY = """[[require]]
test = "gender-career"
size = 0.01
"""
SCORER = """#!/bin/sh
while read -r line; do echo "${#line}"; done
"""
TEXTS = {
    "queries.jsonl": [{"id": job, "text": f"an experienced {job}"} for job in ("nurse", "baker", "pilot", "clerk")],
    "documents.jsonl": [{"id": f"{n}", "text": f"{{name}} has worked here for {n} years."} for n in range(2, 6)],
}
PRINTED = re.compile(r"<code>(imprint .*?)</code>")
QUICK = ("--quick", "--topic", "gender")
EXPECTED = {  # exit codes: the subject fails what `imprint policy init` requires; a debiased copy may not decide
    "audit": {0, 2, 3},
    "gate": {2},
}


@pytest.fixture
def run_printed(in_process, tmp_path):
    """Return a function that audits, and one that runs the commands of a page, each once, and gives their names."""
    scorer = tmp_path / "score"
    scorer.write_text(SCORER)
    scorer.chmod(0o755)
    for name, lines in TEXTS.items():
        (tmp_path / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    codes = {}

    def run(*command):
        if command not in codes:
            ended = in_process(*command)
            assert ended.returncode in EXPECTED.get(command[0], {0}), (command, ended.stderr)
            codes[command] = ended.returncode
        return codes[command]

    def of_page(page, *, other):
        commands = [unescape(text).replace("OTHER", other) for text in PRINTED.findall(page.read_text())]
        parts = [tuple(shlex.split(command)[1:]) for command in commands]
        for command in parts:
            run(*command, *(QUICK if command[0] == "audit" else ()))
        return [name for name, *_ in parts]

    return run, of_page


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["my vectors.safetensors", "default-encoder"])  # a shell would take one apart
def test_every_command_on_a_page_runs(small, run_printed, tmp_path, subject):
    run, of_page = run_printed
    if subject != "default-encoder":
        imprint.convert(small, tmp_path / subject)
    assert run("audit", subject, *QUICK) == 0
    product = ["swap", "retrieval"] if subject == "default-encoder" else ["swap"]
    assert of_page(tmp_path / "report.html", other=subject) == [*product, "policy", "gate", "debias", "audit"]
    (tmp_path / "imprint.toml").write_text(POLICY)
    rows = imprint.read_findings(tmp_path / "findings.jsonl")
    gate = imprint.gate(rows, policy="imprint.toml")
    assert gate.verdict == "failed"
    imprint.report([rows[0], *gate.findings(), *rows[1:]], tmp_path / "failed.html")
    assert of_page(tmp_path / "failed.html", other=subject) == ["debias", "audit", *product, "audit"]
    assert run("audit", subject, "--policy", "imprint.toml", *QUICK) == 2
