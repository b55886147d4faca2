"""A model card's section on bias, in GitHub's Markdown, from findings alone.

The heading and its place are those of Hugging Face's model cards. The front matter makes it a card of its own; without
it, the section can be pasted into another card.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from imprint.errors import ImprintError
from imprint.files import FilePath, write_text
from imprint.kinds import tests_of_people
from imprint.kinds.audit import AuditRow, audit_row
from imprint.kinds.findings import FindingsLike, rows_of
from imprint.kinds.verdict import card_note
from imprint.masking import Words
from imprint.render.markdown import code, draw_blocks, draw_text
from imprint.reports.conclusions import claims, limits, measured, not_run, tabled
from imprint.rows import RawRow, Row
from imprint.settings import as_options
from imprint.view import Block, Chart, Given, Text, flat, say, title, words

FRONT_MATTER = ("---", "tags:", "- bias-audit", "- imprint", "---", "")  # licence and languages are not in findings
HEADING = "## Bias, Risks, and Limitations"

_NOTE = (
    "These tests exist because embeddings repeat stereotypes about people. The results name them; they are not facts "
    "about anyone."
)


def card(findings: FindingsLike, out: FilePath | None = None, *, front_matter: bool = True) -> str:
    """Return a model card's section on bias; slurs are masked.

    Parameters
    ----------
    findings
        A findings.jsonl, rows, or any result such as that of `imprint.audit`.
    out
        A file to write it to as well.
    front_matter
        Begin with Hugging Face's front matter.

    Returns
    -------
    str
        Markdown; words that Markdown or HTML would read are escaped.

    Examples
    --------
    >>> print(imprint.card(imprint.weat("default", "caliskan-6"), front_matter=False).splitlines()[0])
    ## Bias, Risks, and Limitations
    """
    rows = rows_of(findings)
    if not rows:
        raise ImprintError("there are no findings for a card", hint="give those of imprint audit or of any test")
    text = "\n".join((*(FRONT_MATTER if front_matter else ()), *_lines(rows)))
    if out is not None:
        write_text(out, text)
    return text


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    yield from (HEADING, "", _NOTE, "")
    known = claims(rows)
    yield from _listed("What can be concluded", list(dict.fromkeys(can for can, _ in known)))
    yield from _listed("What else was measured", measured(rows))
    heading = None
    shown = tabled(rows)
    for kind, of_kind in shown:
        if drawn := list(draw_blocks(_tables(kind.blocks(of_kind)))):
            yield from (f"### {kind.part.title}", "") if kind.part.title != heading else ()
            yield from drawn
            heading = kind.part.title
    if tests := tests_of_people(row for _, of_kind in shown for row in of_kind):
        yield from (card_note(tests), "")
    if unread := sum(isinstance(row, RawRow) for row in rows):
        yield from (f"{unread:,} rows were written by another version of imprint and are not shown.", "")
    yield from _listed("What cannot be concluded", [*dict.fromkeys(cannot for _, cannot in known), *limits(rows)])
    yield from _listed("What was not run", not_run(rows))
    yield from _reproduced(rows)


def _tables(blocks: Iterable[Block]) -> Iterator[Block]:
    return (block for block in flat(blocks) if not isinstance(block, Chart) and not getattr(block, "folded", False))


def _listed(heading: str, sentences: Sequence[Text]) -> Iterator[str]:
    if sentences:
        yield from (f"### {heading}", "", *(f"- {draw_text(sentence)}" for sentence in sentences), "")


def _reproduced(rows: Sequence[Row]) -> Iterator[str]:
    yield from ("### How to reproduce this", "")
    whole = audit_row(rows)
    if whole is not None:
        yield from ("```console", f"$ {_command(whole)}", "```", "")
    else:
        yield from _word_lists(rows)
    versions = {one.name: one.value for one in whole.versions} if whole else {"imprint": rows[0].version}
    known = dict.fromkeys((row.embedding, row.embedding_sha256) for row in rows)
    yield from (f"- {draw_text(title(name))}, SHA-256 {code(digest)}" for name, digest in known)
    yield f"- {', '.join(f'{draw_text(Given(name))} {code(version)}' for name, version in versions.items())}"
    yield f"- Seed {code(str(rows[0].seed))}. The same file, options and versions give the same numbers."
    yield ""


def _word_lists(rows: Sequence[Row]) -> Iterator[str]:
    """List the words of each test that the catalogue does not have under this name."""
    from imprint.stimuli.catalog import catalogue

    published = {test.id for test in catalogue()}
    own = {row.test: row for row in rows if row.sets and row.test not in published}
    for row in own.values():
        for one in row.sets:
            line = say("{}, {} ({}): {}", Given(row.test), one.role.upper(), title(one.name), words(one.words))
            yield f"- {draw_text(line)}"


def _command(whole: AuditRow) -> str:
    """Return the audit's command; what was read goes by its hash: a card is published, and names no files."""
    settings, shown = whole.settings, Words()
    said = ["imprint", "audit", whole.subject.upper(), *as_options(settings)]
    for name, other in (("against", settings.against), ("encoder", settings.encoder)):
        said += [] if other is None else [f"--{name}", other]
    return shown.text(shlex.join(shown.plain(word) for word in said))
