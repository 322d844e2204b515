"""What tests of panels share: directions, a norm, and the way of a ring beside a wall."""

import numpy as np


def directions(count=200):
    d = np.random.default_rng(8).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1)[:, None]


def rms(v):
    return np.sqrt((np.asarray(v, float) ** 2).sum(axis=-1).mean())


def track(sim, frames):
    """Height and radius of the ring above z = 0, frame by frame."""
    ids, way = sim.vortons.id[sim.vortons.position[:, 2] > 0].copy(), []
    for _ in range(frames):
        sim.step(2)
        rows = sim.vortons.rows(ids)
        x, weight = sim.vortons.position[rows], np.linalg.norm(sim.vortons.strength[rows], axis=1)
        radius = np.hypot(x[:, 0], x[:, 1])
        way.append((np.average(x[:, 2], weights=weight), np.average(radius, weights=weight)))
    return np.array(way)
