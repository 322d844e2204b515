"""Two processes that step at once, against one alone: what a busy machine leaves of the speed.

    python tests/two_processes.py [--backends openmp,pthread] [--seconds 2] [--rounds 5]
                                  [--threads 0]

Each process steps a ring of 10 000 vortons and 200 000 tracers on all processors. The frames a
second of both together, over those of one alone, should be 1: they share what is there. Threads
that spin while they wait for each other take the processors away from those that work, and it is
.2 or less. OMP_WAIT_POLICY and GOMP_SPINCOUNT act as they do elsewhere.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

READY, GO = "ready", "go\n"


def step(seconds, threads):
    """What each process does: frames a second, once it has been told to go."""
    from vorton.bench.runs import Rounds, method_of
    from vorton.bench.scenes import SCENES

    scene = SCENES["ring-10k"]
    rounds = Rounds(scene, threads, method_of(scene))
    rounds.settle()
    print(READY, flush=True)
    sys.stdin.readline()
    frames, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        frames += len(rounds.round())
    print(frames / (time.perf_counter() - start), flush=True)


def speeds(count, backend, seconds, threads):
    """Frames a second of so many processes that go at the same time."""
    command = [sys.executable, __file__, "--step", f"--seconds={seconds}", f"--threads={threads}"]
    environment = {**os.environ, "VORTON_BACKEND": backend}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, env=environment, **pipes) for _ in range(count)]
    try:
        for process in processes:
            if process.stdout.readline().strip() != READY:
                raise RuntimeError("a process did not begin to step")
        for process in processes:
            process.stdin.write(GO)
            process.stdin.flush()
        return [float(process.communicate()[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()


def compare(backends, seconds, rounds, threads=0):
    """By backend: frames a second alone, and the share of that which two at once reach together.

    In alternation, so that what else the machine does meets all of them; medians.
    """
    found = {backend: [] for backend in backends}
    for _ in range(rounds):
        for backend in backends:
            alone = sum(speeds(1, backend, seconds, threads))
            found[backend].append((alone, sum(speeds(2, backend, seconds, threads)) / alone))
    return {
        backend: tuple(statistics.median(column) for column in zip(*rows))
        for backend, rows in found.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backends", default="openmp,pthread")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--step", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step(options.seconds, options.threads)
        return
    found = compare(options.backends.split(","), options.seconds, options.rounds, options.threads)
    for backend, (alone, share) in found.items():
        print(f"{backend:8}  alone {alone:7.1f} frames a second, two at once {share:.2f} of that")


if __name__ == "__main__":
    main()
