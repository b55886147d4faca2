"""The tutorial notebook runs from top to bottom, and its results draw themselves."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook, folder


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.slow
def test_every_result_is_drawn_from_the_templates_of_the_page(executed):
    notebook, _ = executed
    drawn = [output.data["text/html"] for output in outputs(notebook) if "text/html" in output.get("data", {})]
    ours = [html for html in drawn if html.startswith('<div class="imprint">')]
    assert len(ours) == 9
    assert all("<table" in html for html in ours)
    assert sum("<svg" in html for html in ours) >= 4
    assert not any("<script" in html for html in ours)


@pytest.mark.slow
def test_the_page_and_the_findings_are_written_and_read_back(executed):
    notebook, folder = executed
    assert outputs(notebook)[-1].data["text/plain"] == "True"
    assert (folder / "report.html").stat().st_size < 3_000_000


def test_the_notebook_is_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert outputs(notebook) == []
