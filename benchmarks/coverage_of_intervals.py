"""How often 95 % intervals over words and sentences hold the truth: simulated tests without a difference.

Run: python benchmarks/coverage_of_intervals.py [trials]. Prints the coverage of the interval over words and templates
beside that of the interval over words alone, for designs of the catalogue's sizes and for the sentences of its own
tests.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imprint.association.weat import find_test
from imprint.significance.pooled import InSentences, Role, UnitTable, pooled
from imprint.stimuli.templates import sentences

# Standard deviations of what a cosine is made of; 1 for each word. "shared" is a template's main effect, which X and Y
# have in common; "template" is what it does to one set alone; "word" is its interaction with a word, "other" that with
# the words and templates of the other side. "pair" is the interaction of two words, "rest" that of two sentences.
WORLDS = {
    "templates do nothing": {"pair": 1.0},
    "templates shift all sets alike": {"shared": 2.0, "word": 1.0, "pair": 1.0, "rest": 1.0},
    "small effects on single sets": {"shared": 1.0, "template": 0.3, "word": 0.5, "pair": 1.0, "rest": 1.0},
    "large effects on single sets": {"shared": 1.0, "template": 1.0, "word": 1.0, "pair": 1.0, "rest": 1.0},
    "large effects on single words": {"template": 0.3, "word": 2.0, "pair": 1.0, "rest": 1.0},
    "all interactions": {"template": 0.5, "word": 1.0, "other": 1.0, "pair": 1.0, "rest": 1.0},
    "vectors": {"shared": 1.0, "template": 0.5, "word": 0.5, "dimensions": 20},
}


@dataclass(frozen=True, eq=False)
class Side:
    """The word, the template and the set (0 or 1) of each sentence of targets or of attributes."""

    words: np.ndarray
    templates: np.ndarray
    sets: np.ndarray

    @property
    def first(self) -> int:
        """How many words the first set has."""
        return len(np.unique(self.words[self.sets == 0]))

    @property
    def size(self) -> int:
        """How many words there are."""
        return int(self.words.max()) + 1


def balanced(words: int, templates: int, start: int, *, shared: bool = True) -> Side:
    """Return two sets of words, all in the same templates, or each set in templates of its own."""
    places = np.repeat(np.arange(2 * words), templates)
    sets = (places >= words).astype(int)
    return Side(places, start + np.tile(np.arange(templates), 2 * words) + (0 if shared else templates * sets), sets)


def of_catalogue(test: str) -> tuple[Side, Side]:
    """Return the words and sentences of a test of the catalogue."""
    sides = sentences(find_test(test), "bleached")
    names: dict[str, int] = {}
    roles = []
    for keys in ("xy", "ab"):
        words: dict[tuple[str, str], int] = {}
        found = [
            (words.setdefault((key, one.word), len(words)), names.setdefault(one.template, len(names)), place)
            for place, key in enumerate(keys)
            for one in sides[key]
        ]
        roles.append(Side(*np.array(found).T))
    return roles[0], roles[1]


DESIGNS = {
    **{
        f"8 words, {n} and {m} templates": (balanced(8, n, 0), balanced(8, m, 20))
        for n, m in ((3, 3), (4, 4), (8, 8), (14, 3))
    },
    "8 words, 8 templates of each set": (balanced(8, 8, 0, shared=False), balanced(8, 8, 20, shared=False)),
    "8 words, the same 8 templates": (balanced(8, 8, 0), balanced(8, 8, 0)),
    "4 words, 8 and 8 templates": (balanced(4, 8, 0), balanced(4, 8, 20)),
    **{test: of_catalogue(test) for test in ("caliskan-6", "caliskan-7", "caliskan-9", "seat-8b")},
}


def drawn(rng: np.random.Generator, design: tuple[Side, Side], world: dict[str, float], *, heavy: bool) -> np.ndarray:
    """Return the cosines of all sentences; effects are normal, or Student's t with three degrees of freedom."""

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_t(3, size=shape) / np.sqrt(3) if heavy else rng.normal(size=shape)

    number = 1 + max(int(role.templates.max()) for role in design)
    size = {name: world.get(name, 0.0) for name in ("shared", "template", "word", "other", "pair", "rest")}
    if "dimensions" in world:
        space = int(world["dimensions"])
        shared = size["shared"] * draw(number, space)  # one vector of a template, whichever side has it
        vectors = [
            draw(role.size, space)[role.words]
            + shared[role.templates]
            + size["template"] * draw(2, number, space)[role.sets, role.templates]
            + size["word"] * draw(role.size, number, space)[role.words, role.templates]
            for role in design
        ]
        return np.asarray(vectors[0] @ vectors[1].T / np.sqrt(space))
    targets, attributes = design
    cosines = size["rest"] * draw(len(targets.words), len(attributes.words))
    cosines += size["pair"] * draw(targets.size, attributes.size)[np.ix_(targets.words, attributes.words)]
    cosines += (
        size["other"]
        * draw(2, 2, number, number)[
            targets.sets[:, None], attributes.sets, targets.templates[:, None], attributes.templates
        ]
    )
    for table, own, other in ((cosines, targets, attributes), (cosines.T, attributes, targets)):
        of_sets = (
            draw(own.size, 2)[own.words]
            + size["shared"] * draw(number, 2)[own.templates]
            + size["template"] * draw(2, number, 2)[own.sets, own.templates]
            + size["word"] * draw(own.size, number, 2)[own.words, own.templates]
        )
        of_others = size["other"] * draw(own.size, 2, number)[own.words[:, None], other.sets, other.templates]
        np.add(table, of_sets[:, other.sets] + of_others, out=table)
    return cosines


def coverage(
    design: tuple[Side, Side], world: dict[str, float], *, heavy: bool, trials: int, seed: int = 0
) -> tuple[float, float]:
    """Return how often the interval over words and templates holds 0, and how often that over words alone does."""
    targets, attributes = design
    rng = np.random.default_rng(seed)
    units = np.arange(targets.size), targets.size + np.arange(attributes.size)
    start = targets.size + attributes.size
    roles = [
        Role(own, side.first, InSentences(side.words, start + side.templates))
        for own, side in zip(units, design, strict=True)
    ]
    held = np.zeros(2)
    for _ in range(trials):
        table = UnitTable(drawn(rng, design, world, heavy=heavy), *roles)
        found = [pooled([one], confidence=0.95) for one in (table, table.by_words())]
        held += [one is not None and one.low <= 0 <= one.high for one in found]
    both, words = held / trials
    return float(both), float(words)


def lines(trials: int) -> Iterator[str]:
    """Return one line per design, world and distribution."""
    yield f"{'design':34}{'what templates do':34}{'scores':10}{'words and templates':>20}{'words':>8}"
    for name, design in DESIGNS.items():
        for what, world in WORLDS.items():
            for heavy in (False, True):
                both, words = coverage(design, world, heavy=heavy, trials=trials)
                yield f"{name:34}{what:34}{'t3' if heavy else 'normal':10}{both:20.3f}{words:8.3f}"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000):
        print(line, flush=True)
