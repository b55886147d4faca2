"""The audit in plain sentences, for the top of the page and the end of the command."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report.marking import Words, count, number, probability, share

Numbers = Mapping[str, Any]

_WORDS = Words()


def sentences(findings: Sequence[Finding]) -> list[Markup]:
    """Return what the summary findings say, a sentence or two a part."""
    known = {one.test: one.details for one in findings if one.kind == "summary"}
    said = [_measured(one) for one in findings if one.kind == "audit"]
    for part, speak in _SPEAKERS.items():
        if part in known:
            said += speak(known[part])
    refused = [one for one in findings if one.kind == "part" and not one.details.get("ran") and one.details.get("why")]
    said += [
        Markup("Not run: {}, because {}").format(one.details.get("title", one.test), one.details["why"])
        for one in refused
    ]
    return said


def _measured(one: Finding) -> Markup:
    words, dimension = count(one.details.get("words")), count(one.details.get("dimension"))
    return Markup("{} has {} words in {} dimensions.").format(_WORDS.plain(one.embedding), words, dimension)


def _weat(numbers: Numbers) -> list[Markup]:
    topics = [
        Markup("{} {} of {}").format(topic, count(one["significant"]), count(one["tests"]))
        for topic, one in numbers["topics"].items()
    ]
    said = [
        Markup("{} of {} tests about people find an association that chance hardly explains ({}).").format(
            count(numbers["significant"]), count(numbers["tests"]), Markup(", ").join(topics)
        )
    ]
    strongest = numbers["strongest"]
    if strongest:
        sets = strongest.get("sets") or {}
        said.append(
            Markup("The clearest: {} go with {}, {} with {} (d = {}, p = {}).").format(
                *(sets.get(letter, letter) for letter in "xayb"),
                number(strongest["effect_size"]),
                probability(strongest["p_value"]),
            )
        )
    unseen = numbers["not_significant"] + numbers["cannot_reach"]
    if unseen:
        said.append(
            Markup(
                "Tests that found nothing: {}; with too few words to find anything: {}. Neither shows absence."
            ).format(count(numbers["not_significant"]), count(numbers["cannot_reach"]))
        )
    return said


def _wefat(numbers: Numbers) -> list[Markup]:
    known = [
        Markup("r = {} ({})").format(number(one["r"]), one["title"])
        for one in numbers["correlations"]
        if one["r"] is not None
    ]
    return [Markup("It mirrors the world: {}.").format(Markup("; ").join(known))] if known else []


def _enumeration(numbers: Numbers) -> list[Markup]:
    return [
        Markup(
            "Without being told what to look for: {} associations of {} groups of first names with words, of which "
            "at most about {} are false; {} are left when word frequency is taken out."
        ).format(
            count(numbers["associations"]),
            count(numbers["groups"]),
            share(numbers["fdr"]),
            count(numbers["left_without_frequency"]),
        )
    ]


def _directions(numbers: Numbers) -> list[Markup]:
    ends = [
        Markup("{} to {}").format(_WORDS.joined(numbers[f"most_{end}"]), _WORDS.joined(numbers[end] or ()))
        for end in ("positive", "negative")
    ]
    said = Markup("Of {} professions the closest are {}, {}").format(count(numbers["n_words"]), *ends)
    if numbers["crowd_r"] is not None:
        said += Markup("; people's ratings of these stereotypes agree with r = {}").format(number(numbers["crowd_r"]))
    return [said + "."]


def _debiasing(numbers: Numbers) -> list[Markup]:
    said = []
    if numbers["reduction"] is not None:
        said.append(
            Markup("Debiasing ({}) makes the spread of unseen professions along that axis {} times smaller.").format(
                numbers["method"], number(numbers["reduction"], 1)
            )
        )
    if numbers["recovered"] is not None:
        said.append(
            Markup("Yet a classifier still tells women's from men's first names {} of the time, {} before.").format(
                share(numbers["recovered"]), share(numbers["recovered_before"])
            )
        )
    return said


def _benchmarks(numbers: Numbers) -> list[Markup]:
    return [
        Markup("Its cost: the largest change of {} similarity benchmarks is {} ({}).").format(
            count(numbers["benchmarks"]), number(numbers["largest_change"], 3), numbers["largest_test"]
        )
    ]


def _seat(numbers: Numbers) -> list[Markup]:
    return [
        Markup(
            "In sentences, {} of {} tests about people on {} are significant; {} cannot reach significance."
        ).format(
            count(numbers["significant"]),
            count(numbers["tests"]),
            _WORDS.plain(numbers["encoder"]),
            count(numbers["cannot_reach"]),
        )
    ]


def _against(numbers: Numbers) -> list[Markup]:
    sides = [
        Markup("{} of {} in {}").format(count(one["significant"]), count(one["tests"]), _WORDS.plain(one["embedding"]))
        for one in numbers["embeddings"]
    ]
    return [Markup("Side by side, tests significant: {}.").format(Markup(", ").join(sides))]


_SPEAKERS: dict[str, Callable[[Numbers], list[Markup]]] = {
    "weat": _weat,
    "wefat": _wefat,
    "enumeration": _enumeration,
    "directions": _directions,
    "debiasing": _debiasing,
    "benchmarks": _benchmarks,
    "seat": _seat,
    "against": _against,
}
