"""Random sequences of calls (sequences.py): 300 of them, always the same ones.

VORTON_EXAMPLES in the environment sets another number; `python tests/soak.py` runs new ones.
"""

import os

from hypothesis import HealthCheck, settings
from sequences import Sequences

EXAMPLES = int(os.environ.get("VORTON_EXAMPLES", "300"))

TestSequences = Sequences.TestCase
TestSequences.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
