"""An audit's findings in the libraries people read tables with: every row arrives, with its numbers."""

import json

import pytest

from imprint.writing import write_findings


@pytest.fixture(scope="module")
def written(audit, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "findings.jsonl"
    write_findings(path, audit[0].findings())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return path, {(row["test"], row["part"]): row for row in rows if row["kind"] == "weat"}, len(rows)


def weats(table):
    return [row for row in table if row["kind"] == "weat"]


def check(table, written):
    """Compare the WEATs of a table with those of the file, field by field."""
    _, known, total = written
    assert len(table) == total
    assert len(weats(table)) == sum(row["kind"] == "weat" for row in table) > 0
    for row in weats(table):
        if row["part"] == "weat":
            expected = known[row["test"], "weat"]
            for key in ("effect_size", "p_value", "partitions", "extreme", "log10_partitions", "title"):
                assert row[key] == expected[key], key


def test_pandas(written):
    import pandas as pd

    frame = pd.read_json(written[0], lines=True, dtype={"partitions": str, "extreme": str}, precise_float=True)
    check(frame.astype(object).where(frame.notna(), None).to_dict("records"), written)


def test_polars(written, tmp_path):
    import polars as pl

    frame = pl.read_ndjson(written[0], infer_schema_length=None)
    check(frame.to_dicts(), written)
    frame.write_parquet(tmp_path / "findings.parquet")
    assert pl.read_parquet(tmp_path / "findings.parquet").equals(frame)


def test_pyarrow(written, tmp_path):
    from pyarrow import json as arrow_json
    from pyarrow import parquet

    size = written[0].stat().st_size
    table = arrow_json.read_json(written[0], read_options=arrow_json.ReadOptions(block_size=size))
    check(table.to_pylist(), written)
    parquet.write_table(table, tmp_path / "findings.parquet")
    assert parquet.read_table(tmp_path / "findings.parquet").num_rows == written[2]


def test_duckdb(written):
    import duckdb

    asked = "select * from read_json(?, format='newline_delimited', sample_size=-1, maximum_object_size=100000000)"
    result = duckdb.sql(asked, params=[str(written[0])])
    check([dict(zip(result.columns, row, strict=True)) for row in result.fetchall()], written)
