"""What debiasing leaves in the default encoder: the table of docs/debiasing.md. Arguments: methods."""

import sys

from imprint.association.changes import ChangeRow
from imprint.debiasing.sentences import RememberingEncoder
from imprint.evaluation.debias import debias
from imprint.evaluation.leakage import SentenceLeakageRow
from imprint.evaluation.similarity import SimilarityRow
from imprint.stimuli.catalog import questions
from imprint.subjects.opening import open_encoder

QUESTIONS = ("gender-career", "gender-ability", "gender-pleasant")
METHODS = ("leace", "inlp", "sentence-debias", "hard", "linear")


def main(methods: list[str]) -> None:
    """Print a line per method and fit."""
    encoder = RememberingEncoder(open_encoder("default-encoder"))
    for method in methods or METHODS:
        rows = debias(encoder, method=method, tests=[test for test in questions() if test.id in QUESTIONS])
        for left in rows.of(SentenceLeakageRow):
            on, name = left.fit_texts, left.embedding
            pairs = [row for row in rows.of(SimilarityRow) if row.embedding == name]
            (men,) = [row for row in pairs if row.test == "men"]
            assert left.accuracy_low is not None
            assert left.accuracy_high is not None
            cells = [
                f"{left.accuracy:.0%} [{100 * left.accuracy_low:.0f} to {100 * left.accuracy_high:.0f}]",
                *(change(row) for row in rows.of(ChangeRow) if row.change_to == name and row.is_question),
                f"{men.spearman:.3f}",
            ]
            print("|", " | ".join([method, on, *cells]), "|", flush=True)


def change(row: ChangeRow) -> str:
    """Say the size after, the change with its interval, and the outcome of that."""
    if row.size is None or row.size_after is None or row.size_low is None or row.size_high is None:
        return f"{row.outcome} ({row.reason})"
    ends = f"{100 * row.size_low:.0f} to {100 * row.size_high:.0f}"
    return f"{row.size_after:.0%}, changed by {100 * row.size:.0f} [{ends}], {row.outcome}"


if __name__ == "__main__":
    main(sys.argv[1:])
