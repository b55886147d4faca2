"""What debiasing leaves in the default encoder: the table of docs/debiasing.md. Arguments: methods."""

import sys

from imprint.association.changes import ChangeRow
from imprint.debiasing.sentences import RememberingEncoder
from imprint.evaluation.debiased import debias_encoder
from imprint.evaluation.leakage import SentenceLeakageRow
from imprint.evaluation.similarity import SimilarityRow
from imprint.subjects.opening import open_encoder

METHODS = ("leace", "inlp", "sentence-debias", "hard", "linear")


def main(methods: list[str]) -> None:
    """Print a line per method and fit."""
    encoder = RememberingEncoder(open_encoder("default-encoder"))
    for method in methods or METHODS:
        done = debias_encoder(encoder, method)
        rows = done.findings()
        for on, name in (("sentences", done.encoder.name), ("words", done.from_words.name)):
            (left,) = [row for row in rows if isinstance(row, SentenceLeakageRow) and row.fit_texts == on]
            pairs = [row for row in rows if isinstance(row, SimilarityRow) and row.embedding == name]
            (men,) = [row for row in pairs if row.test == "men"]
            assert left.accuracy_low is not None
            assert left.accuracy_high is not None
            cells = [
                f"{left.accuracy:.0%} [{100 * left.accuracy_low:.0f} to {100 * left.accuracy_high:.0f}]",
                *(
                    f"{row.mean_difference:.3f} [{row.words_low:.3f} to {row.words_high:.3f}], {row.evidence}"
                    for row in rows
                    if isinstance(row, ChangeRow) and row.change_to == name
                ),
                f"{men.spearman:.3f}",
            ]
            print("|", " | ".join([method, on, *cells]), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
