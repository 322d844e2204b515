"""examples/notebook.ipynb runs from top to bottom, and what it says holds.

After a change of the notebook its outputs are made anew by

    jupyter execute --inplace examples/notebook.ipynb
"""

import json
import os
from pathlib import Path

import pytest

import vorton as vt

nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient: pip install .[test]")
nbclient = pytest.importorskip("nbclient", reason="notebooks need nbclient: pip install .[test]")
pytest.importorskip("ipykernel", reason="notebooks need ipykernel: pip install .[test]")
pytest.importorskip("PIL", reason="the notebook shows pictures: pip install .[all]")

NOTEBOOK = Path(__file__).parents[1] / "examples" / "notebook.ipynb"

# What the notebook's names hold in the end.
RESULTS = """
import json
print(json.dumps({
    "speed": float(ring_speed / exact),
    "health": dict(health),
    "grid": grid.shape,
    "frames": sim.frame,
    "counts": counts,
    "bounds": [info["lower"], info["upper"]],
    "races": races,
    "loaded": loaded == jet_scene,
}, default=float))
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook after its run, and the results."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(RESULTS))
    folder = tmp_path_factory.mktemp("notebook")
    root = str(Path(vt.__file__).parents[1])  # of the vorton that is tested
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env={**os.environ, "PYTHONPATH": path})
    results = json.loads(notebook.cells[-1].outputs[0]["text"])
    assert not list(folder.iterdir())  # it leaves nothing behind
    return notebook, results


def pictures(notebook):
    bundles = (
        output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])
    )
    return [data["image/png"] for data in bundles if "image/png" in data]


@pytest.mark.slow
def test_every_cell_runs(executed):
    notebook, _ = executed
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    kinds = [output.output_type for cell in cells for output in cell.outputs]
    assert "error" not in kinds
    assert not any(o.get("name") == "stderr" for cell in cells for o in cell.outputs)
    assert len(pictures(notebook)) == 3


@pytest.mark.slow
def test_results(executed):
    _, results = executed
    assert abs(results["speed"] - 1) < 0.03  # Saffman's formula, as VALIDATION V3
    health = results["health"]
    assert results["grid"] == [*health["grid"][::-1], 3] and results["frames"] == 24
    assert health["strength_share"] < 0.01 and health["noise"] < 4
    assert results["loaded"] is True


@pytest.mark.slow
def test_the_jet_rises_and_leans_with_the_wind(executed):
    _, results = executed
    vortons, tracers = zip(*results["counts"].values())
    assert vortons[0] > 0 and all(b >= a for a, b in zip(tracers, tracers[1:]))
    assert tracers[-1] == tracers[35]  # the nozzle closes at 1.5 s
    low, high = results["bounds"]
    assert high[2] > 1.0 and low[2] < 0.1
    assert high[0] > 0.5 > -0.4 < low[0]  # downwind alone


@pytest.mark.slow
def test_the_default_method_is_closer_to_theory(executed):
    _, results = executed
    default, article = results["races"]["default"], results["races"]["article"]
    assert abs(default["speed"] - 1) < 0.03 < abs(article["speed"] - 1)
    assert 0.95 < default["energy"] < 1.02 and article["energy"] < default["energy"]
    assert default["divergence"] < article["divergence"]


def test_stored_notebook_is_small_and_without_errors():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert NOTEBOOK.stat().st_size < 400_000 and len(pictures(notebook)) == 3
    assert all(
        output.output_type != "error"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )
