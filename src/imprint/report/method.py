"""The end of every page: limits, glossary, settings, files, missing words and sources."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from imprint.association.rows import AssociationRow, TestRow
from imprint.audit.kinds import AuditRow
from imprint.kinds import by_kind, part_of
from imprint.rows import RawRow, Row
from imprint.view import (
    Block,
    Column,
    Details,
    Given,
    Listing,
    Prose,
    Section,
    Table,
    Text,
    count,
    join,
    number,
    say,
    title,
    words,
)

_LISTED = 20  # missing words that the paragraph names

# What every page says, and what only pages with one of these parts need.
_TESTS = ("weat", "seat", "wefat")
_DEBIASED = ("debiasing", "debiasers")
_LIMITS: dict[str, tuple[str, ...]] = {
    "“None shown” does not mean that there is no bias: the words may be too few to show it.": (),
    "An association that holds is a fact about the model. Whether it harms depends on how the model is used.": (),
    "Tests ask about the words in their lists. Other words for the same people may behave differently.": (),
    "Effect sizes of models and of people are on different scales and cannot be compared.": ("weat", "seat", "study"),
    "Removing a bias from one direction does not remove it from the vectors.": _DEBIASED,
    "Names represent groups because of who has them in the United States. Elsewhere they may not.": (),
}
_GLOSSARY: dict[str, tuple[str, ...]] = {
    "Embedding, vector: a word as a list of numbers, learnt from texts; words used alike have similar lists.": (),
    "Cosine: how similar two vectors are, from -1 to 1.": (),
    "d, effect size: how far two sets of words differ, in standard deviations of all their scores; at most about "
    "two.": (*_TESTS, "against"),
    "p-value: how often chance alone gives at least this much; 1.4e-9 is 1.4 in a thousand million. In tests of "
    "words, chance means shuffling which word belongs to which group: such a p-value is about these words only.": (),
    "Evidence: limited is significant for these words. Moderate also holds for other words of the same kinds, and "
    "beyond word frequency. Strong is also larger than differences between unrelated sets of words.": (),
    "Interval over words: plausible values of the mean difference over all words of the same kinds.": (),
    "One-sided: only an association in the predicted direction counts; two-sided: either direction counts.": (
        *(*_TESTS, "enumeration", "study"),
    ),
    "Holm's correction: p-values made larger because many tests were run.": (*_TESTS, "metrics", "swap"),
    "Rotation: names turned in random directions, to see what chance finds.": ("enumeration",),
    "Axis: the line from one word, she, to another, he; a word's place on it says which way it leans.": (
        *("directions", "analogies", *_DEBIASED),
    ),
    "Held-out professions: words that judge a debiasing and that it was not fitted on.": _DEBIASED,
    "Classifier: a program that learns from some words to tell two groups apart, and is tried on others.": _DEBIASED,
    "Benchmark: pairs of words or analogies that people have judged (rg-65, ws-353, men, google).": (),
    "Controls: questions that every usable model answers as people do, such as that flowers are more pleasant than "
    "insects.": (),
    "Bleached sentences: sentences that say almost nothing about the word in them, such as “This is Emma.”": (),
}

SOURCES = (
    "Associations: Caliskan, Bryson and Narayanan, Semantics derived automatically from language corpora (2016; in "
    "Science, 2017).",
    "Groups of names: Swinger, De-Arteaga and others, What are the biases in my word embedding? (2019).",
    "Sentences: May, Wang and others, On measuring social biases in sentence encoders (2019).",
    "Directions, analogies and debiasing: Bolukbasi, Chang and others, Quantifying and reducing stereotypes (2016).",
    "Charts: Vega, Vega-Lite and Vega-Embed, University of Washington Interactive Data Lab, BSD 3-Clause licence.",
)


def methods_paragraph(rows: Sequence[Row]) -> Text:
    """Return how the rows were measured, as a paragraph for the methods section of a paper."""
    names = list(dict.fromkeys(row.embedding for row in rows if not isinstance(row, RawRow) and row.embedding_sha256))
    if not names:
        return "These findings were made by another version of imprint."
    sentences: list[Text] = [
        say(
            "We measured {} with imprint {} (random seed {}).",
            join(map(title, names), "; "),
            title(rows[0].version),
            count(rows[0].seed),
        ),
        *(kind.method for kind in by_kind(rows) if kind.method),
    ]
    judged = [row for row in rows if isinstance(row, AssociationRow) and row.family_size is not None]
    if judged:
        sentences.append(
            say(
                "p-values of association tests are two-sided and come from permutations of the words' labels. {} "
                "Evidence (alpha {}) is moderate where the difference also exceeds that of random words of the "
                "same frequencies and holds over words. It is strong where the difference also exceeds that of "
                "unrelated contrasts in the same space.",
                _corrected(judged),
                number(judged[0].alpha, 2),
            )
        )
    missing = sorted({word for row in rows if isinstance(row, TestRow) for word in row.missing})
    if missing:
        listed = words(missing) if len(missing) <= _LISTED else count(len(missing))
        sentences.append(say("Words of tests without a vector were left out: {}.", listed))
    return join(sentences, " ")


def _corrected(judged: Sequence[AssociationRow]) -> str:
    """Say over how many tests p-values are corrected: in the part that comes first, then in others."""
    sizes: dict[str, set[int]] = defaultdict(set)
    for row in judged:
        sizes[part_of(row)].add(row.family_size or 0)
    (_, first), *others = ((part, " or ".join(map(str, sorted(known)))) for part, known in sizes.items())
    besides = ", ".join(f"{part}: {size}" for part, size in others if size != first)
    if first == "1" and not besides:
        return "Each test was judged alone."
    tests = "1 test" if first == "1" else f"{first} tests"
    return f"They were corrected by Holm's method over {tests}{besides and f' ({besides})'}."


def limits(rows: Sequence[Row]) -> list[str]:
    """Return what the numbers of these rows cannot show."""
    return _needed(_LIMITS, rows)


def _needed(sentences: Mapping[str, tuple[str, ...]], rows: Sequence[Row]) -> list[str]:
    parts = {part_of(row) for row in rows}
    return [one for one, needing in sentences.items() if not needing or not parts.isdisjoint(needing)]


def method(rows: Sequence[Row]) -> Section:
    """Return the section."""
    return Section("method", "Method, settings and limits", tuple(_blocks(rows)))


def _blocks(rows: Sequence[Row]) -> Iterator[Block]:
    yield Prose("What these numbers cannot show:")
    yield Listing(tuple(limits(rows)))
    yield Prose("Terms used on this page:")
    yield Listing(tuple(_needed(_GLOSSARY, rows)))
    yield Details("A paragraph for the methods section of a paper", (Prose(methods_paragraph(rows)),))
    yield from (_settings(row) for row in rows if isinstance(row, AuditRow))
    known = dict.fromkeys((row.embedding, row.embedding_sha256) for row in rows if row.embedding_sha256)
    files = tuple((title(name), Given(digest, long=True)) for name, digest in known)
    yield Table("What was measured, by its SHA-256", (Column("Name"), Column("SHA-256")), files, folded=True)
    missing = tuple(
        (title(row.embedding), Given(row.test), count(len(row.missing)), words(row.missing))
        for row in rows
        if row.missing
    )
    if missing:
        columns = (Column("Model"), Column("Test"), Column("Missing", numeric=True), Column("Words"))
        yield Table("Missing words", columns, missing, filtered=True, folded=True)
    yield Prose("The methods and the charts come from:")
    yield Listing(SOURCES)
    yield Prose("Every measured number on this page is, unrounded, in the findings beside it (a .jsonl file).", "note")


def _settings(row: AuditRow) -> Table:
    lines: list[tuple[Text, Text]] = [("words", count(row.n_words)), ("dimensions", count(row.dimension))]
    lines += [(key, _value(value)) for key, value in msgspec.structs.asdict(row.settings).items()]
    lines += [(f"{one.name}, version", title(one.value)) for one in row.versions]
    lines += [("note", title(note)) for note in row.embedding_notes]
    return Table("Settings and versions", (Column("Setting"), Column("Value")), tuple(lines), folded=True)


def _value(value: object) -> Text:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return number(value, 3)
    return "none" if value is None else title(str(value))
