"""Tests as a TOML file of the form that `imprint.stimuli.catalog` describes."""

import json
from collections import Counter
from collections.abc import Iterable

from imprint.files import FilePath, replacing
from imprint.stimuli.definition import WeatTest, WordSet, word_sets


def write_tests(path: FilePath, tests: Iterable[WeatTest]) -> None:
    """Write tests that `read_tests` reads back, less published figures; words are given in each test."""
    text = "\n".join(map(_written, tests))
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def _written(test: WeatTest) -> str:
    values = {
        "id": test.id,
        "title": test.title,
        "source": test.source,
        "language": test.language,
        "adapted": test.adapted,
        "notes": test.notes,
        "topics": test.topics,
        "question": test.is_question,
    }
    lines = ["[[weat]]", *(f"{key} = {_value(value)}" for key, value in values.items() if value)]
    if test.unbleached is not None:
        targets, attributes = _value(test.unbleached.targets), _value(test.unbleached.attributes)
        lines.append(f"unbleached = {{ targets = {targets}, attributes = {attributes} }}")
    for letter, words in word_sets(test).items():
        lines += ["", f"[weat.{letter}]", *_set_lines(words)]
    return "\n".join(lines) + "\n"


def _set_lines(words: WordSet) -> list[str]:
    usual = Counter(words.kinds).most_common(1)[0][0]
    others = {word: kind for word, kind in zip(words.words, words.kinds, strict=True) if kind != usual}
    lines = [f"name = {_value(words.name)}", f"kind = {_value(usual)}", f"words = {_value(words.words)}"]
    if others:
        pairs = ", ".join(f"{_value(word)} = {_value(kind)}" for word, kind in others.items())
        lines.append(f"kinds = {{ {pairs} }}")
    return lines


def _value(value: object) -> str:
    # Strings and lists of TOML are written as those of JSON, as long as no character is invisible.
    return json.dumps(value, ensure_ascii=False)
