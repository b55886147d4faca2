"""Hold today's rows against the findings of version 0.1: KEY_MAP says what has become of each key."""

import json
import lzma
import math
from collections import defaultdict
from functools import cache
from pathlib import Path

from imprint.subjects.opening import load

FOLDER = Path(__file__).parents[1] / "golden"

# What tells the rows of one command apart, where the old row has it; named as today.
IDENTITY = ("kind", "test", "embedding", "part", "context", "unit", "rank", "check")
RELATIVE, ABSOLUTE = 1e-9, 1e-12
# Of kinds whose floats need other tolerances, relative and absolute. Support vector machines are solved to 1e-6; in
# version 0.1, to 1e-3. A word on the border falls on the other side here and there, as with scikit-learn at 1e-6.
# An encoder's vectors have single precision: they depend on the machine, and on the texts encoded beside.
TOLERANCES = {
    "leakage": (RELATIVE, 1e-3),
    **dict.fromkeys(("seat", "seat-coherence", "seat-anisotropy"), (1e-4, 1e-5)),
}
# What a p-value, or a count behind it, may differ by where scores do: in a far tail, a little moves much.
P_OF_ENCODERS = 1e-2


def as_list(key, *columns, new=None):
    """Map {word: value} to [{word, value}], or {word: [one, other]} to a list with a column for each."""

    def change(row):
        values = [value if len(columns) > 2 else [value] for value in row[key].values()]
        rows = [dict(zip(columns, (word, *value), strict=True)) for word, value in zip(row[key], values, strict=True)]
        return {new or key: rows}

    return change


def as_decimal(key):
    """Map a count to its decimal digits."""
    return lambda row: {key: None if row[key] is None else str(row[key])}


def _sets(row):
    words = row["set_words"]
    if row.get("left_out"):  # a comparison now names all words of the test, and what was left out
        return {}
    return {"sets": [{"role": role, "name": name, "words": words[role]} for role, name in row["sets"].items()]}


def _fitted(row):
    return {"fitted": [{"name": key, "value": float(value)} for key, value in row.items() if key in _FITTED]}


def _spread(row):
    spread = row["variances"]
    return {"variances": spread and {key: value for key, value in spread.items() if not key.endswith("_fixed")}}


def _agreed(row):
    return {f"published_{key}": value for key, value in (row["published"] or {}).items()}


def _settings(row):
    """One interval decides, so that no level is chosen; mirrored copies judge what is found without asking."""
    return {
        "settings": {key: value for key, value in row["settings"].items() if key not in ("alpha", "rotations", "fdr")}
    }


def _holds(row):
    """Checks are made at the level of the paper; an audit made them at its own."""
    return {} if row.get("part") == "seat" else {"holds": row["holds"]}


def _published(row):
    before, after = row["published"] or (None, None)
    return {"published_before": before, "published_after": after}


def _sections(row):
    right = [{f"right_{key}": value for key, value in one["right"].items()} for one in row["sections"]]
    kept = [{key: value for key, value in one.items() if key != "right"} for one in row["sections"]]
    return {"sections": [one | other for one, other in zip(kept, right, strict=True)]}


def _no_interval_of_clusters(key):
    """Other words would be clustered otherwise: intervals from resampled words were too narrow."""
    return lambda row: {} if row["method"] == "two clusters" else {key: row[key]}


def _stars(row):
    """The paper's stars are of p-values by sentences."""
    return {"stars": row["stars"]} if row["unit"] == "sentence" else {}


_FITTED = ("strength", "spread", "background", "gap", "iterations", "cone_active", "geometry_lost", "stereotype_left",
           "kept", "pairs", "changed")  # fmt: skip
_CHANGE = ("change_effect_size", "change_from", "change_to")  # now in a row of their own
_COUNTS = {key: as_decimal(key) for key in ("partitions", "extreme", "extreme_low", "extreme_high")}
# The lower bound no longer counts partitions that rounding alone makes tie; p_low is compared to nine digits.
_COUNTS["extreme_low"] = None
_TEST = {"sets": _sets, "set_words": None, "scores": as_list("scores", "word", "value")}
# The outcome of a size with its interval over all four sets has taken the place of verdicts, of p-values corrected for
# a family of tests, and of intervals and shifts that knew of the targets alone; no level or confidence is chosen.
_JUDGED = dict.fromkeys(
    ("p_holm", "verdict", "alpha", "confidence", "interval_low", "interval_high", "detectable_shift")
)
# Effects of random halves of the words said how stable d is; the interval over words says it of the size.
_STABILITY = dict.fromkeys(("stability_low", "stability_high", "stability_same_sign"))

# Kinds that are no longer written, and those of enumeration: mirrored copies judge cells, where rotations did. What
# the paper's method finds is compared by itself, since K-means ends a little elsewhere on another machine.
DROPPED_KINDS = frozenset({"summary", "ube", "ube-group", "ube-indirect", "ube-overview"})
# Test and unit of what is no longer asked.
DROPPED_CHECKS = frozenset(
    {
        # By words nothing says that p rises from test 4 to 5, which permute the same.
        ("caliskan-3 caliskan-4 caliskan-5", "word"),
        # The words of questions are compared, too, and there are ten times as many.
        ("weat-words", None),
        # A condition on a mean difference is refused: what is required has an interval, as a size has.
        ("weat:caliskan-6:|mean_difference|<0.05", None),
    }
)
RENAMED_KINDS = {}  # old kind: new kind

# Old kind: {old key: new key, None (no longer written, or told by another entry), or a function of the old row that
# returns the new keys with their values}. "*" is for every kind; a kind's own entry comes first.
KEY_MAP = {
    "*": {"version": None, "versions": None},
    "weat": _TEST | _COUNTS | _JUDGED | _STABILITY | dict.fromkeys(_CHANGE),
    "wefat": _TEST | {
        "values": as_list("values", "word", "value"),
        "effect_size": "r",  # said twice
        "r_p_value": "p_value",  # said twice
        "statistic": None,  # Student's t, which r and the number of words give
        # Intervals over targets alone; words_low and words_high are of r over targets and attributes.
        **dict.fromkeys(("r_low", "r_high", "spearman_low", "spearman_high")),
        "spearman_p_value": None,  # the outcome is of r
    },
    "seat": _TEST | _COUNTS | _JUDGED | {
        "stars": _stars,
        "encoder": as_list("encoder", "name", "value", new="encoder_settings"),
        "effect_by_template": as_list("effect_by_template", "template", "value"),
        "effect_without_template": as_list("effect_without_template", "template", "value"),
        "effect_without_word": as_list("effect_without_word", "word", "value"),
        "published": lambda row: {"published": [row["published"]] if row["published"] else []},
        "effect_of_frames": None,  # a share of the mean difference today
    },
    "seat-coherence": {"holds": _holds},
    "projection": {"coordinates": as_list("coordinates", "word", "value")},
    "projection comparison": {"points": as_list("points", "word", "x", "y")},
    "pairs": {
        "points": as_list("points", "word", "x", "y"),
        "pairs": lambda row: {"pairs": [{"first": first, "second": second} for first, second in row["pairs"]]},
        "explained": "explained_shares",
    },
    "analogy": {"words": "n_words", "names": "with_names"},
    # What is left is measured along the gender axis of every command, no longer on he - she as it was.
    "debiasing": dict.fromkeys(_FITTED, _fitted) | {"variances": _spread},
    "debiased projection": {
        "held_out": as_list("held_out", "word", "before", "after"),
        "background": as_list("background", "word", "before", "after"),
    },
    "similarity": {"words": "n_words", "published": _published},
    "analogy_benchmark": {"words": "n_words", "published": _published, "sections": _sections},
    "leakage": {
        "words": "word_list",
        "women": lambda row: {"group_sizes": [row["women"], row["men"]]},
        "men": None,
        **{
            f"{name}_{end}": _no_interval_of_clusters(f"{name}_{end}")
            for name in ("accuracy", "against_accuracy", "change")
            for end in ("low", "high")
        },
    },
    "agreement": {"points": as_list("points", "word", "x", "y"), "published": _agreed},
    "audit": {"words": "n_words", "settings": _settings},
    # p is two-sided, and a margin is held against the interval over words: verdicts are the same, numbers are not.
    "gate": {
        "lacking": as_list("lacking", "test", "n_missing"),
        "verdict": lambda row: {"verdict": row["verdict"].replace("inconclusive", "cannot tell")},
        # The catalogue has one more test of a paper.
        "checked": lambda row: {"checked": row["checked"] + row["test"].startswith("weat:p")},
        **dict.fromkeys(("tests", "failed", "inconclusive")),
    },
    # Sentences, which may be reworded.
    "part": {"title": None},
    "skipped": {"reason": None},
}  # fmt: skip


def golden(name):
    """Return the stored rows of one command."""
    return parse(lzma.decompress((FOLDER / f"{name}.jsonl.xz").read_bytes()).decode())


def is_of_strength_ten(row):
    """Tell whether an audit's row is about a copy debiased at strength 10: today folds of the seeds choose it.

    `imprint debias --strength 10` gives these numbers still, and is compared.
    """
    return "debiased (linear)" in row["embedding"] or row["test"].startswith("linear along ")


def parse(text):
    """Return the rows of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def translate(old):
    """Return what an old row says in today's keys, or None where its kind is no longer written."""
    kind = old["kind"]
    if kind in DROPPED_KINDS or (old["test"], old.get("unit")) in DROPPED_CHECKS:
        return None
    keys = {**KEY_MAP.get("*", {}), **KEY_MAP.get(kind, {})}
    new = {}
    for key, value in old.items():
        change = keys.get(key, key)
        if callable(change):
            new |= change(old)
        elif change is not None:
            new[change] = value
    return new | {"kind": RENAMED_KINDS.get(kind, kind)}


def _moved(old):
    """Return what an old row says that is now in another."""
    if old.get("change_effect_size") is None:
        return None
    kept = {key: old[key] for key in ("test", "part", *_CHANGE[1:]) if key in old}
    return {"kind": "change", "effect_size": old["change_effect_size"], **kept}


def differences(old_rows, new_rows):
    """Return one line for every row or field that is not as it was; new rows and new fields are allowed."""
    by_identity = defaultdict(list)
    for row in new_rows:
        by_identity[row["kind"], row["test"]].append(row)
    found = []
    for expected in (row for old in old_rows for row in (translate(old), _moved(old)) if row is not None):
        asked = {key: expected[key] for key in IDENTITY if key in expected}
        rows = by_identity[expected["kind"], expected["test"]]
        rows = [row for row in rows if all(row.get(key) == value for key, value in asked.items())]
        where = " / ".join(str(value) for value in asked.values() if value is not None)
        if len(rows) != 1:
            found.append(f"{where}: {len(rows)} rows, expected 1")
        else:
            tolerance = TOLERANCES.get(expected["kind"], (RELATIVE, ABSOLUTE))
            found += [f"{where}: {line}" for line in _compare(expected, rows[0], "", "", tolerance)]
    return found


def _compare(old, new, field, place, tolerance):
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{place}.{key} is gone".lstrip(".")
            else:
                yield from _compare(
                    value, new[key], key if isinstance(key, str) else field, f"{place}.{key}", tolerance
                )
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _compare(one, other, field, f"{place}[{at}]", tolerance)
    elif not _same(old, new, field, tolerance):
        yield f"{place.lstrip('.')} was {_short(old)}, is {_short(new)}"


def _same(old, new, field, tolerance):
    if field.endswith("sha256") or field == "fitted_on":
        # Hashes of vectors that were computed hang on the last bit, and those of other files on the file.
        return isinstance(new, str) and (old != _bundled() or old == new)
    relative, absolute = tolerance
    if _is_p(field):
        relative, absolute = (relative if relative == RELATIVE else P_OF_ENCODERS), 0.0
        if field.startswith("extreme") and relative > RELATIVE and old is not None and new is not None:
            return abs(int(new) - int(old)) <= relative * int(old)
    if isinstance(old, bool) or isinstance(new, bool) or not isinstance(old, float) or not isinstance(new, float):
        return type(old) is type(new) and old == new
    return math.isclose(old, new, rel_tol=relative, abs_tol=absolute) or (math.isnan(old) and math.isnan(new))


@cache
def _bundled():
    return load("default").sha256


def _is_p(field):
    """Whether a field holds p-values, or counts behind them: as small as they may be, they are compared."""
    return field.startswith(("p_", "extreme", "log10_p")) or field.endswith("p_value")


def _short(value):
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
