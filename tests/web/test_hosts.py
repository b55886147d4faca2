import pytest
from refusals import refuses

from imprint.errors import SettingError
from imprint.web.serving import Hosts


@pytest.mark.parametrize("header", ["127.0.0.1:8000", "127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000"])
def test_a_server_on_loopback_answers_to_its_own_names(header):
    assert Hosts.bound_to("127.0.0.1").admits(header)


@pytest.mark.parametrize(
    "header",
    [
        "evil.example", "evil.example:8000", "127.0.0.1.evil.example", "10.0.0.1:8000", "localhost.evil.example:80",
        "", "127.0.0.1:8000@evil.example", "127.0.0.1, evil.example", "[::2]", "127.0.0.1:", "127.0.0.1\n", "::1",
    ],
)  # fmt: skip
def test_other_names_are_strangers(header):
    assert not Hosts.bound_to("127.0.0.1").admits(header)


def test_a_server_on_every_interface_answers_to_addresses_and_to_the_names_given():
    hosts = Hosts.bound_to("0.0.0.0", ["Study.Example.org"])
    for header in ("10.0.0.1:8000", "[fe80::1]:8000", "localhost", "study.example.org:443"):
        assert hosts.admits(header)
    assert not hosts.admits("evil.example")


def test_a_server_on_one_address_answers_to_that_one():
    hosts = Hosts.bound_to("10.0.0.1")
    assert hosts.admits("10.0.0.1:80")
    assert not hosts.admits("localhost")
    assert not hosts.admits("10.0.0.2")


@pytest.mark.parametrize("name", ["http://study.example.org", "", "a b", "x" * 300])
def test_what_is_no_host_name_is_refused(name):
    with refuses(SettingError, option="host", got=name):
        Hosts.bound_to("127.0.0.1", [name])
