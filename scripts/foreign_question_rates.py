"""How often the questions in other languages are wrong on the bundled encoder, and what they can find.

    python scripts/foreign_question_rates.py [--runs N] [--copies N] [--seed N] [--write]

Planted sizes are those of scripts/question_rates.py; in copies, names are exchanged among names of like frequency. The
check of grammatical gender, which can only take findings away, is left out.
"""

import argparse

import numpy as np
from build_languages import SOURCES, frequency_ranks
from more_question_rates import Line, bold, planted
from question_rates import COVERAGE, FALSE_AT_MARGIN, PAGE, chunks, span, verdict

from imprint.association.calibration import AskedTest, exchanged
from imprint.association.seat import AskedEncoder, SentenceTest, in_sentences
from imprint.files import replacing
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.shares import Decisions
from imprint.stimuli.catalog import foreign_questions
from imprint.stimuli.matching import octave
from imprint.subjects.opening import open_encoder
from imprint.threads import single_threaded

MARKS = ("<!-- Written by scripts/foreign_question_rates.py -->\n", "<!-- end of foreign rates -->\n")


def copies_found(question: AskedTest, copies: int, seed: int) -> np.ndarray:
    """Tell in which copies with names exchanged a question finds something."""
    source = next(source for source in SOURCES if source.code == question.test.language)
    ranks, words = frequency_ranks(source), question.words
    cells = np.array([octave(ranks[source.lower(name)]) for name in words.target_words])
    rng = np.random.default_rng([seed, 4, *question.test.id.encode()])
    targets, single = words.targets.astype(np.float32), words.attributes.astype(np.float32)
    found = []
    for some in chunks(copies):
        order = exchanged(cells, rng.random((some, len(cells))))
        share = question.share(targets[order], np.broadcast_to(single, (some, *single.shape)))
        found.append(Decisions.of(share).shows_difference)
    return np.concatenate(found)


def text(asked: list[SentenceTest], lines: list[Line], found: list[np.ndarray], copies: int) -> str:
    """Return the table of questions, then what holds of all of them."""
    rows = ["| question | names | words | exchanged | detectable | power at 20 |", "|---|--:|--:|--:|--:|--:|"]
    for question, line in zip(asked, lines, strict=True):
        cells = " | ".join(line.cells(copies))
        rows.append(f"| `{line.question}` | {line.words} | {len(question.test.a)} | {cells} |")
    rows += ["", f"| what holds of all {len(lines)} | goal | USE multilingual v3 |", "|---|---|--:|"]
    for code in dict.fromkeys(question.test.language for question in asked):
        of_language = [flags for question, flags in zip(asked, found, strict=True) if question.test.language == code]
        count, goal = int(np.any(of_language, axis=0).sum()), (1 - CONFIDENCE) * len(of_language)
        cell = bold(f"{100 * count / copies:.1f} %", verdict(count, copies, goal) == "ok")
        rows.append(f"| names exchanged, `{code}`: any question | at most {100 * goal:.1f} % of copies | {cell} |")
    false = [one.false for line in lines for one in line.planted if one.size == MARGIN]
    is_met = all(verdict(int(flags.sum()), len(flags), FALSE_AT_MARGIN) == "ok" for flags in false)
    cell = bold(span([float(flags.mean()) for flags in false]), is_met)
    rows.append(f"| 10 % planted: false outcomes | at most 1 % in each | {cell} |")
    coverage = [float(one.covered(0.95).mean()) for line in lines for one in line.planted]
    cell = bold(span(coverage), all(COVERAGE[0] <= share <= COVERAGE[1] for share in coverage))
    rows.append(f"| the 95 % interval contains the planted size | 92 to 98 % in each | {cell} |")
    return "\n".join([*rows, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000, help="of each planted size")
    parser.add_argument("--copies", type=int, default=1_000, help="of each question")
    parser.add_argument("--seed", type=int, default=7_316, help="another gives other runs")
    parser.add_argument("--write", action="store_true", help="write the table into docs/questions.md")
    options = parser.parse_args()
    asked = [in_sentences(test, "framed") for test in foreign_questions()]
    about = AskedEncoder.of(open_encoder("default"), asked)
    lines, found = [], []
    with single_threaded():
        for number, question in enumerate(asked):
            test = AskedTest(question.test, about.sides(question).words)
            found.append(copies_found(test, options.copies, options.seed))
            repetitions = tuple(planted(number, test, options.runs, options.seed))
            detectable = test.words.share.detectable() or np.nan
            lines.append(Line(question.test.id, test.words.n_x, int(found[-1].sum()), detectable, repetitions))
    table = text(asked, lines, found, options.copies)
    print(table)
    if options.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        with replacing(PAGE) as part:
            part.write_text(f"{before}{MARKS[0]}\n{table}\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
