"""Write the last part of docs/questions.md: the questions, their counts and every word of the frozen lists.

python scripts/questions_page.py
"""

import textwrap
from pathlib import Path

from imprint.files import replacing
from imprint.stimuli.catalog import foreign_questions, more_questions, questions
from imprint.stimuli.definition import Test, WordSet, word_sets

PAGE = Path(__file__).resolve().parents[1] / "docs" / "questions.md"

HEADING = "## The words\n"


def page() -> str:
    """Return the page, with its rules as they are and the words of today's lists."""
    lists: dict[str, tuple[WordSet, list[str]]] = {}
    for test in (*questions(), *more_questions(), *foreign_questions()):
        for words in word_sets(test).values():
            lists.setdefault(" ".join(words.words), (words, []))[1].append(test.id)
    rules, heading, _ = PAGE.read_text(encoding="utf-8").partition(HEADING)
    parts = [
        f"{rules}{heading}",
        f"{_table(questions(), 'names')}\n",
        "About more people:\n",
        f"{_table(more_questions(), 'words of a group')}\n",
        "In other languages:\n",
        f"{_table(foreign_questions(), 'names')}\n",
    ]
    for words, users in lists.values():
        title = words.name[0].upper() + words.name[1:]
        listed = textwrap.fill(", ".join(sorted(words.words)), 132)
        parts.append(f"### {title}: {', '.join(users)}\n{len(words)} words.\n\n{listed}\n")
    return "\n".join(parts)


def _table(tests: tuple[Test, ...], targets: str) -> str:
    rows = [f"| question | {targets}, each | words, each | source of the words |", "|---|--:|--:|---|"]
    for test in tests:
        sets = word_sets(test)
        source = test.source.split("words: ")[1].split(";")[0]
        rows.append(f"| `{test.id}`: {test.title} | {len(sets['x'])} | {len(sets['a'])} | {source} |")
    return "\n".join(rows)


def main() -> None:
    with replacing(PAGE) as part:
        part.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {len(questions()) + len(more_questions()) + len(foreign_questions())} questions")


if __name__ == "__main__":
    main()
