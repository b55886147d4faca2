"""SEAT for a terminal: the battery as in the paper's table 4, how much it hangs on single words, and its checks."""

import math
from collections.abc import Sequence
from itertools import groupby

from imprint.association.contrasts import contrasts
from imprint.association.seat_battery import SeatBattery
from imprint.association.seat_rows import SeatRow
from imprint.cli.console import print_findings, say
from imprint.cli.formats import TABLE_WIDTH, make_table, number, p_value, print_blocks, show_table, width
from imprint.cli.tables import print_skipped

_SCALE = 2.0  # effects lie between -2 and 2
_CELLS = 25  # characters of a drawn interval, an odd number so that zero has one

_CONTEXTS = {"word": "word", "bleached": "sent", "unbleached": "sent (u)"}

Pair = tuple[SeatRow, SeatRow]


def show_seats(battery: SeatBattery, *, json: bool) -> None:
    """Print the findings as JSON lines, or as tables with a legend; say in either case what could not be run."""
    if json:
        print_findings(battery.findings())
        for row in battery.skipped:
            say(f"not run: {row.test}: {row.reason}")
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
    """Return the rows of words and of sentences for each test in each context."""
    return list(zip(battery.of_unit("word"), battery.of_unit("sentence"), strict=True))


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
                _CONTEXTS[result.context],
                f"{number(result.effect_size)}{words.stars:2}",
                p_value(result.significance),
                _holm(words),
                f"{number(sentences.result.effect_size)}{sentences.stars:2}",
                "the same" if _one_unit(words, sentences) else p_value(sentences.result.significance),
                _holm(sentences),
                "" if _one_unit(words, sentences) else _signed(sentences.result.effect_size - result.effect_size),
                *((_paper(words),) if with_paper else ()),
                *((str(len(result.missing)),) if with_missing else ()),
            )
    show_table(table)


def _signed(difference: float) -> str:
    return (
        "" if math.isnan(difference) else f"{round(difference, 2) + 0.0:+.2f}"
    )  # adding nothing makes a negative zero a zero


def _one_unit(words: SeatRow, sentences: SeatRow) -> bool:
    """Tell whether every word had one sentence, so that there was nothing to choose between."""
    return words.result.significance is sentences.result.significance


def _holm(row: SeatRow) -> str:
    return "cannot reach" if row.verdict == "cannot reach" else f"{row.p_holm:.2g}"


def _paper(row: SeatRow) -> str:
    if row.published is None:
        return ""
    stars = {"<0.01": "*", "<0.01 after Holm": "**"}.get(row.published.p or "", "")
    return f"{number(row.published.effect)}{stars:2}"


def _block(words: SeatRow, sentences: SeatRow) -> tuple[str, ...]:
    """Say in a few lines what the table says in a row, for narrow terminals."""
    result = words.result
    lines = (
        f"{name} = {number(row.result.effect_size)}{row.stars}, p = {p_value(row.result.significance)}, after Holm "
        f"{_holm(row)}"
        for name, row in (("by words: d_word", words), ("by sentences: d", sentences))
    )
    paper = (f"in the paper: d = {_paper(words)}",) if words.published else ()
    return (f"{result.test.id}, {_CONTEXTS[result.context]}: {result.test.title}", *lines, *paper)


def _print_sensitivity(encoder: str, rows: Sequence[SeatRow]) -> None:
    rows = [row for row in rows if row.result.sensitivity.by_template and math.isfinite(row.result.effect_size)]
    if not rows:
        return
    title = f"How much d_word of bleached sentences hangs on single templates and words, {encoder}"
    if width() < TABLE_WIDTH:
        print_blocks(title, [(_hanging(row)[0], ", ".join(_hanging(row)[1:])) for row in rows])
        return
    table = make_table(
        title,
        ("test", "left"),
        ("d_word", "right"),
        ("each template\nalone", "right"),
        ("without one\ntemplate", "right"),
        ("without one\nword", "right"),
        (f"-2{'0':^{_CELLS - 3}}2", "left"),
        ("centred", "right"),
        ("sign", "left"),
    )
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(*_hanging(row))
    show_table(table)


def _hanging(row: SeatRow) -> tuple[str, ...]:
    result, parts = row.result, row.result.sensitivity
    ranges = [
        (min(effects.values(), default=result.effect_size), max(effects.values(), default=result.effect_size))
        for effects in (parts.by_template, parts.without_template, parts.without_word)
    ]
    flips = parts.flips(result.effect_size)
    return (
        result.test.id,
        number(result.effect_size),
        *(f"{number(low)} … {number(high)}" for low, high in ranges),
        draw(result.effect_size, ranges[0], ranges[2]),
        number(result.centred),
        "flips" if flips else "holds",
    )


def _print_checks(battery: SeatBattery) -> None:
    # Single words have one unit.
    checks = [check for check in battery.coherence if (check.context, check.unit) != ("word", "sentence")]
    if not checks:
        return
    several = len({check.encoder for check in checks}) > 1
    names = (*(("encoder",) if several else ()), "context", "by", "should", "tests", "p", "does")
    table = make_table("Do the tests cohere?", *((name, "left") for name in names))
    for check in checks:
        table.add_row(
            *((check.encoder,) if several else ()),
            _CONTEXTS[check.context],
            f"{check.unit}s",
            check.check,
            ", ".join(check.tests),
            ", ".join(f"{p:.2g}" for p in check.p_values),
            "yes" if check.holds else "no",
        )
    show_table(table)


def _legend(battery: SeatBattery) -> tuple[str, ...]:
    return (
        f"* p below {battery.alpha:g} alone; ** also after Holm's correction over all rows of the same unit"
        f"{', all encoders together' if len({row.encoder_sha256 for row in battery.anisotropy}) > 1 else ''}.",
        "d_word permutes words, each averaged over its sentences first. d permutes sentences, as the paper does: one",
        "word in fourteen templates counts as fourteen observations there, and its p is too small to speak of words.",
        "'cannot reach': with so few words no p could pass. Not significant is not absent.",
        "Drawn: ● d_word, ─ each template alone, ═ without one word. centred: less the mean of the test's vectors.",
    )


def _notes(battery: SeatBattery) -> list[str]:
    rows = battery.of_unit("word")
    missing = {(row.result.encoder, row.result.test.id): row.result.missing for row in rows if row.result.missing}
    notes = [f"missing words of {test} in {encoder}: {', '.join(words)}" for (encoder, test), words in missing.items()]
    flipping = [row.result for row in rows if row.result.sensitivity.flips(row.result.effect_size)]
    if flipping:
        tests = ", ".join(dict.fromkeys(f"{result.test.id} ({_CONTEXTS[result.context]})" for result in flipping))
        notes.append(f"warning: the sign of the effect hangs on a single template or word in {tests}")
    return notes


def _summary(battery: SeatBattery) -> list[str]:
    lines = [
        f"{row.encoder}: the mean cosine of its {row.texts:,} {row.context} texts is {number(row.mean_cosine)} "
        "(0: directions spread evenly, 1: all alike)"
        for row in battery.anisotropy
    ]
    lines += [
        f"{one.encoder}, by {one.unit}s: of {one.questions} questions, {one.significant[0]} significant with "
        f"{one.ways[0]} (mean effect {number(one.mean_effects[0])}) and {one.significant[1]} with {one.ways[1]} "
        f"({number(one.mean_effects[1])})"
        for one in contrasts(battery.rows)
    ]
    computed = (
        "every text was known from an earlier run" if not battery.encoded else f"{battery.encoded:,} texts encoded"
    )
    return [*lines, f"{computed}."]
