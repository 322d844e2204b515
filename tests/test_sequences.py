"""Random sequences of calls: 300 of sequences.py, 50 of rich_sequences.py, always the same ones.

VORTON_EXAMPLES in the environment sets another number; `python tests/soak.py` runs new ones.
"""

import os

import pytest
from hypothesis import HealthCheck, settings
from rich_sequences import RichSequences
from sequences import Sequences

EXAMPLES = int(os.environ.get("VORTON_EXAMPLES", "300"))


def fixed(examples, steps):
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


TestSequences = Sequences.TestCase
TestSequences.settings = fixed(EXAMPLES, 30)

# emitters and bodies in a flow that does not move, or know of, them
TestRichSequences = pytest.mark.filterwarnings("ignore::UserWarning")(RichSequences.TestCase)
TestRichSequences.settings = fixed(EXAMPLES // 6, 15)
