"""The answers as a LaTeX table, for a paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from imprint.errors import ImprintError
from imprint.masking import Words
from imprint.reports.summary import people
from imprint.rows import Row

BIBLIOGRAPHY = Path(__file__).parent / "templates" / "citations.bib"
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def latex_table(rows: Sequence[Row], *, unmask: bool = False) -> str:
    """Return a table with a line per question: its size with the interval, its outcome, and d."""
    words = Words(unmask=unmask)
    asked = people(rows)
    if not asked:
        raise ImprintError("there is no test about people to put into a table", hint="give the findings of an audit")
    lines = [
        " & ".join((escaped(words.text(row.title)), _size(row), row.outcome or "", _number(row.effect_size)))
        for row in asked
    ]
    caption = (
        f"Social biases in {escaped(words.text(asked[0].embedding))}, measured with imprint~\\cite{{imprint}}, whose "
        "questions follow \\cite{caliskan2017} and, in sentences, \\cite{may2019}. Sizes are shares of the distance "
        "between the two kinds of words, in percent, with 99.5\\,\\% intervals over words."
    )
    return "\n".join(
        (
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            r"\begin{tabular}{lrlr}",
            r"Question & Size & Outcome & $d$ \\",
            r"\hline",
            *(rf"{line} \\" for line in lines),
            r"\end{tabular}",
            r"\end{table}",
            "",
        )
    )


def escaped(text: str) -> str:
    """Return a text as LaTeX prints it."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _size(row: Any) -> str:
    if row.size is None or row.size_low is None or row.size_high is None:
        return "--"
    size, low, high = (f"${100 * end:.0f}$" for end in (row.size, row.size_low, row.size_high))
    return f"{size} [{low}, {high}]"


def _number(value: float | None) -> str:
    return "--" if value is None else f"${value:.2f}$"
