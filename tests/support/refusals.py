"""How tests say which error they expect: by its type and its fields, never by its sentence."""

from contextlib import contextmanager

import pytest


@contextmanager
def refuses(kind, *mentioned, **fields):
    """Expect an error of that type with those fields, in one line that mentions these names, words or numbers."""
    with pytest.raises(kind) as raised:
        yield raised
    error = raised.value
    assert str(error).splitlines() == [str(error)]
    assert {name: getattr(error, name) for name in fields} == fields
    assert [text for text in mentioned if str(text) not in str(error)] == [], str(error)
