"""The audit in plain sentences, for the top of the page and the end of the command."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report.gates import gate_lines
from imprint.report.marking import Words, corrected_probability, count, number, probability, share
from imprint.rounding import SIGNS

Numbers = Mapping[str, Any]

_WORDS = Words()
_NAMED = 5  # tests that could not be run; the page lists them all


def sentences(findings: Sequence[Finding]) -> list[Markup]:
    """Return what a gate decided, then what the summary findings say, a sentence or two a part."""
    known = {one.test: one.details for one in findings if one.kind == "summary"}
    said = gate_lines(findings) + [_measured(one) for one in findings if one.kind == "audit"]
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
    said = Markup("{} has {} words in {} dimensions.").format(_WORDS.plain(one.embedding), words, dimension)
    if (one.details.get("settings") or {}).get("quick"):
        said += (
            " A quick look: fewer rotations, words and resamples, and no classifier to look for what debiasing hides."
        )
    return said


def _weat(numbers: Numbers) -> list[Markup]:
    topics = [
        Markup("{} {} of {}").format(topic, count(one["significant"]), count(one["tests"]))
        for topic, one in numbers["topics"].items()
    ]
    said = [
        Markup("{} of {} {} an association that chance hardly explains ({}).").format(
            count(numbers["significant"]),
            count(numbers["tests"]),
            "test about people finds" if numbers["tests"] == 1 else "tests about people find",
            Markup(", ").join(topics),
        )
        if topics
        else Markup("No test about people could be run.")
    ]
    strongest = numbers["strongest"]
    if strongest:
        sets = strongest.get("sets") or {}
        said.append(
            Markup("The largest effect: {} with {}, {} with {} (d = {}, p {}{} after correction{}).").format(
                *(sets.get(letter, letter) for letter in "xayb"),
                number(strongest["effect_size"]),
                "" if SIGNS.get(str(strongest["p_method"])) else "= ",
                corrected_probability(strongest["p_holm"], str(strongest["p_method"])),
                Markup("").join(
                    Markup("; {} of {} words of {} are there").format(
                        count(one["kept"]), count(one["words"]), _WORDS.plain(str(one["set"]))
                    )
                    for one in strongest.get("sparse") or ()
                ),
            )
        )
    unseen = numbers["not_significant"] + numbers["cannot_reach"]
    if unseen:
        said.append(
            Markup(
                "Not significant after correction: {}; with too few words ever to be: {}. Neither shows absence."
            ).format(count(numbers["not_significant"]), count(numbers["cannot_reach"]))
        )
    if numbers["skipped"]:
        tests = numbers["skipped_tests"]
        named = _WORDS.joined(tests[:_NAMED]) + (", …" if len(tests) > _NAMED else "")
        said.append(
            Markup("Could not be run on this embedding: {} ({}). These show nothing.").format(
                count(numbers["skipped"]), named
            )
        )
    return said


def _wefat(numbers: Numbers) -> list[Markup]:
    known = [
        Markup("r = {}, p = {} over {} words ({})").format(
            number(one["r"]), probability(one["p_value"]), count(one["n_words"]), one["title"]
        )
        for one in numbers["correlations"]
        if one["r"] is not None
    ]
    return (
        [Markup("Association with women, beside numbers from the world: {}.").format(Markup("; ").join(known))]
        if known
        else []
    )


def _enumeration(numbers: Numbers) -> list[Markup]:
    if not numbers["associations"]:
        nothing = Markup(
            "Without being told what to look for: no association of names with words is significant, by {} rotations. "
            "That does not show absence."
        )
        return [nothing.format(count(numbers["rotations"]))]
    return [
        Markup(
            "Without being told what to look for: {} associations of {} groups of first names{} with words, of which "
            "names pointed at random make a share of at most {} on average; {} are left when the direction of word "
            "frequency is taken out."
        ).format(
            count(numbers["associations"]),
            count(numbers["groups"]),
            _names(numbers),
            share(numbers["fdr"]),
            count(numbers["left_without_frequency"]),
        )
    ]


def _names(numbers: Numbers) -> Markup:
    found, asked = (numbers.get(key) for key in ("names_found", "names_asked"))
    return Markup("") if asked is None else Markup(" ({} of {} names are there)").format(count(found), count(asked))


def _directions(numbers: Numbers) -> list[Markup]:
    ends = [
        Markup("towards {} {}").format(_WORDS.joined(numbers[end] or ()), _WORDS.joined(numbers[f"most_{end}"]))
        for end in ("positive", "negative")
    ]
    said = Markup("Of {} professions, the furthest out are {}, and {}").format(count(numbers["n_words"]), *ends)
    if numbers["crowd_r"] is not None:
        said += Markup("; with people's own ratings of the stereotype, r = {}").format(number(numbers["crowd_r"]))
    return [said + "."]


def _debiasing(numbers: Numbers) -> list[Markup]:
    said = []
    if numbers["held_out"] is not None and not numbers["judged"]:
        said.append(
            Markup(
                "A trial of debiasing ({}; your file is as it was) cannot be judged: of {} professions to judge it "
                "by, the embedding has {}."
            ).format(numbers["method"], count(numbers["held_out_asked"]), count(numbers["held_out"]))
        )
    elif numbers["held_out_ratio"] is not None:
        said.append(
            Markup(
                "A trial of debiasing ({}; your file is as it was) leaves {} ({} to {}) of the variance along that "
                "axis to professions it was not told about, and {} to background words."
            ).format(
                numbers["method"],
                *(share(numbers[key]) for key in ("held_out_ratio", "ratio_low", "ratio_high", "background_ratio")),
            )
        )
    if numbers["recovered"] is not None:
        said.append(
            Markup(
                "Of women's and men's first names {} are then told apart by their vectors ({}; chance {}), {} before."
            ).format(
                share(numbers["recovered"]),
                numbers["recovered_by"],
                share(numbers["recovered_chance"]),
                share(numbers["recovered_before"]),
            )
        )
    return said


def _benchmarks(numbers: Numbers) -> list[Markup]:
    changed = [Markup("{} by {}").format(one["test"], number(one["change"], 3)) for one in numbers["changed"]]
    said = Markup(
        "Of {} benchmarks, on {} of {} pairs and questions, those that debiasing changes beyond what the data leave "
        "open: {}."
    )
    asked = (count(numbers[key]) for key in ("benchmarks", "found", "asked"))
    told = said.format(*asked, Markup(", ").join(changed) or "none")
    if numbers["skipped_tests"]:
        told += Markup(" Could not be run: {}.").format(_WORDS.joined(numbers["skipped_tests"]))
    return [told]


def _seat(numbers: Numbers) -> list[Markup]:
    sides = [
        Markup("{} {} of {}").format(where, count(numbers[key]["significant"]), count(numbers[key]["tests"]))
        for key, where in (("sentences", "in sentences"), ("words", "as single words"))
    ]
    said = Markup("{}, tests about people that are significant: {}.")
    return [said.format(_WORDS.plain(numbers["encoder"]), Markup(", ").join(sides))]


def _against(numbers: Numbers) -> list[Markup]:
    sides = [
        Markup("{} of {} in {}").format(count(one["significant"]), count(one["tests"]), _WORDS.plain(one["embedding"]))
        for one in numbers["embeddings"]
    ]
    return [Markup("Side by side, tests about people that are significant: {}.").format(Markup(", ").join(sides))]


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
