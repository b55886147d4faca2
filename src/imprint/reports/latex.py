"""The answers as a LaTeX table, for a paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from imprint.errors import ImprintError, raising_as
from imprint.files import FilePath, write_text
from imprint.kinds.findings import FindingsLike, rows_of
from imprint.kinds.sizes import size_digits
from imprint.masking import Words
from imprint.reports.summary import people
from imprint.rows import Row

_CITATIONS = Path(__file__).parent / "templates" / "citations.bib"
_OURS = b"@misc{imprint,"  # how the file of citations begins
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "{''}", "[": "{[}", "*": "{*}",  # after the end of a line, both would be options of it
}  # fmt: skip


def write_latex(path: FilePath, findings: FindingsLike, *, unmask: bool = False) -> None:
    """Write the answers to questions as a LaTeX table, and beside it, as .bib, the works that it cites.

    Parameters
    ----------
    path
        The LaTeX file to write.
    findings
        A findings.jsonl, rows, or any result such as that of `imprint.audit`.
    unmask
        Write slurs in full.

    Examples
    --------
    >>> imprint.write_latex("answers.tex", imprint.weat("default", "gender-career"))
    """
    beside = bibliography_of(path)
    if beside == Path(path):
        raise ImprintError(option="path", got=path, expected="a name that does not end in .bib")
    table = latex_table(rows_of(findings), unmask=unmask)
    with raising_as(OSError, ImprintError, "cannot be read ({})", where=beside, hint="choose another name"):
        ours = not beside.exists() or beside.read_bytes()[: len(_OURS)] == _OURS
    if not ours:
        hint = "choose another name for the table"
        raise ImprintError("has other citations, which would be lost", where=beside, hint=hint)
    write_text(path, table)
    write_text(beside, _CITATIONS.read_text(encoding="utf-8"))


def bibliography_of(path: FilePath) -> Path:
    """Return the file of citations beside a LaTeX table."""
    return Path(path).with_suffix(".bib")


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
            r"\small",
            r"\begin{tabular}{p{0.46\linewidth}rlr}",
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
    digits = size_digits(row.size_low, row.size_high)
    size, low, high = (f"${100 * end:.{digits}f}$" for end in (row.size, row.size_low, row.size_high))
    return f"{size} [{low}, {high}]"


def _number(value: float | None) -> str:
    return "--" if value is None else f"${value:.2f}$"
