"""Counts against brute force, however the text is split and whoever counts it."""

import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from clusters import DASK_WARNINGS, local_cluster
from distributed import Client
from hypothesis import assume, given
from hypothesis import strategies as st
from systems import posix

from imprint.corpora import counting
from imprint.corpora.counting import TOKEN, count_corpus
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.subjects import reading
from imprint.subjects.settings import TextSettings
from imprint.workers import processes

pytestmark = DASK_WARNINGS


def test_of(identifier, *sets):
    return WeatTest(identifier, identifier, "ours", "en", *(WordSet.of(words, words.split()) for words in sets))


test_of.__test__ = False
SUPPORT = Path(__file__).parents[1] / "support"

# A word may be a target and an attribute, and "Will" is not "will".
TESTS = [test_of("one", "Ann Will", "Bob", "love will", "hate"), test_of("two", "love", "Bob", "Ann", "hate peace")]
WORDS = ["Ann", "Bob", "Will", "will", "love", "Love", "HATE", "hate", "peace", "ann", "x", "y"]


def brute_force(documents, window):
    """Return how often each target is near each attribute in each document, with its copies, pair by pair."""
    targets = {word for test in TESTS for side in (test.x, test.y) for word in side.words}
    attributes = {word for test in TESTS for side in (test.a, test.b) for word in side.words}
    known = targets | attributes
    found = Counter()
    for text in documents:
        number = documents.index(text)
        tokens = [
            token if token in known else token.lower() if token in (token.capitalize(), token.upper()) else token
            for token in TOKEN.findall(text)
        ]
        for i, first in enumerate(tokens):
            for j, second in enumerate(tokens):
                if i != j and abs(i - j) <= window and first in targets and second in attributes:
                    found[number, first, second] += 1
    return dict(found)


def counted(counts):
    """Return the records of counts by what they are about."""
    words = counts.words.words
    records = zip(counts.document, counts.target, counts.attribute, counts.count, strict=True)
    found = Counter()
    for document, target, attribute, n in records:
        found[counts.names[document], words[target], words[attribute]] += int(n)
    return dict(found)


@given(
    documents=st.lists(st.lists(st.sampled_from(WORDS), max_size=40), min_size=1, max_size=8),
    window=st.integers(1, 6),
    batch=st.integers(1, 30),
)
def test_counts_are_those_of_brute_force(tmp_path_factory, documents, window, batch):
    assume(any(documents))
    file = tmp_path_factory.mktemp("counts") / "text.txt"
    lines = [" ".join(words) for words in documents]
    file.write_text("\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_BATCH", batch)
        patch.setattr(reading, "_PART_BYTES", 50)
        found = count_corpus([file], TESTS, TextSettings(document="line"), window=window)
    expected = {
        (f"text.txt, line {number + 1}", *pair): n for (number, *pair), n in brute_force(lines, window).items()
    }
    assert counted(found) == expected
    assert (found.n_words, found.n_documents) == (sum(map(len, documents)), sum(map(bool, documents)))


def test_pieces_of_a_document_run_into_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_READ_BYTES", 8)
    monkeypatch.setattr(counting, "_BATCH", 3)
    text = "Ann x love Bob y y hate will Ann\nlove x x x x x Bob hate"
    (tmp_path / "one.txt").write_text(text)
    found = counted(count_corpus([tmp_path], TESTS, TextSettings()))
    assert found == {("one.txt", *pair): n for (_, *pair), n in brute_force([text], 5).items()}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Thirty files and a large one, in many units of work."""
    monkeypatch.setattr(reading, "_UNIT_BYTES", 2000)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(30):
        words = [WORDS[(number * 7 + place * place) % len(WORDS)] for place in range(200)]
        (folder / f"{number:02}.txt").write_text(" ".join([*words, str(number)]))
    return folder


def as_bytes(counts):
    arrays = (counts.years, counts.document, counts.target, counts.attribute, counts.count)
    return counts.sha256, counts.names, counts.n_words, *(array.tobytes() for array in arrays)


def test_one_worker_two_and_a_cluster_give_the_same_bytes(corpus):
    settings = TextSettings()
    found = {as_bytes(count_corpus([corpus], TESTS, settings))}
    with ThreadPoolExecutor(2) as threads, processes(2) as separate:
        found |= {as_bytes(count_corpus([corpus], TESTS, settings, workers=each)) for each in (threads, separate)}
    with local_cluster(2, processes=True) as cluster, Client(cluster) as client:
        found.add(as_bytes(count_corpus([corpus], TESTS, settings, workers=client.get_executor())))
    assert len(found) == 1
    assert len(next(iter(found))[1]) > 20


def test_finished_work_is_not_done_again_but_changed_files_are(corpus, tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    before = count_corpus([corpus], TESTS, TextSettings(), folder=folder)
    read = []
    monkeypatch.setattr(counting, "read_part", lambda part: read.append(part.path) or reading.read_part(part))
    assert as_bytes(count_corpus([corpus], TESTS, TextSettings(), folder=folder)) == as_bytes(before)
    assert read == []
    (corpus / "03.txt").write_text("Ann love Bob hate")
    after = count_corpus([corpus], TESTS, TextSettings(), folder=folder)
    assert str(corpus / "03.txt") in read
    assert len(read) < 30
    assert as_bytes(after) == as_bytes(count_corpus([corpus], TESTS, TextSettings()))


RUN = """
import sys, time
from imprint.corpora import counting
from imprint.subjects import reading
from imprint.subjects.settings import TextSettings
sys.path[:0] = sys.argv[3:]
import test_counting
reading._UNIT_BYTES = 2000
whole = counting._count_part
counting._count_part = lambda *given: (time.sleep(0.02), whole(*given))[1]
counting.count_corpus([sys.argv[1]], test_counting.TESTS, TextSettings(), folder=sys.argv[2])
"""


@posix
@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_from_there(corpus, tmp_path, request):
    folder = tmp_path / "kept"
    command = [sys.executable, "-c", RUN, str(corpus), str(folder), str(request.path.parent), str(SUPPORT)]
    for kills in (2, 5):
        run = subprocess.Popen(command)
        while len(list(folder.glob("*.unit"))) < kills and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert 2 <= len(list(folder.glob("*.unit"))) < 30
    found = count_corpus([corpus], TESTS, TextSettings(), folder=folder)
    assert as_bytes(found) == as_bytes(count_corpus([corpus], TESTS, TextSettings()))
