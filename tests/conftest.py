"""The tests are of the package that Python finds, also in the processes that they start.

Python puts the working directory, or that of a script, before everything else: from the top folder
that would be the sources, where nothing is built.
"""

import os
from pathlib import Path

import pytest

# Tests share the processors with the processes that they start. The library takes to its pool when
# it sees that; this spares the time until then in each of the many processes.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# For the same reason: the threads of NumPy's matrices spin while they wait, too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import vorton  # noqa: E402 (it reads the environment)

HERE = Path(__file__).resolve().parent
PACKAGE = Path(vorton.__file__).resolve().parents[1]

paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
if PACKAGE.name != "site-packages":
    paths.append(str(PACKAGE))
os.environ["PYTHONPATH"] = os.pathsep.join(paths)
os.environ["PYTHONSAFEPATH"] = "1"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Folder of a bake of the small scene that nothing has interrupted."""
    from bakes import quiet, small_scene

    folder = tmp_path_factory.mktemp("reference")
    quiet(small_scene(), folder)
    return folder
