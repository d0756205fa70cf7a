"""The tutorial notebook runs from the first cell to the last, and shows what it says it shows."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_tutorial_runs(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    notebook = nbformat.read(ROOT / "docs" / "tutorial.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    client(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        [output.get("data", {}).get("text/html", "") for output in cell.outputs]
        for cell in notebook.cells
        if "outputs" in cell
    ]
    assert "<table" in shown[1][0]
    assert "<svg" in shown[2][0]  # a filtered ranking still has its trees
    assert "<iframe srcdoc=" in shown[-1][0]
