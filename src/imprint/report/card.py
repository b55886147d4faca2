"""A section on bias for a model card, in GitHub's Markdown, from findings alone.

The heading and its place are those of Hugging Face's model cards, where the section can be pasted as it is.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence

from imprint.errors import ImprintError
from imprint.finding import Finding
from imprint.masking import mask
from imprint.report.escaping import code, escaped, listed, plain
from imprint.report.marking import Words
from imprint.report.sections.method import LIMITS
from imprint.report.sections.weat import missing_of, sides, title
from imprint.report.summary import sentences
from imprint.rounding import SIGNS, round_corrected, round_end, round_number

HEADING = "## Bias, Risks, and Limitations"

_NOTE = (
    "These tests exist because embeddings repeat stereotypes about people. The results name them; they are nobody's "
    "opinion, least of all a fact about anyone."
)
_CONFIDENCE = 0.95  # as the columns say
_OWN_PARTS = (None, "weat", "wefat", "seat")  # of the model itself, not of a debiased copy or another embedding
_OPTIONS = ("language", "alpha", "rotations", "seed", "against", "encoder")


def render_card(findings: Iterable[Finding]) -> str:
    """Return the section; slurs are masked, and words that Markdown or HTML would read are escaped."""
    rows = list(findings)
    if not rows:
        raise ImprintError("there are no findings for a card; give those of imprint audit or of any test")
    try:
        return "\n".join(_lines(rows))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # A file of findings is anybody's: text where a number belongs is the file's fault and ends in one line.
        wrong = f"{type(error).__name__}: {error}"
        raise ImprintError(f"the findings cannot be told ({wrong}); give a file as imprint wrote it") from error


def _lines(rows: Sequence[Finding]) -> Iterator[str]:
    yield HEADING
    yield ""
    yield _NOTE
    yield ""
    said = [f"- {escaped(mask(sentence.striptags()))}" for sentence in sentences(rows)]
    if said:
        yield from (*said, "")
    shown = {kind: [one for one in rows if _is_own(one, kind)] for _, kind, _, _ in _TABLES}
    for heading, kind, columns, cells in _TABLES:
        yield from _table(heading, shown[kind], columns, cells)
    tested = shown["weat"] + shown["seat"]
    if direction := sides(tested):
        yield from (f"p-values of tests are {direction}.", "")
    yield from _not_shown(rows)
    yield from _reproduced(rows)


def _is_own(one: Finding, kind: str) -> bool:
    """Tell whether a finding is of the model itself, by words: not of a debiased copy or another embedding."""
    return one.kind == kind and one.details.get("part") in (None, kind) and one.details.get("unit") != "sentence"


def _table(
    heading: str, rows: Sequence[Finding], columns: Sequence[str], cells: Callable[[Finding], Sequence[str]]
) -> Iterator[str]:
    if rows:
        yield f"### {heading}"
        yield ""
        yield _row(columns)
        yield _row(["---"] * len(columns))
        yield from (_row(cells(one)) for one in rows)
        yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _name(one: Finding) -> str:
    """Name a test, and the embedding where two were set side by side."""
    where = f" on {plain(one.embedding)}" if one.details.get("other") else ""
    neutral = ", neutral: it shows that the method works" if "neutral" in (one.details.get("topics") or ()) else ""
    return f"{plain(title(one))} ({plain(one.test)}{neutral}){where}"


def _missing(one: Finding) -> str:
    return f"{missing_of(one).striptags()}: {listed(one.missing)}" if one.missing else "none"


def _weat(one: Finding) -> tuple[str, ...]:
    get = one.details.get
    return (
        _name(one),
        _number(one.effect_size),
        _with_interval(get("mean_difference"), get("interval_low"), get("interval_high"), 3, get("confidence")),
        _p(one.p_value, SIGNS.get(str(get("p_method")), "")),
        _corrected(get("p_holm"), str(get("p_method"))),
        _verdict(one),
        _missing(one),
    )


def _seat(one: Finding) -> tuple[str, ...]:
    name, *rest = _weat(one)
    return (name, plain(one.details.get("context")), *rest)


def _wefat(one: Finding) -> tuple[str, ...]:
    get = one.details.get
    return (
        _name(one),
        _with_interval(one.effect_size, get("r_low"), get("r_high"), 2),
        _p(one.p_value),
        _missing(one),
    )


_ASKED = ("d", "Difference of means, 95 % interval", "p", "p, corrected", "Verdict", "Missing words")
_TABLES = (
    ("Associations asked for", "weat", ("Test", *_ASKED), _weat),
    ("Associations in sentences", "seat", ("Test", "Context", *_ASKED), _seat),
    ("The embedding and the world", "wefat", ("Words", "r, 95 % interval", "p", "Missing words"), _wefat),
)


def _verdict(one: Finding) -> str:
    """Return the verdict; where nothing was found, with what could have been."""
    verdict, shift = one.details.get("verdict"), one.details.get("detectable_shift")
    if verdict is None:
        return ""
    return plain(verdict) if shift is None else f"{plain(verdict)}; would find {_number(shift, 3)}"


def _not_shown(rows: Sequence[Finding]) -> Iterator[str]:
    yield "### What was not shown"
    yield ""
    yield from (f"- {line}" for line in LIMITS)
    if any(one.details.get("detectable_shift") is not None for one in rows):
        yield (
            "- “Would find” is the smallest difference of means that a test of so few words finds four times in five."
        )
    for one in rows:
        if one.kind == "skipped" and one.details.get("part") in _OWN_PARTS:
            yield f"- Not run: {plain(title(one))}. {plain(one.details.get('reason'))}"
    yield ""


def _reproduced(rows: Sequence[Finding]) -> Iterator[str]:
    yield "### How to reproduce this"
    yield ""
    whole = next((one for one in rows if one.kind == "audit"), None)
    if whole is not None:
        yield from ("```console", f"$ {_command(whole)}", "```", "")
    else:
        yield from _words(rows)
    versions = whole.details.get("versions", {}) if whole else {"imprint": rows[0].version}
    known = dict.fromkeys((str(one.embedding), str(one.embedding_sha256)) for one in rows)
    yield from (f"- {plain(name)}, SHA-256 {code(digest)}" for name, digest in known)
    yield f"- {', '.join(f'{plain(name)} {code(version)}' for name, version in versions.items())}"
    yield f"- Seed {code(rows[0].seed)}. The same file, options and versions give the same numbers."
    yield ""


def _words(rows: Sequence[Finding]) -> Iterator[str]:
    """List the words of each test that the catalogue does not have under this name."""
    from imprint.stimuli.catalog import catalogue

    published = {test.id for test in catalogue()}
    own = {one.test: one.details for one in rows if one.test not in published and one.details.get("set_words")}
    for test, details in own.items():
        for letter, words in details["set_words"].items():
            name = details.get("sets", {}).get(letter, letter)
            yield f"- {plain(test)}, {plain(letter.upper())} ({plain(name)}): {listed(words)}"


def _command(whole: Finding) -> str:
    """Return the audit's command; what was read goes by its hash, since findings know no paths."""
    settings, words = whole.details.get("settings", {}), Words()
    said = ["imprint", "audit", "EMBEDDING", *(["--quick"] if settings.get("quick") else [])]
    said += ["--debias", str(settings.get("debias") or "none")]
    for name in _OPTIONS:
        if settings.get(name) is not None:
            said += [f"--{name}", str(settings[name])]
    return words.text(shlex.join(words.plain(word) for word in said))


def _number(value: float | None, digits: int = 2) -> str:
    return round_number(value, digits)


def _p(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{sign}{value:.2g}"


def _corrected(value: float | None, method: str) -> str:
    return "-" if value is None else round_corrected(value, method)


def _with_interval(
    value: float | None, low: float | None, high: float | None, digits: int, confidence: float | None = None
) -> str:
    ends = "no interval" if low is None or high is None else f"{round_end(low, digits)} to {round_end(high, digits)}"
    other = f" at {confidence:.0%}" if confidence not in (None, _CONFIDENCE) else ""
    return f"{_number(value, digits)} ({ends}{other})"
