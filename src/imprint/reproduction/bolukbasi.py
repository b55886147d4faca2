"""Bolukbasi et al. (2016): variances, benchmarks and analogies, on Google News where given, else on bundled GloVe."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from imprint.debiasing.debiaser import GENDER
from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.linear import LinearDebiaser
from imprint.directions.analogies import analogies
from imprint.directions.axis import pair_axis
from imprint.directions.neighbours import NAMES, neighbours, rank_names
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError
from imprint.evaluation.benchmarks import BenchmarkRow, all_benchmarks, read_benchmark
from imprint.evaluation.evaluate import evaluate
from imprint.reproduction.rows import Ours, ReproductionRow, compare, measured_on, refuse
from imprint.reproduction.subjects import WORD2VEC, Subjects, installed, packages_with
from imprint.stimuli.published import Figure, figures, models, puzzles
from imprint.stimuli.seeds import professions
from imprint.types import Progress

_ANALOGIES = 1_000
_NOT_BUNDLED = "no licence to redistribute the benchmark is known"
_INSTALLED = ("rw", "msr")
_FOLDER = "--benchmarks FOLDER, with {}.tsv or {}.txt in it"


def bolukbasi_rows(subjects: Subjects, progress: Progress | None = None) -> Iterator[ReproductionRow]:
    """Compare the variances, the benchmarks, the analogies and the number of professions."""
    given = subjects.embedding(WORD2VEC)
    embedding = subjects.default if given is None else given
    ours = measured_on(embedding, models()[WORD2VEC], given=given is not None)
    after = LinearDebiaser().fit(embedding).apply(embedding)
    yield from _variances(embedding, after, ours)
    yield from _benchmarks(embedding, after, ours, subjects)
    yield from _puzzles(embedding, ours)
    yield _first_pairs(embedding, ours, progress)
    why = "ours are those of the authors' longer paper; the text says 215, the figure 249"
    yield compare(figures()["bolukbasi-professions"], Ours(("any", ""), float(len(professions())), reason=why))
    yield from (refuse(figure) for figure in figures().values() if figure.paper == "bolukbasi" and figure.cannot)


def _variances(embedding: Embedding, after: Embedding, ours: Ours) -> Iterator[ReproductionRow]:
    measured = stereotype_variances(embedding, after, pair_axis(embedding, GENDER))
    words = "other words: the 438 that the crowd suggested are not published"
    ours = ours.because(words)
    for part in ("held_out", "background"):
        for when in ("before", "after"):
            figure = figures()[f"bolukbasi-{part.replace('_', '-')}-{when}"]
            yield compare(figure, replace(ours, value=getattr(measured, f"{part}_{when}")))


def _benchmarks(embedding: Embedding, after: Embedding, ours: Ours, subjects: Subjects) -> Iterator[ReproductionRow]:
    benchmarks = {benchmark.name: benchmark for benchmark in all_benchmarks(subjects.benchmarks)}
    for name in ("rg-65", "ws-353", "rw", "msr"):
        printed = [figures()[f"bolukbasi-{name}-{when}"] for when in ("before", "after")]
        file = installed(name) if name in _INSTALLED and name not in benchmarks else None
        if name not in benchmarks and file is None:
            get = f"{packages_with(name)}; or {_FOLDER.format(name, name)}"
            yield from (refuse(figure, _NOT_BUNDLED, get) for figure in printed)
            continue
        benchmark = benchmarks[name] if file is None else read_benchmark(file, name)
        (row,) = evaluate(after, [benchmark], against=embedding, seed=subjects.seed).of(BenchmarkRow)
        said = f"{row.found:,} of {row.asked:,} {'pairs' if row.kind == 'similarity' else 'questions'} have vectors"
        explained = ours if row.found == row.asked else ours.because(said)
        values = (row.measured(row.measures[0], "against_")[0], row.effect_size)
        for figure, value in zip(printed, values, strict=True):
            yield compare(figure, replace(explained, value=value))


def _puzzles(embedding: Embedding, ours: Ours) -> Iterator[ReproductionRow]:
    printed = puzzles()
    asked: list[tuple[str, str, Callable[[], str]]] = [
        (
            f"{a} is to {b} as {c} is to",
            answer,
            lambda a=a, b=b, c=c: embedding.most_similar((b, c), a, count=1)[0][0],  # type: ignore[misc]
        )
        for a, b, c, answer in printed["puzzles"]
    ]
    asked += [
        (
            f"The nearest word to the query {query}",
            answer,
            lambda query=query: neighbours(embedding, query, count=1).nearest[0].word,  # type: ignore[misc]
        )
        for query, answer in printed["queries"]
    ]
    figure = figures()["bolukbasi-ranking"]
    for number, (title, answer, find) in enumerate(asked, start=1):
        puzzle = replace(figure, id=f"bolukbasi-puzzle-{number}", title=title, value=answer)
        yield _answered(puzzle, find, ours)

    search, page = printed["search"], printed["page"]
    try:
        share = rank_names(embedding, search, document=page).share_higher
        others = f"of the pairs of names of {NAMES}, {100.0 * share:.0f} % rank the man's page higher"
    except ImprintError as error:
        others = str(error)
    ours = ours.because(others)
    john, mary = ([name] for name in printed["names"])

    def first() -> str:
        return rank_names(embedding, search, document=page, x=john, y=mary).scores[0].word

    yield _answered(figure, first, ours)


def _answered(figure: Figure, find: Callable[[], str], ours: Ours) -> ReproductionRow:
    try:
        answer = find()
    except ImprintError as error:
        return refuse(figure, str(error))
    same = figure.value is not None and answer.lower().replace("_", " ") == figure.value.lower()
    return compare(figure, replace(ours, text=figure.value if same else answer))


def _first_pairs(embedding: Embedding, ours: Ours, progress: Progress | None) -> ReproductionRow:
    pairs = [tuple(pair) for pair in puzzles()["pairs"]]
    figure = replace(figures()["bolukbasi-table-1"], value=f"{len(pairs)}")
    best = analogies(embedding, GENDER, k=_ANALOGIES, progress=progress)
    ranked = {(pair.first.lower(), pair.second.lower()) for pair in best}
    count = float(np.sum([(first.lower(), second.lower()) in ranked for first, second in pairs]))
    return compare(figure, replace(ours, value=count))
