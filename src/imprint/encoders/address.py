"""Where a server is, and whether a key may travel there."""

import os
import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from imprint.errors import SettingError

KEY_VARIABLE = "IMPRINT_API_KEY"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"

_EXPECTED = "an address such as http://127.0.0.1:8080/v1"
_VERSION = re.compile(r"v\d+\w*")  # the part of a path that makes a base whole: v1, v1beta
_ENDPOINT = "/embeddings"


def base_of(url: str) -> str:
    """Return the base that /embeddings and /models are appended to, one spelling for each way to write it."""
    refuse_credentials(url)
    parts = _split(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port is None else f":{parts.port}"
    path = parts.path.rstrip("/")
    if path.endswith(_ENDPOINT):
        path = path.removesuffix(_ENDPOINT)
    elif not any(_VERSION.fullmatch(part) for part in path.split("/")):
        path += "/v1"
    return f"{parts.scheme}://{host}{port}{path}"


def refuse_credentials(url: str) -> None:
    """Refuse a URL with credentials, without repeating it: what comes before the @ is a secret."""
    if "@" in url:
        raise SettingError(
            "the URL holds credentials (user:password@host)",
            option="url",
            hint=f"leave them out and set {KEY_VARIABLE}",
        )


def key_from_environment(url: str) -> str | None:
    """Return the key that the environment holds for this URL: ours for any, OpenAI's for their own host alone."""
    key = os.environ.get(KEY_VARIABLE)
    if not key and urlsplit(base_of(url)).hostname == OPENAI_HOST:
        key = os.environ.get(OPENAI_KEY_VARIABLE)
    return key or None


def check_key(key: str | None, base: str) -> str | None:
    """Return the key without blanks at its ends, refusing one that cannot travel, or cannot travel there unseen."""
    if key is None or not (key := key.strip()):
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SettingError(
            option="the key",
            expected="printable ASCII without blanks",
            where=base,
            hint=f"copy it to {KEY_VARIABLE} again",
        )
    parts = urlsplit(base)
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise SettingError(
            "a key is not sent over plain http to another machine",
            where=base,
            hint=f"use https, or unset {KEY_VARIABLE}",
        )
    return key


def _split(url: str) -> SplitResult:
    try:
        if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
            raise SettingError(option="url", got=url, expected=_EXPECTED)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingError(option="url", got=url, expected=_EXPECTED)
        parts.hostname.encode("idna")
        parts.port  # noqa: B018 - raises where it is no port
    except ValueError as error:
        raise SettingError(option="url", got=url, expected=_EXPECTED) from error
    if parts.query or parts.fragment:
        raise SettingError(
            f"the URL of {parts.hostname} has a query or a fragment", option="url", hint="give it up to /v1"
        )
    return parts


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
