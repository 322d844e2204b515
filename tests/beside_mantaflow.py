"""A plume of smoke by Mantaflow and by vorton: what a frame costs, and what detail it has.

    python tests/beside_mantaflow.py OUT [CASE ...] [--fine] [--repeats N]

Wants Blender 3.4 with Mantaflow and OpenVDB's Python module (Debian: `apt-get install blender
python3-openvdb`), SciPy and Pillow. Bakes each case into OUT, one processor each, prints a table in
Markdown, and writes OUT/table.json and OUT/plumes.png. A case that OUT/CASE/case.json tells of is
not baked again. `--fine` adds what takes a quarter of an hour. Cases by themselves: their names.

Both plumes rise from a disk .25 m in radius, in 40 frames of 1/24 s, to some 1.6 m. Mantaflow's
domain is 2 x 2 x 2.8 m, adaptive; a turbulence force stirs its source, as the swirl of ours does.
What is measured, all from the .vdb files after 40 frames, on one grid of .01 m:

- CPU s: of all threads, a frame, mean of frames 36 to 40, output included; of N bakes the least,
  where a bake takes less than 20 s. Ours writes while it steps on: its bake has a frame more.
- flow detail, 1/s^2: mean square of the vorticity in waves .1 to .05 m long, inside the smoke
  (.04 m from its surface, .1 m above the middle of the source).
- blobs, 1/m^3: places where the density, less its mean over some .05 m, stands out by a twentieth
  of the typical density, in a volume of the smoke. Typical is the mean density weighted by itself.
- growth: the powers of 1/width (cell or core) with which these grow, by least squares.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import binary_erosion, gaussian_filter, label

import vorton as vt

HERE = Path(__file__).parent
STEPS, MEASURED, FPS = 40, 5, 24
SHORT = 20.0  # s of CPU: shorter bakes are repeated

GRID, LOW, COUNT = 0.01, np.array([-0.8, -0.8, -0.2]), (160, 160, 200)  # m, m, cells
WAVES = (0.05, 0.1)  # m
BLOB = 0.05  # m
INSIDE, STANDS_OUT = 0.1, 0.05  # of the typical density

MANTAFLOW = {
    "mantaflow-04": (0.04, 1),
    "mantaflow-025": (0.025, 1),
    "mantaflow-025-noise": (0.025, 2),
    "mantaflow-0133": (0.0133, 1),
}
CORES = (0.09, 0.06, 0.045, 0.03, 0.02, 0.015)
VORTON = {f"vorton-{str(core)[2:]}": {"core": core} for core in CORES}
FAMILIES = {
    "Mantaflow": ("mantaflow-04", "mantaflow-025", "mantaflow-0133"),
    "vorton": tuple(VORTON),
}
VORTON["vorton-04-stirred"] = {"core": 0.04, "voxel": 0.016, "swirl": 0.6, "renew": 8}
FINE = ("mantaflow-0133", "vorton-015")
COLUMNS = {"cpu": "CPU s a frame", "detail": "flow detail, 1/s^2", "blobs": "blobs of .05 m, 1/m^3"}


# ---- bakes ----


def bake_mantaflow(folder, cell, noise):
    """What bake_mantaflow.py tells of its bake."""
    script, words = HERE / "hosts" / "bake_mantaflow.py", [str(folder), str(cell), str(noise)]
    command = ["blender", "-b", "-t", "1", "--factory-startup", "--python-exit-code", "1"]
    command += ["--python", str(script), "--", *words, str(STEPS)]
    run(command, folder)  # noise leaves a file of its own there
    record = json.loads((folder / "bake.json").read_text())
    record["cpu"] = float(np.mean(record["cpu"][-MEASURED:]))
    return record


def make_plume(core, voxel=None, swirl=0.3, renew=6):
    """By the default method; without `voxel` in voxels of half a core."""
    scene = vt.Scene("plume", seed=1, voxel=voxel or core / 2)
    source = vt.Disk(radius=0.25, thickness=0.1)
    smoke = {"temperature": 600, "swirl": swirl, "renew": renew, "lifetime": 3, "per_voxel": 6}
    scene.add(vt.Emitter(source, **smoke, core=core))
    return scene


def bake_here(folder, settings):
    """Bake a plume by vorton in this process; CPU s go to FOLDER/bake.json."""
    done = []  # CPU s when each frame, the first before all steps, is on the disk
    how = {"frames": (1, STEPS + 2), "fps": FPS, "threads": 1}
    vt.bake(
        make_plume(**settings),
        folder / "bake",
        tracers=False,
        progress=lambda *_: done.append(time.process_time()),
        **how,
    )
    spent = done[STEPS] - done[STEPS - MEASURED]
    record = {"cpu": spent / MEASURED, "cpu_total": done[STEPS] - done[0]}
    (folder / "bake.json").write_text(json.dumps(record))


def bake_vorton(folder, settings):
    remove(folder / "bake")
    run([sys.executable, __file__, "--here", str(folder), json.dumps(settings)])
    return json.loads((folder / "bake.json").read_text())


def run(command, folder=None):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stdout[-500:]}{done.stderr[-2000:]}")


def remove(folder):
    for file in sorted(folder.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()


# ---- both on one grid ----


def between(rows, places):
    """Linear between rows, which are at 0, 1 ...; 0 outside."""
    padded = np.concatenate([0 * rows[:1], rows, 0 * rows[:1]])
    places = np.clip(places + 1, 0, len(rows) + 1)
    below = np.minimum(places.astype(int), len(rows))
    share = np.float32(places - below).reshape(-1, *[1] * (rows.ndim - 1))
    return (1 - share) * padded[below] + share * padded[below + 1]


class Plume:
    """The density and the velocity that the .vdb files of a plume hold after all frames.

    `field` of them is trilinear between voxels, which is what renderers do.
    """

    def __init__(self, folder, name, record, reader):
        file = folder / "bake" / f"plume_{STEPS + 1:04d}.vdb"
        if name in MANTAFLOW:
            file = folder / "cache" / "data" / f"fluid_data_{STEPS:04d}.vdb"
        grids = {"density": ("density", file), "velocity": ("velocity", file)}
        if name in MANTAFLOW and MANTAFLOW[name][1] > 1:
            file = folder / "cache" / "noise" / f"fluid_noise_{STEPS:04d}.vdb"
            grids["density"] = ("density_noise", file)
        words = [word for grid, (named, path) in grids.items() for word in (grid, named, str(path))]
        run([reader, str(HERE / "hosts" / "dense_vdb.py"), str(folder / "grids.npz"), *words])
        self.arrays = dict(np.load(folder / "grids.npz"))
        self.staggered = name in MANTAFLOW
        if self.staggered:
            cell, corner = np.array(record["cell"]), np.array(record["corner"])
            self.voxel = {"density": cell / MANTAFLOW[name][1], "velocity": cell}
            self.first = {grid: corner + voxel / 2 for grid, voxel in self.voxel.items()}
            self.speed = record["frame_time"] * FPS * cell  # m/s: theirs are cells in their time
        else:
            self.voxel = {grid: self.arrays[f"voxel_{grid}"] for grid in grids}
            self.first = {grid: 0.0 for grid in grids}
            self.speed = np.ones(3)

    def _sample(self, grid, values, low, width, count, shift):
        """Values of a grid, 0 outside, at the centres of a lattice's cells: axis by axis."""
        first = self.first[grid] + (self.arrays[f"low_{grid}"] + shift) * self.voxel[grid]
        for a in range(3):
            places = low[a] + (np.arange(count[a]) + 0.5) * width - first[a]
            rows = between(np.moveaxis(values, a, 0), places / self.voxel[grid][a])
            values = np.moveaxis(rows, 0, a)
        return values

    def density(self, low=LOW, width=GRID, count=COUNT):
        """On a lattice of cells `width` m wide, relative to the typical density."""
        found = self._sample("density", self.arrays["density"], low, width, count, np.zeros(3))
        found = np.maximum(found, 0)
        return found / ((found.astype(float) ** 2).sum() / found.sum(dtype=float))

    def velocity(self):
        """m/s on the lattice of the measurements, (x, y, z, 3)."""
        found = np.empty((*COUNT, 3), np.float32)
        for a in range(3):
            shift = -0.5 * np.eye(3)[a] if self.staggered else np.zeros(3)
            values = self.arrays["velocity"][..., a] * np.float32(self.speed[a])
            found[..., a] = self._sample("velocity", values, LOW, GRID, COUNT, shift)
        return found


# ---- measures ----


def power_in_waves(field, shortest, longest):
    """Integral over the grid of the square of what waves of these lengths (m) add to a field."""
    axes = *(np.fft.fftfreq(n, GRID) for n in COUNT[:2]), np.fft.rfftfreq(COUNT[2], GRID)
    wave = np.meshgrid(*axes, indexing="ij")
    number = np.sqrt(sum(k**2 for k in wave))
    power = np.abs(np.fft.rfftn(field)) ** 2 / field.size
    power[..., 1 : COUNT[2] // 2] *= 2  # those waves whose mates are left out
    return power[(number >= 1 / longest) & (number < 1 / shortest)].sum() * GRID**3


def flow_detail(density, velocity):
    """Mean square of the vorticity in waves of WAVES inside the smoke, 1/s^2."""
    height = LOW[2] + (np.arange(COUNT[2]) + 0.5) * GRID
    inside = binary_erosion(density > INSIDE, iterations=4) & (height > 0.1)
    window = gaussian_filter(inside.astype(np.float32), 1.5)
    slope = [[np.gradient(velocity[..., c], GRID, axis=a) for a in range(3)] for c in range(3)]
    found = 0.0
    for a, b in ((1, 2), (2, 0), (0, 1)):
        found += power_in_waves((slope[b][a] - slope[a][b]) * window, *WAVES)
    return float(found / ((window**2).sum() * GRID**3))


def count_blobs(density):
    """In a cubic metre of smoke."""
    fine = gaussian_filter(density, BLOB / 4 / GRID)
    above = fine - gaussian_filter(density, BLOB / 2 / GRID)
    return float(label(above > STANDS_OUT)[1] / ((density > INSIDE).sum() * GRID**3))


def find_top(density):
    """Height below which all but a two-hundredth of the smoke is, m."""
    column = density.sum((0, 1))
    edges = LOW[2] + np.arange(1, COUNT[2] + 1) * GRID
    return float(np.interp(0.995, np.cumsum(column) / column.sum(), edges))


# ---- the picture ----

PIXEL, PICTURE_LOW, PICTURE_COUNT = 0.00625, np.array([-0.8, -0.8, -0.12]), (256, 256, 320)
THICKNESS = 5.0  # optical, of the column that the smoke has in the mean
KEY, SKY, GROUND = (1.15, 1.09, 1.01), (0.65, 0.8, 1.0), (0.05, 0.065, 0.09)
OCTAVES = ((0.55, 1.0), (0.25, 0.4), (0.12, 0.15))  # of scattering: weight, share of extinction
PIXELS_OF_TEXT = 18


def march(plume):
    """The smoke seen from the front, parallel rays, as thick optically as the others: RGB bytes."""
    density = plume.density(PICTURE_LOW, PIXEL, PICTURE_COUNT)
    column = density.sum(1, dtype=float)
    thick = density * np.float32(THICKNESS * column.sum() / (column**2).sum())
    shade = np.zeros(PICTURE_COUNT, np.float32)  # towards the key light: left, front, above
    layer = np.zeros(PICTURE_COUNT[:2], np.float32)
    for k in range(PICTURE_COUNT[2] - 1, -1, -1):
        moved = np.zeros_like(layer)
        moved[1:, 1:] = layer[:-1, :-1]
        layer = moved + np.float32(3**0.5) * thick[:, :, k]
        shade[:, :, k] = (moved + layer) / 2
    above = np.cumsum(thick[:, :, ::-1], axis=2)[:, :, ::-1]
    seen = np.exp(thick - np.cumsum(thick, axis=1)) * -np.expm1(-thick)
    key = (seen * sum(w * np.exp(-share * shade) for w, share in OCTAVES)).sum(1)
    sky = (seen * (0.22 * np.exp(-0.5 * above) + 0.05)).sum(1)
    through = np.exp(-thick.sum(1))
    light = sum(v[..., None] * np.array(c) for v, c in ((key, KEY), (sky, SKY), (through, GROUND)))
    light *= 0.75
    shown = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)  # filmic
    return np.uint8(255 * np.clip(shown, 0, 1).transpose(1, 0, 2)[::-1] ** (1 / 1.9))


def draw(out, records):
    """All plumes in rows of four."""
    width, height = PICTURE_COUNT[0], PICTURE_COUNT[2] + PIXELS_OF_TEXT
    columns = min(4, len(records))
    picture = Image.new("RGB", (columns * width, -(-len(records) // columns) * height))
    pen = ImageDraw.Draw(picture)
    for n, (name, record) in enumerate(records.items()):
        x, y = n % columns * width, n // columns * height
        picture.paste(Image.open(out / name / "plume.png"), (x, y))
        text = f"{name}: {record['cpu']:.2f} CPU s a frame"
        pen.text((x + 6, y + PICTURE_COUNT[2] + 3), text, fill=(255, 255, 255))
    picture.save(out / "plumes.png")


# ---- the table ----


def measure(out, name, repeats, reader):
    """The record of a case, baked and measured, or as it was."""
    folder = out / name
    kept = folder / "case.json"
    if kept.exists():
        return json.loads(kept.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    theirs = name in MANTAFLOW
    bake, how = (bake_mantaflow, MANTAFLOW[name]) if theirs else (bake_vorton, (VORTON[name],))
    found = [bake(folder, *how)]
    while len(found) < repeats and found[0]["cpu_total"] < SHORT:
        found.append(bake(folder, *how))
    plume = Plume(folder, name, found[-1], reader)
    density = plume.density()
    record = {
        "width": how[0] if theirs else how[0]["core"],
        "cpu": min(bake["cpu"] for bake in found),
        "cpu_of_bakes": [bake["cpu"] for bake in found],
        "cpu_total": found[0]["cpu_total"],
        "top": find_top(density),
        "volume": float((density > INSIDE).sum() * GRID**3),
        "detail": flow_detail(density, plume.velocity()),
        "blobs": count_blobs(density),
        "version": found[0].get("version", vt.__version__),
    }
    Image.fromarray(march(plume)).save(folder / "plume.png")
    kept.write_text(json.dumps(record))
    return record


def growth(records, names):
    """The powers of 1/width of each column, over the cases of a family; None where there is one."""
    there = [records[name] for name in names if name in records]
    if len(there) < 2:
        return None
    finer = -np.log([record["width"] for record in there])
    return {
        column: float(np.polyfit(finer, np.log([record[column] for record in there]), 1)[0])
        for column in COLUMNS
    }


def table(records):
    lines = ["| plume | " + " | ".join(COLUMNS.values()) + " | top, m | smoke, m^3 |"]
    lines.append("|---" * (len(COLUMNS) + 3) + "|")
    for name, r in records.items():
        lines.append(
            f"| {name} | {r['cpu']:.2f} | {r['detail']:.2f} | {r['blobs']:.0f} | "
            f"{r['top']:.2f} | {r['volume']:.2f} |"
        )
    lines += ["", "| growth with 1/width | " + " | ".join(COLUMNS.values()) + " |"]
    lines.append("|---" * (len(COLUMNS) + 1) + "|")
    for family, names in FAMILIES.items():
        powers = growth(records, names)
        if powers:
            lines.append(f"| {family} | " + " | ".join(f"{p:.1f}" for p in powers.values()) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join([*MANTAFLOW, *VORTON]))
    parser.add_argument("--fine", action="store_true", help=f"also {', '.join(FINE)}")
    parser.add_argument("--repeats", type=int, default=1, help="of bakes below 20 s, default 1")
    parser.add_argument(
        "--openvdb", default="/usr/bin/python3", metavar="PYTHON", help="with OpenVDB's module"
    )
    options = parser.parse_intermixed_args()
    usual = [name for name in (*MANTAFLOW, *VORTON) if options.fine or name not in FINE]
    names = options.cases or usual
    for name in names:
        if name not in MANTAFLOW and name not in VORTON:
            parser.error(f"no case {name!r}; allowed are {', '.join([*MANTAFLOW, *VORTON])}")
    os.environ["OMP_NUM_THREADS"] = "1"
    records = {}
    for name in names:
        records[name] = measure(options.out.resolve(), name, options.repeats, options.openvdb)
        print(f"{name}: {records[name]}", file=sys.stderr, flush=True)
    growths = {family: growth(records, cases) for family, cases in FAMILIES.items()}
    written = json.dumps({"cases": records, "growth": growths}, indent=1)
    (options.out / "table.json").write_text(written)
    draw(options.out.resolve(), records)
    print(table(records))


if __name__ == "__main__":
    if sys.argv[1] == "--here":
        bake_here(Path(sys.argv[2]), json.loads(sys.argv[3]))
    else:
        main()
