"""Small embeddings with a planted association, and the explorer over one of them, asked in this process."""

import asyncio

import httpx
import numpy as np
import pytest

from imprint.embeddings.embedding import Embedding
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import words_of

HOST = "http://127.0.0.1:8000"
X, Y = ("rose", "lily", "iris", "tulip", "daisy"), ("ant", "flea", "wasp", "gnat", "moth")
A, B = ("love", "peace", "joy"), ("filth", "grief", "agony")
HOSTILE = (
    "<script>window.broken=true</script>",
    '"><img/src=x/onerror="window.broken=true">',
    "'onfocus='window.broken=true'autofocus='",
    "{{7*7}}",
    "<!--",
    "\u202edrow",
    "x" * 10_000,
)


def planted(words, seed=0):
    """Vectors in which X lies near A and Y near B, and every word has noise of its own."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(len(words), 8)).astype(np.float32)
    for row, word in enumerate(words):
        vectors[row, 0] += 2.0 * ((word in X + A) - (word in Y + B))
    return vectors


@pytest.fixture(scope="session")
def vocabulary():
    test = get("caliskan-6")
    return [*X, *Y, *A, *B, "he", "she", "him", "her", "nurse", "engineer", *sorted(words_of([test]))]


@pytest.fixture(scope="session")
def file(tmp_path_factory, vocabulary):
    """An embedding file whose name a shell would stumble over."""
    path = tmp_path_factory.mktemp("vectors") / "my 'own' vectors.txt"
    rows = zip(vocabulary, planted(vocabulary).tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in rows))
    return path


@pytest.fixture(scope="session")
def hostile():
    words = ["rose", *HOSTILE]
    return Embedding(name=HOSTILE[0], words=words, vectors=planted(words))


@pytest.fixture
def asking():
    """Open an explorer over an embedding; what it returns sends one request and waits for the answer."""
    pytest.importorskip("fastapi", reason="the explorer needs fastapi")
    from imprint.explorer.app import make_explorer
    from imprint.web.serving import Hosts

    with asyncio.Runner() as runner:

        def open_explorer(embedding, source="default", **options):
            app = make_explorer(embedding, str(source), hosts=Hosts.bound_to("127.0.0.1"), **options)

            async def send(method, path, given):
                async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as client:
                    return await client.request(method, path, **given)

            return lambda method, path, **given: runner.run(send(method, path, given))

        yield open_explorer


@pytest.fixture
def ask(asking, file):
    from imprint.subjects.opening import load

    return asking(load(file), file)
