"""Does a score change when only the name changes? Names are the unit, and texts are drawn as names are.

Caliskan et al. (2016), "Effects of bias in NLP applications", describe the experiment: the same sentence with a name
of another group. Here any scorer can be asked.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self

import numpy as np

from imprint.association.rows import FEWEST, KEPT, JudgedRow, PMethod
from imprint.association.verdicts import ALPHA, Case, InFamily, Judged, check_alpha, judge_all
from imprint.checks import check_whole
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, VocabularyError
from imprint.files import FilePath
from imprint.rows import Count, Result, TemplateValue, WordList, WordValue, shown
from imprint.scoring.checks import Checked, NullRate, ScoreTable, check_table, null_rates
from imprint.scoring.collect import Pace, collect
from imprint.scoring.scorers import ScorerLike, open_scorer
from imprint.significance.shifts import smallest_detectable_shift
from imprint.significance.swapped import in_the_top, pair_shares
from imprint.stimuli.definition import WordSet
from imprint.stimuli.swaps import DEFAULT_NAMES, Swap, SwapTexts, bundled_texts, fill_in, find_swap, read_texts
from imprint.stimuli.swaps import swap_of_groups as _of_groups
from imprint.subjects.common import ranks_of
from imprint.types import Floats, Report

TOP = 10  # places at the top of a ranking

_KNOWN_RANKS = 0.9  # share of names with a known frequency, below which frequency is not checked


class SwapRow(JudgedRow, frozen=True, kw_only=True, tag="swap"):
    """Two groups of names, or two pronouns, in the same texts, and what a scorer made of them."""

    title: Annotated[str, shown("Compared", "Which names, or pronouns, were compared.")]
    effect_size: Annotated[
        float | None, shown("d", "The difference in standard deviations of all names' mean scores.")
    ] = None
    p_words: Annotated[
        float | None,
        shown("p, names and texts", "Two-sided p against no difference among all such names and texts."),
    ] = None
    p_frequency: Annotated[
        float | None,
        shown("p, frequency", "Two-sided p of the difference at equal frequency of the names."),
    ] = None
    mean_difference: Annotated[
        float | None,
        shown(
            "Mean difference",
            "Mean score with the first names less that with the second, with its 95 % interval over names and texts.",
            digits=3,
            ends="words",
        ),
    ]
    permuted: Annotated[Literal["names", "pronouns"], shown("Permuted", "What was exchanged between the groups.")]
    n_x: Annotated[int, shown("Names", "Names of the first and of the second group.")]
    n_y: Annotated[int, shown("Names of Y", "Names of the second group.")]
    n_texts: Annotated[int, shown("Texts", "Texts that the names were put into.")]
    texts_random: Annotated[bool, shown("Texts vary", "Whether the interval is over other texts too.")]
    p_method: Annotated[PMethod, shown("p, method", "How p was found: exact, certified bounds or sampled.")]
    partitions: Annotated[Count, shown("All splits", "Splits of the names.", shape="count")]
    extreme: Annotated[
        Count | None, shown("Splits", "Splits of the names at least as extreme, of all splits.", shape="count")
    ]
    share_lower: Annotated[
        float,
        shown(
            "Lowered",
            "Share of pairs, one name of each group in the same text, in which the second scores lower.",
            shape="percent",
            digits=1,
        ),
    ]
    share_tied: Annotated[float, shown("Tied", "Share of pairs with equal scores.", shape="percent", digits=1)]
    top_k: Annotated[int | None, shown("Top", "How many of the best names of a text are counted.")] = None
    top_y: Annotated[
        float | None,
        shown(
            "At the top",
            "How many of the best names of a text are of the second group; in brackets, what to expect.",
            digits=1,
        ),
    ] = None
    top_expected: Annotated[float | None, shown("Expected at the top", "The same without a difference.", digits=1)] = (
        None
    )
    rank_x: Annotated[
        float | None,
        shown("Median ranks", "Median frequency ranks of both groups; 1 is the most frequent word.", digits=0),
    ] = None
    rank_y: Annotated[float | None, shown("Median rank of Y", digits=0)] = None
    adjusted_difference: Annotated[
        float | None,
        shown("At equal frequency", "The difference adjusted for the logarithm of the names' ranks.", digits=3),
    ] = None
    detectable_shift: Annotated[
        float | None,
        shown("Detectable", "Where nothing was found: the smallest difference found four times in five.", digits=3),
    ] = None
    by_text: Annotated[tuple[TemplateValue, ...], shown("By text", "The difference in each text.")] = ()
    nulls: Annotated[tuple[NullRate, ...], shown("Nulls", "What tables without a difference show.")] = ()


@dataclass(frozen=True, repr=False)
class SwapResult(InFamily):
    """One comparison: its scores, its checks, and its place in the family."""

    swap: Swap
    scorer: str
    scorer_sha256: str
    texts: tuple[str, ...]
    table: ScoreTable = field(compare=False)
    checked: Checked = field(compare=False)
    missing: tuple[str, ...] = ()
    ranks: tuple[float, float] | None = None
    top: int = TOP
    seed: int = 0
    judged: Judged | None = None
    detectable_shift: float | None = None

    @property
    def mean_difference(self) -> float:
        """The mean score of X less that of Y."""
        return float(self.table.differences.mean())

    @property
    def share_lower(self) -> float:
        """The share of pairs, one name of each group in the same text, in which that of Y scores lower."""
        return pair_shares(self.table.scores, self.table.n_x)[0]

    @property
    def case(self) -> Case:
        """What is judged of it within a family."""
        return self.checked.case

    def in_family(self, judged: Judged) -> Self:
        """Return the result with its judgement, and with the smallest detectable difference where none is shown."""
        shift = None
        if judged.evidence == "none shown" and judged.level is not None and not self.table.of_pronouns:
            x, y = self.table.sides()
            if np.ptp(np.concatenate([x - x.mean(), y - y.mean()])) > 0:
                shift = smallest_detectable_shift(x, y, alpha=judged.level, alternative="two-sided", seed=self.seed)
        return replace(self, judged=judged, detectable_shift=shift)

    def finding(self, nulls: tuple[NullRate, ...]) -> SwapRow:
        """Return the row."""
        table, label, swap = self.table, self.checked.label, self.swap
        lower, tied = pair_shares(table.scores, table.n_x)
        names = [word for word in swap.words if word not in {*self.missing}]
        means = table.scores.mean(axis=1)
        top = None if table.of_pronouns else max(1, min(self.top, len(names) // 2))
        checks = {
            name: value for name, value in self.checked.checks.fields().items() if name in SwapRow.__struct_fields__
        }
        spread = np.concatenate(table.sides()).std(ddof=1)
        return SwapRow(
            test=swap.id,
            embedding=self.scorer,
            embedding_sha256=self.scorer_sha256,
            title=swap.title,
            topics=swap.topics,
            source=swap.source,
            language=swap.language,
            sets=tuple(WordList(role, one.name, one.words) for role, one in (("x", swap.x), ("y", swap.y))),
            scores=tuple(WordValue(name, float(mean)) for name, mean in zip(names, means, strict=True)),
            missing=self.missing,
            mean_difference=self.mean_difference,
            effect_size=self.mean_difference / spread if spread > 0 else None,
            p_value=checks["p_label"],
            permuted="pronouns" if table.of_pronouns else "names",
            n_x=table.n_x,
            n_y=len(names) - table.n_x,
            n_texts=len(self.texts),
            texts_random=self.checked.texts_random,
            p_method=label.p_method if label else "exact",
            partitions=str(label.partitions if label else 2 ** len(self.texts)),
            extreme=None if label is None or label.extreme is None else str(label.extreme),
            share_lower=lower,
            share_tied=tied,
            top_k=top,
            top_y=None if top is None else in_the_top(table.scores, table.n_x, top),
            top_expected=None if top is None else top * (len(names) - table.n_x) / len(names),
            by_text=tuple(map(TemplateValue, self.texts, table.differences.tolist())),
            nulls=nulls,
            seed=self.seed,
            detectable_shift=self.detectable_shift,
            **checks | ({} if self.ranks is None else {"rank_x": self.ranks[0], "rank_y": self.ranks[1]}),
            **(self.judged.fields() if self.judged else {}),
        )

    def __repr__(self) -> str:
        said = (
            f"{self.mean_difference:.3g}, {100 * self.share_lower:.1f} % of pairs lowered, evidence: {self.evidence}"
        )
        return f"SwapResult({self.swap.id!r} by {self.scorer}: {said})"


@dataclass(frozen=True, repr=False)
class Swapped(Result):
    """The comparisons of one run, corrected together; so many texts were `asked` for now, the others were known."""

    results: tuple[SwapResult, ...]
    nulls: tuple[NullRate, ...]
    asked: int

    def __getitem__(self, name: str) -> SwapResult:
        """Return a comparison by its name."""
        return next(result for result in self.results if result.swap.id == name)

    def findings(self) -> list[SwapRow]:
        """Return one row per comparison."""
        return [result.finding(self.nulls) for result in self.results]

    def __repr__(self) -> str:
        return f"Swapped({', '.join(map(repr, self.results))})"


def swap(
    scorer: ScorerLike,
    names: str | Sequence[str] = DEFAULT_NAMES,
    *,
    groups: tuple[FilePath | Sequence[str], FilePath | Sequence[str]] | None = None,
    templates: FilePath | Sequence[str] | None = None,
    query: str | None = None,
    top: int = TOP,
    alpha: float = ALPHA,
    copies: int = 200,
    per_second: float | None = None,
    cache: EncodingStore | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    report: Report | None = None,
    **options: Any,
) -> Swapped:
    """Ask whether a score changes when only a name, or a pronoun, changes.

    Parameters
    ----------
    scorer
        A function from a list of texts to one number per text. Or a name: `module:function`, `command:PROGRAM`, the
        URL of an endpoint, `valence:EMBEDDING`, or `encoder:ENCODER` with a `query`.
    names
        What to compare: `race` and `gender` (names of like frequency), `pronouns`, or ids of tests of the catalogue
        that compare names, such as `caliskan-5`.
    groups
        Two groups of names of your own, instead: files, or lists.
    templates
        Texts of your own with {name}, or with {he}, {him} and {his}: a file with one per line, or a list.
    query
        What an encoder ranks texts by: the score is the cosine with it.
    top
        Places at the top of a ranking of all names; at most half of them.
    alpha
        Chance of any false discovery among the comparisons.
    copies
        Null tables of each kind; 0 for none.
    per_second
        Texts per second that the scorer may get.
    cache
        Where scores are kept: a run that was interrupted goes on from there.
    seed
        Seed of everything random.
    executor
        Any `concurrent.futures.Executor` to make the null tables. The scorer is asked from here, one batch at a time.
    report
        Called with what is done, how much of it, and how much there is.
    options
        Settings of the scorer, such as `batch` and `timeout`.

    Returns
    -------
    Swapped
        One result per comparison; `findings()` are its rows.

    Examples
    --------
    >>> imprint.swap("valence:default", "caliskan-5")["caliskan-5"].share_lower
    0.95703125
    """
    check_alpha(alpha)
    check_whole("top", top)
    check_whole("copies", copies, 0)
    swaps = chosen_swaps(names if groups is None else (), groups)
    texts = bundled_texts() if templates is None else read_texts(templates)
    every = [text for one in swaps for text in swap_texts(one, texts)]
    pace = Pace(per_second)
    opened = open_scorer(scorer, query=query, texts=every, **options)
    tell = None if report is None else (lambda done, total: report("scoring", done, total))
    kept = {one.id: _kept(one, opened.lacks(one.words)) for one in swaps if not one.of_pronouns}
    asked = [text for one in swaps for text in swap_texts(kept.get(one.id, one), texts)]
    found = collect(opened, asked, cache=cache, pace=pace, progress=tell)
    results = []
    for one in swaps:
        table, ranks = _table(kept.get(one.id, one), texts, found.scores)
        missing = tuple(word for word in one.words if word not in {*kept.get(one.id, one).words})
        checked = check_table(table, enough=_enough(one, kept.get(one.id, one)))
        results.append(
            SwapResult(one, opened.name, opened.identity, texts.of(one), table, checked, missing, ranks, top, seed)
        )
    nulls = (
        null_rates([one.table for one in results], alpha=alpha, copies=copies, seed=seed, executor=executor)
        if copies
        else ()
    )
    return Swapped(tuple(judge_all(results, alpha)), nulls, found.asked)


def chosen_swaps(
    names: str | Sequence[str], groups: tuple[FilePath | Sequence[str], FilePath | Sequence[str]] | None = None
) -> list[Swap]:
    """Return the swaps that names mean, each once, or the one of two groups."""
    if groups is not None:
        return [_of_groups(*groups)]
    listed = list(dict.fromkeys([names] if isinstance(names, str) else names))
    if not listed:
        raise SettingError(option="names", got=names, expected="at least one comparison, such as race")
    return [find_swap(name) for name in listed]


def swap_texts(one: Swap, texts: SwapTexts) -> list[str]:
    """Return every text of a swap, name by name."""
    return [fill_in(text, word) for word in one.words for text in texts.of(one)]


def _kept(one: Swap, missing: Sequence[str]) -> Swap:
    """Return a swap without the names that the scorer cannot see."""
    lost = {*missing}
    x, y = (side.subset(word for word in side.words if word not in lost) for side in (one.x, one.y))
    for side in (x, y):
        if not len(side):
            raise VocabularyError(
                f"the scorer knows none of the {side.name}", words=missing, where=one.id, hint="give other names"
            )
    return replace(one, x=x, y=y)


def _enough(one: Swap, kept: Swap) -> bool:
    sides: tuple[tuple[WordSet, WordSet], ...] = ((one.x, kept.x), (one.y, kept.y))
    return one.of_pronouns or all(len(found) >= max(FEWEST, KEPT * len(asked)) for asked, found in sides)


def _table(one: Swap, texts: SwapTexts, scores: Mapping[str, float]) -> tuple[ScoreTable, tuple[float, float] | None]:
    """Return the scores of a swap's names, and the median frequency ranks of its groups where they are known."""
    rows: Floats = np.array([[scores[fill_in(text, word)] for text in texts.of(one)] for word in one.words])
    if one.of_pronouns:
        return ScoreTable(rows, 1), None
    ranks, known = ranks_of(one.words)
    if known < _KNOWN_RANKS:
        return ScoreTable(rows, len(one.x)), None
    medians = [float(np.median(side)) + 1 for side in (ranks[: len(one.x)], ranks[len(one.x) :])]
    return ScoreTable(rows, len(one.x), np.log(ranks + 1.0)), (medians[0], medians[1])
