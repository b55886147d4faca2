"""The rows of an enumeration: the whole, each cell, each group of names, and the indirect associations."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from imprint.finding import Finding

if TYPE_CHECKING:
    from imprint.enumeration.groups import Group
    from imprint.enumeration.result import Enumeration


def overview(enumeration: "Enumeration") -> Finding:
    """Return the row of the whole: how many names were found and kept, and what to know about the numbers."""
    found = len(enumeration.significant)
    details = {
        "names_asked": enumeration.names_asked,
        "names_missing": len(enumeration.names_missing),
        "names_found": enumeration.names_found,
        "names_dropped": len(enumeration.names_dropped),
        "groups": len(enumeration.groups),
        "categories": len(enumeration.categories),
        "associations": found,
        "spelling": enumeration.spelling(),
        "explained_by_frequency": enumeration.flagged,
        "rotations": enumeration.settings.rotations,
        "notes": enumeration.notes,
    }
    return _finding(enumeration, "ube-overview", "overview", found, details)


def cells(enumeration: "Enumeration") -> list[Finding]:
    """Return one row a cell with enough words; nothing is masked here."""
    central = {category.number: category.central for category in enumeration.categories}
    return [
        Finding(
            kind="ube",
            test=f"{cell.group}-{cell.category}",
            embedding=enumeration.embedding,
            embedding_sha256=enumeration.embedding_sha256,
            effect_size=cell.score,
            statistic=cell.score,
            p_value=cell.p_value,
            seed=enumeration.settings.seed,
            details={
                "group": cell.group,
                "category": cell.category,
                "category_words": central[cell.category],
                "words": cell.words,
                "names": enumeration.group(cell.group).illustrative,
                "score": cell.score,
                "p_adjusted": cell.p_adjusted,
                "significant": cell.significant,
                "survives_without_frequency": cell.survives,
                "stability": cell.stability,
                "spelling": cell.spelling,
                "explained_by_frequency": cell.group in enumeration.flagged,
                "rotations": enumeration.settings.rotations,
                # Thousands of names, the same for every cell: counted here, named in to_dict().
                "names_asked": enumeration.names_asked,
                "names_missing": len(enumeration.names_missing),
                "settings": asdict(enumeration.settings),
                "embedding_notes": enumeration.embedding_notes,
            },
        )
        for cell in enumeration.associations
    ]


def groups(enumeration: "Enumeration") -> list[Finding]:
    """Return one row a group of names, as in the paper's Table 3; its statistic counts the associations found."""
    return [_group(enumeration, group) for group in enumeration.groups]


def indirect(enumeration: "Enumeration") -> list[Finding]:
    """Return the row of section 4.2; none where there is no tuple to ask about."""
    if enumeration.indirect is None:
        return []
    return [
        _finding(enumeration, "ube-indirect", "indirect", enumeration.indirect.share, asdict(enumeration.indirect))
    ]


def _group(enumeration: "Enumeration", group: "Group") -> Finding:
    found = [cell for cell in enumeration.significant if cell.group == group.letter]
    asked = all(cell.survives is not None for cell in found)
    known = group.demographics
    details = {
        "group": group.letter,
        "n_names": len(group.names),
        "names": group.illustrative,
        "share_women": known.share_women if known else None,
        "mean_birth_year": known.mean_birth_year if known else None,
        "races": known.races if known else {},
        "frequency": group.frequency,
        "associations": len(found),
        "survive_without_frequency": sum(bool(cell.survives) for cell in found) if asked else None,
        "spelling": enumeration.spelling(group.letter),
        "explained_by_frequency": group.letter in enumeration.flagged,
    }
    return _finding(enumeration, "ube-group", group.letter, len(found), details)


def _finding(enumeration: "Enumeration", kind: str, test: str, statistic: float, details: dict[str, Any]) -> Finding:
    measured = (enumeration.embedding, enumeration.embedding_sha256)
    return Finding.without_effect(kind, test, measured, details, statistic=statistic, seed=enumeration.settings.seed)
