"""Data files of the package are what they were when their hashes were written."""

import sys
from pathlib import Path

import pytest

from imprint import files
from imprint.encoders import universal
from imprint.errors import ImprintError
from imprint.files import PACKAGE, bundled_file, bundled_hashes, check_bundled, hash_file

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
import checksums


def test_every_data_file_has_its_known_hash():
    found = {path.relative_to(PACKAGE).as_posix(): hash_file(path) for path in checksums.data_files()}
    found |= {name: hash_file(path) for name, path in universal.weight_files().items()}
    assert found == bundled_hashes()
    assert len(found) > 15


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    name = "stimuli/data/seeds/professions.csv"
    damaged = tmp_path / name
    damaged.parent.mkdir(parents=True)
    content = bytearray((PACKAGE / name).read_bytes())
    content[100] ^= 1
    damaged.write_bytes(content)
    monkeypatch.setattr(files, "PACKAGE", tmp_path)
    with pytest.raises(ImprintError) as caught:
        bundled_file(name)
    assert caught.value.where == damaged
    assert caught.value.expected == bundled_hashes()[name]


def test_a_damaged_encoder_is_refused(tmp_path, monkeypatch):
    real = universal.weight_files()
    name, path = next(iter(real.items()))
    damaged = tmp_path / path.name
    damaged.write_bytes(path.read_bytes()[:-1])
    monkeypatch.setattr(universal, "weight_files", lambda: real | {name: damaged})
    with pytest.raises(ImprintError) as caught:
        universal.UniversalEncoder()
    assert caught.value.where == damaged


def test_other_files_are_not_checked(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("word\n")
    assert check_bundled(path) == path
