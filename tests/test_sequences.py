"""Random sequences of calls: 1000 of sequences.py, 50 of rich_sequences.py, always the same ones;
and a few of each that are not slow.

VORTON_EXAMPLES in the environment sets another number; `python tests/soak.py` runs new ones.
"""

import os

import pytest
from hypothesis import HealthCheck, settings
from rich_sequences import RichSequences
from sequences import Sequences

EXAMPLES = int(os.environ.get("VORTON_EXAMPLES", "1000"))
FEW = 12


def fixed(examples, steps):
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


class TestFewSequences(Sequences.TestCase):
    settings = fixed(FEW, 30)


@pytest.mark.slow
class TestSequences(Sequences.TestCase):
    settings = fixed(EXAMPLES, 30)


# emitters and bodies in a flow that does not move, or know of, them
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestFewRichSequences(RichSequences.TestCase):
    settings = fixed(FEW // 6, 15)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestRichSequences(RichSequences.TestCase):
    settings = fixed(EXAMPLES // 20, 15)
