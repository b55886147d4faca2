"""Make the examples of the documentation's site: a report, a board and a study's result, as commands write them.

Run: python scripts/docs_examples.py FOLDER. They go to FOLDER/examples. The report and the board measure the bundled
embedding, the board beside its debiased copy. The people of the study are simulated, and its page says so.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from imprint.rows import Row
from imprint.study.analysis import score
from imprint.study.design import CANNOT_TELL
from imprint.study.protocols import make_design
from imprint.study.records import create_study
from imprint.study.settings import StudySettings
from imprint.study.steps import Consent, Familiarise, Finish, Task
from imprint.study.store import Store
from imprint.writing import write_findings

IMPRINT = str(Path(sys.executable).with_name("imprint"))
NAME = "glove.6B.100d, simulated people"
PEOPLE = 18
AGREEING = 0.5  # share of answers that are the embedding's own; the others are any group, or that it cannot be told


def main() -> None:
    """Write every example; those of the embedding begin with its findings."""
    folder = Path(sys.argv[1]) / "examples"
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, "audit", "default")
    run(folder, "debias", "default", "debiased.safetensors")
    run(folder, "board", "default", "debiased.safetensors")
    (folder / "debiased.safetensors").unlink()
    write_findings(folder / "study.jsonl", study(folder))
    run(folder, "report", "study.jsonl", "--out", "study.html")


def run(folder: Path, *command: str) -> None:
    """Run a command of imprint in the folder."""
    subprocess.run([IMPRINT, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def study(folder: Path) -> list[Row]:
    """Return the scores of the study that `imprint study create default` makes."""
    asked = make_design("default", StudySettings(participants=PEOPLE))
    path = folder / "study.db"
    path.unlink(missing_ok=True)
    create_study(path, asked, seed=0)
    with Store.open(path) as store:
        rng = np.random.default_rng(0)
        for _ in range(PEOPLE):
            take_part(store, rng)
        scores = [replace(row, embedding=NAME) for row in score(store).findings()]
    path.unlink()
    return scores


def take_part(store: Store, rng: np.random.Generator) -> None:
    """Answer a whole study as one simulated person, who passes the exam."""
    person = store.join().number
    own = {item.number: item.expected for item in store.items()}
    while True:
        match store.step(person):
            case Consent():
                store.consent(person)
            case Familiarise():
                store.familiarised(person)
            case Task(stage=stage, questions=questions, groups=groups):
                letters = [*(group.letter for group in groups), *([] if stage == "exam" else [CANNOT_TELL])]
                guesses = (str(rng.choice(letters)) for _ in questions)
                agrees = rng.random(len(questions)) < (1 if stage == "exam" else AGREEING)
                answers = zip(questions, guesses, agrees, strict=True)
                store.answer(
                    person, {one.number: own[one.number] or guess if same else guess for one, guess, same in answers}
                )
            case Finish():
                return


if __name__ == "__main__":
    main()
