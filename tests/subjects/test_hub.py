"""Models in the local Hugging Face cache: found on disk, never fetched; the hint is the command that fetches them."""

import pytest

from imprint.errors import SubjectError
from imprint.subjects.sources import ResolvedSource, download_command, find_cached, find_source, hub_cache

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER = COMMIT[::-1]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Put a model's files into the cache, as huggingface_hub lays them out."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))

    def download(repository, *files, commit=COMMIT, main=COMMIT):
        folder = tmp_path / f"models--{repository.replace('/', '--')}"
        snapshot = folder / "snapshots" / commit
        snapshot.mkdir(parents=True)
        for file in files:
            (snapshot / file).write_text("{}")
        if main is not None:
            (folder / "refs").mkdir(exist_ok=True)
            (folder / "refs" / "main").write_text(main)
        return snapshot

    return download


def test_a_downloaded_model_is_found_by_its_name(cache):
    snapshot = cache("org/tiny", "config.json")
    assert find_source("org/tiny") == ResolvedSource("transformers", snapshot)
    assert find_source(snapshot.parents[1]) == ResolvedSource("transformers", snapshot)


def test_a_name_alone_is_also_one_of_sentence_transformers(cache):
    own = cache("tiny-bert", "config.json")
    assert find_source("tiny-bert") == ResolvedSource("transformers", own)
    theirs = cache("sentence-transformers/tiny-mini", "modules.json", "config.json")
    assert find_source("tiny-mini") == ResolvedSource("sentence-transformers", theirs)


def test_main_is_taken_of_several_commits(cache):
    cache("org/tiny", commit=OTHER, main=None)
    assert find_cached("org/tiny").name == OTHER
    snapshot = cache("org/tiny")
    assert find_cached("org/tiny") == snapshot


@pytest.mark.parametrize("main", ["../../..", "", "main", "\udcff"])
def test_a_reference_that_is_no_commit_leads_nowhere(cache, main, tmp_path):
    cache("org/tiny", commit=COMMIT, main=None)
    cache("org/tiny", commit=OTHER, main=None)
    (tmp_path / "models--org--tiny" / "refs").mkdir()
    (tmp_path / "models--org--tiny" / "refs" / "main").write_bytes(main.encode("utf-8", "surrogateescape"))
    assert find_cached("org/tiny") is None


@pytest.mark.parametrize("name", ["org/none", "a/b/c", "/org/tiny", "", "org/", "..", "org/../tiny"])
def test_what_is_not_there_is_not_found(cache, name):
    cache("org/tiny", "config.json")
    assert find_cached(name) is None


def test_the_cache_is_where_the_tools_of_hugging_face_keep_it(monkeypatch, tmp_path):
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert hub_cache() == tmp_path / ".cache" / "huggingface" / "hub"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert hub_cache() == tmp_path / "x" / "huggingface" / "hub"
    monkeypatch.setenv("HF_HOME", "~/y")
    assert hub_cache() == tmp_path / "y" / "hub"
    monkeypatch.setenv("HF_HUB_CACHE", "$HF_HOME/z")
    assert hub_cache() == tmp_path / "y" / "z"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("BAAI/bge-small-en-v1.5", "hf download BAAI/bge-small-en-v1.5"),
        ("all-MiniLM-L6-v2", "hf download sentence-transformers/all-MiniLM-L6-v2"),
        ("bert-base-uncased", "hf download bert-base-uncased"),
        ("vectors/glove.txt", None),
        ("./model", None),
        ("nonsense", None),
        ("a/b/c", None),
        ("here/typo", None),
    ],
)
def test_the_hint_is_the_command_that_downloads_a_model(cache, tmp_path, monkeypatch, name, command):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    assert download_command(name) == command
    with pytest.raises(SubjectError) as raised:
        find_source(name)
    assert ("hf download" in str(raised.value)) == (command is not None)
    assert str(tmp_path) in str(raised.value)
