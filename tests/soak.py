"""Runs random sequences of calls (sequences.py) that no run had before.

    python tests/soak.py [EXAMPLES] [STEPS]

EXAMPLES sequences (default 5000) of up to STEPS calls (default 60). A failure is made as short as
it can be and printed as the Python program that shows it.
"""

import sys

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from sequences import Sequences


def main(examples="5000", steps="60"):
    run_state_machine_as_test(
        Sequences,
        settings=settings(
            max_examples=int(examples),
            stateful_step_count=int(steps),
            deadline=None,
            database=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(f"{examples} sequences of up to {steps} calls: model and simulation agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
