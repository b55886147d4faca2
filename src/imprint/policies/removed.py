"""Fields that rows of the second schema had: conditions on them are refused, and the page on findings lists them."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MEASURED = ("size", "r", "value", "mean_difference")  # what has an interval, the first that rows of a kind have

_MEASURE = "MEASURE"  # the one of these that rows of a kind have


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


# Kinds; the fields that are gone, with the field in the place of each after ">"; and what there is instead of all.
_TABLE = """
weat wefat seat metric swap change | evidence>MEASURE direction>MEASURE checks_failed>MEASURE alpha>MEASURE
    family_size>MEASURE | `outcome` with its `reason`; the sign of `size`, or of `r`, `value` or `mean_difference`
weat seat metric swap | p_label>p_value p_label_low>p_low p_label_high>p_high p_label_floor>p_floor | `p_value`;
    of samples `p_low` and `p_high`, and the least that it can be, `p_floor`
wefat | p_label>p_value p_label_low>p_value p_label_high>p_value p_label_floor>p_value | `p_value`
weat wefat seat metric swap change | p_holm>MEASURE p_moderate_holm>MEASURE p_strong_holm>MEASURE | nothing is
    corrected for the number of tests: the interval is a strict one (99.5 %)
weat wefat seat metric swap change | p_words>MEASURE p_axes>MEASURE | `size_low` and `size_high`, or `words_low`
    and `words_high`; `unrelated`, or `mirrored`
weat seat topic topic-change change board-test board-difference | words_low>size_low words_high>size_high |
    `size_low`, `size_high` (99.5 %, a share of the distance between A and B; they were 95 %, cosines)
topic board-test | mean_difference>size | `size`
topic-change change | mean_difference>size mean_difference_before>size_before mean_difference_after>size_after |
    `size`, `size_before`, `size_after`
topic topic-change | p_words>size | `size_low`, `size_high`
board-test | direction>size evidence>size | `outcome`; the sign of `size`
weat seat | interval_low>size_low interval_high>size_high confidence>size adjusted_difference>size | `size_low`,
    `size_high`
weat seat | detectable_shift>detectable specificity>unrelated | `detectable`, `unrelated`
weat seat | grammar_low>p_grammar grammar_high>p_grammar | `p_grammar`
wefat metric swap | p_grammar | `p_grammar` of weat and seat; a metric has `reason`
change | p_label p_label_low p_label_high p_label_floor p_frequency p_grammar p_method | those of the two tests
weat | stability_low>size_low stability_high>size_high stability_same_sign>size | `size_low`, `size_high`
seat | n_target_templates n_attribute_templates ranked | a word's vector is its mean over frames; frames are not
    a sample
wefat | r_p_value>p_value spearman_p_value>p_value r_low>words_low r_high>words_high spearman_low>words_low
    spearman_high>words_high | `p_value`; `words_low`, `words_high` (99.5 %, of r)
swap | nulls>detectable texts_random>detectable detectable_shift>detectable | `detectable`
calibration | findings>copies_found null>altered shares>share alpha>share_expected family_size>questions |
    `copies_found`, `altered`, `share` with `share_low` and `share_high`, `share_expected`, `questions`
metric-agreement | n_same_evidence>n_same_outcome | `n_same_outcome`
translation | alpha | its intervals are 99.5 % ones
board | efficient evidence mean_difference n_found n_words p_words rank_best rank_worst scale spread tests
    tests_left_out topic words_low words_high | one row of kind board-topic per topic
board-difference | mean_difference>size alpha>size p_order>size p_other_scale>size p_together>size p_words>size
    scale>size tests>size topic>size mean_difference_first>size_before mean_difference_second>size_after
    together_low>size_low together_high>size_high larger>less other>less | `size` with its interval and `outcome`,
    `size_before`, `size_after`; `less`
ube | significant>stands_out survives_without_frequency>stands_out explained_by_frequency>stands_out |
    `stands_out`, `z`, `q`, and `reason` where a group is left out
ube-group | survive_without_frequency>reason explained_by_frequency>reason | `reason` where a group is left out
ube-overview | survive_without_frequency>groups_left_out groups_explained_by_frequency>groups_left_out
    lost_without_random lost_without_third_axis | `groups_left_out`
ube-overview | rotated_copies>copies flipped_copies>copies spelling>groups_left_out | `copies`,
    `expected_mirrored`, `expected_frequency_kept`; `groups_left_out`
study-matching | n_significant>n_found | `n_found`
"""


def _read(table: str) -> Iterator[Removed]:
    for entry in re.split(r"\n(?! )", table.strip()):
        kinds, fields, instead = (" ".join(cell.split()) for cell in entry.split("|"))
        pairs = (pair.partition(">") for pair in fields.split())
        yield Removed(tuple(kinds.split()), {field: replacement for field, _, replacement in pairs}, instead)


REMOVED = tuple(_read(_TABLE))


def removed(kind: str, field: str) -> Removed | None:
    """Return what is known of a field that rows of a kind had; None where they never had it."""
    return next((entry for entry in REMOVED if kind in entry.kinds and field in entry.fields), None)


def removed_table() -> Iterator[str]:
    """Yield the lines of the table of all fields that are gone."""
    yield from ("| kind | removed | what there is instead |", "|---|---|---|")
    for kinds, fields, instead in REMOVED:
        yield f"| {', '.join(kinds)} | {', '.join(f'`{field}`' for field in fields)} | {instead} |"
    yield "| board-ranking | the kind | board-topic and board-topic-difference |"
