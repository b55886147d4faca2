"""Whether two audits of one model agree, field by field."""

from math import isclose

import msgspec

# What names a subject or the way it was opened, and counts behind a p-value, which is compared itself.
IDENTITIES = {"embedding", "given", "embedding_sha256", "embedding_notes", "encoder_settings", "reason"}
COUNTS = {"extreme", "extreme_low", "extreme_high"}
# Against a few mirrored copies, in each of which another word may come first where two are as near.
OF_COPIES = {"z"}
# A quantile of shares of a distance, which is small where single words are few: digits of vectors weigh more in it.
TOLERANCES = {"unrelated": 1e-3}


def differences(first, second, tolerance=1e-4):
    """Return the place and both values of every field that differs between two lists of rows, of numbers by more."""
    rows = [(msgspec.to_builtins(one), msgspec.to_builtins(other)) for one, other in zip(first, second, strict=True)]
    return [found for one, other in rows for found in _differ(one, other, f"{one['kind']} {one['test']}", tolerance)]


def _differ(one, other, place, tolerance):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted((one.keys() | other.keys()) - IDENTITIES - COUNTS - OF_COPIES):
            yield from _differ(one.get(key), other.get(key), f"{place}.{key}", tolerance)
    elif isinstance(one, tuple | list) and isinstance(other, tuple | list) and len(one) == len(other):
        for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from _differ(mine, theirs, f"{place}[{number}]", tolerance)
    elif isinstance(one, float) and isinstance(other, float):
        if not isclose(one, other, rel_tol=0.0, abs_tol=TOLERANCES.get(place.rpartition(".")[2], tolerance)):
            yield place, one, other
    elif one != other:
        yield place, one, other
