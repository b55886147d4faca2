"""Bundle what Caliskan et al. (2016) measured on: rows of GloVe 840B for their words, and two tables of percentages.

No package carries them, so their folder is given by path. The same files give the same bytes.

    python scripts/build_published.py FOLDER
"""

import shutil
import sys
from pathlib import Path

from imprint.embeddings.convert import convert
from imprint.subjects.opening import load

DATA = Path(__file__).resolve().parents[1] / "src/imprint"
VECTORS = "glove.840B.300d.stimuli"
TABLES = ("occupations-women-bls2015.csv", "androgynous-names-women-census1990.csv")


def main(folder: Path) -> None:
    embedding = load(folder / f"{VECTORS}.txt")
    convert(embedding, DATA / "embeddings/bundled" / f"{VECTORS}.safetensors")
    print(embedding)
    for table in TABLES:
        shutil.copyfile(folder / table, DATA / "stimuli/data/properties" / table)
        print(table)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("give the folder of the source files: python scripts/build_published.py FOLDER")
    main(Path(sys.argv[1]))
