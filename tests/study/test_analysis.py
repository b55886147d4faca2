"""Crowds whose agreement is known, scored as known."""

import math
import random

import pytest
from msgspec.structs import replace
from refusals import refuses

from imprint.kinds import row_type
from imprint.rows import read_row
from imprint.stimuli.seeds import read_seeds
from imprint.study.analysis import bonuses, score, write_seeds
from imprint.study.design import CANNOT_TELL, StudyError
from imprint.study.matching import interval_alpha, nominal_alpha, read_ballots
from imprint.study.protocols import offense_design
from imprint.study.rows import GroupVotes

NEXT = {("A", "B", "C", "D"): "BCDA", ("A", "B", "C"): "BCA", ("C", "D"): "DC"}


def right(question):
    """Return the letter that the toy's words begin with."""
    return question.words[0][0].upper()


def wrong(question, task):
    """Return the next letter of the page, the first after the last."""
    letters = tuple(sorted(group.letter for group in task.groups))
    return NEXT[letters][letters.index(right(question))]


def rows_of(scores, kind):
    """Return the rows of one kind."""
    return [row for row in scores.findings() if row.kind == f"study-{kind}"]


def overall(scores):
    """Return the row of the whole, which comes first."""
    return scores.findings()[0]


def earned(store):
    """Return what bonuses say of each person."""
    return [(one.participant, one.exam_correct, one.exam_asked, one.agreed, one.n_judged) for one in bonuses(store)]


@pytest.fixture
def crowd(make_store, take_part):
    """Score a toy study in which `choose(n, question, task)` answers for the n-th person."""

    def ask(people, choose, **options):
        store = make_store(quota=people, **options)
        for n in range(people):
            take_part(store, lambda _, question, task, n=n: choose(n, question, task))
        return store

    return ask


def test_a_crowd_that_agrees_with_the_embedding_is_accurate_beyond_chance(crowd):
    store = crowd(3, lambda n, question, task: right(question))
    scores = score(store)
    assert (overall(scores).associations, overall(scores).n_accurate, overall(scores).share_accurate) == (9, 9, 1)
    assert overall(scores).expected == pytest.approx((4 / 4 + 3 / 3 + 2 / 2) / 9)
    assert overall(scores).p_value == pytest.approx(1 / math.prod(map(math.factorial, (4, 3, 2))))
    assert overall(scores).alpha == 1
    assert (overall(scores).judgments, overall(scores).share_judgments) == (27, 1)
    assert overall(scores).mean_choices == pytest.approx((4 * 4 + 3 * 3 + 2 * 2) / 9)
    assert (overall(scores).unjudged, overall(scores).short) == (0, 9)  # three people are fewer than the paper's 18
    assert overall(scores).n_found == 10
    assert overall(scores).share_offensive is None


def test_a_crowd_that_always_disagrees_is_never_accurate(crowd):
    scores = score(crowd(2, lambda n, question, task: wrong(question, task)))
    assert overall(scores).share_accurate == overall(scores).share_judgments == 0
    assert overall(scores).p_value == 1
    assert {one.most_chosen for one in rows_of(scores, "association") if one.group == "A"} == {("B",)}


def test_three_of_five_make_a_plurality(crowd):
    scores = score(crowd(5, lambda n, question, task: right(question) if n < 3 else wrong(question, task)))
    assert overall(scores).share_accurate == 1
    assert overall(scores).share_judgments == pytest.approx(0.6)
    units = [[*"AAABB"], [*"BBBCC"], [*"CCCDD"], [*"DDDAA"]]
    category = rows_of(scores, "category")[0]
    assert (category.category, category.category_words) == (2, ("central1",))
    assert category.alpha == pytest.approx(nominal_alpha(units))
    for one in rows_of(scores, "association"):
        first, second = one.votes
        assert (first.group, first.people, second.people, one.statistic) == (one.group, 3, 2, 0.6)


def test_a_tie_is_told_and_is_not_accurate(crowd):
    scores = score(crowd(2, lambda n, question, task: right(question) if n else wrong(question, task)))
    assert (overall(scores).n_accurate, overall(scores).ties, overall(scores).ties_with_group) == (0, 9, 9)
    assert overall(scores).expected == 0
    assert all(one.tied and not one.accurate for one in rows_of(scores, "association"))


def test_cannot_tell_is_an_answer_that_matches_no_group_and_that_alpha_leaves_out(crowd):
    def choose(n, question, task):
        if right(question) in "AB" and n < {"A": 3, "B": 2}[right(question)]:
            return CANNOT_TELL
        return right(question)

    scores = score(crowd(5, choose))
    first = {one.group: one for one in rows_of(scores, "association") if one.category_words == ("central1",)}
    assert [(one.cannot_tell, one.statistic, one.accurate, one.tied) for one in first.values()] == [
        (3, 0.4, False, False), (2, 0.6, True, False), (0, 1, True, False), (0, 1, True, False)
    ]  # fmt: skip
    assert [one.most_chosen for one in first.values()] == [(), ("B",), ("C",), ("D",)]
    assert first["A"].votes == (GroupVotes("A", 2),), "who cannot tell has chosen no group"
    whole = overall(scores)
    assert (whole.associations, whole.n_accurate, whole.ties) == (9, 7, 0)
    assert (whole.judgments, whole.cannot_tell) == (45, 2 * 3 + 2 * 2)
    assert whole.share_judgments == 35 / 45
    assert whole.alpha == 1, "all who chose a group chose the same"
    assert whole.expected == pytest.approx((3 / 4 + 2 / 3 + 2 / 2) / 9)
    assert whole.mean_choices == pytest.approx((4 * 4 + 3 * 3 + 2 * 2) / 9)


def test_a_tie_with_cannot_tell_is_not_shared(crowd):
    scores = score(crowd(2, lambda n, question, task: right(question) if n else CANNOT_TELL))
    assert (overall(scores).n_accurate, overall(scores).ties, overall(scores).ties_with_group) == (0, 9, 9)
    assert overall(scores).expected == 0


def test_random_answers_on_pages_with_different_groups_do_not_agree(crowd):
    """Pooled over pages, that they offer different groups would pass for agreement."""
    chance = random.Random(0)
    store = crowd(25, lambda n, question, task: chance.choice(sorted(group.letter for group in task.groups)))
    pooled = nominal_alpha(list(ballot.values.values()) for ballot in read_ballots(store))
    assert pooled > 0.1
    scores = score(store)
    assert abs(overall(scores).alpha) < 0.1
    assert {one.alpha for one in rows_of(scores, "group")} == {None}  # one association a category says nothing


def test_categories_and_groups_are_told_apart(crowd):
    def choose(n, question, task):
        return right(question) if right(question) in "AD" else wrong(question, task)

    scores = score(crowd(2, choose))
    assert {one.group: one.share_accurate for one in rows_of(scores, "group")} == {"A": 1, "B": 0, "C": 0, "D": 1}
    assert [one.n_accurate for one in rows_of(scores, "category")] == [2, 1, 1]
    assert [one.associations for one in rows_of(scores, "category")] == [4, 3, 2]


def test_a_study_nobody_answered_has_no_shares(make_store):
    scores = score(make_store())
    of = overall(scores)
    assert of.share_accurate is of.expected is of.p_value is of.alpha is None
    assert of.unjudged == 9
    assert [row.kind for row in scores.findings()].count("study-association") == 9


def test_bonuses_count_known_names_and_agreement_with_the_others(crowd):
    store = crowd(4, lambda n, question, task: right(question) if n < 3 else wrong(question, task))
    assert earned(store) == sorted((store.pseudonym(n), 8, 8, 9 if n < 4 else 0, 9) for n in (1, 2, 3, 4))


def test_two_people_who_differ_agree_with_nobody(crowd):
    """Each one's majority is the other alone: one's own answer does not count towards it."""
    store = crowd(2, lambda n, question, task: right(question) if n else wrong(question, task))
    assert [(one.agreed, one.n_judged) for one in bonuses(store)] == [(0, 9), (0, 9)]


def test_an_answer_that_nobody_else_gave_an_opinion_on_counts_neither_way(make_store, take_part):
    store = make_store(quota=2)
    take_part(store, lambda _, question, task: right(question))
    assert earned(store) == [(store.pseudonym(1), 8, 8, 0, 0)]
    assert [row.statistic for row in bonuses(store)] == [None]
    take_part(store, lambda _, question, task: right(question), pages=1)
    shared = len({answer.item for answer in store.answers() if answer.participant == 2}) - 8
    assert shared in (2, 3, 4)
    assert earned(store) == sorted((store.pseudonym(n), 8, 8, shared, shared) for n in (1, 2))
    assert [row.statistic for row in bonuses(store)] == [1, 1]


def test_the_second_study_rates_what_the_crowd_agreed_on_and_scores_offensiveness(crowd, make_store, take_part):
    def choose(n, question, task):
        return right(question) if right(question) in "AB" else wrong(question, task)

    first = crowd(2, choose)
    agreed = [read_row(row.to_dict(), row_type) for row in score(first).findings()]
    second = make_store(design=offense_design(agreed, participants=3), name="offense.db")
    assert len(second.items()) == 4  # A and B, in categories 1 and 2
    ratings = {"a1x": (7, 6, 7), "b1x": (4, 4, 4), "a2x": (5, 4, 4), "b2x": (1, 1, 2)}
    for n in range(3):
        take_part(second, lambda _, question, task, n=n: str(ratings[question.words[0]][n]))
    scores = score(first, second)
    (offense,) = rows_of(scores, "offense")
    assert {one.words[0]: one.offensive for one in rows_of(scores, "rating")} == {
        "a1x": True, "b1x": False, "a2x": True, "b2x": False
    }  # fmt: skip
    assert offense.share_offensive == overall(scores).share_offensive == 0.5
    assert offense.mean == pytest.approx((20 / 3 + 4 + 13 / 3 + 4 / 3) / 4)
    assert {one.group: one.n_offensive for one in rows_of(scores, "offense-group")} == {"A": 2, "B": 0}
    assert {one.category_words: one.mean for one in rows_of(scores, "offense-category")} == {
        ("central1",): pytest.approx((20 / 3 + 4) / 2),
        ("central2",): pytest.approx((13 / 3 + 4 / 3) / 2),
    }
    assert offense.alpha == pytest.approx(interval_alpha(ratings.values()))
    kinds = {row.kind for row in scores.findings()}
    assert {
        "study-matching",
        "study-category",
        "study-group",
        "study-association",
        "study-offense",
        "study-rating",
    } <= kinds


def test_ratings_of_another_studys_associations_are_refused(crowd, make_store):
    """Same embedding, same groups, same words: another crowd agreed on other associations."""
    first, other = (crowd(1, lambda n, question, task: right(question), name=name) for name in ("a.db", "b.db"))
    second = make_store(design=offense_design(score(other).findings()), name="offense.db")
    assert rows_of(score(other, second), "offense")
    with refuses(StudyError, option="ratings", got=other.study.id):
        score(first, second)


def test_a_second_study_is_made_of_one_study_that_is_named(crowd):
    first, other = (
        score(crowd(1, lambda n, question, task: right(question), name=name)).findings() for name in ("a.db", "b.db")
    )
    with refuses(StudyError, "studies", got=2):
        offense_design([*first, *other])
    with refuses(StudyError, "which study"):
        offense_design([replace(row, study="elsewhere") for row in first])


def test_a_second_study_of_an_unfinished_one_says_how_many_too_few_have_judged(make_store, take_part):
    store = make_store(quota=2)
    take_part(store, lambda _, question, task: right(question))
    who, _ = take_part(store, lambda _, question, task: right(question), pages=1)
    shared = len([answer for answer in store.answers() if answer.participant == who]) - 8
    (note,) = offense_design(score(store).findings()).notes[1:]
    assert note.startswith(f"{9 - shared} of 9 associations")
    store.leave(who)  # frees the page that was open
    take_part(store, lambda _, question, task: right(question))
    assert len(offense_design(score(store).findings()).notes) == 1


def test_a_crowd_that_never_agrees_leaves_nothing_to_rate(crowd):
    found = score(crowd(1, lambda n, question, task: wrong(question, task))).findings()
    with refuses(StudyError, "agreed with none"):
        offense_design(found)


def test_scores_of_studies_that_do_not_belong_together_are_refused(make_store):
    ube, pairs = make_store(), make_store("analogy", name="pairs.db")
    with refuses(StudyError, option="ratings", got="analogy"):
        score(ube, pairs)
    with refuses(StudyError, option="protocol", got="analogy"):
        bonuses(pairs)


def test_analogies_are_counted_by_votes_and_shared_both_ways(crowd):
    votes = {"first0": 4, "first1": 3, "first2": 2, "first3": 0}

    def choose(n, question, task):
        return "yes" if question.kind == "sense" or n < votes[question.words[0]] else "no"

    scores = score(crowd(4, choose, protocol="analogy"))
    of = overall(scores)
    assert [(votes.people, votes.analogies) for votes in of.by_votes] == [(4, 1), (3, 1), (2, 1), (1, 0), (0, 1)]
    assert of.stereotype_shares.of_judgments == of.statistic == 9 / 16
    assert of.stereotype_shares.of_analogies == 2 / 4  # two of four is no majority
    assert (of.sense_shares.of_judgments, of.sense_shares.alpha) == (1, None)
    assert of.stereotype_shares.alpha == pytest.approx(
        nominal_alpha([["yes"] * n + ["no"] * (4 - n) for n in votes.values()])
    )
    assert [row.first for row in scores.findings()[1:]] == ["first0", "first1", "first2", "first3"]


def test_pairs_that_too_few_judged_are_left_out_of_the_votes_and_counted(make_store, take_part):
    store = make_store("analogy", quota=2)
    take_part(store, lambda *_: "yes")
    of = overall(score(store))
    assert sum(votes.analogies for votes in of.by_votes) == 0
    assert (of.short, of.judgments) == (4, 4)


def test_suggested_words_become_seeds(make_store, take_part, tmp_path):
    store = make_store("suggestion", quota=3)
    for words in ("Nurse, cab driver, boss, maid, clerk", "nurse, boss", "nurse"):
        take_part(store, lambda *_, words=words: words)
    scores = score(store)
    assert [(one.word, one.people) for one in scores.findings()] == [
        ("nurse", 3), ("boss", 2), ("cab driver", 1), ("clerk", 1), ("maid", 1)
    ]  # fmt: skip
    write_seeds(store, tmp_path / "seeds.csv")
    seeds = read_seeds(tmp_path / "seeds.csv")
    assert sorted(seeds.words) == ["boss", "cab driver", "clerk", "maid", "nurse"]
    assert len(seeds.held_out) == 1
    assert seeds.held_out == tuple(one.word for one in scores.findings() if one.is_held_out)


def test_the_split_of_seeds_follows_from_the_studys_seed(make_store, take_part):
    def split(seed, name):
        store = make_store("suggestion", seed=seed, name=name)
        take_part(store, lambda *_: ", ".join("abcdefghijklmnopqrst"))
        return {one.word for one in score(store).findings() if one.is_held_out}

    first = split(1, "a.db")
    assert len(first) == 4
    assert split(1, "b.db") == first
    assert split(2, "c.db") != first


def test_seeds_without_a_word_or_with_an_impossible_share_are_refused(make_store, tmp_path):
    store = make_store("suggestion")
    with refuses(StudyError, "no words"):
        write_seeds(store, tmp_path / "seeds.csv")
    with refuses(StudyError, option="held_out", got=1.0):
        write_seeds(store, tmp_path / "seeds.csv", held_out=1.0)


@pytest.mark.parametrize("protocol", ["ube", "analogy"])
def test_only_suggestions_become_seeds(make_store, take_part, tmp_path, protocol):
    store = make_store(protocol)
    take_part(store, lambda _, question, task: right(question) if protocol == "ube" else "yes")
    with refuses(StudyError, option="protocol", got=protocol):
        write_seeds(store, tmp_path / "seeds.csv")
    assert not (tmp_path / "seeds.csv").exists()


@pytest.mark.parametrize("protocol", ["ube", "analogy", "suggestion"])
def test_scores_show_themselves_as_every_result_does(make_store, take_part, protocol):
    store = make_store(protocol)
    answers = {"triple": right, "words": lambda _: "nurse, maid"}
    take_part(store, lambda _, question, task: answers.get(question.kind, lambda _: "yes")(question))
    scores = score(store)
    assert "\n" not in repr(scores)
    rows = scores.findings()
    frame = scores.to_frame()
    lines = {"ube": ("study-association", 9), "analogy": ("study-analogy", 4), "suggestion": ("study-suggestion", 2)}
    kind, count = lines[protocol]
    assert (frame["kind"] == kind).sum() == count
    assert {row["study"] for row in scores.to_dict()["findings"]} == {store.study.id}
    assert scores._repr_html_()
    assert tuple(read_row(row.to_dict(), row_type) for row in rows) == rows
