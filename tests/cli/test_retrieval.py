"""`imprint retrieval` as a person runs it, and its rows on pages, cards and gates."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_results import lines

IMPRINT = Path(sys.executable).with_name("imprint")

TOPICS = ("cook", "poet", "chef", "maid", "monk", "spy", "vet", "nun")
GROUPS = ["--group", "Ann,Eve,Ida,Joan,Kate,Lea,Zoe,Amy", "--group", "Karl,Neil,Hugo,Leon,Kurt,Max,Otto,Tim"]
FILES = ["--queries", "q.jsonl", "--documents", "d.jsonl"]


@pytest.fixture
def reranker(tmp_path, monkeypatch):
    """A command that knows what is relevant and adds to every document about the first group."""
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    for name, text in (("q", "a {} for us"), ("d", "{{name}} is a {} here, carefully trained.")):
        rows = [json.dumps({"id": topic, "text": text.format(topic), "topic": topic}) for topic in TOPICS]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    (tmp_path / "score.py").write_text(
        "import json, sys, zlib\nasked = open('asked.txt', 'a')\nfor line in sys.stdin:\n    asked.write(line)\n"
        "    pair = json.loads(line)\n    query, text = pair['query'], pair['document']\n"
        f"    relevant = any(topic in query and topic in text for topic in {TOPICS})\n"
        "    first = any(name in text for name in ('Ann', 'Eve', 'Ida', 'Joan', 'Kate', 'Lea', 'Zoe', 'Amy'))\n"
        "    print(relevant + first / 5 + zlib.crc32(line.encode()) % 997 / 1e5)\n"
    )
    return f"command:{sys.executable} score.py"


def test_a_reranker_is_scored_kept_and_judged(imprint, reranker, tmp_path):
    (row,) = lines(imprint("retrieval", reranker, *FILES, *GROUPS, "--json"), "retrieval")
    assert (row["test"], row["n_queries"], row["n_x"], row["control"]) == ("documents-groups", 8, 8, "general pull")
    assert row["size"] == pytest.approx(0.2, abs=0.02)
    asked = (tmp_path / "asked.txt").read_text()
    again = imprint("retrieval", reranker, *FILES, *GROUPS)
    assert (again.returncode, (tmp_path / "asked.txt").read_text()) == (0, asked)
    assert "general pull" in again.stdout
    (tmp_path / "r.jsonl").write_text(imprint("retrieval", reranker, *FILES, *GROUPS, "--json").stdout)
    assert imprint("report", "r.jsonl").returncode == 0
    page = (tmp_path / "report.html").read_text()
    assert 'href="#retrieval"' in page
    assert 'id="retrieval"' in page
    assert "general pull" in imprint("card", "r.jsonl").stdout
    assert imprint("gate", "r.jsonl", "--require", "retrieval:|size|<0.5").returncode == 0
    limit = imprint("gate", "r.jsonl", "--require", "retrieval:documents-groups:|size|<0.1")
    assert (limit.returncode, "frequency" in limit.stdout) == (3, True)  # names that are not matched


@pytest.mark.slow
def test_a_killed_run_goes_on_with_what_was_scored_and_prints_the_same_bytes(reranker, tmp_path):
    """With kill -9, twice, while the reranker is asked batch by batch."""
    asked = tmp_path / "asked.txt"

    def start(cache):
        command = [IMPRINT, "retrieval", reranker, *FILES, *GROUPS, "--batch", "128", "--json"]
        environment = os.environ | {"IMPRINT_CACHE": str(tmp_path / cache)}
        return subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE)

    whole, _ = start("whole").communicate()
    needed = asked.read_text().splitlines()
    asked.unlink()
    for batches in (2, 4):
        run = start("killed")
        while run.poll() is None and (not asked.exists() or asked.read_text().count("\n") < 128 * batches):
            pass
        run.kill()
        run.communicate()
        assert run.returncode == -signal.SIGKILL
    resumed, _ = start("killed").communicate()
    sent = asked.read_text().splitlines()
    assert resumed == whole
    assert {*sent} == {*needed}
    assert len(sent) <= len(needed) + 2 * 256  # batches at work, or just answered, when it was killed


@pytest.mark.slow
def test_a_killed_run_of_the_bundled_encoder_prints_the_same_bytes(reranker, tmp_path):
    def start(cache):
        command = [IMPRINT, "retrieval", "default", *FILES, *GROUPS, "--no-edits", "--json"]
        environment = os.environ | {"IMPRINT_CACHE": str(tmp_path / cache)}
        return subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE)

    began = time.perf_counter()
    whole, _ = start("whole").communicate()
    taken = time.perf_counter() - began
    assert whole
    chance = random.Random(0)
    for _ in range(3):
        run = start("killed")
        time.sleep(chance.uniform(taken / 4, taken))
        run.kill()
        run.communicate()
    resumed, _ = start("killed").communicate()
    assert resumed == whole


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere"],
        ["command:"],
        ["cbow", "--set", "news"],
        ["cbow", "--queries", "q.jsonl"],
        ["cbow", *FILES, "--group", "Ann,Eve"],
        ["cbow", *FILES, *GROUPS, "--names", "race"],
        ["cbow", "--queries", "none.jsonl", "--documents", "d.jsonl"],
        ["scorer:nothing"],
        ["command:cat", *FILES, *GROUPS, "--query-prompt", "query: "],
    ],
)
def test_what_cannot_be_ranked_is_refused_in_one_line(imprint, reranker, arguments):
    result = imprint("retrieval", *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.strip().splitlines()) == 1
