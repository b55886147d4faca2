"""What is said of a corpus: a row per question, topic and difference, and what single documents contribute."""

from typing import Annotated, ClassVar, Literal

import msgspec

from imprint.association.rows import OutcomeRow
from imprint.rows import WordValue, shown

Change = Literal["corpus", "years", "without", "swapped"]

LOG_ODDS = shown(
    "Log odds",
    "Log odds ratio: above zero, X occurs near A and Y near B more than the other way round. 0.69 is twice the odds. "
    "In brackets, its 99.5 % interval over documents and words.",
)
_DIFFERENCE = shown("Difference", "Log odds in the second less those in the first, with the 99.5 % interval.")
_LOW = shown("Log odds, low", "Low end of the interval over documents and words.")
_HIGH = shown("Log odds, high", "High end of the interval over documents and words.")
_DOCUMENTS = shown("Documents", "Documents with any of the words near each other.")


class DocumentShare(msgspec.Struct, frozen=True):
    """A document, and how much it moves the log odds."""

    document: Annotated[str, shown("Document")]
    change: Annotated[float, shown("Moves by", "The log odds less those without the document.", digits=3)]
    share: Annotated[float | None, shown("Share", "The same as a share of the log odds.", shape="percent", digits=1)]
    snippet: Annotated[str | None, shown("Passage", "Words of the document around one of the pairs.")] = None


class PeriodOdds(msgspec.Struct, frozen=True):
    """The log odds in some years."""

    start: Annotated[int, shown("From", "First year.")]
    end: Annotated[int, shown("To", "Last year.")]
    n_documents: Annotated[int, _DOCUMENTS]
    log_odds: Annotated[float | None, LOG_ODDS]
    log_odds_low: Annotated[float | None, _LOW]
    log_odds_high: Annotated[float | None, _HIGH]


class OddsRow(OutcomeRow, frozen=True, kw_only=True):
    """A log odds ratio with its interval."""

    log_odds: Annotated[float | None, LOG_ODDS] = None
    log_odds_low: Annotated[float | None, _LOW] = None
    log_odds_high: Annotated[float | None, _HIGH] = None

    interval_of: ClassVar[str] = "log_odds"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.test!r} in {self.embedding}: {self._said(self.log_odds, '.2f')})"


class CorpusRow(OddsRow, frozen=True, kw_only=True, tag="corpus"):
    """Two groups of people and two kinds of words: how often each group is near each kind in a corpus."""

    error: Annotated[float | None, shown("Error", "Standard error over documents and words.")] = None
    wald_error: Annotated[float, shown("Wald error", "The literature's: it takes co-occurrences as independent.")]
    n_xa: Annotated[int, shown("X near A", "How often words of X are near words of A.")]
    n_xb: Annotated[int, shown("X near B", "How often words of X are near words of B.")]
    n_ya: Annotated[int, shown("Y near A", "How often words of Y are near words of A.")]
    n_yb: Annotated[int, shown("Y near B", "How often words of Y are near words of B.")]
    n_x: Annotated[int, shown("Words of X", "Words of X that occur near A or B.")]
    n_y: Annotated[int, shown("Words of Y", "Words of Y that occur near A or B.")]
    n_a: Annotated[int, shown("Words of A", "Words of A that occur near X or Y.")]
    n_b: Annotated[int, shown("Words of B", "Words of B that occur near X or Y.")]
    in_text: Annotated[tuple[int, ...], shown("Words in the text", "Words of X, Y, A and B that occur at all.")] = ()
    n_documents: Annotated[int, _DOCUMENTS]
    n_documents_read: Annotated[int, shown("Documents read", "Documents of the corpus.")]
    n_damaged: Annotated[int, shown("Damaged", "Documents with bytes that are not UTF-8.")] = 0
    n_copies: Annotated[
        int, shown("Copies", "Documents with words near each other that are exact copies of another: one with it.")
    ] = 0
    words_read: Annotated[int, shown("Words read", "Words of the corpus.")]
    window: Annotated[int, shown("Window", "Words within which two words are near.")]
    fixed: Annotated[tuple[str, ...], shown("Fixed sets", "Sets that are complete, such as pronouns: not drawn.")] = ()
    to_halve: Annotated[int | None, shown("To halve it", "Documents that must go to halve the log odds.")] = None
    to_halve_if_spread: Annotated[int | None, shown("If spread", "The same, spread at random; the median.")] = None
    is_concentrated: Annotated[
        bool | None, shown("Concentrated", "Whether it takes fewer documents than in any of 39 random spreads.")
    ] = None
    removal: Annotated[tuple[float, ...], shown("Without", "Log odds without the first 0, 1, 2 ... documents.")] = ()
    documents: Annotated[tuple[DocumentShare, ...], shown("Documents that move it", "The most moving first.")] = ()
    scores: Annotated[tuple[WordValue, ...], shown("Words that move it", "Log odds less those without the word.")] = ()


class CorpusTopicRow(OddsRow, frozen=True, kw_only=True, tag="corpus-topic"):
    """The mean log odds of a topic's questions, with its interval over documents and words."""

    tests: Annotated[tuple[str, ...], shown("Tests", "Questions about the topic that have an interval.")]
    tests_left_out: Annotated[tuple[str, ...], shown("Left out", "Those without one.")] = ()


class CorpusChangeRow(OddsRow, frozen=True, kw_only=True, tag="corpus-change"):
    """How the log odds of a question differ: between corpora or years, or where documents are left out or joined."""

    log_odds: Annotated[float | None, _DIFFERENCE] = None
    compared: Annotated[Change, shown("Compared", "Whether corpora, years, or a corpus with a changed one.")]
    change_from: Annotated[str, shown("From", "Name of the first.")]
    change_to: Annotated[str, shown("To", "Name of the second.")]
    log_odds_before: Annotated[float | None, shown("Before", "Log odds ratio in the first.")] = None
    log_odds_after: Annotated[float | None, shown("After", "Log odds ratio in the second.")] = None
    other_sha256: Annotated[str, shown("SHA-256 of the other", "Hash of the second.", shape="word")]
    periods: Annotated[tuple[PeriodOdds, ...], shown("By period", "The log odds period by period.")] = ()
