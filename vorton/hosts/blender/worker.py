"""Bakes for Blender, in a process of its own (`job`): says how far it is in lines of JSON.

    python -m vorton.hosts.blender.worker '{"scene": "a.json", "folder": "a", "frames": 96, ...}'

It writes what `vorton bake` would, or `vorton branch` where "origin" is the bake that is left.
Where its standard input says `PAUSE` it waits after the frame that is being written, until it says
`GO_ON`; when it ends, as it does when Blender ends, the bake stops there.
"""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
import warnings
from typing import Any

from ...bakes.bake_branch import branch
from ...bakes.baking import bake
from ...files.disk import one_line
from ...scenes.scene import Scene

PAUSE, GO_ON = b"0", b"1"

_going = threading.Event()
_going.set()


def say(**what: Any) -> None:
    """One line of JSON."""
    print(json.dumps(what), flush=True)


def _listen() -> None:
    while said := os.read(0, 4096):  # without the lock of sys.stdin, which the end of Python wants
        (_going.clear if said.endswith(PAUSE) else _going.set)()
    _thread.interrupt_main()
    _going.set()


def _tell(done: int, total: int, left: float) -> None:
    say(done=done, total=total, left=left)
    _going.wait()


def _bake(task: dict[str, Any]) -> None:
    scene = Scene.load(task["scene"])
    how: dict[str, Any] = {
        "frames": (1, task["frames"]),
        "overwrite": task["overwrite"],
        "progress": _tell,
    }
    if task["origin"] is not None:
        branch(scene, task["origin"], task["folder"], frame=task["kept"], **how)
    else:
        how |= {"archive": task["archive"], "tracers": task["points"]}
        bake(scene, task["folder"], fps=task["fps"], **how)


def main(arguments: str) -> int:
    """Bake; the exit status: 0 done, 1 an error, 2 stopped."""
    task = json.loads(arguments)
    # A Blender that a script has started in the background hands on that it ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(os, "nice"):
        os.nice(5)  # Blender's own threads go first
    threading.Thread(target=_listen, daemon=True).start()
    warnings.showwarning = lambda message, *_, **__: say(warning=str(message))
    try:
        _bake(task)
    except KeyboardInterrupt:
        return 2
    except Exception as error:
        say(error=one_line(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
