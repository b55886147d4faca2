"""Groups of names as a kind: a card for each, with its associations, and who bears the names."""

from collections.abc import Iterator, Sequence

from imprint.descriptions import descriptions
from imprint.enumeration.rows import Races, UbeGroupRow, UbeRow
from imprint.kinds import Kind
from imprint.kinds.enumeration import UNASKED, is_stable
from imprint.rows import grouped
from imprint.stimuli.names import are_surnames
from imprint.tables import Field, draw_field, table
from imprint.view import (
    NOTHING,
    Bar,
    BarCard,
    Block,
    Cards,
    Cell,
    Details,
    Given,
    Prose,
    Text,
    count,
    join,
    number,
    percent,
    say,
    several,
    title,
    words,
)

_SHOWN = 3  # associations of a card that are read without being asked for
_EXAMPLES = 5  # names at the head of a card
_MOST = 0.75  # of those who bear a group's names, who have one sex
_MOSTLY = 0.6  # of them, who have one race or origin
_OLDER, _YOUNGER = 1965, 1990  # mean years of birth
_LARGEST = 2  # shares of a group's races that are read without being asked for


def group_blocks(rows: Sequence[UbeGroupRow | UbeRow]) -> Iterator[Block]:
    """Show what was found as a card per group; the groups' table, as the paper's Table 3, is one click away."""
    groups = [row for row in rows if isinstance(row, UbeGroupRow)]
    associations = [row for row in rows if isinstance(row, UbeRow) and row.stands_out and row.groups_of is None]
    stable = [row for row in associations if is_stable(row)]
    others = [row for row in associations if not is_stable(row)]
    strongest = max((row.score for row in associations), default=0.0)
    if stable:
        yield _cards(groups, stable, strongest)
        recurs = any(row.recurrence is not None for row in stable)
        what = "in how many repetitions an association recurs" if recurs else "the score, as a share of the largest"
        yield Prose(f"Bars show {what}.", "note")
    if others:
        yield Details("Less stable findings", (_cards(groups, others, strongest),))
    has_bearers = any(row.races is not None for row in groups)
    letter = Field("group", cell=lambda row: Cell(Given(row.group), more=words(row.names)))
    bearers = ("share_women", "mean_birth_year", Field("races", cell=lambda row: _largest(row.races)))
    groups_table = table(
        UbeGroupRow,
        say("Groups of names in {}{}", title(groups[0].embedding), ", and who bears them" if has_bearers else ""),
        groups,
        (letter, "n_names", *(bearers if has_bearers else ()), "associations"),
        more=("recurrent", "spelling", "reason"),
        extra=("frequency", *(map(_race, descriptions(Races)) if has_bearers else ())),
    )
    yield Details("Who bears these names?", (groups_table,))


def _race(name: str) -> Field:
    """Return the column of one of the races, whose shares are a struct of their own."""
    described = descriptions(Races)[name]
    return Field(
        title=described.title,
        meaning=described.meaning,
        cell=lambda row: draw_field(row.races, name) if row.races else NOTHING,
        numeric=True,
    )


def _cards(groups: Sequence[UbeGroupRow], associations: Sequence[UbeRow], strongest: float) -> Cards:
    """Make a card of each group with associations, the one that recurs most, or is strongest, first."""
    ordered = sorted(associations, key=lambda row: (-(row.recurrence or 0.0), -row.score))
    by_group = grouped(ordered, key=lambda row: row.group)
    named = {row.group: row for row in groups}
    return Cards(tuple(_card(named.get(letter), of_group, strongest) for letter, of_group in by_group.items()))


def _card(group: UbeGroupRow | None, associations: Sequence[UbeRow], strongest: float) -> BarCard:
    names = words((associations[0].names if group is None else group.names)[:_EXAMPLES])
    bars = tuple(Bar(words(row.words), *_strength(row, strongest)) for row in associations[:_SHOWN])
    lines = tuple(say("{} ({})", words(row.words), _strength(row, strongest)[1]) for row in associations[_SHOWN:])
    more = several(len(lines), "more association")
    common = None if group is None else _in_common(group)
    bearers = _bearers(group)
    if common is None:
        return BarCard(say("{} …", names), bearers, bars, more, lines)
    return BarCard(common, say("such as {}; {}", names, bearers), bars, more, lines)


def _in_common(group: UbeGroupRow) -> str | None:
    """Describe a group by what most bearers of its names have in common; None where that is nothing."""
    women, born = group.share_women, group.mean_birth_year
    whose = "" if women is None or 1 - _MOST < women < _MOST else "women's " if women >= _MOST else "men's "
    aged = "" if born is None or _OLDER < born < _YOUNGER else f" of {'older' if born <= _OLDER else 'younger'} people"
    origins = (race.title for name, race in descriptions(Races).items() if _share(group.races, name) >= _MOSTLY)
    origin = next((f", mostly {race}" for race in origins), "")
    described = f"{whose}names{aged}{origin}"
    return None if described == "names" else described[0].upper() + described[1:]


def _share(races: Races | None, name: str) -> float:
    return getattr(races, name, None) or 0.0


def _bearers(group: UbeGroupRow | None) -> Text:
    """Say who bears the names: how many, women, year of birth, the largest race or origin."""
    if group is None:
        return ""
    said: list[Text] = [say("{} names", count(group.n_names))]
    if group.share_women is not None:
        said.append(say("{} women", percent(group.share_women)))
    if group.mean_birth_year is not None:
        said.append(f"born around {group.mean_birth_year:.0f}")
    races = _largest(group.races)
    return join([*said, *([races] if races is not NOTHING else [])], " · ")


def _strength(row: UbeRow, strongest: float) -> tuple[float, Text]:
    """Return how long a bar is, of 1, and the same in words: how often an association recurs, or its score."""
    if row.recurrence is not None:
        runs, names = row.recurrence_runs, "; mostly family names" if are_surnames(row.words) else ""
        return row.recurrence, f"recurs in {row.recurrence * runs:.0f} of {runs}{names}"
    return max(0.0, row.score) / strongest if strongest > 0 else 0.0, say("score {}", number(row.score))


def _largest(races: Races | None) -> Text:
    """Name the largest shares of a group's races."""
    shares = [(getattr(races, name, None), race.title) for name, race in descriptions(Races).items()]
    largest = sorted(((share, race) for share, race in shares if share is not None), reverse=True)
    return join(say("{} {}", race, percent(share)) for share, race in largest[:_LARGEST]) or NOTHING


GROUP = Kind(row=UbeGroupRow, part=UNASKED, blocks=group_blocks, joins=("ube",), rank=-1)
