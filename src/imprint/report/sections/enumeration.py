"""UBE on the page: which groups of names the embedding knows, and which words it puts nearest to each."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report.marking import NOTHING, Words, count, number, probability, share
from imprint.report.view import Block, Cell, Column, Prose, Table, Text

_RACES = (("white", "White"), ("black", "Black"), ("hispanic", "Hispanic"), ("asian_pacific", "Asian, Pacific"))
_CROSSINGS = 5


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell the groups, the grid of associations, and every cell."""
    cells = [one for one in findings if one.kind == "ube" and "groups_of" not in one.details]
    groups = [one for one in findings if one.kind == "ube-group"]
    found = [one for one in cells if one.details.get("significant")]
    if groups or cells:
        yield Prose(
            "Nobody told the method what to look for. It sorts first names into groups by where they lie in the "
            "embedding, sorts words into categories, and asks which words of a category lie nearest to which group. "
            "Chance is what names pointed in random directions would give, many times over. Who bears the names was "
            "looked up only afterwards."
        )
    if groups:
        yield Table(
            "The groups of names, and who bears them in the United States",
            _group_columns(),
            tuple(_group(one) for one in groups),
        )
    if cells and not found:
        yield Prose(
            "No association is significant. That is not absence: with more rotations, smaller p-values can be told."
        )
    if found:
        yield Prose(
            "A column a group, a row a category. Words in grey italics are gone when the direction of word frequency "
            "is taken out: they may be near the names only because both are rare, or both frequent."
        )
        yield _grid(found, words)
        yield _cells_table(cells, words)
    yield from _changes(findings, words)
    for one in findings:
        if one.kind == "ube-overview":
            yield from _overview(one)
    for one in findings:
        if one.kind == "ube-indirect":
            yield from _indirect(one, words)


def _group_columns() -> tuple[Column, ...]:
    return (
        Column("Group", "Open it to see the names nearest its middle."),
        Column("Names", numeric=True),
        Column("Women", "Share of women among people with these names, each name counted once.", True),
        Column("Born", "Mean year of birth, each name counted once.", True),
        *(Column(label, "Share of people with these names, each name counted once.", True) for _, label in _RACES),
        Column("Found", "Significant associations.", True),
        Column(
            "Without frequency", "How many of them are left when the direction of word frequency is taken out.", True
        ),
        Column("Spelling", "How alike words and names are spelt: one half by chance, one for the most alike.", True),
    )


def _group(one: Finding) -> tuple[Cell | Markup | str, ...]:
    get = one.details.get
    races = get("races") or {}
    born = get("mean_birth_year")
    return (
        names_behind(one),
        count(get("n_names")),
        share(get("share_women")),
        number(born, 0),
        *(share(races.get(race)) for race, _ in _RACES),
        count(get("associations")),
        count(get("survive_without_frequency")),
        number(get("spelling")),
    )


def names_behind(one: Finding) -> Cell:
    """Return a group's letter, with its names one click away."""
    names = Words(unmask=True).joined(one.details.get("names") or ())
    letter = str(one.details.get("group", one.test))
    return Cell(Markup("<details><summary>{}</summary>{}</details>").format(letter, names))


def _grid(found: Sequence[Finding], words: Words) -> Table:
    """Lay the associations out as the paper's Table 5: a row a category, a column a group."""
    letters = sorted({str(one.details["group"]) for one in found}, key=lambda letter: (len(letter), letter))
    by_category: dict[int, dict[str, Finding]] = defaultdict(dict)
    for one in found:  # in the order of the findings: categories with the strongest associations first
        by_category[one.details["category"]][str(one.details["group"])] = one
    rows = []
    for row in by_category.values():
        first = next(iter(row.values()))
        central = words.joined((first.details.get("category_words") or ())[:3])
        rows.append((central, *(_grid_cell(row[letter], words) if letter in row else "" for letter in letters)))
    columns = (Column("Category", "The words nearest its middle."), *(Column(letter) for letter in letters))
    return Table("Which words lie nearest to which group", columns, tuple(rows), filtered=True)


def _grid_cell(one: Finding, words: Words) -> Cell:
    get = one.details.get
    stability = get("stability")
    again = "" if stability is None else f"; {stability:.0%} of other clusterings find it"
    gone = get("survives_without_frequency") is False
    rare = "; gone without word frequency" if gone else ""
    shown: Text = words.joined(get("words") or ())
    return Cell(
        Markup('<i class="faint">{}</i>').format(shown) if gone else shown,
        hint=f"score {one.effect_size:.3f}, p = {one.p_value:.2g}, corrected {get('p_adjusted'):.2g}{again}{rare}",
        order=one.effect_size,
    )


def _cells_table(cells: Sequence[Finding], words: Words) -> Table:
    columns = (
        Column("Group"),
        Column("Category"),
        Column("Words"),
        Column("Score", "How much nearer to this group than the others, above the category's mean.", True),
        Column("p", numeric=True),
        Column("p, corrected", "Benjamini and Hochberg's correction over all cells.", True),
        Column("Significant"),
        Column("Without frequency"),
        Column("Stability", "Share of other clusterings that find it again.", True),
    )
    rows = tuple(
        (
            str(one.details.get("group")),
            words.joined((one.details.get("category_words") or ())[:3]),
            words.joined(one.details.get("words") or ()),
            number(one.effect_size, 3),
            probability(one.p_value),
            probability(one.details.get("p_adjusted")),
            "yes" if one.details.get("significant") else "no",
            _left(one),
            share(one.details.get("stability")),
        )
        for one in cells
    )
    return Table("Every group and category", columns, rows, filtered=True, folded=True)


def _left(one: Finding) -> Markup | str:
    """Say whether an association that was found is still there without the direction of word frequency."""
    known = one.details.get("survives_without_frequency")
    if known is None or not one.details.get("significant"):
        return NOTHING
    return "still there" if known else "gone"


def _overview(one: Finding) -> Iterator[Block]:
    get = one.details.get
    kept = (count(get("names_found")), count(get("names_asked")), count(get("names_dropped")))
    yield Prose(
        Markup("{} of {} names are in the embedding; the {} least like names were dropped.").format(*kept), "note"
    )
    for note in get("notes") or ():
        yield Prose(str(note), "note")


def _changes(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Say what became of each association in a second embedding, scored over the same groups and categories."""
    known = [
        (one, "left" if one.details["left"] else "lost") for one in findings if one.details.get("left") is not None
    ]
    known += [(one, "new") for one in findings if one.details.get("new")]
    if not known:
        return
    columns = (
        Column("Group"),
        Column("Words"),
        Column("In", "The embedding whose words these are."),
        Column("Score", numeric=True),
        Column("Same words in the other", "Their score there.", True),
        Column("p there, corrected", "Of the words that are nearest there.", True),
        Column("What became of it"),
    )
    rows = tuple(
        (
            str(one.details.get("group")),
            words.joined(one.details.get("words") or ()),
            words.text(one.embedding),
            number(one.effect_size, 3),
            number(one.details.get("against_score_of_same_words"), 3),
            probability(one.details.get("against_p_adjusted")),
            change,
        )
        for one, change in known
    )
    yield Table("What became of each association", columns, rows, filtered=True)
    yield Prose(
        "Left, lost and new compare verdicts: significant in both, in the first alone, in the second alone. They do "
        "not test the difference, and an association near the limit changes sides by the draw of the rotations.",
        "note",
    )


def _indirect(one: Finding, words: Words) -> Iterator[Block]:
    get = one.details.get
    yield Prose(
        Markup(
            "Do the words carry the bias without the names? {} of {} pairs of associations match without them, but so "
            "do {} under random directions: nearly all, by construction."
        ).format(share(get("share"), 1), count(get("tuples")), share(get("null_share"), 1)),
        "note",
    )
    lines = tuple(
        (" and ".join(crossing["groups"]), *map(words.joined, crossing["words"]))
        for crossing in (get("strongest") or ())[:_CROSSINGS]
    )
    if lines:
        columns = (
            Column("Groups"),
            *(Column(title) for title in ("These words", "are to these", "as these", "to these")),
        )
        yield Table("The strongest of these matches", columns, lines, folded=True)
