"""How Caliskan et al. made word lists out of public tables (Methods, WEFAT).

Occupations of several words become one word that names a superset (chemical engineer -> engineer); names whose
vectors are least like a name's are dropped. The most popular names by window of gender share come from
`imprint.names.tables`. With the papers' printed lists none of this is needed.
"""

import math
from collections.abc import Container, Iterable

import numpy as np

from imprint.association.cosines import cosines
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.types import Floats, Floats32, Indices

KEPT = 0.8  # of the names, by Caliskan et al. and by Swinger et al. alike

_IRREGULAR = {"men": "man", "women": "woman", "people": "person"}
_JOINTS = {"and", "or", "except"}


def single_word_occupation(title: str, vocabulary: Container[str]) -> str | None:
    """Return the head noun of an occupation's title, in the singular, or None where there is no such word.

    Titles that join several occupations ("bakers and cooks", "sales/service workers") have no single head.
    """
    head = title.lower().split(",")[0]
    words = head.replace("/", " and ").replace("-", " ").split()
    if not words or _JOINTS & set(words):
        return None
    return next((form for form in _singulars(words[-1]) if form in vocabulary), None)


def occupation_shares(rows: Iterable[tuple[str, float, float]], vocabulary: Container[str]) -> dict[str, float]:
    """Merge (title, workers, share) rows into single words, each share weighted by its workers."""
    workers: dict[str, float] = {}
    weighted: dict[str, float] = {}
    for title, count, share in rows:
        word = single_word_occupation(title, vocabulary)
        if word is not None and count > 0 and math.isfinite(share):
            workers[word] = workers.get(word, 0.0) + count
            weighted[word] = weighted.get(word, 0.0) + count * share
    return {word: weighted[word] / workers[word] for word in workers}


def most_name_like(embedding: Embedding, names: Iterable[str], *, keep: float = KEPT) -> tuple[str, ...]:
    """Keep the share of names closest, by cosine, to the centroid of all of them, in their given order."""
    if not 0 < keep <= 1:
        raise SettingError(f"keep is {keep}; a share above 0 and at most 1 is wanted")
    found = embedding.lookup(names)
    if not found.words:
        return ()
    return tuple(found.words[i] for i in largest_share(closeness_to_centroid(found.vectors), keep))


def closeness_to_centroid(names: Floats32) -> Floats:
    """Return each row's cosine with the mean of all rows at unit length."""
    unit = names / np.linalg.norm(names, axis=1, keepdims=True)
    return cosines(names, unit.mean(axis=0, keepdims=True))[:, 0]


def largest_share(values: Floats32 | Floats, share: float = KEPT) -> Indices:
    """Return where the largest values stand, in their order; of equal ones those that stand first."""
    count = math.ceil(round(share * len(values), 9))
    return np.sort(np.argsort(-values, kind="stable")[:count])


def _singulars(noun: str) -> Iterable[str]:
    """Offer singular forms of a plural, the most specific first, then the word itself."""
    if noun in _IRREGULAR:
        yield _IRREGULAR[noun]
    if noun.endswith("men"):
        yield noun[:-3] + "man"
    if noun.endswith("ies"):
        yield noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes")):
        yield noun[:-2]
    if noun.endswith("s") and not noun.endswith("ss"):
        yield noun[:-1]
    yield noun
