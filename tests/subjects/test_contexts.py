"""Sentences of words sampled from text: which are taken, how many, and that who reads them does not matter."""

import gzip
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from refusals import refuses

from imprint.encoders.wrapping import END, START, marked_span, without_marks
from imprint.errors import CorpusError, SettingError
from imprint.subjects import contexts, reading
from imprint.subjects.contexts import MOST_AROUND, sample_contexts
from imprint.subjects.settings import FieldSettings

WORDS = ("Emma", "nurse", "rain")


def marked(text, word):
    return text.replace(word, f"{START}{word}{END}", 1)


@pytest.fixture
def text_of(tmp_path):
    def write(text, name="text.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def sampled(path, words=WORDS, most=5, **options):
    return sample_contexts([path], words, most, **options)


def test_a_context_is_the_sentence_with_the_word_marked(text_of):
    text = (
        "Yesterday it was cold. The  nurse\nmet Mr. J. Doe, and Emma too!  Rain fell on the roof. NURSE came home? No."
    )
    one = sampled(text_of(text))
    second = "The nurse met Mr. J. Doe, and Emma too!"
    assert set(one.by_word["nurse"]) == {marked(second, "nurse"), marked("NURSE came home?", "NURSE")}
    assert one.by_word["Emma"] == (marked(second, "Emma"),)
    assert one.by_word["rain"] == (marked("Rain fell on the roof.", "Rain"),)
    assert one.found == {"nurse": 2, "Emma": 1, "rain": 1}
    for texts in one.by_word.values():
        for each in texts:
            start, end = marked_span(each)
            assert without_marks(each)[start:end] == each[each.index(START) + 1 : each.index(END)]


def test_names_are_found_as_they_are_written_and_short_lines_are_no_sentences(text_of):
    one = sampled(text_of("An emma is a measure here. Emma.\n\nNurse Emma.\n\nA nurse is here today."))
    assert one.found == {"nurse": 1}


def test_a_text_without_stops_is_cut_between_words(text_of):
    one = sampled(text_of("word " * 5000 + "nurse " + "word " * 5000))
    (only,) = one.by_word["nurse"]
    assert set(without_marks(only).split()) == {"word", "nurse"}
    assert MOST_AROUND < len(only) <= 2 * MOST_AROUND + len("nurse") + 2


def test_marks_in_a_text_are_not_taken_for_ours(text_of):
    (only,) = sampled(text_of(f"Look {START}there{END}, a nurse\0 is{END} here.".replace("\0", "\x07"))).by_word[
        "nurse"
    ]
    assert (only.count(START), only.count(END)) == (1, 1)
    assert without_marks(only) == "Look there , a nurse is here."


def test_sentences_with_two_words_of_a_test_are_left_to_neither(text_of):
    alone = [f"The nurse saw {number} lamps." for number in range(4)]
    both = [f"The nurse saw {number} rain drops." for number in range(40)]
    one = sampled(text_of(" ".join([*alone, *both])))
    chosen = one.of(["nurse", "rain"])
    assert set(chosen["rain"]) == set()
    assert {without_marks(text) for text in chosen["nurse"]} <= set(alone)
    assert len(one.of(["nurse"])["nurse"]) == 5  # asked without rain, these have one word


def test_every_distinct_sentence_is_as_likely(text_of):
    """A sentence that is there a hundred times counts once, wherever it is."""
    lines = [f"Here the nurse saw lamp {number}." for number in range(20)] + ["Here the nurse saw nothing."] * 100
    path = text_of("\n\n".join(lines))
    drawn = Counter()
    for seed in range(400):
        one = sampled(path, seed=seed)
        assert len(set(one.by_word["nurse"])) == 10  # twice as many as are used
        drawn.update(one.of(["nurse"])["nurse"])
    assert one.found == {"nurse": 120}
    expected = 400 * 5 / 21
    assert (
        sum((count - expected) ** 2 / expected for count in drawn.values()) < 50
    )  # chi-squared, 20 degrees: p = .0002
    assert len(drawn) == 21


def test_who_reads_which_file_does_not_matter(tmp_path, monkeypatch):
    for number in range(12):
        sentences = [f"In file {number} the nurse saw {step} lamps in the rain." for step in range(50)]
        (tmp_path / f"{number}.txt").write_text(" ".join(sentences))
    whole = sampled(tmp_path)
    monkeypatch.setattr(reading, "_UNIT_BYTES", 3000)
    with ThreadPoolExecutor(3) as executor:
        split = sampled(tmp_path, workers=executor)
    several = sample_contexts(sorted(tmp_path.iterdir(), reverse=True), WORDS, 5)
    assert whole.by_word == split.by_word == several.by_word
    assert whole.found == split.found == several.found
    assert sampled(tmp_path, workers=2).by_word == whole.by_word  # processes
    assert sampled(tmp_path, seed=1).by_word != whole.by_word


def test_memory_holds_the_sample_alone():
    sample = contexts._Sample(4)
    for number in range(1000, 0, -1):
        sample.add("nurse", number, str(number))
        assert len(sample._by_word["nurse"]) <= 8
    assert sample.smallest() == {"nurse": {number: str(number) for number in (1, 2, 3, 4)}}


def test_json_lines_and_packed_files_are_read_as_a_corpus_is(tmp_path):
    lines = "\n".join(json.dumps({"body": f"The nurse saw {number} lamps."}) for number in range(3))
    path = tmp_path / "text.jsonl.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    assert sampled(path, fields=FieldSettings(field="body")).found == {"nurse": 3}
    with refuses(CorpusError, "body"):
        sampled(path)
    with refuses(SettingError, option="column"):
        sampled(path, fields=FieldSettings(field="body", column="body"))


@pytest.mark.parametrize(
    "content", [b"", b"\n \n", b"Nothing of interest is said here.", b"\xff\xfe\xfa broken bytes"]
)
def test_a_text_without_the_words_is_refused(tmp_path, content):
    (tmp_path / "text.txt").write_bytes(content)
    with refuses(CorpusError, where="text.txt"):
        sampled(tmp_path / "text.txt")


@pytest.mark.parametrize(
    ("name", "content"),
    [("text.csv", b"a,b"), ("text.txt", b"a\0b"), ("text.txt.gz", gzip.compress(b"x" * (1 << 27)))],
)
def test_what_is_no_text_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with refuses(CorpusError):
        sampled(tmp_path / name)
    with refuses(CorpusError):
        sampled(tmp_path / "absent.txt")
