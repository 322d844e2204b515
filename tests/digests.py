"""SHA-256 of all that short scenes leave behind: whether a change of the code changes a bit.

    python tests/digests.py > before.txt
    PYTHONPATH=another/tree python tests/digests.py > after.txt && diff before.txt after.txt

prints a line for each scene with 1 and with 4 threads: name, threads, instruction set, backend and
the digest of everything. `--parts` adds a line for each column, number of health, field and file,
by its place in the list and not by its name; `--names` says the names, too. `--all` runs every
instruction set and both backends, `--quick` the scenes of some seconds, once. Names after the
options choose scenes.

The command fails where variants of one scene differ, where a row or a choice of method.def changes
nothing, and where a kind of source, shape, effect, body or fluid, a column, or a number of health
is not reached.
"""

import argparse
import hashlib
import itertools
import json
import os
import subprocess
import sys
import warnings

import numpy as np
from digest_scenes import ROWS, SCENES, all_kinds, kinds_in, run_row, values_of

import vorton as vt
from vorton import _core
from vorton.preview import Camera, render

BEST = "best"
PLAIN = [(BEST, "pthread", 1), (BEST, "pthread", 4)]
ALL = [*PLAIN, (BEST, "openmp", 1), (BEST, "openmp", 4)]
ALL += [(simd, "pthread", threads) for simd in ("avx2", "scalar") for threads in (1, 4)]
PICTURED = ("everything-fire", "everything-room", "stratified-fire", "liquid-with-heat")
SLOW = ("everything-room",)
POINTS = [[0, 0, 0], [0.3, 0.2, 0.1], [-0.6, 0.1, 0.4], [9, 8, 7]]


# ---- what is hashed ----


def digest(array):
    """Of type, shape and values."""
    array = np.ascontiguousarray(array)
    head = f"{array.dtype.str} {array.shape} "
    return hashlib.sha256(head.encode() + array.tobytes()).hexdigest()


def numbered(group, named):
    """(label, name, array) of each value that is no text, in their order."""
    values = [(name, value) for name, value in named.items() if not isinstance(value, str)]
    return [(f"{group}/{n:02d}", name, np.asarray(v)) for n, (name, v) in enumerate(values)]


def as_signed_columns(columns):
    """The columns of vortons with the flags in signs: `bound_volume`, `halo` (in the place of the
    flags) and `panel` as they were before there were flags, so that digests stay comparable."""
    if "flags" not in columns:
        return columns
    flags = columns["flags"]
    neutral, newborn, known, shed = (
        flags & vt.VortonFlag[name] != 0
        for name in ("NEUTRAL", "NEWBORN_VORTEX", "BOUND_KNOWN", "SHED")
    )
    bound, panel = columns["bound_volume"], columns["panel"].astype(np.float32)
    signed = {
        "bound_volume": np.where(known, bound, -bound),
        "flags": np.where(newborn, -1, neutral).astype(np.float32),
        "panel": np.where(shed & (panel == 0), -1, panel).astype(np.float32),
    }
    return {"halo" if name == "flags" else name: signed.get(name, columns[name])
            for name in columns}  # fmt: skip


def column_parts(sim):
    for group, columns in ("vortons", _core.VORTON_COLUMNS), ("tracers", _core.TRACER_COLUMNS):
        found = {column["name"]: sim._core.column(group, column["name"]) for column in columns}
        yield from numbered(group, as_signed_columns(found) if group == "vortons" else found)


def body_parts(sim):
    """Records, distances and panels of bodies: one array for each of their fields."""
    bodies = sim._core.bodies()
    if not bodies:
        return
    names = [n for n in bodies[0] if n != "id" and not isinstance(bodies[0][n], str)]
    names.sort(key=lambda n: n in ("rotation", "inertia"))  # last, so that digests stay comparable
    yield from numbered("bodies", {name: [body[name] for body in bodies] for name in names})
    for n in range(len(bodies)):
        distances = zip(("distance", "nearest", "normal"), sim.body_distance(n, POINTS))
        yield from numbered(f"distance-{n}", dict(distances))
        try:
            panels = sim._core.panels(n)
        except ValueError:  # a body without panels
            continue
        yield from numbered(f"panels-{n}", panels)


def field_parts(sim):
    fields = {"velocity_at": sim.velocity_at(POINTS)}
    if sim.method.velocity == "poisson" and sim.vortons.count:
        sim.update_fields()
        for name in ("velocity", "vector_potential"):
            view, origin, spacing = sim._core.grid(name)
            fields |= {name: view, f"{name}.place": [*origin, spacing]}
    return numbered("fields", fields)


def volume_parts(scene, sim):
    """Files and numbers of volumes, and a picture of some."""
    found = {}
    for sharp in False, True:
        volume = sim.volume(sharp=sharp)
        whole = volume.encode_vdb(half=False)
        packed = volume.encode_vdb(compress=False)
        found[f"vdb {sharp}"] = np.frombuffer(packed, np.uint8)
        found[f"vdb of floats {sharp}"] = np.frombuffer(whole, np.uint8)
        for name, value in volume.info().items():
            if not isinstance(value, (str, dict)):
                found[f"{name} {sharp}"] = value
    if scene in PICTURED:
        camera = Camera((0.5, -4, 0.4), (0, 0, 0.2))
        found["picture"] = render(sim.volume(), camera, (64, 48), bodies=sim, threads=1)
    return numbered("volume", found)


def parts_of(scene, sim):
    """(label, name, array) of all that a user can see of a simulation."""
    yield "clock", "clock", np.array([sim.time, sim.frame])
    yield from column_parts(sim)
    yield from numbered("health", sim._core.health())
    yield from body_parts(sim)
    yield from field_parts(sim)
    yield from volume_parts(scene, sim)


def solver_parts():
    """What the functions without a simulation give."""
    random = np.random.default_rng(4)
    x, strength = random.normal(size=(2, 300, 3))
    found = {}
    for kernel in ("gaussian", "wl", "ball"):
        sums = _core.direct_sum(x[:50], x, strength, np.full(300, 0.3), kernel=kernel,
                                gradient=True, potential=True)  # fmt: skip
        found |= {f"{kernel} {n}": array for n, array in enumerate(sums)}
    field = random.normal(size=(17, 21, 25, 3)).astype(np.float32)
    for poisson in ("direct", "multigrid", "nested"):
        found[poisson] = _core.solve_poisson(field, 0.1, method={"poisson": poisson})
    return numbered("solvers", found)


# ---- one variant, in a process of its own ----


class Record:
    """Digests of one variant, and what was reached."""

    def __init__(self):
        self.scenes, self.names, self.missing = {}, {}, []
        self.kinds, self.alive, self.seen = set(), set(), {}

    def add(self, scene, parts):
        """The digest of everything in these parts."""
        digests = {}
        for label, name, array in parts:
            digests[label] = digest(array)
            self.names[f"{scene} {label}"] = name
            group = label.split("/")[0]
            if group in ("vortons", "tracers", "health", "bodies"):
                self.seen[label] = f"{group}.{name}"
                if (
                    array.size
                    and np.ptp(array.astype(float)) > 0
                    or group == "health"
                    and array.any()
                ):
                    self.alive.add(label)
        whole = hashlib.sha256("".join(digests.values()).encode()).hexdigest()
        self.scenes[scene] = {"": whole, **digests}
        return whole

    def check_reach(self):
        for label in self.seen.keys() - self.alive:
            self.missing.append(f"{label} ({self.seen[label]}) is the same everywhere")
        self.missing += [f"no {kind.__name__} in any scene" for kind in all_kinds() - self.kinds]


def run_row_of(record, row, threads):
    """Each value of a row of method.def must give a flow of its own."""
    name, values = row["name"], values_of(row)
    if name not in ROWS or len(values) < 2:
        record.missing.append(f"row {name} of method.def is not tried")
        return
    digests, found = {}, []
    for case, (flow, beside) in enumerate(ROWS[name]):
        flows = {}
        for n, value in enumerate(values):
            sim = run_row(flow, beside, name, value, threads)
            label = f"row-{name}/{case}-{n}"
            flows.setdefault(record.add(label, parts_of("", sim)), []).append(value)
            digests[f"{case}/{n}"] = record.scenes.pop(label)[""]
        found.append({tuple(alike) for alike in flows.values()})
    # two values that are alike in every flow have not been told apart
    for a, b in itertools.combinations(values, 2):
        if all(any(a in alike and b in alike for alike in flow) for flow in found):
            record.missing.append(f"row {name}: {a} and {b} give the same flow")
    whole = hashlib.sha256("".join(digests.values()).encode()).hexdigest()
    record.scenes[f"row-{name}"] = {"": whole, **digests}


def run_here(names, threads, quick):
    """The record of this process as JSON."""
    record = Record()
    warnings.simplefilter("ignore")
    for scene in SCENES:
        if names and scene not in names or quick and scene in SLOW:
            continue
        sim = SCENES[scene](threads)
        record.kinds |= kinds_in(sim)
        record.add(scene, parts_of(scene, sim))
    if not names:
        record.add("solvers", solver_parts())
        for row in _core.DEFINITIONS["method"].values():
            run_row_of(record, row, threads)
        if not quick:
            record.check_reach()
    print(json.dumps({"simd": _core.simd(), "backend": _core.backend(), "names": record.names,
                      "scenes": record.scenes, "missing": sorted(record.missing)}))  # fmt: skip


# ---- all variants ----


def run_variant(simd, backend, threads, options):
    """What a process of its own says, or None where this processor or build cannot."""
    environment = {**os.environ, "VORTON_BACKEND": backend, "OMP_WAIT_POLICY": "passive"}
    environment.pop("VORTON_SIMD", None)
    if simd != BEST:
        environment["VORTON_SIMD"] = simd
    command = [sys.executable, __file__, "--here", str(threads), *options.scenes]
    command += ["--quick"] * options.quick
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{simd} {backend} {threads} threads: exit code {done.returncode}")
    found = json.loads(done.stdout)
    if found["backend"] != backend or simd not in (BEST, found["simd"]):
        print(f"no {simd} with {backend} here", file=sys.stderr)
        return None
    return found


def lines_of(found, threads, options):
    for scene, digests in found["scenes"].items():
        for label, value in digests.items():
            if not label or options.parts:
                name = found["names"].get(f"{scene} {label}", "") if options.names else ""
                where = f"{scene} {label or '-'} threads={threads}"
                yield f"{where} {found['simd']} {found['backend']} {value} {name}".rstrip()


def differences(first, found):
    """Scenes and parts in which two variants differ."""
    for scene, digests in first["scenes"].items():
        other = found["scenes"][scene]
        parts = [label or "all" for label in digests if other.get(label) != digests[label]]
        if parts:
            yield f"{scene}: {', '.join(parts)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="of these alone")
    parser.add_argument("--parts", action="store_true", help="a line for each part, too")
    parser.add_argument("--names", action="store_true", help="say the names of parts")
    parser.add_argument("--all", action="store_true", help="all instruction sets and backends")
    parser.add_argument("--quick", action="store_true", help="one thread, without slow scenes")
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.scenes) - SCENES.keys()
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: scenes are {', '.join(SCENES)}")
    if options.here:
        run_here(options.scenes, options.here, options.quick)
        return
    print(f"{vt.__file__}", file=sys.stderr)
    lines, wrong, first = [], [], None
    for simd, backend, threads in ALL if options.all else PLAIN[: 1 if options.quick else 2]:
        found = run_variant(simd, backend, threads, options)
        if found is None:
            continue
        first = first or found
        lines += lines_of(found, threads, options)
        wrong += found["missing"]
        variant = f"{found['simd']} {backend} {threads} threads differs from the first in"
        wrong += [f"{variant} {text}" for text in differences(first, found)]
    print("\n".join(sorted(lines)))
    if wrong:
        sys.exit("\n".join(dict.fromkeys(wrong)))


if __name__ == "__main__":
    main()
