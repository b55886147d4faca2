"""A study's beginning: a file of its own, written whole from a design."""

import json
import secrets
import sqlite3

from imprint.checks import check_whole
from imprint.files import FilePath
from imprint.study import database
from imprint.study.design import Design, ItemBlock
from imprint.study.people import hash_token, new_token
from imprint.study.terms import Terms

_ID_BYTES = 16
_LARGEST_SEED = 2**63 - 1  # SQLite's integers end here


def create_study(path: FilePath, design: Design, *, seed: int = 0, terms: Terms | None = None) -> str:
    """Write a study into a new file and return the administrator's token, which is stored nowhere."""
    check_whole("seed", seed, 0, _LARGEST_SEED)
    terms = terms or Terms()
    token = new_token()
    with database.creating(path) as connection:
        connection.execute(
            "INSERT INTO study VALUES (1, :id, :parent, :protocol, :embedding, :embedding_sha256, :seed, :quota, "
            ":least, :significant, :notes, :consent, :completion_code, :screen_out_code, :return_url, :admin_hash, "
            ":secret)",
            vars(design)
            | vars(terms)
            | {
                "id": secrets.token_hex(_ID_BYTES),
                "seed": seed,
                "notes": json.dumps(design.notes),
                "consent": json.dumps(terms.consent),
                "admin_hash": hash_token(token),
                "secret": secrets.token_bytes(32),
            },
        )
        connection.executemany(
            "INSERT INTO name_groups VALUES (?, ?, ?, ?)",
            [(g.letter, i, json.dumps(g.names), json.dumps(g.cues)) for i, g in enumerate(design.groups)],
        )
        if design.exam:
            _insert(
                connection,
                "exam",
                ItemBlock((), design.exam, tuple(group.letter for group in design.groups if group.cues)),
            )
        for block in design.blocks:
            _insert(connection, "main", block)
    return token


def _insert(connection: sqlite3.Connection, stage: str, block: ItemBlock) -> None:
    row = connection.execute(
        "INSERT INTO blocks (stage, title, letters) VALUES (?, ?, ?)",
        (stage, json.dumps(block.title), json.dumps(block.groups)),
    )
    connection.executemany(
        "INSERT INTO items (block, kind, words, expected) VALUES (?, ?, ?, ?)",
        [(row.lastrowid, item.kind, json.dumps(item.words), item.expected) for item in block.items],
    )
