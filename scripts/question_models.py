"""What the ten questions find in models that the lists and rules were not chosen on, as they come.

Run: python scripts/question_models.py [--write]. It asks every model of scripts/make_board.py, and the mean of GloVe's
vectors over a sentence. `--write` puts the table into docs/questions.md. Encoders need imprint[encoders,onnx].
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from make_board import BOARD, MODELS, prepare

import imprint
from imprint.association.rows import AssociationRow, SeatRow
from imprint.association.seat_battery import run_seat_battery
from imprint.association.weat import WeatRow
from imprint.encoders.cache import EncodingCache
from imprint.errors import ImprintError
from imprint.stimuli.catalog import questions
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import EncoderOptions

PAGE = Path(__file__).resolve().parents[1] / "docs" / "questions.md"
MARKS = ("<!-- Written by scripts/question_models.py -->\n", "<!-- end of models -->\n")
CHOSEN_ON = ("default", "default-encoder")
AVERAGED = ("GloVe 6B, 100d, averaged", "cbow")


def main() -> None:
    """Ask every model, print the table, and write it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="put the table into docs/questions.md")
    options = parser.parse_args()
    prepare()
    tests = questions()
    answers = {
        name: answered(place if place in CHOSEN_ON else str(MODELS / place), tests, settings)
        for name, place, _, settings in BOARD
    }
    answers[AVERAGED[0]] = answered(AVERAGED[1], tests, {})
    text = table(tests, {name: rows for name, rows in answers.items() if rows})
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(MARKS[0])
        PAGE.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}", encoding="utf-8")


def answered(subject: str, tests: Sequence[WeatTest], settings: dict[str, str]) -> dict[str, AssociationRow]:
    """Return the answer to each question that could be asked; an encoder is asked in sentences."""
    try:
        if subject in ("cbow", CHOSEN_ON[1]) or Path(subject).is_dir() or subject.endswith(".onnx"):
            options: EncoderOptions = {"tokenizer": MODELS / settings["tokenizer"]} if settings else {}
            encoder = imprint.open_encoder(subject, **options)
            with EncodingCache(MODELS / "encodings.sqlite") as cache:
                battery = run_seat_battery([encoder], tests, context="framed", cache=cache)
                rows: Sequence[AssociationRow] = battery.of(SeatRow)
        else:
            rows = imprint.run_battery(subject, tests).of(WeatRow)
    except ImprintError as error:
        print(f"{subject}: {error}")
        return {}
    return {row.test: row for row in rows}


def table(tests: Sequence[WeatTest], answers: dict[str, dict[str, AssociationRow]]) -> str:
    """Return one line per question and one column per model."""
    lines = [f"| question | {' | '.join(answers)} |", f"|---|{'---|' * len(answers)}"]
    lines += [
        f"| `{test.id}` | {' | '.join(cell(rows.get(test.id)) for rows in answers.values())} |" for test in tests
    ]
    return "\n".join([*lines, ""])


def cell(row: AssociationRow | None) -> str:
    """Return the size in percent with its interval, and the outcome."""
    if row is None:
        return "not run"
    if row.size is None or row.size_low is None or row.size_high is None:
        return f"{row.outcome}: {row.reason}"
    ends = f"{100 * row.size:.0f} [{100 * row.size_low:.0f} to {100 * row.size_high:.0f}]"
    return f"{ends} {row.outcome}{f': {row.reason}' if row.reason else ''}"


if __name__ == "__main__":
    main()
