"""Which of the questions about gender each debiaser changes on the bundled embedding: a line per method.

    python benchmarks/questions_after_debiasing.py

The recommendation of `imprint debias --compare` does not count them. docs/debiasing.md has the counts.
"""

from imprint.association.changes import ChangeRow
from imprint.debiasing import METHODS
from imprint.debiasing.debiaser import GENDER
from imprint.directions.axis import pair_axis
from imprint.evaluation.debias import DebiasedCopy
from imprint.evaluation.left import fit_gender
from imprint.subjects.opening import load


def main() -> None:
    embedding = load("default")
    axis = pair_axis(embedding, GENDER)
    for method in METHODS:
        transform, _ = fit_gender(embedding, method)
        copy = DebiasedCopy(embedding, transform.apply(embedding), transform, axis)
        rows = copy.tests(report=lambda *_: None)
        asked = [row for row in rows if isinstance(row, ChangeRow) and row.is_question]
        changed = [row.test for row in asked if row.found]
        print(f"{method}: {len(changed)} of {len(asked)} ({', '.join(changed)})", flush=True)


if __name__ == "__main__":
    main()
