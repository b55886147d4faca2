"""Lists of named numbers in rows, as dictionaries, and the fields of a permutation test together."""

_SPLITS = (
    "p_value",
    "p_strict",
    "p_floor",
    "p_method",
    "p_low",
    "p_high",
    "log10_p",
    "partitions",
    "log10_partitions",
    "extreme",
    "extreme_low",
    "extreme_high",
    "alternative",
)


def values(named):
    """Return the numbers by word or template."""
    return {getattr(pair, "word", None) or pair.template: pair.value for pair in named}


def splits(row):
    """Return all that a row says of its permutation test."""
    return {name: getattr(row, name) for name in _SPLITS}
