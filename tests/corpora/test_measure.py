"""What a corpus carries: planted associations, the documents that carry them, other corpora, years and what-ifs."""

import numpy as np
import pytest

import imprint
from imprint.corpora.documents import partners
from imprint.corpora.measure import MARGIN, is_closed
from imprint.corpora.rows import CorpusRow
from imprint.errors import CorpusError, SettingError
from imprint.kinds.corpus import CORPUS
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.rows import WordList
from imprint.stimuli.catalog import text_questions
from imprint.stimuli.definition import WeatTest, WordSet

X, Y, A, B = ([f"{side}{number}" for number in range(12)] for side in ("Xan", "Yan", "care", "bold"))


@pytest.fixture(scope="module")
def asked():
    return WeatTest("planted", "X and Y, A and B", "ours", "en", *(WordSet.of(side[0], side) for side in (X, Y, A, B)))


def write(folder, share, seed=0, documents=40, pairs=60, odd=()):
    """Write documents in which X is near A, and Y near B, in this share of pairs; in `odd` ones always."""
    rng = np.random.default_rng(seed)
    folder.mkdir()
    for number in range(documents):
        alike = rng.random(pairs) < (1.0 if number in odd else share)
        is_x = rng.random(pairs) < 0.5
        words = [
            f"{rng.choice(X if x else Y)} {rng.choice(A if x == same else B)} . . . . . o o o o o o"
            for x, same in zip(is_x, alike, strict=True)
        ]
        (folder / f"{1900 + number}-speech.txt").write_text("\n".join(words))
    return folder


def test_a_planted_association_is_found_with_its_size(tmp_path, asked):
    rows = imprint.corpus(write(tmp_path / "text", 0.8), tests=[asked])
    row = rows["planted"]
    truth = 2 * np.log(0.8 / 0.2)
    assert row.outcome == "substantial"
    assert row.log_odds_low < truth < row.log_odds_high
    assert row.log_odds_low > MARGIN
    assert (row.n_documents, row.n_documents_read, row.n_x, row.n_b) == (40, 40, 12, 12)
    assert row.n_xa + row.n_xb + row.n_ya + row.n_yb == 40 * 60
    assert row.sets[0] == WordList("x", "Xan0", tuple(X))
    assert row.wald_error > 0
    assert row.log_odds_high - row.log_odds > 2.8 * row.error


def test_text_without_an_association_is_small(tmp_path, asked):
    row = imprint.corpus(write(tmp_path / "text", 0.5), tests=[asked])["planted"]
    assert (row.outcome, abs(row.log_odds) < 0.3) == ("small", True)


def test_the_planted_documents_lead_the_list_and_it_is_concentrated(tmp_path, asked):
    odd = (3, 17, 31)
    row = imprint.corpus(write(tmp_path / "text", 0.5, odd=odd, pairs=100), tests=[asked])["planted"]
    assert {share.document for share in row.documents[:3]} == {f"{1900 + number}-speech.txt" for number in odd}
    assert row.documents[0].change > 0
    assert row.to_halve <= 3
    spread = imprint.corpus(write(tmp_path / "spread", 0.6), tests=[asked])["planted"]
    assert (spread.is_concentrated, spread.to_halve > 3) == (False, True)
    assert spread.removal[spread.to_halve] <= spread.log_odds / 2 < spread.removal[spread.to_halve - 1]


def test_a_document_moves_it_by_what_is_left_without_it(tmp_path, asked):
    folder = write(tmp_path / "text", 0.7, documents=10)
    row = imprint.corpus(folder, tests=[asked])["planted"]
    first = row.documents[0]
    (folder / first.document).unlink()
    assert imprint.corpus(folder, tests=[asked])["planted"].log_odds == pytest.approx(row.log_odds - first.change)
    assert first.share == pytest.approx(first.change / row.log_odds)


def changes(rows):
    return [row for row in rows if row.kind == "corpus-change"]


def test_two_corpora_differ_only_where_they_do(tmp_path, asked):
    shares = {"a": 0.6, "b": 0.85, "c": 0.6}
    text, other, same = (write(tmp_path / name, share, seed) for seed, (name, share) in enumerate(shares.items()))
    rows = imprint.corpus(text, tests=[asked], against=(other, same))
    first, second = changes(rows)
    assert (first.outcome in ("present", "substantial"), second.outcome in ("small", "cannot tell")) == (True, True)
    assert first.log_odds == pytest.approx(first.log_odds_after - first.log_odds_before)
    assert (first.change_from, first.change_to, second.change_to) == ("a", "b", "c")
    assert [row.embedding for row in rows if row.kind == "corpus"] == ["a", "b", "c"]


def test_years_are_a_line_and_a_test_of_change(tmp_path, asked):
    folder = write(tmp_path / "text", 0.55, documents=20, pairs=150)
    for number, path in enumerate(sorted(write(tmp_path / "late", 0.9, 1, documents=20, pairs=150).iterdir())):
        (folder / f"{1950 + number}-speech.txt").write_text(path.read_text())
    (row,) = changes(imprint.corpus(folder, tests=[asked], date="{year}-*", period=10))
    assert (row.compared, row.change_from, row.change_to) == ("years", "1900–1919", "1950–1969")
    assert row.outcome == "substantial"
    assert [(period.start, period.end, period.n_documents) for period in row.periods] == [
        (1900, 1909, 10), (1910, 1919, 10), (1950, 1959, 10), (1960, 1969, 10),
    ]  # fmt: skip
    assert row.periods[0].log_odds_high < row.periods[-1].log_odds_low
    with pytest.raises(SettingError) as refused:
        imprint.corpus(folder, tests=[asked], date="{year}.txt")
    assert refused.value.option == "date"


def test_what_if_documents_were_not_there(tmp_path, asked):
    folder = write(tmp_path / "text", 0.5, odd=(0, 1, 2), pairs=100)
    names = [f"190{number}-speech.txt" for number in range(3)]
    (row,) = changes(imprint.corpus(folder, tests=[asked], without=("1900-*", *names[1:])))
    for name in names:
        (folder / name).unlink()
    assert row.log_odds_after == pytest.approx(imprint.corpus(folder, tests=[asked])["planted"].log_odds)
    with pytest.raises(SettingError) as refused:
        imprint.corpus(folder, tests=[asked], without=("nothing*",))
    assert refused.value.option == "without"


def test_a_swapped_copy_of_every_document_leaves_no_association_with_gender(tmp_path):
    folder = tmp_path / "text"
    folder.mkdir()
    career, family = (text_questions()[0].a.words, text_questions()[0].b.words)
    for number in range(20):
        far = "o o o o o o"
        own = [f"He saw {career[number + at]} {far} she had {family[number + at]} {far}" for at in range(9)]
        own.append(f"She saw {career[number]} {far} he had {family[number]}")
        (folder / f"{number}.txt").write_text(" ".join(own))
    (row,) = changes(imprint.corpus(folder, tests=[text_questions()[10]], swapped=True))
    assert (row.test, row.log_odds_before > 3, row.log_odds_after) == ("pronouns-career", True, pytest.approx(0))


def test_every_word_has_a_partner_of_the_other_gender():
    table = partners()
    assert (table["he"], table["she"], table["him"], table["her"], table["hers"]) == ("she", "he", "her", "his", "his")
    gender = text_questions()[0]
    assert {table[name] for name in gender.x.words} == set(gender.y.words)
    assert all(table[table[name]] == name for name in gender.x.words)


def test_pronouns_are_a_closed_set_and_names_are_drawn():
    questions = {test.id: test for test in text_questions()}
    assert len(questions) == 15
    assert is_closed(questions["pronouns-career"].x)
    assert not is_closed(questions["gender-career"].x)
    assert questions["pronouns-maths"].a == questions["gender-maths"].a


def test_passages_hold_a_pair_of_the_finding(tmp_path, asked):
    row = imprint.corpus(write(tmp_path / "text", 0.9), tests=[asked], snippets=2)["planted"]
    passages = [share.snippet for share in row.documents if share.snippet]
    assert len(passages) == 2
    pairs = (("Xan", "care"), ("Yan", "bold"))
    assert all(any(target in passage and word in passage for target, word in pairs) for passage in passages)


def test_topics_count_every_word_once(tmp_path, asked):
    folder = write(tmp_path / "text", 0.7)
    twice = [
        imprint.WeatTest(name, name, "", "en", asked.x, asked.y, asked.a, asked.b, topics=("t",)) for name in "pq"
    ]
    rows = imprint.corpus(folder, tests=twice)
    topic, row = rows.findings()[-1], rows["p"]
    assert (topic.topics, topic.tests, topic.log_odds) == (("t",), ("p", "q"), pytest.approx(row.log_odds))
    assert topic.log_odds_high - topic.log_odds_low >= 0.99 * (row.log_odds_high - row.log_odds_low)


def test_where_counts_are_too_few_it_says_how_many_words_the_text_has(tmp_path, asked):
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"Xan{number} care1. {'o ' * 9} Bold2 and BOLD3 {'o ' * 9} bold4")
    rows = imprint.corpus(tmp_path, tests=[asked])
    assert (rows["planted"].reason, rows["planted"].in_text) == ("few counts", (3, 0, 1, 3))
    said = [plain(text, Words()) for text in CORPUS.sentences(rows.of(CorpusRow))]
    (said,) = [text for text in said if "in the text" in text]
    assert said == "Words of planted in the text: Xan0 3 of 12, Yan0 0 of 12, care0 1 of 12, bold0 3 of 12."


def test_text_without_words_is_refused(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(CorpusError):
        imprint.corpus(tmp_path / "empty.txt")
    for settings in ({"window": 0}, {"snippets": 99}, {"topics": ("raec",)}, {"period": 0}, {"period": 10**30}):
        with pytest.raises(SettingError):
            imprint.corpus(tmp_path, **settings)


def test_exact_copies_are_counted_and_drawn_as_one_document(tmp_path, asked):
    """Four copies of each document say no more about other documents than one."""
    write(tmp_path / "once", 0.6, odd=range(20))
    for file in sorted((tmp_path / "once").iterdir()):
        for copy in range(4):
            path = tmp_path / "copied" / f"{file.stem}-{copy}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(file.read_text() + "\n" * copy)
    (once, *_), (copied, *_) = (imprint.corpus(tmp_path / name, tests=[asked]) for name in ("once", "copied"))
    assert (copied.n_copies, copied.n_documents, copied.n_documents_read) == (120, 40, 160)
    assert (once.n_copies, copied.n_xa) == (0, 4 * once.n_xa)
    assert copied.error == pytest.approx(once.error, rel=0.05)  # .57 of it as 160 documents
    assert copied.wald_error == pytest.approx(once.wald_error / 2, rel=0.05)


def test_copies_of_other_years_are_other_documents(tmp_path, asked):
    write(tmp_path / "texts", 0.8)
    for file in list((tmp_path / "texts").iterdir()):
        for year in (1990, 1991):
            file.with_name(f"{file.stem}-{year}.txt").write_text(file.read_text())
        file.unlink()
    row, *_ = imprint.corpus(tmp_path / "texts", tests=[asked], date="*-{year}.txt")
    assert (row.n_copies, row.n_documents) == (0, 80)
