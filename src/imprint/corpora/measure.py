"""Which biases does a corpus carry, and which documents carry them? Log odds of co-occurrences, with honest intervals.

The log odds ratio of two groups near two kinds of words is a difference of pointwise mutual information (Valentini et
al., 2023). Its interval is over documents and words: see `imprint.significance.odds`.
"""

import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from imprint.clusters import WORKERS, Workers
from imprint.corpora.counting import Counts, count_corpus
from imprint.corpora.documents import with_passages, with_swapped
from imprint.corpora.rows import Change, CorpusChangeRow, CorpusRow, CorpusTopicRow, DocumentShare, PeriodOdds
from imprint.corpora.settings import MOST_DOCUMENTS, CorpusSettings
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.rows import Row, Rows, WordValue
from imprint.settings import option, settable
from imprint.significance.odds import CountedOdds, Drawn, odds_spread, over_documents_and_words
from imprint.significance.outcomes import outcome
from imprint.stimuli.catalog import about, catalogue, choose, text_questions
from imprint.stimuli.definition import CONTROL, WeatTest, WordSet, described, word_sets
from imprint.subjects.reading import STDIN, refuse_unused
from imprint.subjects.settings import TextSettings
from imprint.types import Ints, Report

MARGIN = math.log(2)  # log odds; within it, the odds are less than doubled

_SPREADS = 39  # random ones: fewer documents than in all of them by chance in one corpus of 40
_WORDS = 20  # in a row
_DRAWN = 50  # documents of the removal curve
_NAMED = 3  # sources in the name of a corpus


@dataclass(frozen=True, kw_only=True)
class CorpusPlan(CorpusSettings):
    """All that a measurement of a corpus is given."""

    tests: Annotated[
        Sequence[WeatTest] | None,
        option("Tests to ask, by default the questions, and those about gender with pronouns in place of names."),
    ] = None
    workers: Annotated[Workers | None, option(WORKERS)] = None
    checkpoint: Annotated[FilePath | None, option("A folder that saves finished work, to continue from it.")] = None
    report: Annotated[Report | None, option("Called with what is read, how much is done, and the total.")] = None

    @property
    def reading(self) -> TextSettings:
        """How text is read."""
        return TextSettings(**{each.name: getattr(self, each.name) for each in fields(TextSettings)})


@settable(CorpusPlan)
def corpus(text: FilePath | Sequence[FilePath], plan: CorpusPlan) -> Rows[Row]:
    """Ask which biases text carries, and which documents carry them.

    Words are near each other within a window. The log odds ratio says how much more often the first group is near the
    first kind of words, and the second near the second, than the other way round.

    Parameters
    ----------
    text
        Files, or folders of them, which together are one corpus: text, JSON lines, Parquet, plain or compressed.

    Returns
    -------
    Rows
        One row per question and topic; then one per difference.

    Examples
    --------
    >>> from pathlib import Path
    >>> said = "He met adviser, adviser and baby. {} She met baby, baby and adviser. {} "
    >>> _ = Path("text.txt").write_text(said.replace("{}", "It rained all day and night.") * 9000)
    >>> imprint.corpus("text.txt")["pronouns-career"]
    CorpusRow('pronouns-career' in text.txt: 1.39, cannot tell (few words))
    """
    sources = [text] if isinstance(text, str | os.PathLike) else list(text)
    tests = about(text_questions() if plan.tests is None else tuple(plan.tests), plan.topics)
    every: list[Sequence[FilePath]] = [sources, *([other] for other in plan.against)]
    refuse_unused([*sources, *plan.against], plan.reading)
    measured, *others = (_Measured.of(each, tests, plan) for each in every)
    rows: list[Row] = [row for each in (measured, *others) for row in each.rows()]
    rows += [measured.change(test, "corpus", other) for other in others for test in tests]
    if plan.date is not None:
        rows += measured.over_years()
    if plan.without:
        left = measured.without(plan.without)
        rows += [measured.change(test, "without", left) for test in tests]
    if plan.swapped:
        joined = replace(measured, name=f"{measured.name} and its swapped copy", counts=with_swapped(measured.counts))
        rows += [measured.change(test, "swapped", joined) for test in tests]
    return Rows(rows)


def text_tests(patterns: Collection[str]) -> tuple[WeatTest, ...]:
    """Return the tests that patterns name, of those asked of text and of the catalogue."""
    every = dict.fromkeys((*text_questions(), *catalogue()))
    return tuple(test for test in choose(every, patterns) if isinstance(test, WeatTest))


def is_closed(words: WordSet) -> bool:
    """Tell whether a set is complete, as pronouns and terms with them are: then its words were not drawn."""
    return any("pronoun" in kind for kind in words.kinds)


def counted_odds(counts: Counts, test: WeatTest, documents_from: int = 0) -> CountedOdds:
    """Return the counts of one test; documents of other corpora are numbered from elsewhere."""
    size, sets = len(counts.words.words), word_sets(test)
    ids = {role: np.array([counts.words.numbers[word] for word in sets[role].words]) for role in "xyab"}
    sides = np.full((2, size), -1)
    for role, axis, side in (("x", 0, 0), ("y", 0, 1), ("a", 1, 0), ("b", 1, 1)):
        sides[axis, ids[role]] = side
    target, attribute = sides[0, counts.target], sides[1, counts.attribute]
    rows = np.flatnonzero((target >= 0) & (attribute >= 0))
    cell, count = 2 * target[rows] + attribute[rows], counts.count[rows]

    def by(units: Ints) -> tuple[Ints, Ints]:
        """Return each unit of the records once, with its four cells."""
        distinct, index = np.unique(units, return_inverse=True)
        cells = np.bincount(4 * index + cell, count, minlength=4 * len(distinct))
        return distinct, cells.reshape(-1, 4).astype(np.int64)

    documents, by_document = by(counts.document[rows])
    drawn = []
    for role, column in zip("xyab", (counts.target,) * 2 + (counts.attribute,) * 2, strict=True):
        if not is_closed(sets[role]):
            units, by_word = by(column[rows])
            in_role = np.isin(units, ids[role])
            drawn.append(Drawn(units[in_role], by_word[in_role]))
    return CountedOdds(Drawn(size + documents_from + documents, by_document), tuple(drawn))


@dataclass(frozen=True, eq=False)
class _Measured:
    """A corpus with its counts."""

    name: str
    counts: Counts
    tests: tuple[WeatTest, ...]
    plan: CorpusPlan

    @classmethod
    def of(cls, sources: Sequence[FilePath], tests: tuple[WeatTest, ...], plan: CorpusPlan) -> "_Measured":
        """Count the words of tests in a corpus, which is called after its files and folders."""
        counts = count_corpus(sources, tests, plan.reading, plan.window, plan.workers, plan.checkpoint, plan.report)
        names = ["standard input" if str(source) == STDIN else Path(source).resolve().name for source in sources]
        others = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return cls(", ".join(names[:_NAMED]) + others, counts, tests, plan)

    def rows(self) -> list[Row]:
        """Return a row per test and per topic."""
        odds = {test.id: counted_odds(self.counts, test) for test in self.tests}
        rows = [self._row(test, odds[test.id]) for test in self.tests]
        if self.plan.snippets:
            rows = [with_passages(row, self.counts, self.plan.window, self.plan.snippets) for row in rows]
        return [*rows, *self._topics(rows, odds)]

    def _row(self, test: WeatTest, odds: CountedOdds) -> CorpusRow:
        counts, sets = self.counts, word_sets(test)
        seen = {counts.words.words[unit] for drawn in odds.words for unit in drawn.units[drawn.is_counted]}
        variance = np.nan if odds.obstacle else float(odds_spread([(odds, 1.0)]).variance[0])
        fields: dict[str, Any] = {
            f"n_{role}": len(words) if is_closed(words) else len(seen & {*words.words}) for role, words in sets.items()
        }
        fields |= zip(("n_xa", "n_xb", "n_ya", "n_yb"), odds.cells.tolist(), strict=True)
        numbers = counts.words.numbers
        fields["in_text"] = tuple(
            sum(numbers[word] in counts.in_text for word in words.words) for words in sets.values()
        )
        fields |= self._about(test) | _judged([(odds, 1.0)])
        return CorpusRow(
            **fields,
            error=math.sqrt(variance),
            wald_error=math.sqrt(odds.wald_variance),
            n_documents=len(odds.documents.is_counted),
            n_documents_read=counts.n_documents,
            n_damaged=counts.n_damaged,
            n_copies=counts.n_copies,
            words_read=counts.n_words,
            window=self.plan.window,
            fixed=tuple(words.name for words in sets.values() if is_closed(words)),
            **(self._contributions(odds) if odds.obstacle is None else {}),
        )

    def _contributions(self, odds: CountedOdds) -> dict[str, Any]:
        """Return which words and documents move a finding, and how many documents would have to go to halve it."""
        words = [
            WordValue(self.counts.words.words[unit], moved)
            for drawn in odds.words
            for unit, moved in zip(drawn.units.tolist(), odds.moved_by(drawn).tolist(), strict=True)
        ]
        moved = odds.moved_by(odds.documents)
        spread = odds.to_halve_if_spread(self.plan.seed, _SPREADS)
        to_halve = odds.to_halve()
        numbers = odds.documents.units - len(self.counts.words.words)
        return {
            "scores": tuple(sorted(words, key=lambda word: (-abs(word.value or 0.0), word.word))[:_WORDS]),
            "to_halve": to_halve,
            "to_halve_if_spread": spread[len(spread) // 2],
            "is_concentrated": None if to_halve is None else to_halve < spread[0],
            "removal": tuple(odds.removal()[1][: _DRAWN + 1].tolist()),
            "documents": tuple(
                DocumentShare(
                    self.counts.names[numbers[index]], moved[index].item(), moved[index] / (odds.value or 1.0)
                )
                for index in np.argsort(-np.abs(moved), kind="stable")[:MOST_DOCUMENTS]
            ),
        }

    def _topics(self, rows: Sequence[CorpusRow], odds: Mapping[str, CountedOdds]) -> Iterator[CorpusTopicRow]:
        for topic in dict.fromkeys(topic for row in rows for topic in row.topics if topic != CONTROL):
            about_topic = [row for row in rows if topic in row.topics]
            counted = tuple(row.test for row in about_topic if row.log_odds_low is not None)
            parts = [(odds[test], 1 / len(counted)) for test in counted]
            judged = _judged(parts) if parts else outcome(None, None, obstacle=about_topic[0].obstacle).fields()
            left_out = tuple(row.test for row in about_topic if row.test not in counted)
            about = {**self._said, "test": topic, "title": topic, "topics": (topic,)}
            yield CorpusTopicRow(**about, **judged, tests=counted, tests_left_out=left_out)

    def change(self, test: WeatTest, kind: Change, other: "_Measured") -> CorpusChangeRow:
        """Return how a test differs in another corpus, or in this one with other documents."""
        shared = kind in ("without", "swapped")
        before = counted_odds(self.counts, test)
        after = counted_odds(other.counts, test, 0 if shared else len(self.counts.names))
        return CorpusChangeRow(
            **self._about(test),
            **_judged([(after, 1.0), (before, -1.0)], shared=shared),
            compared=kind,
            change_from=self.name,
            change_to=other.name,
            log_odds_before=_value([(before, 1.0)]),
            log_odds_after=_value([(after, 1.0)]),
            other_sha256=other.counts.sha256,
        )

    def without(self, patterns: Sequence[str]) -> "_Measured":
        """Return the corpus without the documents that patterns name."""
        left = [not any(fnmatchcase(name, pattern) for pattern in patterns) for name in self.counts.names]
        gone = len(left) - sum(left)
        if not gone:
            named = " or ".join(map(repr, patterns))
            hint = f"give a name as the table of documents has it, such as {next(iter(self.counts.names), 'a.txt')}"
            problem = f"no document with counts is named like {named}"
            raise SettingError(problem, option="without", got=", ".join(patterns), hint=hint)
        return replace(self, name=f"{self.name} without {gone:,}", counts=self.counts.of_documents(np.array(left)))

    def over_years(self) -> Iterator[CorpusChangeRow]:
        """Yield each test by period, with the difference of its later half of co-occurrences from its earlier one."""
        years = self.counts.years
        if len(years) and not years.any():
            date, example = self.plan.date, self.counts.names[0]
            problem = f"no document has a year in {date!r}"
            hint = "name a field or column with the year, or a pattern of file names with {year}"
            if self.plan.dates_files:
                problem, hint = f"no file name fits {date!r}, such as {example}", "write {year} where the year is"
            raise SettingError(problem, option="date", got=date, hint=hint)
        starts = years // self.plan.period * self.plan.period
        slices = {int(start): self.counts.of_documents(starts == start) for start in np.unique(starts[years > 0])}
        for test in self.tests:
            odds = counted_odds(self.counts, test)
            of_units = years[odds.documents.units - len(self.counts.words.words)]
            by_year = np.bincount(of_units[of_units > 0], odds.documents.cells.sum(axis=1)[of_units > 0])
            dated = np.flatnonzero(by_year)
            if len(dated) > 1:
                middle = min(int(np.searchsorted(np.cumsum(by_year), by_year.sum() / 2)) + 1, int(dated[-1]))
                early, late = self._between(dated[dated < middle]), self._between(dated[dated >= middle])
                periods = tuple(self._period(start, counted_odds(part, test)) for start, part in slices.items())
                row = early.change(test, "years", late)
                yield msgspec.structs.replace(row, periods=periods, embedding=self.name)

    def _between(self, years: Ints) -> "_Measured":
        """Return the corpus with the documents of these years alone."""
        counts = self.counts.of_documents((self.counts.years >= years[0]) & (self.counts.years <= years[-1]))
        return replace(self, name=f"{years[0]}\N{EN DASH}{years[-1]}", counts=counts)

    def _period(self, start: int, odds: CountedOdds) -> PeriodOdds:
        value, low, high, *_ = _judged([(odds, 1.0)]).values()
        return PeriodOdds(start, start + self.plan.period - 1, len(odds.documents.is_counted), value, low, high)

    def _about(self, test: WeatTest) -> dict[str, Any]:
        said = {name: value for name, value in described(test).items() if name not in ("published", "human")}
        return {**self._said, **said, "test": test.id}

    @property
    def _said(self) -> dict[str, Any]:
        return {"embedding": self.name, "embedding_sha256": self.counts.sha256, "seed": self.plan.seed}


def _judged(parts: Sequence[tuple[CountedOdds, float]], *, shared: bool = False) -> dict[str, Any]:
    """Return a weighted sum of log odds with its interval, and what that says; without an interval of few counts."""
    value = _value(parts)
    obstacle = next((odds.obstacle for odds, _ in parts if odds.obstacle), None)
    interval = None if obstacle else over_documents_and_words(parts, shared=shared)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    if interval is None and value == 0 and obstacle is None:  # where nothing is changed, nothing differs
        low = high = 0.0
    judged = outcome(low, high, margin=MARGIN, obstacle=obstacle).fields()
    return {"log_odds": value, "log_odds_low": low, "log_odds_high": high} | judged


def _value(parts: Sequence[tuple[CountedOdds, float]]) -> float | None:
    """Return a weighted sum of log odds; None of cells so small that what is added to each would decide."""
    is_known = all(odds.obstacle != "few counts" for odds, _ in parts)
    return sum(weight * odds.value for odds, weight in parts) if is_known else None
