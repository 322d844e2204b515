"""The tests are of the package that Python finds, also in the processes that they start.

Python puts the working directory, or that of a script, before everything else: from the top folder
that would be the sources, where nothing is built.
"""

import os
from pathlib import Path

import vorton

HERE = Path(__file__).resolve().parent
PACKAGE = Path(vorton.__file__).resolve().parents[1]

paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
if PACKAGE.name != "site-packages":
    paths.append(str(PACKAGE))
os.environ["PYTHONPATH"] = os.pathsep.join(paths)
os.environ["PYTHONSAFEPATH"] = "1"
