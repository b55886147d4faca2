"""How often a subject without these associations would show evidence of them."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Annotated, get_args

import msgspec

from imprint.association.copies import AskedTest, Null, judge_null
from imprint.association.evidence import NO_CHECKS, CosineTable
from imprint.association.rows import case_of
from imprint.association.seat import SentenceTest
from imprint.association.seat_battery import all_in_sentences
from imprint.association.sentences import Framing, table_of
from imprint.association.verdicts import ALPHA, FOUND, Evidence, Judged, check_alpha
from imprint.association.weat import contrast_of, look_up
from imprint.checks import check_whole
from imprint.embeddings.background import FEWEST_RANKS, Background
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import VocabularyError
from imprint.rows import Result, Row, shown
from imprint.significance.partitions import binomial_interval
from imprint.stimuli.catalog import SEAT_TESTS, catalogue, choose
from imprint.stimuli.definition import CONTROL, WeatTest
from imprint.subjects.common import FramedWords
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import EncoderLike, open_subject
from imprint.types import Report
from imprint.workers import executor_or_threads, in_order

COPIES = 200
MOST_COPIES = 100_000

_CHUNK = 200  # copies made at once: the unit of work, whoever does it
_CONFIDENCE = 0.95


class Share(msgspec.Struct, frozen=True):
    """How many copies have at least one finding of a level or a stronger one, with 95 % bounds of that share."""

    level: Annotated[Evidence, shown("Level")]
    copies: Annotated[int, shown("Copies", "Copies with such a finding.")]
    share: Annotated[float, shown("Share", "Their share.", shape="percent", ends="")]
    low: Annotated[float, shown("Low", "Low bound of the share.", shape="percent")]
    high: Annotated[float, shown("High", "High bound of the share.", shape="percent")]


class CalibrationRow(Row, frozen=True, kw_only=True, tag="calibration"):
    """What the tests find in altered copies of one kind."""

    null: Annotated[Null, shown("Altered copies", "How the copies were made.")]
    copies: Annotated[int, shown("Copies", "How many copies of the kind there are.")]
    family_size: Annotated[int, shown("Family", "Tests that were corrected together.")]
    alpha: Annotated[float, shown("Alpha", "Chance of any false discovery in the family.")]
    shares: Annotated[tuple[Share, Share, Share], shown("Shares", "Copies with strong, moderate or any findings.")]
    findings: Annotated[float, shown("Findings per copy", "Tests with evidence of any level, on average.", digits=1)]

    def share(self, level: Evidence) -> Share:
        """Return the share of copies with a finding of a level or a stronger one."""
        return self.shares[FOUND.index(level)]


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """The result of `calibrate`.

    Attributes
    ----------
    rows
        One row per kind of altered copy.
    """

    rows: tuple[CalibrationRow, ...]

    def findings(self) -> list[CalibrationRow]:
        """Return one row per kind of copy."""
        return list(self.rows)

    def __repr__(self) -> str:
        worst = max(row.share("strong").share for row in self.rows)
        return (
            f"Calibration({self.rows[0].embedding}: {self.rows[0].copies} copies of {len(self.rows)} kinds; "
            f"strong evidence in at most {worst:.1%})"
        )


def calibrate(
    subject: EncoderLike,
    *,
    tests: Sequence[WeatTest] | None = None,
    copies: int = COPIES,
    alpha: float = ALPHA,
    cache: EncodingStore | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    report: Report | None = None,
) -> Calibration:
    """Run the tests on altered copies of a subject that lack the associations they ask about.

    Parameters
    ----------
    subject
        An embedding or an encoder, as `open_subject` accepts it.
    tests
        WEATs; by default the English ones of the catalogue, for an encoder the paper's. Controls are left out.
    copies
        How many copies of each kind to make.
    alpha
        Chance of any false discovery that the tests are judged at.
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.
    executor
        Any `concurrent.futures.Executor` to do the work, up to 200 copies of one kind at a time. The result is the
        same to the byte.
    report
        Called with the name of the step, the work done and the total work.

    Returns
    -------
    Calibration
        Per kind of copy, the share of copies with evidence of each level, with bounds.

    Examples
    --------
    >>> imprint.calibrate("default", copies=20)
    Calibration(glove.6B.100d: 20 copies of 6 kinds; strong evidence in at most 5.0%)
    """
    check_whole("copies", copies, most=MOST_COPIES)
    check_alpha(alpha)
    opened = open_subject(subject)
    family, background = family_of(opened, tests, cache, report)
    digest = opened.sha256 if isinstance(opened, Embedding) else opened.identity
    nulls: tuple[Null, ...] = get_args(Null)
    chunks = [(start // _CHUNK, min(_CHUNK, copies - start)) for start in range(0, copies, _CHUNK)]
    tasks = [(null, chunk, size, alpha, seed) for null in nulls for chunk, size in chunks]
    judged: dict[Null, list[list[Judged]]] = {null: [] for null in nulls}
    with executor_or_threads(executor) as pool:
        for done, found in enumerate(in_order(pool, _judge_chunk, (family, background), tasks)):
            if report is not None:
                report("testing altered copies", done + 1, len(tasks))
            judged[tasks[done][0]] += found
    measured = (opened.name, digest)
    return Calibration(tuple(_row(found, null, measured, alpha, seed) for null, found in judged.items()))


def _judge_chunk(
    asked: tuple[list[AskedTest], Background], null: Null, chunk: int, copies: int, alpha: float, seed: int
) -> list[list[Judged]]:
    return judge_null(*asked, null, copies=copies, alpha=alpha, seed=seed, chunk=chunk)


def family_of(
    subject: Embedding | Encoder,
    tests: Sequence[WeatTest] | None = None,
    cache: EncodingStore | None = None,
    report: Report | None = None,
) -> tuple[list[AskedTest], Background]:
    """Return the family of tests about people that a subject can be asked, and the words it is compared with."""
    if isinstance(subject, Embedding):
        return _of_embedding(subject, _chosen(tests, ("*",)))
    return _of_encoder(subject, _chosen(tests, SEAT_TESTS), cache, report)


def _chosen(tests: Sequence[WeatTest] | None, patterns: Sequence[str]) -> list[WeatTest]:
    known = choose(catalogue(), patterns) if tests is None else tests
    return [
        test
        for test in known
        if isinstance(test, WeatTest) and CONTROL not in test.topics and (tests is not None or test.language == "en")
    ]


def _of_embedding(embedding: Embedding, tests: Sequence[WeatTest]) -> tuple[list[AskedTest], Background]:
    background = embedding.background
    if background is None:
        raise VocabularyError(
            f"{len(embedding):,} words are too few to draw other words from",
            expected=f"at least {FEWEST_RANKS:,} words",
            where=embedding.name,
            hint="calibrate the embedding with its whole vocabulary",
        )
    asked = []
    for test in tests:
        try:
            rows = look_up(embedding, test)
        except VocabularyError:
            continue
        x, y, a, b = rows.sets
        contrast = contrast_of(embedding, rows)
        cosines = contrast.targets @ contrast.attributes.T
        table = CosineTable(x.words + y.words, a.words + b.words, contrast.n_x, contrast.n_a, cosines)
        asked.append(AskedTest(contrast, table, case_of(NO_CHECKS, test, rows.missing).enough))
    return _some(asked, embedding.name), background


def _of_encoder(
    encoder: Encoder, tests: Sequence[WeatTest], cache: EncodingStore | None, report: Report | None
) -> tuple[list[AskedTest], Background]:
    """Ask an encoder in sentences, by words."""
    asked = all_in_sentences(tests, None, None)[0]
    questions = [question for question in asked if question.context != "word" and question.ranked]
    if not questions:
        raise VocabularyError(
            "altered copies need tests in English, whose word frequencies are known", hint="choose English tests"
        )
    framed = FramedWords.of([side for question in questions for side in question.sides.values()])
    texts = [text for question in questions for text in question.texts] + framed.texts()
    label = f"encoding with {encoder.name}"
    progress = None if report is None else lambda done, total: report(label, done, total)
    encodings = encode_texts(encoder, texts, cache=cache, progress=progress)
    framing = Framing.of(framed, encodings, encoder.lacks(framed.common.words))
    if framing is None:
        raise VocabularyError(
            "has too few common words to draw others from", where=encoder.name, hint="use a larger vocabulary"
        )
    lacking = encoder.lacks(dict.fromkeys(form for question in questions for form in question.forms))

    def ask(question: SentenceTest) -> AskedTest | None:
        try:
            table = table_of(question.test, question.sides, encodings.rows, encoder=encoder.name, lacking=lacking)
        except VocabularyError:
            return None
        enough = case_of(NO_CHECKS, question.test, table.missing).enough
        return AskedTest(framing.contrast(table), table.by_words(), enough)

    return _some([one for one in map(ask, questions) if one is not None], encoder.name), framing.background


def _some(asked: list[AskedTest], name: str) -> list[AskedTest]:
    if not asked:
        raise VocabularyError("none of the tests about people can be run", where=name, hint="choose other tests")
    return asked


def _row(
    judged: Sequence[Sequence[Judged]], null: Null, measured: tuple[str, str], alpha: float, seed: int
) -> CalibrationRow:
    name, digest = measured
    strong, moderate, limited = (_share(judged, level) for level in FOUND)
    return CalibrationRow(
        test=null,
        embedding=name,
        embedding_sha256=digest,
        seed=seed,
        null=null,
        copies=len(judged),
        family_size=len(judged[0]),
        alpha=alpha,
        shares=(strong, moderate, limited),
        findings=sum(one.evidence in FOUND for copy in judged for one in copy) / len(judged),
    )


def _share(judged: Sequence[Sequence[Judged]], level: Evidence) -> Share:
    """Return the share of copies with a finding of a level or a stronger one."""
    enough = FOUND[: FOUND.index(level) + 1]
    found = sum(any(one.evidence in enough for one in copy) for copy in judged)
    low, high = binomial_interval(found, len(judged), _CONFIDENCE)
    return Share(level, found, found / len(judged), low, high)
