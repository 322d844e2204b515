"""Kills bakes at any moment, and those that go on with them: whole frames or none, and in the end
the same bytes.

    python tests/killed_bakes.py [SECONDS] [SEED]

Each bake is a forked child, so that the moments lie in the bake and not in the start of Python.
"""

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from bakes import content, small_scene

import vorton as vt
from vorton.manifest import Manifest


def begin(out):
    """The process that bakes into the folder."""
    child = os.fork()
    if child == 0:
        vt.bake(small_scene(), out, frames=(1, 4), progress=False, threads=1)
        os._exit(0)
    return child


def end(child):
    """Whether it came to its end by itself; an error ends all of this."""
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and status:
        sys.exit("a bake failed")
    return status == 0


def check_frames(out):
    """What the manifest names is whole."""
    if (out / "ring.json").exists():
        manifest = Manifest.load(out / "ring.json")
        assert all(manifest.is_whole(n) for n in manifest.frames), manifest.frames


def main(seconds="60", seed="1"):
    chance, bakes, kills, started = random.Random(int(seed)), 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place, "whole")
        end(begin(whole))
        length = time.monotonic() - started
        while time.monotonic() - started < float(seconds):
            out = Path(place, str(bakes))
            for _ in range(chance.randint(1, 3)):
                child = begin(out)
                time.sleep(chance.uniform(0, length))
                os.kill(child, signal.SIGKILL)
                kills += not end(child)
                check_frames(out)
            end(begin(out))
            assert content(out) == content(whole), sorted(content(out))
            bakes += 1
    print(f"{bakes} bakes, killed {kills} times: all of the same bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
