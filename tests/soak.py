"""Runs random sequences of calls that no run had before.

    python tests/soak.py [EXAMPLES] [STEPS]

EXAMPLES sequences (default 5000) of up to STEPS calls (default 60) of sequences.py, a tenth as
many of a third as many calls of rich_sequences.py, and as many of a sixth as many calls of its
small scenes. A failure is made as short as it can be and printed as the Python program that shows
it. `python tests/soak.py small EXAMPLES STEPS` runs the last of these alone.
"""

import sys
import warnings

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from rich_sequences import RichSequences, SmallSequences
from sequences import Sequences


def run(machine, examples, steps):
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(f"{examples} of up to {steps} calls: nothing wrong with {machine.__name__}", flush=True)


def main(examples="5000", steps="60"):
    warnings.simplefilter("ignore", UserWarning)  # of bodies and emitters without a grid
    run(Sequences, int(examples), int(steps))
    run(RichSequences, max(int(examples) // 10, 1), max(int(steps) // 3, 1))
    small(examples, max(int(steps) // 6, 1))


def small(examples="5000", steps="10"):
    warnings.simplefilter("ignore", UserWarning)
    run(SmallSequences, int(examples), int(steps))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["small"]:
        small(*arguments[1:])
    else:
        main(*arguments)
