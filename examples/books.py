"""Books of a turbulent ball: what the default method keeps, and what is lost without safeguards.

A ball of random eddies is left to itself. Nothing drives it: its energy may only fall, the sum of
its vorticity stays nothing, its impulse stays what it was, and its vorticity stays free of
divergence. A vortex method breaks each of these a little at every step, and stretching amplifies
it. The default method bounds the strength that is stretched and cleans the divergence away; without
both the same ball blows up within three turnovers.

python examples/books.py              # a line for each turnover
python examples/books.py books.png    # and the picture (pip install matplotlib)
"""

import sys

import numpy as np

import vorton as vt
from vorton.records import HEALTH_LIMITS

EDDY, SPEED = 0.5, 1.0  # m, m/s
TURNOVER = EDDY / SPEED  # s
ROWS = 10  # a turnover
LARGEST_RISE = 4.0  # of energy: then it has blown up

METHODS = {
    "default method": vt.Method(),
    "without bound and cleaning": vt.Method(bound=0, cleaning=0),
}

BAD = {name: row.limit for name, row in HEALTH_LIMITS.items()}
DIVERGENCE = "divergence: rms div $\\omega$ / rms |grad $\\omega$|"

# Name, title, what the numbers are divided by (None: as they are), limit above which it is bad.
PANELS = (
    ("energy", "energy, of that at the start", "start", 1.02),
    ("enstrophy", "enstrophy of the grid, of that at the start", "start", None),
    ("strength_excess", "strength of vortons / grid", None, BAD["strength_excess"]),
    ("impulse_drift", "impulse: way from the start, %", None, None),
    ("strength_share", "|sum of strengths| / sum of |strengths|, %", None, None),
    ("vorticity_divergence", DIVERGENCE, None, BAD["vorticity_divergence"]),
)


def make_scene(method):
    scene = vt.Scene("books", seed=1, method=method)
    scene.add(vt.RandomCloud(vt.Sphere(radius=1.0), speed=SPEED, eddy=EDDY, core=EDDY / 8, seed=1))
    return scene


def follow(method, turnovers):
    """Columns of the books by name, until the end or until the flow has blown up."""
    sim = vt.Simulation(make_scene(method), fps=ROWS / TURNOVER)
    first = sim.health
    # As much impulse as the strengths would have if all pushed the same way.
    reach, size = (
        np.linalg.norm(column, axis=1) for column in (sim.vortons.position, sim.vortons.strength)
    )
    most_impulse = 0.5 * float((reach * size).sum())
    rows = []

    def enter(health):
        drift = np.linalg.norm(np.subtract(health.impulse, first.impulse))
        row = {name: health[name] for name, *_ in PANELS if name in health}
        row["turnovers"] = sim.time / TURNOVER
        row["impulse_drift"] = 100 * drift / most_impulse
        row["strength_share"] *= 100
        rows.append(row)
        return health.energy < LARGEST_RISE * first.energy

    enter(first)
    try:
        for _ in sim.frames(round(turnovers * ROWS)):
            if not enter(sim.health):
                break
    except vt.BlowUpError as error:  # the flow has blown up within a frame
        print(error)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def write(books):
    print("turnovers  energy  enstrophy  excess  impulse, %  strength, %  divergence")
    excess = books["strength_excess"]
    for n in range(0, len(books["energy"]), ROWS):
        start = {name: books[name][0] for name in ("energy", "enstrophy")}
        print(
            f"{books['turnovers'][n]:9.0f}  {books['energy'][n] / start['energy']:6.3f}"
            f"  {books['enstrophy'][n] / start['enstrophy']:9.3f}  {excess[n]:6.2f}"
            f"  {books['impulse_drift'][n]:10.2f}  {books['strength_share'][n]:11.2f}"
            f"  {books['vorticity_divergence'][n]:10.3f}"
        )


def draw(path, kept):
    """A panel for each number, scaled for the first of the methods."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained", sharex=True)
    colours = ("#1f5f8b", "#c8553d")
    for (name, title, divisor, limit), panel in zip(PANELS, axes.flat):
        lines = [books[name] / (books[name][0] if divisor else 1) for books in kept.values()]
        top = 1.35 * max(lines[0].max(), limit or 0)
        for (label, books), values, colour in zip(kept.items(), lines, colours):
            panel.plot(books["turnovers"], values, color=colour, linewidth=2, label=label)
            if label != "default method" and values[-1] < top:
                panel.plot(books["turnovers"][-1], values[-1], "x", color=colour)
        panel.set(xlim=(0, lines[0].size / ROWS), ylim=(0, top))
        panel.set_title(title, fontsize=11)
        if limit:
            panel.axhline(limit, color="0.5", linestyle="--", linewidth=1, label="bad above this")
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(alpha=0.25)
    for panel in axes[1]:
        panel.set_xlabel("eddy turnovers")
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    kept = {}
    for name, method in METHODS.items():
        print(name)
        kept[name] = follow(method, turnovers=24)
        write(kept[name])
    if len(sys.argv) > 1:
        draw(sys.argv[1], kept)
