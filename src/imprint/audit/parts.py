"""The parts of an audit: each asks one room and returns findings, or raises an ImprintError that says why not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from imprint.association.battery import run_battery
from imprint.association.seat_battery import run_seats
from imprint.audit.plan import tests_in
from imprint.audit.progress import Progress, by_label, stretch
from imprint.audit.subject import Subject, gather, skipped_row
from imprint.debiasing.frontier import frontier, stereotype_variances
from imprint.debiasing.linear import GENDER
from imprint.debiasing.rows import debiasing_finding, frontier_finding, projection_finding
from imprint.directions.analogies import analogies
from imprint.directions.axis import pair_axis
from imprint.directions.components import pair_components
from imprint.directions.projection import Projections, compare_projections, compare_with_scores, project
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.errors import ImprintError, SettingError, VocabularyError
from imprint.evaluation.comparison import compare
from imprint.evaluation.evaluate import evaluate
from imprint.evaluation.leakage import leakage
from imprint.finding import Finding
from imprint.stimuli.catalog import GENDER_TESTS, SEAT_TESTS, catalogue, choose
from imprint.stimuli.definition import WeatTest, WefatTest
from imprint.stimuli.seeds import definitional_pairs, professions

TOP_ANALOGIES = 50
CROWD = "the crowd's gender stereotype scores"


@dataclass(frozen=True)
class Part:
    """A part's title and what it does."""

    title: str
    find: Callable[[Subject, Progress], list[Finding]]


def find_weats(subject: Subject, progress: Progress) -> list[Finding]:
    """Run the WEATs of the language."""
    return _battery(subject, WeatTest, progress)


def find_wefats(subject: Subject, progress: Progress) -> list[Finding]:
    """Run the WEFATs of the language."""
    return _battery(subject, WefatTest, progress)


def find_biases(subject: Subject, progress: Progress) -> list[Finding]:
    """Enumerate biases without naming them in advance."""
    found = enumerate_biases(
        subject.embedding, settings=subject.plan.enumeration, executor=subject.executor, progress=progress
    )
    return found.findings()


def find_directions(subject: Subject, progress: Progress) -> list[Finding]:
    """Project professions on he - she, and draw the pairs that define gender in two dimensions."""
    embedding, scores = subject.embedding, {one.word: one.stereotype for one in professions()}

    def crowd() -> list[Finding]:
        return [compare_with_scores(_professions(embedding), scores, name=CROWD).finding()]

    attempts = [
        ("projection", "Professions on he - she", lambda: [_professions(embedding).finding()]),
        ("crowd", "Professions and what a crowd thinks of them", crowd),
        (
            "pairs",
            "Gender pairs in two dimensions",
            lambda: [pair_components(embedding, definitional_pairs()).finding()],
        ),
    ]
    found = gather(subject, attempts)
    progress(1, 1)
    return found


def find_analogies(subject: Subject, progress: Progress) -> list[Finding]:
    """Find what is to each other as he is to she; names, and words gendered by meaning, are left out."""
    words = subject.plan.analogy_words
    found = analogies(
        subject.embedding, subject.axis, k=TOP_ANALOGIES, words=words, names=False, neutral=True, progress=progress
    )
    return found.findings()


def find_debiasing(subject: Subject, progress: Progress) -> list[Finding]:
    """Debias, and measure what changed and what can still be recovered."""
    before, after, axis, plan = subject.embedding, subject.debiased, subject.axis, subject.plan

    def weats() -> list[Finding]:
        tests = choose(catalogue(), GENDER_TESTS)
        both = [
            run_battery(one, tests, alpha=plan.alpha, seed=plan.seed, progress=stretch(progress, *part)).findings()
            for one, part in ((before, (0.05, 0.1)), (after, (0.1, 0.2)))
        ]
        return [row for rows in zip(*both, strict=True) for row in rows]

    def left() -> list[Finding]:
        if plan.quick:
            raise SettingError("a quick audit leaves this out; run the whole one")
        report = by_label(stretch(progress, 0.2, 1.0), (1.0,))
        return leakage(before, axis, after=after, seed=plan.seed, report=report).findings()

    def strengths() -> list[Finding]:
        return [frontier_finding(before, subject.transform, axis, frontier(before, axis=axis))]

    attempts = [
        *([("frontier", "Other strengths", strengths)] if plan.debias == "linear" and not plan.quick else []),
        (
            "projections",
            "Words before and after",
            lambda: [projection_finding(before, after, subject.transform, axis)],
        ),
        ("weats", "WEATs of gender before and after", weats),
        ("leakage", "What is left of gender", left),
    ]
    return _fitted(subject) + gather(subject, attempts)


def find_benchmarks(subject: Subject, progress: Progress) -> list[Finding]:
    """Run benchmarks, on the debiased embedding too where there is one, both on the same pairs."""
    plan, report = subject.plan, by_label(progress, (1.0,))
    run = partial(evaluate, most_words=plan.most_words, resamples=plan.resamples, seed=plan.seed, report=report)
    try:
        after = subject.debiased
    except ImprintError:
        found = run(subject.embedding)
    else:
        found = run(after, against=subject.embedding)
    return found.findings()


def find_seats(subject: Subject, progress: Progress) -> list[Finding]:
    """Run the paper's SEATs on the encoder."""
    plan = subject.plan
    assert subject.encoder is not None
    known = {test.id for test in tests_in(plan.language)}
    chosen = [test for test in choose(catalogue(), SEAT_TESTS) if isinstance(test, WeatTest) and test.id in known]
    if not chosen:
        raise SettingError(f"the catalogue has no sentences in language {plan.language!r}")
    report = by_label(progress, (0.6, 0.2, 0.2))
    found = run_seats([subject.encoder], chosen, alpha=plan.alpha, cache=subject.cache, seed=plan.seed, report=report)
    return found.findings()


def find_differences(subject: Subject, progress: Progress) -> list[Finding]:
    """Set the embedding beside the other one."""
    one, other, plan = subject.embedding, subject.against, subject.plan
    assert other is not None

    def compared() -> list[Finding]:
        found = compare(
            one,
            other,
            alpha=plan.alpha,
            most_words=plan.most_words,
            resamples=plan.resamples,
            seed=plan.seed,
            report=by_label(progress, (0.35, 0.35, 0.3)),
        )
        return found.findings()

    def figure() -> list[Finding]:
        return [compare_projections(_professions(one), _professions(other)).finding()]

    attempts = [
        ("compare", "Tests and benchmarks in both", compared),
        ("projection", "Professions on he - she in both", figure),
    ]
    return gather(subject, attempts)


PARTS: Mapping[str, Part] = {
    "weat": Part("Associations asked for", find_weats),
    "wefat": Part("The embedding and the world", find_wefats),
    "enumeration": Part("Found without being asked", find_biases),
    "directions": Part("Along he and she", find_directions),
    "analogies": Part("Stereotypes as analogies", find_analogies),
    "debiasing": Part("Before and after debiasing", find_debiasing),
    "benchmarks": Part("What it is good for", find_benchmarks),
    "seat": Part("In sentences", find_seats),
    "against": Part("Beside another embedding", find_differences),
}


def _battery(subject: Subject, kind: type[WeatTest | WefatTest], progress: Progress) -> list[Finding]:
    plan = subject.plan
    tests = [test for test in tests_in(plan.language) if isinstance(test, kind)]
    if not tests:
        raise SettingError(f"the catalogue has no tests of this kind in language {plan.language!r}")
    found = run_battery(subject.embedding, tests, alpha=plan.alpha, seed=plan.seed, progress=progress)
    return found.findings()


def _professions(embedding: Embedding) -> Projections:
    return project(embedding, pair_axis(embedding, GENDER), [one.word for one in professions()])


def _fitted(subject: Subject) -> list[Finding]:
    """Say what was fitted; where words to judge it by are missing, without the variances."""
    before, after, axis = subject.embedding, subject.debiased, subject.axis
    try:
        variances = stereotype_variances(before, after, axis)
    except VocabularyError as error:
        skipped = skipped_row(subject, "variances", "Variances before and after", error)
        return [debiasing_finding(before, subject.transform, axis, None), skipped]
    return [debiasing_finding(before, subject.transform, axis, variances)]
