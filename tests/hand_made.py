"""What several tests share: simulations whose particles are added by hand, other interpreters."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np

import vorton as vt

ROOT = Path(__file__).resolve().parent.parent


def is_neutral(flags):
    """Of each row, whether it is a vorton that was added around others."""
    return flags & vt.VortonFlag.NEUTRAL != 0


def ring(count=200, radius=0.5, core=0.1, circulation=1.0):
    """Columns of a vortex ring one vorton thick: position, strength, core and volume."""
    angle = np.arange(count) * (2 * np.pi / count)
    length = 2 * np.pi * radius / count
    position = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)
    tangent = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    volume = np.full(count, np.pi * core**2 * length)
    return position, circulation * length * tangent, np.full(count, core), volume


def simulation(vortons=200, tracers=500, **arguments):
    """A ring of vortons with tracers around it; arguments go to vt.Simulation."""
    sim = vt.Simulation(**arguments)
    position, strength, core, volume = ring(vortons)
    sim.vortons.add(position, strength, core=core, volume=volume)
    if tracers:
        points = np.random.default_rng(1).normal(0, 0.3, (tracers, 3))
        sim.tracers.add(points, density=1e-3, size=0.05)
    return sim


LEFT_OUT = {"tracers.velocity"}  # by who loads a state, as of its time


def state(sim, but=()):
    """Everything that a user sees of the state, as bytes: equal before and after a failed call.
    Columns ("tracers.velocity") may be left out."""
    columns = [
        getattr(getattr(sim, kind), name).tobytes()
        for kind in ("vortons", "tracers")
        for name in getattr(sim, kind)._columns
        if f"{kind}.{name}" not in but
    ]
    return sim.time, sim.frame, sim.vortons.count, sim.tracers.count, columns


def listen_to_ctrl_c():
    """For a new process: what starts tests in the background may have made Ctrl-C be ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_python(code, timeout=120):
    """Runs the code in a fresh interpreter; its output."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, cwd=ROOT / "tests", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def crate_boards(thick):
    """Around a hollow of .36 x .36 x .23 m that is open above, each as long as its side."""
    a, b = 0.18, 0.18 + thick
    return [
        vt.Box((-b, -b, -thick), (b, b, 0)),
        vt.Box((-b, -b, -thick), (-a, b, 0.23)),
        vt.Box((a, -b, -thick), (b, b, 0.23)),
        vt.Box((-b, -b, -thick), (b, -a, 0.23)),
        vt.Box((-b, a, -thick), (b, b, 0.23)),
    ]
