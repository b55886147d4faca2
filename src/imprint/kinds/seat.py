"""SEAT as kinds: the questions of WEAT asked of sentences, and checks of the whole battery (May et al., 2019)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING

from imprint.association.coherence import STARRED, CoherenceRow, contrasts
from imprint.association.rows import SeatRow
from imprint.association.sensitivity import AnisotropyRow
from imprint.errors import ImprintError, SettingError
from imprint.kinds import Kind, Part, answers, sizes, terms, verdict
from imprint.kinds.tests import (
    MISSING,
    OUTCOME,
    by_subject,
    grammar_notes,
    missing_cell,
    missing_notes,
    name_cell,
    one_sided,
    test_names,
)
from imprint.rows import Row, TemplateValue, WordValue
from imprint.subjects.settings import FEWEST_CONTEXTS
from imprint.tables import Columns, Field, draw_field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
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
    several,
    title,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

SENTENCES = Part(
    "seat",
    "In sentences",
    80,
    needs="encoder",
    order_alone=10,
    asks_tests=True,
    terms=terms.TESTED,
    limits=(terms.OTHER_SCALES,),
)

_OUTCOMES = {True: "holds", False: "does not hold", None: "nothing found"}

Pair = tuple[SeatRow, SeatRow | None]  # by words, and by sentences where these could be counted

_PAGES: tuple[Medium, ...] = ("page", "terminal")
_FRAMES_MATTER = 0.05  # p of the sentences without their words from which a warning is due
_NAMED = 3  # of a list, in a cell
_FEW_NAMED = 8  # words with too few sentences
_OF_WHAT = {
    "word": "A vector is the mean of the word's token vectors in its sentence; a word's, the mean over its sentences.",
    "sentence": "This model gives no token vectors: a vector is the whole sentence's; a word's, the mean over its "
    "sentences. So it says what is said of the word, as much as what the word is.",
}
_PUBLISHED = (
    "CEAT's d and p are as published (Guo and Caliskan, 2021), from {} draws of one sentence per word. All draws "
    "share the words. So this p shrinks as draws grow, whatever the words are; the outcome counts the words instead."
)
_STARS = {"<0.01": "*", "<0.01 after Holm": "**"}  # how the paper marks what its p-values are

_SENSITIVITY: Columns = (
    "test",
    "context",
    Field("effect_without_template", cell=lambda row: _ends(row.effect_without_template), numeric=True),
    Field("effect_without_word", cell=lambda row: _ends(row.effect_without_word), numeric=True),
    "share_of_frames",
)


def run(job: "Job", progress: "Progress") -> Iterable[Row]:
    """Ask the questions, and run the paper's SEATs of the language, on the encoder."""
    from imprint.association.seat_battery import UNITS, run_seat_battery
    from imprint.evaluation.controls import controls
    from imprint.jobs.progress import by_label

    plan, encoder, tests = job.plan, job.encoder, job.sentence_tests
    if encoder is None or not tests:
        raise SettingError("the catalogue has no sentences in this language", option="language", got=plan.language)
    rows = run_seat_battery(
        [encoder],
        tests,
        units=("word",) if plan.quick else UNITS,
        alone=not plan.quick,
        cache=job.encodings,
        seed=plan.seed,
        workers=job.executor,
        report=by_label(progress, (0.7, 0.3)),
    )
    if encoder is job.subject:  # the audit's first row has its controls
        return rows
    try:
        of_language = controls(encoder, languages=plan.languages, tests=plan.tests, cache=job.encodings)
        asked: list[Row] = [*of_language.findings()]
    except ImprintError as error:
        asked = [job.skip("controls", f"Can {encoder.name} be judged?", error, SENTENCES)]
    return [*asked, *rows]


def texts(job: "Job") -> Iterable[Sequence[str]]:
    """Return the sentences of each test, as many as `run` asks."""
    from imprint.association.seat_battery import all_in_sentences, by_importance

    questions, _ = all_in_sentences(job.sentence_tests, None, None)
    chosen = [question for question in questions if question.context != "word" or not job.plan.quick]
    return [sentences for _, sentences in by_importance(chosen)]


def blocks(rows: Sequence[SeatRow]) -> Iterator[Block]:
    """Show questions first, and then the battery as the paper puts it."""
    yield from answers.split_blocks(rows, _battery_blocks)
    for of_encoder in by_subject([row for row in rows if row.text]):
        yield from _in_text(of_encoder)


def _battery_blocks(rows: Sequence[SeatRow]) -> Iterator[Block]:
    """Show the tests in frames, and then the battery of each encoder with both units side by side."""
    framed = [row for row in rows if row.outcome is not None]
    own_contexts = [row for row in rows if row.outcome is None]
    yield from map(sizes.sizes_table, by_subject(framed))
    encoders = by_subject(own_contexts)
    for of_encoder in encoders:
        yield from _encoder(of_encoder)
        notes = list(_notes([row for row in of_encoder if row.unit == "word"]))
        if notes and len(encoders) > 1:
            yield Prose(say("On {}:", title(of_encoder[0].embedding)), "note", _PAGES)
        yield from notes
    yield from grammar_notes(framed)
    if all(row.text for row in rows):
        return
    reading = Prose(
        "Words are put into simple sentences, such as “This is Emma.”, and compared as word vectors are. A size needs "
        "the same sentences for all words, its frames. The paper has sentences for each kind of word, and permutes "
        "sentences; one word in eight sentences is not eight observations, so words are permuted beside."
    )
    yield Details("How to read this", (reading, *_legend(own_contexts), *_contrasts(own_contexts)))


def _in_text(rows: Sequence[SeatRow]) -> Iterator[Block]:
    """Show what words give in sentences of a text, as published and by words, and how many sentences they have."""
    encoder, text = title(rows[0].embedding), title(rows[0].text)
    caption = say("CEAT on {} in sentences of {}, beside the size and its outcome", encoder, text)
    columns: Columns = (
        Field("test", cell=name_cell),
        "size",
        OUTCOME,
        "d_ceat",
        "p_ceat",
        Field("contexts", "Sentences per word", "Median over the words that were used.", _sentences_per_word, True),
    )
    yield table(SeatRow, caption, rows, columns, more=("between_draws", "z_ceat"), extra=("draws", "vectors"))
    yield Prose(_OF_WHAT[rows[0].vectors or "sentence"], "note", _PAGES)
    draws = f"{max(row.draws or 0 for row in rows):,}"
    yield Prose(say(_PUBLISHED, draws), "note", _PAGES)
    for row in rows:
        few = [each for each in row.contexts if each.used < FEWEST_CONTEXTS]
        if few:
            lines = (say("{} ({})", title(each.word), f"{each.found:,}") for each in few[:_FEW_NAMED])
            more = f" and {len(few) - _FEW_NAMED:,} more" if len(few) > _FEW_NAMED else ""
            sentence = (
                "{}: {} of {} words have fewer than {} sentences of their own and are left out: {}{}. In brackets: "
                "sentences in the text, those with another word of the test too."
            )
            counts = (f"{len(few):,}", f"{len(row.contexts):,}", f"{FEWEST_CONTEXTS}")
            yield Prose(say(sentence, title(row.test), *counts, join(lines), more), "warning", _PAGES)


def _sentences_per_word(row: SeatRow) -> Cell | Text:
    used = [each.used for each in row.contexts if each.used >= FEWEST_CONTEXTS]
    return number(median(used), 0) if used else NOTHING


def sentences(rows: Sequence[SeatRow]) -> Iterator[Text]:
    """Count the outcomes of what was asked about people, and say what shows a difference."""
    yield from verdict.sentences(rows)


def brief(rows: Sequence[SeatRow]) -> Iterator[Text]:
    """Count the outcomes of an encoder that was asked beside an embedding."""
    for counts in islice(verdict.sentences(rows), 1):
        yield say("In sentences ({}), {}", title(rows[0].embedding), counts)


def _encoder(rows: Sequence[SeatRow]) -> Iterator[Block]:
    by_sentences = {(row.test, row.context): row for row in rows if row.unit == "sentence"}
    by_word = [row for row in rows if row.unit == "word"]
    yield _battery([(row, by_sentences.get((row.test, row.context))) for row in by_word or rows])
    taken_apart = [row for row in by_word if row.context != "word" and row.effect_size is not None]
    if taken_apart:
        caption = say("How far d_word on {} depends on single templates and words", title(rows[0].embedding))
        flips = Field("flips", cell=_flips)
        listed = table(
            SeatRow,
            caption,
            taken_apart,
            _SENSITIVITY,
            more=["effect_centred"],
            extra=[flips],
            filtered=True,
            media=_PAGES,
        )
        yield Details("Does it depend on single words or templates?", (listed,))


def _battery(pairs: Sequence[Pair]) -> Table:
    rows = [row for row, _ in pairs]
    titled = {row.test: row for row in reversed(rows)}  # where a test comes first, its title is given too

    def name(pair: Pair) -> Cell | Text:
        row, _ = pair
        return name_cell(row) if titled[row.test] is row else title(row.test)

    with_sentences = any(by_sentences is not None for _, by_sentences in pairs)
    shown: list[str | Field] = [Field("test", cell=name), "context"]
    more: list[str | Field] = []
    if rows[0].unit == "word":  # a single result by sentences has no words beside it
        p_by_words = "Share of all splits of the target words that give at least this d_word."
        d_word = "Effect by words, each averaged over its sentences."
        shown.append(Field("effect_size", "d_word", d_word, lambda pair: _starred(pair[0])))
        shown.append(Field("p_value", "p, by words", p_by_words))
    if rows[0].unit == "sentence" or with_sentences:  # a card gives words alone
        (more if rows[0].unit == "word" else shown).extend(_BY_SENTENCES)
    if any(row.published for row in rows):
        meaning = "The d of the same model that the paper prints, with its stars."
        more.append(Field("published", meaning=meaning, cell=lambda pair: _published(pair[0]), numeric=True))
    if any(row.missing for row in rows):
        more.append(replace(MISSING, cell=lambda pair: missing_cell(pair[0])))
    settings = join(title(f"{setting.name} {setting.value}") for setting in rows[0].encoder_settings)
    caption = say("SEAT on {} ({}); p is {}", title(rows[0].embedding), settings, one_sided(rows))
    extra = ("mean_difference",)
    return table(SeatRow, caption, pairs, shown, more=more, extra=extra, of=itemgetter(0), filtered=True)


def _starred(row: SeatRow) -> Cell:
    return Cell(say("{}{}", number(row.effect_size), row.stars), order=row.effect_size)


def _p_by_sentences(pair: Pair) -> Cell | Text:
    """Return p by sentences; where every word has one sentence, it is the same."""
    by_words, by_sentences = pair
    if by_sentences is None:
        return "too many"
    if by_words is not by_sentences and _sizes(by_words) == _sizes(by_sentences):
        return Cell("the same", order=by_sentences.p_value)
    return draw_field(by_sentences, "p_value")


_BY_SENTENCES = (
    Field(
        "effect_size",
        meaning="Effect by sentences, as in the paper.",
        cell=lambda pair: NOTHING if pair[1] is None else _starred(pair[1]),
    ),
    Field(
        "p_value",
        "p, by sentences",
        "Share of all splits of the sentences that give at least this d.",
        _p_by_sentences,
    ),
)


def _sizes(row: SeatRow) -> tuple[int, ...]:
    return row.n_x, row.n_y, row.n_a, row.n_b


def _published(row: SeatRow) -> Text:
    figure = next(iter(row.published), None)
    return NOTHING if figure is None else say("{}{}", number(figure.effect), _STARS.get(figure.p or "", ""))


def _flips(row: SeatRow) -> Cell | Text:
    if not row.flips:
        return NOTHING
    more = f" and {len(row.flips) - _NAMED} more" if len(row.flips) > _NAMED else ""
    return Cell(say("{}{}", join(map(title, row.flips[:_NAMED])), more), hint=join(map(title, row.flips)))


def _ends(effects: Iterable[TemplateValue | WordValue]) -> Text:
    known = [effect.value for effect in effects if effect.value is not None]
    return interval(min(known), max(known)) if known else NOTHING


def _legend(rows: Sequence[SeatRow]) -> Iterator[Block]:
    if any(row.unit == "sentence" for row in rows):
        text = "* p by sentences below {} alone; ** also after Holm's correction over all tests by sentences."
        yield Prose(say(text, f"{STARRED:g}"), "note", ("page", "terminal", "card"))
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
    for row in {row.test: row for row in rows if row.left_out}.values():
        left_out = f"{len(row.left_out):,}"
        text = "{}: {} sentences were left out because the form of their word has no vector, such as {}"
        yield Prose(say(text, title(row.test), left_out, title(row.left_out[0])), "note", _PAGES)
    for row in {row.test: row for row in rows if row.context == "bleached" and row.n_unknown_kinds}.values():
        asked = sum(len(listing.words) for listing in row.sets)
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


_SHOW = {True: "is significant", False: "are significant"}  # one alone, and several


def _contrasts(rows: Sequence[SeatRow]) -> Iterator[Block]:
    lines = tuple(
        say(
            "{}, by {}s: of {} asked both ways, {} {} with {} (mean effect {}) and {} with {} ({}).",
            title(contrast.embedding),
            contrast.unit,
            several(contrast.questions, "test"),
            f"{contrast.found[0]}",
            _SHOW[contrast.found[0] == 1],
            contrast.ways[0],
            number(contrast.mean_effects[0]),
            f"{contrast.found[1]}",
            contrast.ways[1],
            number(contrast.mean_effects[1]),
        )
        for contrast in contrasts(rows)
    )
    if lines:
        yield Listing(
            (*lines, "Such counts compare ways of asking; they do not measure how biased an encoder is."), _PAGES
        )


def coherence(rows: Sequence[CoherenceRow]) -> Iterator[Block]:
    """Show whether tests that should go together do; single words have one unit."""
    shown = [row for row in rows if (row.context, row.unit) != ("word", "sentence")]
    several = len({row.embedding_sha256 for row in shown}) > 1
    if not shown:
        return
    encoders = [Field("embedding", "Encoder")] if several else []
    columns: Columns = [
        Field("test", "Tests", cell=lambda row: title(row.test.replace(" ", ", "))),
        "context",
        "check",
        Field("p_values", cell=lambda row: join(map(probability, row.p_values))),
        Field("effect_sizes", cell=lambda row: join(map(number, row.effect_sizes))),
        Field("holds", cell=lambda row: _OUTCOMES[row.holds]),
    ]
    unit = Field("unit", cell=lambda row: f"{row.unit}s")
    listed = table(
        CoherenceRow, "Do the tests cohere?", shown, columns, more=[*encoders, unit, "reason"], media=_PAGES
    )
    yield Details("Do tests that should agree agree?", (listed,))


def anisotropy(rows: Sequence[AnisotropyRow]) -> Iterator[Block]:
    """Say how alike all texts are to the encoder."""
    cosines = (
        say("{}, {} {} texts: {}", title(row.embedding), count(row.texts), row.context, number(row.mean_cosine))
        for row in rows
    )
    text = "Mean cosine of all pairs of texts (0: directions spread evenly, 1: all alike): {}."
    yield Prose(say(text, join(cosines, "; ")), "note", _PAGES)


SEAT = Kind(
    row=SeatRow,
    part=SENTENCES,
    blocks=blocks,
    sentences=sentences,
    claims=verdict.claims,
    certainty=verdict.certainty,
    run=run,
    texts=texts,
    seconds=20.0,
    aliases={"p": "p_value", "d": "effect_size"},
    card=True,
    method="Sentence encoders were measured by the Sentence Encoder Association Test (May et al., 2019). Words are "
    "the units: the vector of a word is the mean of its unit vectors in the same sentences.",
    brief=brief,
    asks_people=True,
    names=test_names,
    of_encoder=("seat", "seat"),
)
COHERENCE = Kind(row=CoherenceRow, part=SENTENCES, blocks=coherence, rank=1)
ANISOTROPY = Kind(row=AnisotropyRow, part=SENTENCES, blocks=anisotropy, rank=2)
