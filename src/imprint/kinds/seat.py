"""SEAT as kinds: the questions of WEAT asked of sentences, and checks of the whole battery (May et al., 2019)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from imprint.association.coherence import CoherenceRow, contrasts
from imprint.association.seat import seat
from imprint.association.seat_result import SeatRow
from imprint.association.sensitivity import AnisotropyRow
from imprint.errors import ImprintError, SettingError
from imprint.kinds import Kind, Part
from imprint.kinds.tests import (
    CHECKED,
    CORRECTED,
    DIFFERENCE,
    EVIDENCE,
    SPLITS,
    TEST,
    association,
    checked_cells,
    corrected_cell,
    counts_cell,
    difference_cell,
    evidence_cell,
    evidence_claims,
    evidence_counts,
    evidence_notes,
    family_of,
    forest_chart,
    grammar_notes,
    in_family,
    missing_cell,
    missing_notes,
    name_cell,
    one_sided,
    p_cell,
    strongest_row,
)
from imprint.rows import Row, TemplateValue, WordValue
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Listing,
    Medium,
    Prose,
    Table,
    Text,
    count,
    interval,
    join,
    number,
    percent,
    probability,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.kinds.job import Job
    from imprint.types import Progress

SENTENCES = Part("seat", "In sentences", 80, needs="encoder", order_alone=10)

Pair = tuple[SeatRow, SeatRow | None]  # by words, and by sentences where these could be counted

_PAGES: tuple[Medium, ...] = ("page", "terminal")
_FRAMES_MATTER = 0.05  # p of the sentences without their words from which a warning is due
_NAMED = 3  # of a list, in a cell
_STARS = {"<0.01": "*", "<0.01 after Holm": "**"}  # how the paper marks what its p-values are

_CONTEXT = Column("Context", "The word alone, in sentences that say nothing of it (bleached), or in the test's own.")
_DIFFERENCE = replace(DIFFERENCE, meaning=f"{DIFFERENCE.meaning[:-1]} and, of words in sentences, over these.")
_P_BY_WORDS = Column(
    "p, by words", "Share of all splits of the target words that give at least this d_word.", True, folded=True
)
_BY_WORDS: tuple[tuple[Column, Callable[[Pair], Cell | Text]], ...] = (
    (Column("d_word", "Effect by words, each averaged over its sentences.", True), lambda pair: _starred(pair[0])),
    (_DIFFERENCE, lambda pair: difference_cell(pair[0])),
    (_P_BY_WORDS, lambda pair: p_cell(pair[0])),
    (CORRECTED, lambda pair: corrected_cell(pair[0])),
    (EVIDENCE, lambda pair: evidence_cell(pair[0])),
)
_OVER_WORDS = "Two-sided p against no difference among all words of these kinds, in all such sentences."
_CHECKED = tuple(replace(one, meaning=_OVER_WORDS) if one.title == "p, words" else one for one in CHECKED)
_BEHIND: tuple[tuple[Column, Callable[[Pair], Cell | Text]], ...] = (
    *((column, lambda pair, place=place: checked_cells(pair[0])[place]) for place, column in enumerate(_CHECKED)),
    (SPLITS, lambda pair: counts_cell(pair[0])),
)
_BY_SENTENCES: tuple[tuple[Column, Callable[[Pair], Cell | Text]], ...] = (
    (
        Column("d", "Effect by sentences, as in the paper.", True, folded=True),
        lambda pair: _by_sentences(pair, _starred),
    ),
    (
        Column(
            "p, by sentences", "Share of all splits of the sentences that give at least this d.", True, folded=True
        ),
        lambda pair: _by_sentences(pair, p_cell),
    ),
    (
        Column("p, Holm, by sentences", "Corrected over all rows by sentences.", True, extra=True),
        lambda pair: _by_sentences(pair, corrected_cell),
    ),
)
_PUBLISHED = Column("Published", "The d of the same model that the paper prints, with its stars.", True, folded=True)
_MISSING = Column("Missing", "Words the encoder does not have, of all words of the test.", True, folded=True)
_PARTS = (
    TEST,
    _CONTEXT,
    Column("Detectable", "Where nothing was found: the smallest difference found four times in five.", True),
    Column("Without one template", "Smallest and largest d_word when one template is left out.", True),
    Column("Without one word", "Smallest and largest d_word when one word is left out.", True),
    Column("Frames", "Share of the mean difference that the sentences give without their words.", True),
    Column(
        "Centred", "d_word after the mean of the test's vectors is subtracted from all of them.", True, folded=True
    ),
    Column("Sign changed by", "What, left out, changes the sign of d_word.", extra=True),
)

_COHERENCE = (
    Column("Tests"),
    _CONTEXT,
    Column("By", "Whether words or sentences were permuted.", folded=True),
    Column("Expected", "What should hold between these tests."),
    Column("Because", folded=True),
    Column("p", "The p-value of each test, in their order."),
    Column("d", "The effect of each test, in their order."),
    Column("Outcome"),
)


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Run the paper's SEATs of the language on the encoder."""
    from imprint.association.seat_battery import UNITS, run_seat_battery
    from imprint.evaluation.controls import controls
    from imprint.kinds.job import by_label

    plan, encoder, tests = job.plan, job.encoder, job.sentence_tests
    if encoder is None or not tests:
        raise SettingError("the catalogue has no sentences in this language", option="language", got=plan.language)
    report = by_label(progress, (0.6, 0.2, 0.2))
    battery = run_seat_battery(
        [encoder],
        tests,
        alpha=plan.alpha,
        units=("word",) if plan.quick else UNITS,
        alone=not plan.quick,
        cache=job.encodings,
        seed=plan.seed,
        executor=job.executor,
        report=report,
    )
    if encoder is job.subject:  # the audit's first row has its controls
        return battery.findings()
    try:
        asked: list[Row] = [*controls(encoder, languages=plan.languages, cache=job.encodings).findings()]
    except ImprintError as error:
        asked = [job.skip("controls", f"Can {encoder.name} be judged?", error, SENTENCES)]
    return [*asked, *battery.findings()]


def blocks(rows: Sequence[SeatRow]) -> Iterator[Block]:
    """Show the battery of each encoder with both units side by side, and how far it depends on single words."""
    encoders = dict.fromkeys(row.embedding_sha256 for row in rows)
    for place, encoder in enumerate(encoders, start=1):
        own = [row for row in rows if row.embedding_sha256 == encoder]
        yield from _encoder(own, "" if place == 1 else f"-{place}")
        notes = list(_notes([row for row in own if row.unit == "word"]))
        if notes and len(encoders) > 1:
            yield Prose(say("On {}:", title(own[0].embedding)), "note", _PAGES)
        yield from notes
    reading = Prose(
        "Words are put into simple sentences, such as “This is Emma.”, and compared as word vectors are. One word in "
        "eight sentences is not eight observations, so words are permuted. The paper permutes sentences; its p-values "
        "are given beside."
    )
    yield Details("How to read this", (reading, *_legend(rows), *_contrasts(rows)))


def sentences(rows: Sequence[SeatRow]) -> Iterator[Text]:
    """Say what tests about people show, in sentences and as single words: two families of each encoder."""
    people = [row for row in rows if row.about_people and row.unit == "word"]
    for family in dict.fromkeys(row.family for row in people):
        own = [row for row in people if row.family == family]
        where = "as single words" if own[0].context == "word" else "in sentences"
        largest = strongest_row(own)
        best = say("; the largest {} one: {}", f"{largest.evidence}", association(largest)) if largest else ""
        told = (title(own[0].embedding), where, family_of(own), evidence_counts(own), best)
        yield say("Evidence about people in {}, {} ({}): {}{}.", *told)


def _encoder(rows: Sequence[SeatRow], suffix: str) -> Iterator[Block]:
    by_sentences = {(row.test, row.context): row for row in rows if row.unit == "sentence"}
    by_word = [row for row in rows if row.unit == "word"]
    pairs: list[Pair] = [(row, by_sentences.get((row.test, row.context))) for row in by_word or rows]
    if by_word:
        yield _forest(by_word, suffix)
    yield _battery(pairs)
    parts = tuple(_part(row) for row in by_word if row.context != "word" and row.effect_size is not None)
    if parts:
        caption = say("How far d_word on {} depends on single templates and words", title(rows[0].embedding))
        yield Details(
            "Does it depend on single words or templates?", (Table(caption, _PARTS, parts, True, media=_PAGES),)
        )


def _forest(rows: Sequence[SeatRow], suffix: str) -> Chart:
    """Draw the tests about people; where words were asked alone too, those in sentences."""
    people = [row for row in rows if row.about_people] or rows
    framed = [row for row in people if row.context != "word"] or people
    several = len({row.context for row in framed}) > 1
    heading = say("How large is each association in {}?", title(rows[0].embedding))
    return forest_chart(
        f"seat-forest{suffix}",
        heading,
        framed,
        context=lambda row: "own sentences: " if several and row.context == "unbleached" else "",
        main=True,
    )


def _battery(pairs: Sequence[Pair]) -> Table:
    rows = [row for row, _ in pairs]
    columns: list[tuple[Column, Callable[[Pair], Cell | Text]]] = [(_CONTEXT, lambda pair: pair[0].context)]
    with_sentences = any(sentences is not None for _, sentences in pairs)
    if rows[0].unit == "word":  # a single result by sentences has no words beside it
        columns += [(replace(one, extra=one is _P_BY_WORDS and with_sentences), cell) for one, cell in _BY_WORDS]
    if rows[0].unit == "sentence" or with_sentences:  # a card gives words alone
        columns += _BY_SENTENCES
    if rows[0].unit == "sentence":
        columns.append((EVIDENCE, lambda pair: evidence_cell(pair[0])))
    if any(row.published for row in rows):
        columns.append((_PUBLISHED, lambda pair: _published(pair[0])))
    if any(row.missing for row in rows):
        columns.append((_MISSING, lambda pair: missing_cell(pair[0])))
    if rows[0].unit == "word":
        columns += _BEHIND
    named = {row.test: row for row in reversed(rows)}  # where a test comes first, its title is given too
    lines = tuple(
        (
            name_cell(pair[0]) if named[pair[0].test] is pair[0] else title(pair[0].test),
            *(cell(pair) for _, cell in columns),
        )
        for pair in pairs
    )
    settings = join(title(f"{one.name} {one.value}") for one in rows[0].encoder_settings)
    evidence = in_family(rows) if rows[0].unit == "word" else ""
    caption = say("SEAT on {} ({}); p is {}{}", title(rows[0].embedding), settings, one_sided(rows), evidence)
    return Table(caption, (TEST, *(column for column, _ in columns)), lines, filtered=True)


def _starred(row: SeatRow) -> Cell:
    return Cell(say("{}{}", number(row.effect_size), row.stars), order=row.effect_size)


def _by_sentences(pair: Pair, cell: Callable[[SeatRow], Cell | Text]) -> Cell | Text:
    """Show a row by sentences; where every word has one sentence, p is the same."""
    by_words, by_sentences = pair
    if by_sentences is None:
        return "too many" if cell is p_cell else NOTHING
    if cell is p_cell and by_words is not by_sentences and _sizes(by_words) == _sizes(by_sentences):
        return Cell("the same", order=by_sentences.p_value)
    return cell(by_sentences)


def _sizes(row: SeatRow) -> tuple[int, ...]:
    return row.n_x, row.n_y, row.n_a, row.n_b


def _published(row: SeatRow) -> Text:
    figure = next(iter(row.published), None)
    return NOTHING if figure is None else say("{}{}", number(figure.effect), _STARS.get(figure.p or "", ""))


def _part(row: SeatRow) -> tuple[Cell | Text, ...]:
    more = f" and {len(row.flips) - _NAMED} more" if len(row.flips) > _NAMED else ""
    turned = say("{}{}", join(map(title, row.flips[:_NAMED])), more)
    return (
        title(row.test),
        row.context,
        number(row.detectable_shift, 3),
        interval(*_ends(row.effect_without_template)),
        interval(*_ends(row.effect_without_word)),
        percent(row.share_of_frames),
        number(row.effect_centred),
        Cell(turned, hint=join(map(title, row.flips))) if row.flips else NOTHING,
    )


def _ends(effects: Iterable[TemplateValue | WordValue]) -> tuple[float | None, float | None]:
    known = [one.value for one in effects if one.value is not None]
    return (min(known), max(known)) if known else (None, None)


def _legend(rows: Sequence[SeatRow]) -> Iterator[Block]:
    yield from evidence_notes([row for row in rows if row.unit == "word"] or rows)
    by_sentences = (row for row in rows if row.unit == "sentence")
    starred = next((row for row in by_sentences if None not in (row.family_size, row.alpha)), None)
    if starred is not None:
        text = "* p below {} alone; ** also after Holm's correction over the encoder's {} by sentences."
        alpha = f"{starred.alpha:g}"
        tests = f"{starred.family_size} test{'' if starred.family_size == 1 else 's'}"
        yield Prose(say(text, alpha, tests), "note", ("page", "terminal", "card"))
    yield Prose(
        "d_word permutes words. d permutes sentences, as the paper does. There, one word in many templates counts as "
        "many observations, so its p is too small for claims about words.",
        "note",
        _PAGES,
    )
    yield Prose(
        "Frames: the mean difference of the same sentences without their words, as a share of the full one. Centred: "
        "d_word after the mean of the test's vectors is subtracted.",
        "note",
        ("terminal",),
    )


def _notes(rows: Sequence[SeatRow]) -> Iterator[Block]:
    yield from missing_notes(list({(row.test, row.missing): row for row in rows}.values()))
    yield from grammar_notes(row for row in rows if row.context != "word")
    for row in {row.test: row for row in rows if row.left_out}.values():
        left_out = f"{len(row.left_out):,}"
        text = "{}: {} sentences were left out because the form of their word has no vector, such as {}"
        yield Prose(say(text, title(row.test), left_out, title(row.left_out[0])), "note", _PAGES)
    for row in {row.test: row for row in rows if row.context == "bleached" and row.n_unknown_kinds}.values():
        asked = sum(len(one.words) for one in row.sets)
        text = (
            "{} of {} words of {} have no kind and are put into neutral sentences; state their kind in the test's "
            'file, such as kind = "name"'
        )
        yield Prose(say(text, f"{row.n_unknown_kinds:,}", f"{asked:,}", title(row.test)), "note", _PAGES)
    for row in rows:
        if row.p_of_frames is not None and row.p_of_frames <= _FRAMES_MATTER:
            numbers = (percent(row.share_of_frames), probability(row.p_of_frames))
            text = (
                "Without its words, the sentences of {} give {} of the mean difference (p = {}): X and Y differ in "
                "kinds of words, and so in their sentences."
            )
            yield Prose(say(text, _asked([row]), *numbers), "warning", _PAGES)
    flipping = [row for row in rows if row.flips]
    if flipping:
        yield Prose(
            say("The sign of d_word depends on one template or word in {}.", _asked(flipping)), "warning", _PAGES
        )


def _asked(rows: Iterable[SeatRow]) -> Text:
    return join(dict.fromkeys(say("{} ({})", title(row.test), row.context) for row in rows))


_SHOW = {
    (True, True): "shows evidence",
    (True, False): "show evidence",
    (False, True): "is significant",
    (False, False): "are significant",
}  # by words, and one alone


def _contrasts(rows: Sequence[SeatRow]) -> Iterator[Block]:
    lines = tuple(
        say(
            "{}, by {}s: of {} questions asked both ways, {} {} with {} (mean effect {}) and {} with {} ({}).",
            title(one.embedding),
            one.unit,
            f"{one.questions}",
            f"{one.found[0]}",
            _SHOW[one.unit == "word", one.found[0] == 1],
            one.ways[0],
            number(one.mean_effects[0]),
            f"{one.found[1]}",
            one.ways[1],
            number(one.mean_effects[1]),
        )
        for one in contrasts(rows)
    )
    if lines:
        yield Listing(
            (*lines, "Such counts compare ways of asking; they do not measure how biased an encoder is."), _PAGES
        )


def coherence(rows: Sequence[CoherenceRow]) -> Iterator[Block]:
    """Show whether tests that should go together do; single words have one unit."""
    shown = [row for row in rows if (row.context, row.unit) != ("word", "sentence")]
    several = len({row.embedding_sha256 for row in shown}) > 1
    lines = tuple(
        (
            *((title(row.embedding),) if several else ()),
            title(row.test.replace(" ", ", ")),
            row.context,
            f"{row.unit}s",
            row.check,
            row.reason,
            join(map(probability, row.p_values)),
            join(map(number, row.effect_sizes)),
            {True: "holds", False: "does not hold"}.get(row.holds, "nothing found"),  # type: ignore[arg-type]
        )
        for row in shown
    )
    if lines:
        columns = (Column("Encoder", folded=True), *_COHERENCE) if several else _COHERENCE
        table = Table("Do the tests cohere?", columns, lines, media=_PAGES)
        yield Details("Do tests that should agree agree?", (table,))


def anisotropy(rows: Sequence[AnisotropyRow]) -> Iterator[Block]:
    """Say how alike all texts are to the encoder."""
    cosines = (
        say("{}, {} {} texts: {}", title(row.embedding), count(row.texts), row.context, number(row.mean_cosine))
        for row in rows
    )
    text = "Mean cosine of all pairs of texts (0: directions spread evenly, 1: all alike): {}."
    yield Prose(say(text, join(cosines, "; ")), "note", _PAGES)


SEAT = Kind(
    "seat",
    row=SeatRow,
    part=SENTENCES,
    blocks=blocks,
    sentences=sentences,
    claims=evidence_claims,
    measure=seat,
    run=run,
    seconds=20.0,
    aliases={"p": "p_label", "d": "effect_size"},
    card=True,
    method="Sentence encoders were measured by the Sentence Encoder Association Test (May et al., 2019). Words are "
    "the units: the vector of a word is the mean over its sentences.",
)
COHERENCE = Kind("seat-coherence", row=CoherenceRow, part=SENTENCES, blocks=coherence, rank=1)
ANISOTROPY = Kind("seat-anisotropy", row=AnisotropyRow, part=SENTENCES, blocks=anisotropy, rank=2)
