"""For tests of embedding files of any format, which is recognised by content."""

from typing import NamedTuple

import pytest
from refusals import refuses

from imprint.errors import EmbeddingFileError
from imprint.subjects.opening import load


class Refusal(NamedTuple):
    place: int | str | None  # the line, or the row or word, if it is about one
    error: EmbeddingFileError


@pytest.fixture
def refused(tmp_path):
    """Load these bytes and return the place and the error they are refused with."""

    def load_and_fail(content: bytes, **options: object) -> Refusal:
        path = tmp_path / "bad"
        path.write_bytes(content)
        with refuses(EmbeddingFileError) as raised:
            load(path, **options)
        where = raised.value.where
        file, place = where if isinstance(where, tuple) else (where, None)
        assert file == path
        return Refusal(place, raised.value)

    return load_and_fail
