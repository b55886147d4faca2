"""Fields that rows of the second schema had: conditions on them are refused, and the page on findings lists them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

MEASURED = ("size", "r", "value", "mean_difference")  # what has an interval, the first that rows of a kind have

_MEASURE = "what is measured"
_TESTS = ("weat", "wefat", "seat", "metric", "swap", "change")


class Removed(NamedTuple):
    """Fields that are gone from some kinds of rows, each with the field in its place, or "" where there is none.

    `instead` is what the page says of all of them.
    """

    kinds: tuple[str, ...]
    fields: Mapping[str, str]
    instead: str

    def replacement(self, field: str, known: Mapping[str, str]) -> str:
        """Return the field in the place of one, for rows that have these."""
        name = self.fields[field]
        return next((measure for measure in MEASURED if measure in known), "") if name == _MEASURE else name


def _all(names: str, replacement: str = "") -> dict[str, str]:
    return dict.fromkeys(names.split(), replacement)


REMOVED = (
    Removed(
        _TESTS,
        _all("evidence direction checks_failed alpha family_size", _MEASURE),
        "`outcome` with its `reason`; the sign of `size`, or of `r`, `value` or `mean_difference`",
    ),
    Removed(
        ("weat", "seat", "metric", "swap"),
        {"p_label": "p_value", "p_label_low": "p_low", "p_label_high": "p_high", "p_label_floor": "p_floor"},
        "`p_value`; of samples `p_low` and `p_high`, and the least that it can be, `p_floor`",
    ),
    Removed(("wefat",), _all("p_label p_label_low p_label_high p_label_floor", "p_value"), "`p_value`"),
    Removed(
        _TESTS,
        _all("p_holm p_moderate_holm p_strong_holm", _MEASURE),
        "nothing is corrected for the number of tests: the interval is a strict one (99.5 %)",
    ),
    Removed(
        _TESTS,
        _all("p_words p_axes", _MEASURE),
        "`size_low` and `size_high`, or `words_low` and `words_high`; `unrelated`, or `mirrored`",
    ),
    Removed(
        ("weat", "seat", "topic", "topic-change", "change", "board-test", "board-difference"),
        {"words_low": "size_low", "words_high": "size_high"},
        "`size_low`, `size_high` (99.5 %, a share of the distance between A and B; they were 95 %, cosines)",
    ),
    Removed(("topic", "board-test"), _all("mean_difference", "size"), "`size`"),
    Removed(
        ("topic-change", "change"),
        {
            "mean_difference": "size",
            "mean_difference_before": "size_before",
            "mean_difference_after": "size_after",
        },
        "`size`, `size_before`, `size_after`",
    ),
    Removed(("topic", "topic-change"), _all("p_words", "size"), "`size_low`, `size_high`"),
    Removed(("board-test",), _all("direction evidence", "size"), "`outcome`; the sign of `size`"),
    Removed(
        ("weat", "seat"),
        {
            "interval_low": "size_low",
            "interval_high": "size_high",
            "confidence": "size",
            "adjusted_difference": "size",
        },
        "`size_low`, `size_high`",
    ),
    Removed(
        ("weat", "seat"),
        {"detectable_shift": "detectable", "specificity": "unrelated"},
        "`detectable`, `unrelated`",
    ),
    Removed(("weat", "seat"), _all("grammar_low grammar_high", "p_grammar"), "`p_grammar`"),
    Removed(("wefat", "metric", "swap"), _all("p_grammar"), "the `reason` of a metric can be grammar"),
    Removed(
        ("change",),
        _all("p_label p_label_low p_label_high p_label_floor p_frequency p_grammar p_method"),
        "those of the two tests",
    ),
    Removed(
        ("weat",),
        {"stability_low": "size_low", "stability_high": "size_high", "stability_same_sign": "size"},
        "`size_low`, `size_high`",
    ),
    Removed(
        ("seat",),
        _all("n_target_templates n_attribute_templates ranked"),
        "a word's vector is its mean over frames; frames are not a sample",
    ),
    Removed(
        ("wefat",),
        {
            "r_p_value": "p_value",
            "spearman_p_value": "p_value",
            "r_low": "words_low",
            "r_high": "words_high",
            "spearman_low": "words_low",
            "spearman_high": "words_high",
        },
        "`p_value`; `words_low`, `words_high` (99.5 %, of r)",
    ),
    Removed(("swap",), _all("nulls texts_random detectable_shift", "detectable"), "`detectable`"),
    Removed(
        ("calibration",),
        {
            "findings": "copies_found",
            "null": "altered",
            "shares": "share",
            "alpha": "share_expected",
            "family_size": "questions",
        },
        "`copies_found`, `altered`, `share` with `share_low` and `share_high`, `share_expected`, `questions`",
    ),
    Removed(("metric-agreement",), _all("n_same_evidence", "n_same_outcome"), "`n_same_outcome`"),
    Removed(("translation",), _all("alpha"), "its intervals are 99.5 % ones"),
    Removed(
        ("board",),
        _all(
            "efficient evidence mean_difference n_found n_words p_words rank_best rank_worst scale spread tests "
            "tests_left_out topic words_low words_high"
        ),
        "one row of kind board-topic per topic",
    ),
    Removed(
        ("board-difference",),
        {
            **_all("mean_difference alpha p_order p_other_scale p_together p_words scale tests topic", "size"),
            "mean_difference_first": "size_before",
            "mean_difference_second": "size_after",
            "together_low": "size_low",
            "together_high": "size_high",
            "larger": "less",
            "other": "less",
        },
        "`size` with its interval and `outcome`, `size_before`, `size_after`; `less`",
    ),
    Removed(
        ("ube",),
        _all("significant survives_without_frequency explained_by_frequency", "stands_out"),
        "`stands_out`, `z`, `q`, and `reason` where a group is left out",
    ),
    Removed(
        ("ube-group",),
        _all("survive_without_frequency explained_by_frequency", "reason"),
        "`reason` where a group is left out",
    ),
    Removed(
        ("ube-overview",),
        _all("survive_without_frequency groups_explained_by_frequency", "groups_left_out")
        | _all("lost_without_random lost_without_third_axis"),
        "`groups_left_out`",
    ),
    Removed(
        ("ube-overview",),
        {"rotated_copies": "copies", "flipped_copies": "copies", "spelling": "groups_left_out"},
        "`copies`, `expected_mirrored`, `expected_frequency_kept`; `groups_left_out`",
    ),
    Removed(("study-matching",), _all("n_significant", "n_found"), "`n_found`"),
)


def removed(kind: str, field: str) -> Removed | None:
    """Return what is known of a field that rows of a kind had; None where they never had it."""
    return next((one for one in REMOVED if kind in one.kinds and field in one.fields), None)


def removed_table() -> Iterator[str]:
    """Yield the lines of the table of all fields that are gone."""
    yield from ("| kind | removed | what there is instead |", "|---|---|---|")
    for kinds, fields, instead in REMOVED:
        yield f"| {', '.join(kinds)} | {', '.join(f'`{field}`' for field in fields)} | {instead} |"
    yield "| board-ranking | the kind | board-topic and board-topic-difference |"
