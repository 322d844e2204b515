"""One vorticity, three solvers and four boundaries side by side (articles, part 20, Figure 1).

Two rings in the open, and the velocity that each method finds for them on a slice: by the sum over
all pairs, by the tree, and by the grid with each choice for the vector potential on its faces. The
grid's faces are where the pictures end: only A = 0 feels them, as walls that no fluid passes.

python examples/boundaries.py                   # error and time of each
python examples/boundaries.py boundaries.png    # and the picture (pip install matplotlib)
"""

import sys
import time

import numpy as np

import vorton as vt
from vorton import _core

SLICE = 160  # points along the longer side
CORE = 0.05  # of the vortons, m

CHOICES = {
    "direct sum": {"velocity": "direct"},
    "tree": {"velocity": "tree"},
    "grid, integrated boundary\n(the default)": {"boundary": "clusters"},
    "grid, boundary of the articles\n(every other node)": {"boundary": "decimated"},
    "grid, A = 0 at the boundary": {"boundary": "zero"},
}

scene = vt.Scene("boundaries", seed=3)
scene.add(vt.VortexRing(axis=(1, 0, 0.3), radius=0.5, core=0.12, vorton_core=CORE))
scene.add(
    vt.VortexRing(
        center=(0.3, 0, 0.75),
        axis=(-0.5, 0, 1),
        radius=0.25,
        core=0.08,
        vorton_core=CORE,
        circulation=0.5,
    )
)


def simulate(choice):
    """The scene with this method, and what one Euler step costs: ms of one thread."""
    method = vt.Method(time="euler", **choice)
    sim = vt.Simulation(
        vt.Scene.from_dict({**scene.to_dict(), "method": method.to_dict()}), threads=1
    )
    times = []
    for _ in range(12):
        start = time.process_time()
        sim.advance(1e-6)
        times.append(1e3 * (time.process_time() - start))
    return sim, min(times)


def slice_points(grids, side):
    """The plane y = 0 inside the grid: coordinates along x and z, and points (nz, nx, 3)."""
    nz, _, nx, _ = grids.velocity.shape
    size = np.array([nx - 1, nz - 1]) * grids.spacing
    low = np.array([grids.origin[0], grids.origin[2]])
    count = np.ceil(side * size / size.max()).astype(int)
    x, z = (np.linspace(low[a], low[a] + size[a], count[a]) for a in (0, 1))
    points = np.zeros((len(z), len(x), 3))
    points[..., 0], points[..., 2] = x, z[:, None]
    return x, z, points


def exact_velocity(sim, points):
    """The sum over all vortons in float64."""
    vortons = [np.array(getattr(sim.vortons, n), float) for n in ("position", "strength", "core")]
    flat = np.float32(points).reshape(-1, 3).astype(float)
    return _core.direct_sum(flat, *vortons)[0].reshape(points.shape)


def compare(side=SLICE):
    """Rows of (name, velocity on the slice, rms error, milliseconds); coordinates; the truth."""
    sims = {name: simulate(choice) for name, choice in CHOICES.items()}
    grid_sim = next(sim for sim, _ in sims.values() if sim.scene.method.velocity == "poisson")
    grid_sim.update_fields()
    x, z, points = slice_points(grid_sim.grids, side)
    exact = exact_velocity(grid_sim, points)
    rows = []
    for name, (sim, milliseconds) in sims.items():
        velocity = sim.velocity_at(points.reshape(-1, 3)).reshape(points.shape)
        error = np.sqrt(((velocity - exact) ** 2).sum() / (exact**2).sum())
        rows.append((name, velocity, error, milliseconds))
    return rows, x, z, exact


def percent(error):
    return f"{100 * error:.2g} %" if error > 1e-5 else "< 0.001 %"


def draw(path, rows, x, z, exact):
    """Speed with streamlines above, error below."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm

    typical = np.sqrt((exact**2).sum(axis=-1).mean())
    fastest = np.linalg.norm(exact, axis=-1).max()
    figure, axes = plt.subplots(2, len(rows), figsize=(14, 8.2), layout="constrained")
    for (name, velocity, error, milliseconds), (above, below) in zip(rows, axes.T):
        speed = np.linalg.norm(velocity, axis=-1)
        shown = above.pcolormesh(x, z, speed, cmap="magma", vmin=0, vmax=fastest, rasterized=True)
        above.streamplot(
            x, z, velocity[..., 0], velocity[..., 2],
            color=(1, 1, 1, 0.75), linewidth=0.7, arrowsize=0.8, density=1.1,
        )  # fmt: skip
        above.set_title(f"{name}\n{percent(error)} off, {milliseconds:.2g} ms", fontsize=10)
        wrong = np.linalg.norm(velocity - exact, axis=-1) / typical
        shown_error = below.pcolormesh(
            x, z, 100 * wrong, cmap="viridis", norm=LogNorm(1e-3, 100), rasterized=True
        )
        for panel in (above, below):
            panel.set(aspect="equal", xlim=x[[0, -1]], ylim=z[[0, -1]], xticks=[], yticks=[])
    figure.colorbar(shown, ax=axes[0], label="speed, m/s", shrink=0.8, pad=0.01)
    figure.colorbar(
        shown_error, ax=axes[1], label="error, % of the rms speed", shrink=0.8, pad=0.01
    )
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    rows, *plane = compare()
    for name, _, error, milliseconds in rows:
        print(f"{name.replace(chr(10), ' '):52} {percent(error):>10} {milliseconds:8.2f} ms")
    if len(sys.argv) > 1:
        draw(sys.argv[1], rows, *plane)
