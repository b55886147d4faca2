"""English articles and plurals, as many as sentence templates need.

A library that knows more takes seconds to import; it is the oracle of the tests.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

_AN_ALTHOUGH_H = re.compile(r"heir|honest|honou?r|hour")
# said "w", or "you"
_A_ALTHOUGH_VOWEL = re.compile(r"once|one(?![ir])|eu|ew|u(?:bi|ga|k|nan|ni(?!de|gn|m|n)|r[aeiou]|s[aeu]|t[aeio])")
_LETTERS_SAID_WITH_A_VOWEL = frozenset("aefhilmnorsx")
_SPELT_OUT = frozenset({"HIV", "LED", "MA", "SOS", "SUV"})  # although they could be read as words
_EIGHT_ELEVEN_EIGHTEEN = re.compile(r"8|1[18](?!\d)")

# What stands before one of these is what varies: women of color, mothers-in-law; not stay-at-home fathers.
_HEAD = re.compile(r"(.*?\w)( (?:of|in|at|to|for|with|by|on|from) .*|-(?:of|in|at|to|de)-\S*)", re.IGNORECASE)
_LAST = re.compile(r"(.*[\s-])?(.+)", re.DOTALL)

# The first that matches holds; the letters kept keep their case.
_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), ending)
    for pattern, ending in (
        (r"((?<![ce])ese|swiss|(?:air|hover|space)craft|fish|sheep|deer|moose|swine|bison|salmon|trout)$", r"\1"),
        (r"(offspring|species|series|corps|means|chassis|headquarters|crossroads|scissors|trousers)$", r"\1"),
        (r"((?:hu|ger|ro|nor|otto|talis|sha|cay|cai|brah)man)$", r"\1s"),
        (r"man$", "men"),
        (r"(p)erson$", r"\1eople"),
        (r"(child)$", r"\1ren"),
        (r"(?<!mon)(g)oose$", r"\1eese"),
        (r"(f)oot$", r"\1eet"),
        (r"(t)ooth$", r"\1eeth"),
        (r"(?<!b)([lm])ouse$", r"\1ice"),
        (r"^(ox)$", r"\1en"),
        (r"(passer)(by)$", r"\1s\2"),
        (r"^(quiz|whiz)$", r"\1zes"),
        (r"(kni|wi|li)fe$", r"\1ves"),
        (r"(lea|loa|thie|hal|cal|el|wol|shea|scar|hoo)f$", r"\1ves"),
        (r"(ax|s)is$", r"\1es"),
        (r"(alumn|fung|nucle|radi|stimul|cact)us$", r"\1i"),
        (r"(corp)us$", r"\1ora"),
        (r"(gen)us$", r"\1era"),
        (r"(bacteri|dat|ov|strat|memorand|millenni)um$", r"\1a"),
        (r"(criteri|phenomen)on$", r"\1a"),
        (r"(alumn|larv|vertebr|alg)a$", r"\1ae"),
        (r"(vert|append|matr|ind)[ei]x$", r"\1ices"),
        (r"((?:mon|patri|matri|olig)arch|stomach|epoch|eunuch|loch|czech)$", r"\1s"),
        (r"([^aeiou]|qu)y$", r"\1ies"),
        (r"(potat|tomat|her|ech|torped|vet|embarg|mosquit|tornad|volcan|mang|domin|buffal|carg)o$", r"\1oes"),
        (r"(s|x|z|ch|sh)$", r"\1es"),
    )
)


def with_article(word: str) -> str:
    """Return the word behind "a" or "an", whichever its first sound wants: an hour, a European American."""
    return f"{'an' if _begins_with_a_vowel(word) else 'a'} {word}"


def plural(word: str) -> str:
    """Return the plural of a noun or of a phrase's head: knives, women of color, fair-skinned women."""
    head = _HEAD.fullmatch(word)
    if head is not None:
        return plural(head[1]) + head[2]
    phrase = _LAST.fullmatch(word)
    return (phrase[1] or "") + _plural_of_one(phrase[2]) if phrase else word


@cache  # units of the same words are numbered again for every size and change
def _plural_of_one(word: str) -> str:
    if len(word) > 1 and word.isupper():
        return f"{word}s"
    for pattern, ending in _RULES:
        if pattern.search(word):
            return pattern.sub(ending, word)
    return f"{word}s"


def _begins_with_a_vowel(phrase: str) -> bool:
    plain = unicodedata.normalize("NFKD", phrase).encode("ascii", "ignore").decode()
    word = re.split(r"\W", plain.lstrip("'\"("), maxsplit=1)[0]
    if word[:1].isdigit():
        return _EIGHT_ELEVEN_EIGHTEEN.match(word) is not None
    if len(word) == 1 or _is_spelt_out(word):
        return word.lower()[0] in _LETTERS_SAID_WITH_A_VOWEL
    word = word.lower()
    if word.startswith(tuple("aeiou")):
        return _A_ALTHOUGH_VOWEL.match(word) is None
    return _AN_ALTHOUGH_H.match(word) is not None


def _is_spelt_out(word: str) -> bool:
    # FBI is said letter by letter, NASA as a word
    return word in _SPELT_OUT or (word.isupper() and re.match(r"[AEIOU]|.[^AEIOUY]", word) is not None)


def units(words: Sequence[str]) -> list[int]:
    """Return the unit that each word belongs to: a word and its inflections (king, kings; love, loving) are one."""
    numbers = {word: number for number, word in enumerate(words)}
    lowered = {word.lower(): word for word in reversed(words)}
    unit = list(range(len(words)))
    for word in words:
        for form in _inflected(word.lower()):
            other = lowered.get(form)
            if other is not None:
                old, new = sorted((unit[numbers[word]], unit[numbers[other]]), reverse=True)
                unit = [new if number == old else number for number in unit]
    return unit


def _inflected(word: str) -> set[str]:
    stem = word[:-1] if word.endswith("e") else word
    doubled = word + word[-1:]
    past = f"{word[:-1]}ied" if word.endswith("y") else f"{stem}ed"
    return {plural(word), f"{word}s", past, f"{stem}ing", f"{doubled}ed", f"{doubled}ing"} - {word}
