import logging

import pytest

from imprint.web.guard import HEADERS, LARGEST, RateLimit


def test_every_answer_has_the_security_headers(ask):
    for path in ("/word?said=x", "/static/style.css", "/nowhere", "/broken", "/openapi.json"):
        answer = ask("GET", path)
        for name, value in HEADERS.items():
            assert answer.headers.get_list(name) == [value], (path, name)
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_a_foreign_host_name_is_refused(ask):
    answer = ask("GET", "/word?said=x", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert "does not answer to that host name" in answer.text


@pytest.mark.parametrize(("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200)])
def test_a_form_sent_by_another_site_is_refused(ask, site, status):
    assert ask("POST", "/length", content=b"x", headers={"sec-fetch-site": site}).status_code == status


def test_a_link_from_another_site_may_be_followed(ask):
    assert ask("GET", "/word?said=x", headers={"sec-fetch-site": "cross-site"}).status_code == 200


def test_a_body_of_the_largest_size_is_read_whole(ask):
    answer = ask("POST", "/length", content=b"x" * LARGEST)
    assert (answer.status_code, answer.json()) == (200, LARGEST)


def test_a_larger_body_is_refused_whether_announced_or_not(ask):
    async def pieces():
        for _ in range(LARGEST // 1024 + 1):
            yield b"x" * 1024

    announced = ask("POST", "/length", content=b"x" * (LARGEST + 1))
    streamed = ask("POST", "/length", content=pieces())
    assert "content-length" not in streamed.request.headers
    assert (announced.status_code, streamed.status_code) == (413, 413)
    assert "Send less" in streamed.text


@pytest.mark.parametrize("length", ["-1", "ten", "9" * 30])
def test_a_length_that_is_no_number_is_refused(ask, length):
    assert ask("POST", "/length", content=b"x", headers={"content-length": length}).status_code == 413


def test_a_body_that_never_ends_is_given_up(ask, monkeypatch):
    import asyncio

    async def pieces():
        yield b"x"
        await asyncio.Event().wait()

    monkeypatch.setattr("imprint.web.guard.PATIENCE", 0.01)
    assert ask("POST", "/length", content=pieces()).status_code == 408


@pytest.mark.parametrize("pieces", [[], [b"half an ans"]])
def test_a_body_whose_sender_leaves_before_its_end_reaches_no_app(served, pieces):
    import asyncio

    guard, reached, sent = served._transport.app, [], []
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": "http.disconnect"})

    async def app(scope, receive, send):
        reached.append(await receive())

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    guard._app = app
    scope = {"type": "http", "method": "POST", "path": "/length", "headers": [(b"host", b"127.0.0.1:8000")]}
    asyncio.run(guard(scope, receive, send))
    assert reached == []
    assert sent[0]["status"] == 400


def test_who_asks_too_often_is_told_when_to_come_back(ask):
    answers = [ask("GET", "/word?said=x") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) in range(1, 12)
    assert "Wait a minute" in answers[-1].text
    assert ask("GET", "/mistake").status_code == 422, "other paths have other buckets"


def test_who_is_trusted_is_counted_nowhere(served, ask):
    guard = served._transport.app
    guard._overall = guard._each = guard._pace = RateLimit(burst=1, per_second=0.001)
    assert [ask("GET", "/mistake").status_code for _ in range(3)] == [422, 429, 429]
    ours = {"authorization": "Bearer us"}
    assert [ask("GET", "/word?said=x", headers=ours).status_code for _ in range(3)] == [200, 200, 200]


def test_one_address_does_not_use_up_what_all_may_ask(served, ask):
    guard = served._transport.app
    guard._each = RateLimit(burst=2, per_second=0.001)
    asked = []
    for address in ("10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2", "fe80::1", "fe80::2", "fe80::3", "fe80:1::3"):
        served._transport.client = (address, 123)
        asked.append(ask("GET", "/mistake").status_code)
    assert asked == [422, 422, 429, 422, 422, 422, 429, 422], "of IPv6, a network is one address"


@pytest.mark.parametrize(
    ("behind_proxy", "peer", "forwarded", "counted"),
    [
        (True, "127.0.0.1", "10.0.0.1", "10.0.0.1"),
        (True, "::1", "10.0.0.1", "10.0.0.1"),
        (True, "::ffff:127.0.0.1", " 10.0.0.1 ", "10.0.0.1"),
        (True, "127.0.0.1", "192.0.2.1, 10.0.0.1", "10.0.0.1"),
        (True, "127.0.0.1", "2001:db8:1:2:3::4", "2001:0db8:0001:0002"),
        (True, "127.0.0.1", "::ffff:10.0.0.1", "10.0.0.1"),
        (True, "127.0.0.1", None, "127.0.0.1"),
        (True, "127.0.0.1", "", "127.0.0.1"),
        (True, "127.0.0.1", "10.0.0.1, unknown", "127.0.0.1"),
        (True, "127.0.0.1", "10.0.0.1:80", "127.0.0.1"),
        (True, "10.0.0.9", "10.0.0.1", "10.0.0.9"),
        (False, "127.0.0.1", "10.0.0.1", "127.0.0.1"),
    ],
)
def test_an_address_is_taken_from_a_proxy_on_this_machine_alone(served, ask, behind_proxy, peer, forwarded, counted):
    transport = served._transport
    transport.app._behind_proxy, transport.client = behind_proxy, (peer, 123)
    ask("GET", "/mistake", headers={} if forwarded is None else {"x-forwarded-for": forwarded})
    assert [*transport.app._each._buckets] == [counted]


def test_of_several_headers_the_proxys_is_the_last(served, ask):
    served._transport.app._behind_proxy = True
    ask("GET", "/mistake", headers=[("x-forwarded-for", "10.0.0.1"), ("x-forwarded-for", "10.0.0.2")])
    assert [*served._transport.app._each._buckets] == ["10.0.0.2"]


def test_visitors_by_ipv4_on_a_socket_of_ipv6_are_told_apart(served, ask):
    for number in (1, 2):
        served._transport.client = (f"::ffff:10.0.0.{number}", 123)
        ask("GET", "/mistake")
    assert [*served._transport.app._each._buckets] == ["10.0.0.1", "10.0.0.2"]


def test_what_a_request_is_counted_under_is_short(served, ask):
    guard = served._transport.app
    guard._buckets = lambda path, address: (path,)
    ask("GET", f"/{'x' * 5_000}")
    assert max(map(len, guard._pace._buckets)) == 100


def test_an_error_of_ours_is_a_page_with_its_one_line(ask):
    answer = ask("GET", "/mistake")
    assert answer.status_code == 422
    assert "1 word came, 2 are wanted; add one" in answer.text


def test_an_error_nobody_foresaw_says_nothing_of_itself(ask, caplog):
    with caplog.at_level(logging.ERROR):
        page, json = ask("GET", "/broken"), ask("GET", "/api/broken")
    assert (page.status_code, json.status_code) == (500, 500)
    assert "a secret" not in page.text + json.text
    assert "Reload the page" in page.text
    assert "Reload the page" in json.json()["detail"]
    assert "a secret" in caplog.text


@pytest.mark.parametrize(
    ("path", "status"), [("/nowhere", 404), ("/static/pages.py", 404), ("/static/..%2fpages.py", 404)]
)
def test_what_is_not_there_is_said_so(ask, path, status):
    answer = ask("GET", path)
    assert answer.status_code == status
    assert "Check that the link" in answer.text


def test_the_wrong_method_is_said_so_and_the_right_one_named(ask):
    answer = ask("POST", "/word")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"


def test_a_request_that_lacks_something_is_told_what_without_being_repeated(ask):
    answer = ask("GET", "/word?told=secret")
    assert answer.status_code == 422
    assert "said: Field required" in answer.text
    assert "secret" not in answer.text
    wrong = ask("POST", "/api/counts", json={"counts": {"secret": "x"}})
    assert "counts: Input should be a valid integer" in wrong.json()["detail"]
    assert "secret" not in wrong.text
    broken = ask("POST", "/api/counts", content=b"{secret", headers={"content-type": "application/json"})
    assert "The request: JSON decode error" in broken.json()["detail"]


@pytest.mark.parametrize("word", ["<script>x</script>", '"><img src=x>', "{{7*7}}", "\u202e", "\ud800"])
def test_words_are_text_whatever_they_hold(ask, word):
    answer = ask("GET", "/word", params={"said": word.encode("utf-8", "surrogatepass")})
    assert answer.status_code == 200
    assert "<script>" not in answer.text.split("<main")[1]
    assert "<img" not in answer.text
    assert "49" not in answer.text.split("<main")[1]


def test_the_style_is_the_reports_and_ours(ask):
    style = ask("GET", "/static/style.css")
    assert style.headers["content-type"].startswith("text/css")
    assert "--accent" in style.text
    assert ".imprint.web" in style.text
