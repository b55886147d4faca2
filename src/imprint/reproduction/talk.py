"""Caliskan (2016), the talk: tests of the paper, one that prints people's figure, and tests without printed words."""

from collections.abc import Iterator
from dataclasses import replace

from imprint.errors import VocabularyError
from imprint.reproduction.caliskan import OCCUPATIONS, figure_of, on_glove
from imprint.reproduction.rows import Ours, ReproductionRow, compare, lacking
from imprint.reproduction.seat import in_bundled_sentences
from imprint.reproduction.subjects import Subjects
from imprint.stimuli.catalog import catalogue, get
from imprint.stimuli.definition import WeatTest
from imprint.stimuli.published import figures

_TALK = ("caliskan-2", "caliskan-3", "caliskan-6", "caliskan-8", "caliskan-10", "caliskan-wefat-names", OCCUPATIONS)
_NO_WORDS = "the talk prints no words; ours are written for this catalogue"


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


def _measured(test: WeatTest, subjects: Subjects) -> Ours:
    """Measure a test on the bundled embedding, or in sentences of the bundled encoder where that lacks its words."""
    try:
        if test.language == "en":
            return subjects.measured(subjects.default, test)
    except VocabularyError:
        pass
    return in_bundled_sentences(test, subjects).because("asked in sentences")
