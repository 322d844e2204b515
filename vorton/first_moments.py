"""The command while its modules are still being imported: a signal ends it with one line.

The package imports this module before all others, which sets that up where it is imported for the
command. Nothing has begun then that needs to be ended, but Python would show where in the imports
it was, or end without a word. What this module needs Python has imported when it starts: the module
`signal` would take as long as all before.
"""

from __future__ import annotations

import _signal
import os
import sys

__all__ = ["hand_over"]

_WORDS = {_signal.SIGINT: "interrupted", _signal.SIGTERM: "terminated"}
_BEFORE = {_signal.SIGINT: _signal.default_int_handler, _signal.SIGTERM: _signal.SIG_DFL}


def _end(number: int, frame: object) -> None:
    os.write(2, f"vorton: {_WORDS[number]}; nothing has begun\n".encode())
    os._exit(128 + number)


def _is_command() -> bool:
    """Whether Python was started for the command: `vorton`, or `python -m vorton`."""
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    if first == "-m":  # as long as Python looks for the module
        return "vorton" in sys.orig_argv
    return os.path.splitext(os.path.basename(first))[0] == "vorton"


def _watch() -> None:
    """From here on, in the command, unless somebody else looks after a signal."""
    if not _is_command():
        return
    for number, before in _BEFORE.items():
        if _signal.getsignal(number) == before:
            try:
                _signal.signal(number, _end)
            except ValueError:  # not the main thread
                return


def hand_over() -> None:
    """As it was before."""
    for number, before in _BEFORE.items():
        if _signal.getsignal(number) is _end:
            _signal.signal(number, before)


_watch()
