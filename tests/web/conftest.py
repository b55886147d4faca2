"""A small app behind the guard, asked in this process."""

from typing import Annotated

import httpx
import pytest

from imprint.errors import ImprintError


@pytest.fixture
def served(tmp_path):
    pytest.importorskip("fastapi", reason="these tests need fastapi")
    from fastapi import Body

    from imprint.web.guard import Guard, RateLimit
    from imprint.web.pages import Pages, make_application
    from imprint.web.serving import Hosts

    (tmp_path / "word.html").write_text('{% extends "base.html" %}{% block main %}<b>{{ word }}</b>{% endblock %}')
    pages = Pages(tmp_path)
    app = make_application("A small app", "For tests.", pages)

    @app.get("/word")
    def word(said: str):
        return pages.draw("word.html", word=said)

    @app.post("/length")
    async def length(body: bytes = Body(media_type="text/plain")):
        return len(body)

    @app.post("/api/counts")
    def counts(counts: Annotated[dict[str, int], Body(embed=True)]):
        return counts

    @app.get("/mistake")
    def mistake():
        raise ImprintError("1 word came, 2 are wanted; add one")

    @app.get("/api/broken")
    @app.get("/broken")
    def broken():
        raise ValueError("a secret")

    guard = Guard(
        app,
        pages,
        hosts=Hosts.bound_to("127.0.0.1"),
        buckets=lambda path, address: ("words",) if path == "/word" else (),
        trusted=lambda headers: headers.get("authorization") == "Bearer us",
        pace=RateLimit(burst=3, per_second=0.1),
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=guard), base_url="http://127.0.0.1:8000")


@pytest.fixture
def ask(served):
    """Send one request and wait for its answer."""
    import asyncio

    async def send(method, path, **options):
        return await served.request(method, path, **options)

    with asyncio.Runner() as runner:
        yield lambda method, path, **options: runner.run(send(method, path, **options))
