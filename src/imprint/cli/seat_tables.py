"""SEAT for a terminal: the battery as in the paper's table 4, how much it hangs on single words, and its checks."""

import math
from collections.abc import Sequence
from itertools import groupby

from imprint.association.contrasts import contrasts
from imprint.association.seat_battery import SeatBattery
from imprint.association.seat_rows import SeatRow
from imprint.cli.console import print_findings, say
from imprint.cli.formats import TABLE_WIDTH, ends, make_table, number, p_value, print_blocks, show_table, width
from imprint.cli.tables import print_skipped, say_skipped
from imprint.rounding import round_corrected
from imprint.stimuli.definition import WeatTest, word_sets

_SCALE = 2.0  # effects lie between -2 and 2
_CELLS = 21  # characters of a drawn interval, an odd number so that zero has one

_COLUMNS = (
    ("test", "left"),
    ("shift [95 % interval]", "right"),
    ("would\nfind", "right"),
    ("d_word without\none template", "right"),
    ("without\none word", "right"),
    (f"-2{'0':^{_CELLS - 3}}2", "left"),
    ("frames", "right"),
    ("centred", "right"),
)
_SIDES = {"greater": "one-sided", "less": "one-sided", "two-sided": "two-sided"}
_FRAMES_MATTER = 0.05  # p of the sentences without their words, from which a warning is due

Pair = tuple[SeatRow, SeatRow | None]


def show_seats(battery: SeatBattery, *, json: bool) -> None:
    """Print the findings as JSON lines, or as tables with a legend; say in either case what could not be run."""
    if json:
        print_findings(battery.findings())
        say_skipped(battery.skipped)
        return
    for _, pairs in groupby(_pairs(battery), key=lambda pair: pair[0].result.encoder_sha256):
        listed = list(pairs)
        encoder = listed[0][0].result.encoder
        _print_battery(encoder, listed)
        _print_sensitivity(encoder, [words for words, _ in listed if words.result.context == "bleached"])
    _print_checks(battery)
    if battery.skipped:
        print_skipped(battery.skipped)
    for line in (*_legend(battery), *_notes(battery), *_summary(battery)):
        say(line)


def draw(effect: float, outer: tuple[float, float], inner: tuple[float, float]) -> str:
    """Draw an effect within two ranges on a scale from -2 to 2: the outer thin, the inner thick."""
    cells = ["·"] * _CELLS
    cells[_CELLS // 2] = "│"
    for (low, high), mark in ((outer, "─"), (inner, "═")):
        for cell in range(_cell(low), _cell(high) + 1):
            cells[cell] = mark
    cells[_cell(effect)] = "●"
    return "".join(cells)


def _cell(effect: float) -> int:
    share = (max(-_SCALE, min(_SCALE, effect)) + _SCALE) / (2 * _SCALE)
    return round(share * (_CELLS - 1))


def _pairs(battery: SeatBattery) -> list[Pair]:
    """Return the rows of words and, where they could be counted, of sentences for each test in each context."""

    def key(row: SeatRow) -> tuple[str, str, str]:
        return row.result.encoder_sha256, row.result.test.id, row.result.context

    sentences = {key(row): row for row in battery.of_unit("sentence")}
    return [(row, sentences.get(key(row))) for row in battery.of_unit("word")]


def _print_battery(encoder: str, pairs: Sequence[Pair]) -> None:
    settings = pairs[0][0].result.settings
    title = f"SEAT on {encoder} ({', '.join(f'{name} {value}' for name, value in settings.items())})"
    if width() < TABLE_WIDTH:
        print_blocks(title, [_block(*pair) for pair in pairs])
        return
    with_paper = any(words.published for words, _ in pairs)
    with_missing = any(words.result.missing for words, _ in pairs)
    table = make_table(
        title,
        ("test", "left"),
        ("context", "left"),
        ("d_word", "right"),
        ("p, by words", "right"),
        ("after Holm", "right"),
        ("d", "right"),
        ("p, by sentences", "right"),
        ("after Holm", "right"),
        ("d - d_word", "right"),
        *((("paper's d", "right"),) if with_paper else ()),
        *((("missing", "right"),) if with_missing else ()),
    )
    for _, group in groupby(pairs, key=lambda pair: pair[0].result.test.id):
        for place, (words, sentences) in enumerate(group):
            result = words.result
            table.add_row(
                (result.test.id, result.test.title, "")[min(place, 2)],
                result.context,
                f"{number(result.effect_size)}{words.stars:2}",
                p_value(result.significance),
                _holm(words),
                *_by_sentences(words, sentences),
                *((_paper(words),) if with_paper else ()),
                *((str(len(result.missing)),) if with_missing else ()),
            )
    show_table(table)


def _by_sentences(words: SeatRow, sentences: SeatRow | None) -> tuple[str, str, str, str]:
    """Return d, its p, that after Holm and the difference; where every word had one sentence, p is the same."""
    if sentences is None:
        return "", "too many", "", ""
    effect = f"{number(sentences.result.effect_size)}{sentences.stars:2}"
    if sentences.result.significance is words.result.significance:
        return effect, "the same", _holm(sentences), ""
    difference = round(sentences.result.effect_size - words.result.effect_size, 2)
    signed = "" if math.isnan(difference) else f"{difference + 0.0:+.2f}"  # a negative zero becomes a zero
    return effect, p_value(sentences.result.significance), _holm(sentences), signed


def _holm(row: SeatRow) -> str:
    if row.verdict == "cannot reach":
        return row.verdict
    return round_corrected(row.p_holm, row.result.significance.p_method)


def _paper(row: SeatRow) -> str:
    if row.published is None:
        return ""
    stars = {"<0.01": "*", "<0.01 after Holm": "**"}.get(row.published.p or "", "")
    return f"{number(row.published.effect)}{stars:2}"


def _block(words: SeatRow, sentences: SeatRow | None) -> tuple[str, ...]:
    """Say in a few lines what the table says in a row, for narrow terminals."""
    result = words.result
    lines = (
        f"{name} = {number(row.result.effect_size)}{row.stars}, p = {p_value(row.result.significance)}, after Holm "
        f"{_holm(row)}"
        for name, row in (("by words: d_word", words), ("by sentences: d", sentences))
        if row is not None
    )
    paper = (f"in the paper: d = {_paper(words)}",) if words.published else ()
    return (f"{result.test.id}, {result.context}: {result.test.title}", *lines, *paper)


def _print_sensitivity(encoder: str, rows: Sequence[SeatRow]) -> None:
    rows = [row for row in rows if math.isfinite(row.result.effect_size)]
    if not rows:
        return
    title = f"How much d_word of bleached sentences hangs on single templates and words, {encoder}"
    if width() < TABLE_WIDTH:
        labels = [" ".join(name.split()) for name, _ in _COLUMNS[1:]]
        for row in rows:
            test, *values = _hanging(row)
            print_blocks(title, [(test, ", ".join(f"{k} {v}" for k, v in zip(labels, values, strict=True) if v))])
            title = ""
        return
    table = make_table(title, *_COLUMNS)
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(*_hanging(row))
    show_table(table)


def _hanging(row: SeatRow) -> tuple[str, ...]:
    result, parts = row.result, row.result.sensitivity
    alone, without_template, without_word = (
        (min(effects.values(), default=result.effect_size), max(effects.values(), default=result.effect_size))
        for effects in (parts.by_template, parts.without_template, parts.without_word)
    )
    return (
        result.test.id,
        f"{number(result.effect.mean_difference, 3)} {ends(result.interval) if result.interval else ''}",
        number(row.detectable_shift, 3) if row.verdict != "significant" else "",
        *(f"{number(low)} … {number(high)}" for low, high in (without_template, without_word)),
        draw(result.effect_size, alone if parts.by_template else without_template, without_word),
        number(result.frames.effect_size) if result.frames and not math.isnan(result.frames.effect_size) else "",
        number(result.centred),
    )


def _print_checks(battery: SeatBattery) -> None:
    # Single words have one unit.
    checks = [check for check in battery.coherence if (check.context, check.unit) != ("word", "sentence")]
    if not checks:
        return
    several = len({check.encoder for check in checks}) > 1
    names = (*(("encoder",) if several else ()), "context", "by", "should", "tests", "p", "d", "does")
    table = make_table("Do the tests cohere?", *((name, "left") for name in names))
    for check in checks:
        table.add_row(
            *((check.encoder,) if several else ()),
            check.context,
            f"{check.unit}s",
            check.check,
            ", ".join(check.tests),
            ", ".join(f"{p:.2g}" for p in check.p_values),
            ", ".join(number(effect) for effect in check.effects),
            {True: "yes", False: "no", None: "nothing found"}[check.holds],
        )
    show_table(table)


def _legend(battery: SeatBattery) -> tuple[str, ...]:
    return (
        f"p is {_SIDES[battery.rows[0].result.significance.alternative]}. * p below {battery.alpha:g} alone; ** also "
        f"after Holm's correction over the {len(battery.of_unit('word'))} rows of the same unit"
        f"{', all encoders together' if len({row.encoder_sha256 for row in battery.anisotropy}) > 1 else ''}.",
        "d_word permutes words, each averaged over its sentences first. d permutes sentences, as the paper does: one",
        "word in many templates counts as many observations there, and its p is too small to speak of words.",
        "'cannot reach': with so few words no p could pass among this many tests.",
        "shift: the difference of mean cosines. Not significant is not absent: 'would find' is the shift that such a",
        "test would find four times in five.",
        "Drawn: ● d_word, ═ without one word, ─ each template alone (without one, where words differ in templates).",
        "frames: d of the same sentences without their words. centred: d less the mean of the test's vectors.",
    )


def _notes(battery: SeatBattery) -> list[str]:
    rows = battery.of_unit("word")
    missing = {(row.result.encoder, row.result.test.id): row.result.missing for row in rows if row.result.missing}
    notes = [f"missing words of {test} in {encoder}: {', '.join(words)}" for (encoder, test), words in missing.items()]
    short = {(row.result.encoder, row.result.test.id): row.result.left_out for row in rows if row.result.left_out}
    notes += [
        f"{test} in {encoder}: {len(texts)} sentences left out whose form of the word has no vector, as {texts[0]!r}"
        for (encoder, test), texts in short.items()
    ]
    notes += [
        f"warning: the frames of {result.test.id} ({result.context}) give d = {frames.effect_size:.2f}, "
        f"p = {frames.p_value:.2g} without its words: X and Y differ in kinds of words, and so in their sentences"
        for result in (row.result for row in rows)
        if (frames := result.frames) is not None and frames.p_value <= _FRAMES_MATTER
    ]
    opposed = [row.result for row in rows if row.result.p_value >= 1 - battery.alpha]
    if opposed:
        tests = ", ".join(f"{result.test.id} ({result.context})" for result in opposed)
        notes.append(
            f"note: strongly the other way than asked about: {tests}; --alternative two-sided tests both ways"
        )
    unkind = {row.result.test.id: _unkind(row.result.test) for row in rows if row.result.context == "bleached"}
    notes += [
        f"note: {count} of {total} words of {test} have no kind and stand in neutral frames; state kind = 'name', say"
        for test, (count, total) in unkind.items()
        if count
    ]
    flipping = [row.result for row in rows if row.result.sensitivity.flips(row.result.effect_size)]
    if flipping:
        tests = ", ".join(dict.fromkeys(f"{result.test.id} ({result.context})" for result in flipping))
        notes.append(f"warning: the sign of the effect hangs on a single template or word in {tests}")
    return notes


def _unkind(test: WeatTest) -> tuple[int, int]:
    kinds = [kind for words in word_sets(test).values() for kind in words.kinds]
    return kinds.count("unknown"), len(kinds)


def _summary(battery: SeatBattery) -> list[str]:
    lines = [
        f"{row.encoder}: the mean cosine of its {row.texts:,} {row.context} texts is {number(row.mean_cosine)} "
        "(0: directions spread evenly, 1: all alike)"
        for row in battery.anisotropy
    ]
    lines += [
        f"{one.encoder}, by {one.unit}s: of {one.questions} asked both ways, {one.significant[0]} significant with "
        f"{one.ways[0]} (mean effect {number(one.mean_effects[0])}) and {one.significant[1]} with {one.ways[1]} "
        f"({number(one.mean_effects[1])})"
        for one in contrasts(battery.rows)
    ]
    if len(lines) > len(battery.anisotropy):
        lines.append("Such counts compare ways of asking; they do not measure how biased an encoder is.")
    computed = (
        "every text was known from an earlier run" if not battery.encoded else f"{battery.encoded:,} texts encoded"
    )
    return [*lines, f"{computed}."]
