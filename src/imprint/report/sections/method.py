"""Method on the page: what was run, with which settings, and what these tests cannot show."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report.marking import NOTHING, Words, count, number
from imprint.report.view import Block, Column, Listing, Prose, Table, Text

LIMITS = (
    "A result that is not significant is not evidence of absence: beside it stands what the test would have found.",
    "A significant association is a fact about the embedding. Whether it harms depends on the embedding's use.",
    "Tests ask about the words in their lists. Other words for the same people may behave otherwise.",
    "Effect sizes of embeddings and of people are on different scales and cannot be compared.",
    "Taking a bias off one direction does not take it out of the embedding.",
    "Names stand for groups of people only by who bears them in the United States, as counted there.",
)

GLOSSARY = (
    "Vector, embedding: a word as a list of numbers, learnt from texts; words used alike have similar lists.",
    "Cosine: how similar two vectors are, from -1 to 1.",
    "d, effect size: how far two sets of words differ, in standard deviations of all their scores; at most about two.",
    "p-value: how often chance alone gives at least this; 1.4e-9 is 1.4 in a thousand million.",
    "One-sided: only an association in the test's direction counts; two-sided, either direction.",
    "Corrected (Holm): p-values made larger because many questions were asked at once.",
    "Rotation: names pointed in random directions, to see what chance finds.",
    "Axis: the line from one word, she, to another, he; a word's place on it says towards which it leans.",
    "Professions held out: words that judge a debiasing and that it was not told about.",
    "Classifier: a program that learns from some words to tell two groups apart, and is tried on others.",
    "Benchmark: pairs of words or analogies that people have judged (rg-65, ws-353, men, google).",
    "Bleached sentences: sentences that say next to nothing about the word in them, such as “This is Emma.”",
)

SOURCES = (
    "Associations: Caliskan, Bryson and Narayanan, Semantics derived automatically from language corpora (2016).",
    "Groups of names: Swinger, De-Arteaga and others, What are the biases in my word embedding? (2019).",
    "Sentences: May, Wang and others, On measuring social biases in sentence encoders (2019).",
    "Directions, analogies and debiasing: Bolukbasi, Chang and others, Quantifying and reducing stereotypes (2016).",
    "Charts: Vega, Vega-Lite and Vega-Embed, University of Washington Interactive Data Lab, BSD 3-Clause licence.",
)


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell the settings, the files by their hashes, the words that were missing, and the limits."""
    yield Prose("What these numbers cannot show:")
    yield Listing(LIMITS)
    yield Prose("Words used on this page:")
    yield Listing(GLOSSARY)
    for one in findings:
        if one.kind == "audit":
            yield _settings(one, words)
    yield _files(findings, words)
    yield from _missing(findings, words)
    yield Prose("The methods, and the charts, are those of:")
    yield Listing(SOURCES)
    yield Prose(
        "Every number on this page stands, unrounded, in the findings written beside it (findings.jsonl).", "note"
    )


def _settings(one: Finding, words: Words) -> Table:
    chosen: Mapping[str, Any] = one.details.get("settings") or {}
    versions: Mapping[str, Any] = one.details.get("versions") or {}
    lines: list[tuple[Text, ...]] = [
        ("words", count(one.details.get("words"))),
        ("dimensions", count(one.details.get("dimension"))),
    ]
    lines += [(key, _value(value, words)) for key, value in chosen.items()]
    lines += [(f"{name}, version", str(version)) for name, version in versions.items()]
    lines += [("note", str(note)) for note in one.details.get("embedding_notes") or ()]
    return Table("Settings and versions", (Column("Setting"), Column("Value")), tuple(lines), folded=True)


def _value(value: object, words: Words) -> Text:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: NOTHING}[value]
    if isinstance(value, int):
        return count(value)
    return number(value, 3) if isinstance(value, float) else words.plain(str(value))


def _files(findings: Sequence[Finding], words: Words) -> Table:
    known = dict.fromkeys((one.embedding, one.embedding_sha256) for one in findings)
    lines = tuple((words.plain(name), Markup("<code>{}</code>").format(digest)) for name, digest in known)
    return Table("What was measured, by its SHA-256", (Column("Name"), Column("SHA-256")), lines, folded=True)


def _missing(findings: Sequence[Finding], words: Words) -> Iterator[Table]:
    lines = tuple(
        (one.kind, words.plain(one.test), count(len(one.missing)), words.joined(one.missing))
        for one in findings
        if one.missing
    )
    columns = (Column("Kind"), Column("Test"), Column("Missing", numeric=True), Column("Words"))
    if lines:
        yield Table("Words that were missing", columns, lines, filtered=True, folded=True)
