"""The notebook of the tour: it is kept without outputs, and it runs from top to bottom."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("numba")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def kept():
    return nbformat.read(ROOT / "examples" / "tour.ipynb", as_version=4)


@pytest.fixture(scope="module")
def executed(kept):
    notebook = nbformat.from_dict(kept)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    client = nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3")
    client.execute(env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    return notebook


def results(notebook, start):
    """The outputs of the cell that begins so."""
    return next(cell for cell in notebook.cells if cell.source.startswith(start)).outputs


def printed(notebook):
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return "".join([out.text for cell in cells for out in cell.outputs if out.output_type == "stream"])


def test_no_output_is_kept(kept):
    nbformat.validate(kept)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert len(code) > 10
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_every_cell_runs_and_prints_what_it_found(executed):
    text = printed(executed)
    assert "right_padded(8) (3, 5) has 6 places that belong to no index" in text
    assert "90.0 is ten times 9.0" in text
    assert "this view is read-only" in text
    assert "952.0 under LayoutMorton(" in text
    assert results(executed, "from array")[0].data["text/plain"] == "(-1.0, 100.0)"


@pytest.mark.parametrize(
    "start", ["view", "Mapping((4, 6), LayoutTiled", "Mapping((4, 4)", "part", "from mdview import pad"]
)
def test_views_and_mappings_show_themselves_as_pictures(executed, start):
    assert "<svg" in results(executed, start)[-1].data["text/html"]
