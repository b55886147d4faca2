"""Caliskan et al. (2016, 2017), WEAT, WEFAT, and what holds on word2vec; and Caliskan's talk of 2016.

The talk has tests of the paper, one that prints people's figure, and tests without printed words.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from imprint.association.cosines import Effect
from imprint.association.wefat import wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.reproduction.rows import Ours, ReproductionRow, compare, figure_of, identity, lacking, offer, refuse
from imprint.reproduction.seat import in_bundled_sentences
from imprint.reproduction.subjects import WORD2VEC, Subjects
from imprint.significance.partitions import permutation_test
from imprint.significance.ranks import pearson, spearman
from imprint.stimuli.catalog import catalogue, get
from imprint.stimuli.definition import Test, WeatTest, WefatTest
from imprint.stimuli.published import Figure, agrees, figures, recorded_scores

GLOVE_840B, GOOGLE_NEWS = "GloVe 840B", "word2vec GoogleNews"
OCCUPATIONS = "caliskan-wefat-occupations"

_ALL = "caliskan-word2vec-significant"
_EIGHT = 8  # words a set, in the tests of Nosek et al.
_TALK = ("caliskan-2", "caliskan-3", "caliskan-6", "caliskan-8", "caliskan-10", "caliskan-wefat-names", OCCUPATIONS)
_NO_WORDS = "the talk prints no words; ours are written for this catalogue"


def caliskan_rows(subjects: Subjects) -> Iterator[ReproductionRow]:
    """Compare the ten WEATs, both WEFATs, and what is said of word2vec."""
    for test in catalogue():
        for printed in test.published:
            if printed.embedding == GLOVE_840B and printed.source.startswith("Caliskan et al."):
                yield on_glove(test, figure_of(test, printed, "caliskan"), subjects)
    yield _largest_effect()
    yield from _on_word2vec(subjects)
    yield refuse(figures()["caliskan-translation"])


def on_glove(test: Test, figure: Figure, subjects: Subjects, reason: str = "") -> ReproductionRow:
    """Compare a figure on GloVe 840B."""
    try:
        ours = subjects.measured(subjects.glove, test)
    except VocabularyError as error:
        return refuse(figure, str(error))
    return compare(figure, replace(ours, reason=reason or lacking(ours.missing) or "the file is not the paper's"))


def talk_rows(subjects: Subjects) -> Iterator[ReproductionRow]:
    """Compare the talk's tables."""
    people = "the talk prints people's effect (Greenwald et al. 1998); WEAT's own is the paper's 1.50"
    yield on_glove(get("caliskan-1"), figures()["talk-flowers"], subjects, people)
    for identifier in _TALK:
        test = get(identifier)
        figure = figure_of(test, test.published[0], "talk")
        # The talk's tables give a p-value as a power of ten alone.
        p = None if isinstance(test, WeatTest) else figure.p
        yield on_glove(test, replace(figure, source="Caliskan, talk, 2016", p=p), subjects)
    for test in catalogue():
        if test.id.startswith("talk-") and isinstance(test, WeatTest):
            ours = replace(_measured(test, subjects), same_model=False).because(_NO_WORDS)
            yield compare(figure_of(test, test.published[0], "talk"), ours.because(lacking(ours.missing)))


def _largest_effect() -> ReproductionRow:
    words = 2 * _EIGHT
    bound = math.sqrt(words * (words - 1) / (_EIGHT * _EIGHT))
    reason = "d divides by the standard deviation with n - 1, which gives all printed values, and then stays below 2"
    return compare(figures()["caliskan-largest-effect"], Ours(("any", ""), bound, reason=reason))


def _on_word2vec(subjects: Subjects) -> Iterator[ReproductionRow]:
    """Compare all tests on word2vec: from its file, else from scores that were recorded."""
    embedding = subjects.embedding(WORD2VEC)
    claim = figures()[_ALL]
    found: dict[str, tuple[Figure, Ours]] = {}
    for test in catalogue():
        if not test.id.startswith("caliskan-") or (test.id not in recorded_scores().scores and embedding is None):
            continue
        printed = next((figure for figure in test.published if figure.embedding == GOOGLE_NEWS), None)
        figure = Figure(f"{test.id} {GOOGLE_NEWS}", "caliskan", claim.source, test.title, GOOGLE_NEWS, p=claim.p)
        if printed is not None:
            figure = replace(figure_of(test, printed, "caliskan"), p=claim.p)
        try:
            ours = _best(test, embedding, subjects)
        except VocabularyError as error:
            yield refuse(figure, str(error))
            continue
        found[test.id] = (figure, ours)
        not_so = "" if ours.p is None or agrees(claim.p or "", ours.p) else f"it is not significant: p = {ours.p:.2g}"
        yield compare(figure, ours.because(not_so, lacking(ours.missing)))
    failing = [name for name, (figure, ours) in found.items() if not agrees(figure.p or "", ours.p or 0.0)]
    said = "; ".join(f"{name} has p = {found[name][1].p:.2g}" for name in failing)
    count = f"{len(found) - len(failing)} of {len(found)}"
    whole = replace(claim, value=f"{len(found)} of {len(found)}", p=None)
    subject = next(iter(found.values()))[1].subject
    yield compare(whole, Ours(subject, text=count, reason=f"not in all: {said}"))
    yield from _agreement(subjects, embedding)
    if embedding is None:
        names = get("caliskan-wefat-names")
        figure = Figure(f"{names.id} {GOOGLE_NEWS}", "caliskan", claim.source, names.title, GOOGLE_NEWS, p=claim.p)
        yield refuse(figure, "scores of these names were not recorded: the package has 11 of 50", offer(WORD2VEC))


def _best(test: Test, embedding: Embedding | None, subjects: Subjects) -> Ours:
    """Measure a test on the vectors given, or take the recorded scores where these have more of its words."""
    recorded = _recorded(test) if test.id in recorded_scores().scores else None
    if embedding is None and recorded is not None:
        return recorded
    assert embedding is not None
    try:
        ours = subjects.measured(embedding, test)
    except VocabularyError:
        if recorded is None:
            raise
        return recorded.because("scores recorded here: the file lacks words")
    if recorded is not None and len(recorded.missing) < len(ours.missing):
        return recorded.because("scores recorded here: the file lacks words")
    return ours


def _recorded(test: Test) -> Ours:
    recorded = recorded_scores()
    subject = (recorded.embedding, recorded.sha256)
    scores = recorded.scores[test.id]
    if isinstance(test, WefatTest):
        by_word = scores["words"]
        values = test.property or {}
        r, p = pearson(np.array(list(by_word.values())), np.array([values[word] for word in by_word]))
        return Ours(subject, r, p, missing=tuple(word for word in test.words.words if word not in by_word))
    x, y = (np.array(list(scores[letter].values())) for letter in "xy")
    targets = (*test.x.words, *test.y.words)
    missing = [word for word in targets if word not in scores["x"] and word not in scores["y"]]
    missing += [word for word in (*test.a.words, *test.b.words) if word in recorded.missing_attributes]
    return Ours(subject, Effect.of(x, y).effect_size, permutation_test(x, y).p_value, missing=tuple(missing))


def _agreement(subjects: Subjects, embedding: Embedding | None) -> Iterator[ReproductionRow]:
    """Correlate the occupations' scores on both embeddings."""
    recorded = recorded_scores()
    subject, second = (recorded.embedding, recorded.sha256), recorded.scores[OCCUPATIONS]["words"]
    if embedding is not None and len(measured := _scores(embedding)) >= len(second):
        subject, second = identity(embedding), measured
    first = _scores(subjects.glove)
    missing = tuple(word for word in first if word not in second)
    x, y = (np.array([side[word] for word in first if word in second]) for side in (first, second))
    for name, correlate in (("pearson", pearson), ("spearman", spearman)):
        figure = figures()[f"caliskan-agreement-{name}"]
        yield compare(figure, Ours(subject, correlate(x, y)[0], missing=missing, reason=lacking(missing)))


def _scores(embedding: Embedding) -> dict[str, float]:
    """Return the score of each occupation; none where too few of them have vectors."""
    try:
        row = wefat(embedding, OCCUPATIONS)
    except VocabularyError:
        return {}
    return {score.word: score.value for score in row.scores if score.value is not None}


def _measured(test: WeatTest, subjects: Subjects) -> Ours:
    """Measure a test on the bundled embedding, or in sentences of the bundled encoder where that lacks its words."""
    try:
        if test.language == "en":
            return subjects.measured(subjects.default, test)
    except VocabularyError:
        pass
    return in_bundled_sentences(test, subjects).because("asked in sentences")
