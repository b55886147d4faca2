"""Documentation that cannot fall behind: snippets run and print what is shown; commands, tests and names are told."""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from systems import posix
from typer.main import get_command
from typer.testing import CliRunner

import imprint
from imprint.boards.subjects import read_models
from imprint.cli.app import make_app
from imprint.policies.policy import example
from imprint.stimuli.catalog import catalogue, questions, read_tests

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*?)$\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n((?::[^\n]*\n)*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# Git, make, pip, dask and their like are for the reader.
RUN = ("imprint ", "printf ")
STATUS = "echo $?"
# What a shell takes as words and nothing else; such a command runs here, since most of its time would go to imports.
PLAIN = re.compile(r"""(?:[\w\s./:=,@%+-]|'[^']*'|"[^"$`\\]*")+""")
LONG = ("gate", "metrics", "report", "retrieval", "tutorial")  # pages that audit, or measure for seconds


def blocks(language):
    found = []
    for page in PAGES:
        every = BLOCK.findall(page.read_text())
        for number, (name, text) in enumerate(every):
            if name == language:
                following = every[number + 1] if number + 1 < len(every) else ("", "")
                found.append(pytest.param(text, following, id=f"{page.stem}-{number}"))
    return found


def commands(page):
    consoles = [text for name, text in BLOCK.findall(page.read_text()) if name == "console"]
    return [command for text in consoles for command in COMMAND.findall(text)]


def below(command, path=()):
    """Yield every command with the words that call it."""
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from below(one, (*path, name))


@pytest.fixture(scope="module")
def generation():
    spec = importlib.util.spec_from_file_location("generation", DOCS / "generation.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def environment(tmp_path):
    """The environment of a person who has imprint and nothing in a cache."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"IMPRINT_CACHE": str(tmp_path / "cache"), "PATH": path}


def run_in_bash(command, folder, environment):
    return subprocess.run(["bash", "-ec", command], capture_output=True, text=True, cwd=folder, env=environment)


# distributed asks for the loop in a way that Python deprecates.
@pytest.mark.filterwarnings("ignore:There is no current event loop:DeprecationWarning")
@pytest.mark.parametrize(("code", "following"), blocks("python"))
def test_python_snippets_print_what_is_shown(code, following, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), {})
    assert following[0] == "", "a snippet is followed by what it prints"
    assert printed.getvalue() == following[1]


@posix
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.slow] * (page.stem in LONG))
        for page in PAGES
        if commands(page)
    ],
)
def test_console_snippets_print_what_is_shown(page, tmp_path, environment, in_process, monkeypatch):
    """The commands of a page run one after the other in one folder, where its named TOML blocks lie as files."""
    monkeypatch.setenv("IMPRINT_CACHE", environment["IMPRINT_CACHE"])
    for name, text in re.findall(r"^```toml\n# (\S+\.toml)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    asked = commands(page)
    code = 0
    for (command, shown), (next_command, _) in zip(asked, [*asked[1:], ("", "")], strict=True):
        if command == STATUS:
            assert shown.split() == [str(code)]
        if command.startswith("imprint "):
            assert command.split()[1] in get_command(make_app()).commands
        # A command of which nothing is shown, and that writes no file for the next, may name one that nobody has.
        if not command.startswith(RUN) or not (shown.strip() or " > " in command):
            continue
        if command.startswith("imprint ") and PLAIN.fullmatch(command):
            ran = in_process(*shlex.split(command)[1:])
        else:
            ran = run_in_bash(command, tmp_path, environment)
        code = ran.returncode
        assert code == 0 or next_command == STATUS, ran.stderr
        compare(shown, ran.stdout, whole_lines=page != README)


def compare(shown, printed, *, whole_lines):
    """Hold what a page shows against what was printed; parts may be left out, blanks and rules do not count.

    The README draws its tables narrower than a pipe does, so that there words alone are compared.
    """
    lines = [[" ".join(re.sub("─+", " ", line).split()) for line in text.splitlines()] for text in (shown, printed)]
    if not whole_lines:
        assert set(" ".join(lines[0]).split()) <= set(" ".join(lines[1]).split())
        return
    rest = iter(lines[1])
    for line in filter(None, lines[0]):
        assert line in rest, f"not printed, or not in this order: {line}"


def test_comparing_tells_a_line_that_was_not_printed_and_one_out_of_order():
    compare("a   b\n\nd e\n", " a b\nc\n──\nd e\n", whole_lines=True)
    for shown in ("a c\n", "d e\na b\n"):
        with pytest.raises(AssertionError, match="not printed"):
            compare(shown, "a b\nc\nd e\n", whole_lines=True)


@pytest.mark.parametrize(("text", "following"), blocks("toml"))
def test_toml_snippets_are_valid_tests_policies_or_models(text, following, tmp_path):
    (tmp_path / "snippet.toml").write_text(text)
    read = imprint.policy if "[[require]]" in text else read_models if "[[model]]" in text else read_tests
    assert read(tmp_path / "snippet.toml")


@pytest.fixture(scope="module")
def pipeline():
    """The commands of the workflow and of the hook that docs/ci.md shows."""
    files = {}
    for language, text in BLOCK.findall((DOCS / "ci.md").read_text()):
        if language == "yaml":
            files[text.splitlines()[0].removeprefix("# ")] = yaml.safe_load(text)
    steps = files[".github/workflows/bias.yml"]["jobs"]["bias"]["steps"]
    (hook,) = files[".pre-commit-config.yaml"]["repos"][0]["hooks"]
    return [step["run"] for step in steps if "run" in step and not step["run"].startswith("pip ")], hook


def test_the_hook_runs_for_the_files_that_its_command_reads(pipeline):
    hook = pipeline[1]
    program, command, *arguments = shlex.split(hook["entry"])
    assert (program, command, hook["language"], hook["pass_filenames"]) == ("imprint", "gate", "system", False)
    read = [argument for argument in arguments if not argument.startswith("-")]
    assert [name for name in read if re.search(hook["files"], name) is None] == []


@posix
@pytest.mark.slow
def test_the_workflow_and_the_hook_run(pipeline, tmp_path, environment):
    """Each step runs as GitHub runs it, on the bundled embedding; the hook, on the findings that it leaves."""
    steps, hook = pipeline
    for name in ("vectors.safetensors", "in-use.safetensors"):
        shutil.copy(imprint.load("default").source, tmp_path / name)
    (tmp_path / "imprint.toml").write_text(example().replace("size = 0.10", "size = 0.50"))
    for step in (*steps, hook["entry"]):
        ran = run_in_bash(step, tmp_path, environment | {"GITHUB_STEP_SUMMARY": str(tmp_path / "step.md")})
        assert ran.returncode == 0, ran.stderr
    with_benchmark = f"{len(questions()) + 1}"
    assert ElementTree.parse(tmp_path / "gate.xml").find("testsuite").get("tests") == with_benchmark
    assert (tmp_path / "step.md").read_text().count("## imprint: passed") == 2
    assert {"report.html", "findings.jsonl", "quality.jsonl"} <= {path.name for path in tmp_path.iterdir()}
    (tmp_path / "imprint.toml").write_text(example())
    assert run_in_bash(hook["entry"], tmp_path, environment).returncode == 2


def test_no_page_waits_for_a_table():
    waiting = {page.name for page in PAGES if re.search(r"^[A-Z]+(_[A-Z]+)+$", page.read_text(), re.MULTILINE)}
    assert waiting == set()


@pytest.mark.parametrize("where", ["README.md", "docs"])
def test_every_command_is_documented(where):
    pages = [README] if where == "README.md" else [page for page in PAGES if page.parent == DOCS]
    text = "\n".join(page.read_text() for page in pages)
    for name in get_command(make_app()).commands:
        assert re.search(rf"\bimprint {name}\b", text), name


def test_every_option_of_every_command_is_in_the_reference(generation):
    reference = generation.command_reference()
    sections = dict(re.findall(r"^## (imprint[a-z -]*)\n(.*?)(?=^## |\Z)", reference, re.MULTILINE | re.DOTALL))
    for path, command in below(get_command(make_app())):
        said = CliRunner().invoke(make_app(), [*path, "--help"]).output
        _, _, options = said.partition("Options:")
        told = set(OPTION.findall(sections[" ".join(["imprint", *path])]))
        assert set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", options, re.MULTILINE)) <= told, path
        assert command.help is None or command.help.split("\n")[0] in sections[" ".join(["imprint", *path])]


def test_every_public_name_is_in_the_reference(generation):
    described = re.findall(
        r"^\.\. auto(?:class|function):: imprint\.(\w+)$", generation.python_reference(), re.MULTILINE
    )
    assert sorted([*described, "__version__"]) == sorted(imprint.__all__)
    assert "__version__" in generation.python_reference()


def test_the_reference_pages_have_the_places_that_are_filled(generation):
    text = "\n".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    assert all(text.count(marker) == 1 for marker in generation.MARKERS)


def test_docstrings_are_taken_as_plain_text(generation):
    said = generation.plain_docstring(["|d| of a * b_ and `x * y`"])
    assert said == [r"\|d\| of a \* b\_ and `x * y`"]
    kept = ["all_targets", ">>> a_b * 2", "a_b", ""]
    assert generation.plain_docstring([*kept, "a_b c"]) == [*kept, r"a\_b c"]


def test_the_fields_of_findings_are_those_of_the_rows(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import refresh_docs

    page = (DOCS / "findings.md").read_text()
    assert "| `outcome` |" in page
    assert refresh_docs.with_fields(page) == page, "python scripts/refresh_docs.py docs/findings.md writes them"


def test_every_test_of_the_catalogue_is_documented():
    text = (DOCS / "stimuli.md").read_text()
    for test in catalogue():
        family = re.sub(r"-\d+$", "-1", test.id)
        assert f"`{family}`" in text, test.id


def test_every_page_is_in_the_index_once():
    entries = [entry for _, text in TOCTREE.findall((DOCS / "index.md").read_text()) for entry in text.split()]
    pages = [
        page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES if page not in (README, DOCS / "index.md")
    ]
    assert sorted(entries) == sorted(pages)


def test_every_method_says_what_it_cannot_show():
    methods = next(text for options, text in TOCTREE.findall((DOCS / "index.md").read_text()) if "Methods" in options)
    for method in methods.split():
        text = (DOCS / f"{method}.md").read_text()
        assert re.search(r"^## Limits$", text, re.MULTILINE), method


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("sphinx-build", path=Path(sys.executable).parent) is None, reason="needs imprint-audit[docs]"
)
def test_the_pages_build_without_a_warning_and_fetch_nothing(tmp_path):
    build = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        tmp_path / "trees",
        DOCS,
        tmp_path / "html",
    ]
    ran = subprocess.run(build, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    for page in (tmp_path / "html").rglob("*.html"):
        text = page.read_text()
        assert not re.findall(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link[^>]* href="(?:https?:)?//', text)
        assert not re.search(r"<!-- (?:commands|names) -->", text)
    assert "<math" in (tmp_path / "html" / "association.html").read_text()
    assert ">Parameters<" in (tmp_path / "html" / "reference" / "python.html").read_text()
