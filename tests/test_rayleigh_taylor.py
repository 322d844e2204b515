"""VALIDATION B5: waves on the faces of a slab of fluid, small density contrast, at rest at first.

The slab is as thick as d, fluid of another density than the ambient one, on both sides of which the
ambient fluid goes on for ever. A wave of wavenumber k on one face is a vortex sheet, which moves
that face and, weaker by s = exp(-k d), the other. With heavy fluid below a face the wave
oscillates, with light fluid it grows; displacements a of the unstable face and b of the stable one
obey, in units of the rate sqrt(A g k),

    a'' = S a - s b,   b'' = s a - S b   =>   rate^4 = S^2 - s^2,   S = 1

(from the vertical velocity of a sheet, exp(-k |z|) / 2 a unit of strength k). Vortons have Gaussian
cores of radius c: the sum over the sheet's Fourier components exp(-c^2 (k^2 + q^2) / 2) gives
S = erfc(k c / sqrt 2), and s changes likewise. The grid finds the gradient of density by a mean
over a cell (twice) and a difference over two: variances 1/6 + 1/6 + 1/3 cells^2.

The wave is J0(k r): a single wavenumber, which decays outward. It ends at the third extremum of J0,
with the slab, which as a whole sinks a little. Half the difference between runs with opposite waves
is free of that. The first displacement keeps volumes: else vortons lie thinner where it stretches,
and the ambient ones that then fill the gaps are a wave of their own.
"""

import math

import numpy as np
import pytest
from marks import slow_but
from scipy.integrate import trapezoid
from scipy.optimize import curve_fit
from scipy.special import j0, j1, jn_zeros

import vorton as vt

GRAVITY = 9.81
ATWOOD = 0.01
THICKNESS = 1.5  # k d
HEIGHT = 0.3  # of the wave, cells
APART = 0.94  # vortons, cells
CORE = math.hypot(1.5, math.sqrt(2 / 3))


def coupling(k, d, core):
    """S and s for a wavenumber, a thickness and a core radius."""
    if core == 0:
        return 1.0, math.exp(-k * d)
    near, far = k * core / math.sqrt(2), d / core / math.sqrt(2)
    across = math.exp(-k * d) * math.erfc(near - far) + math.exp(k * d) * math.erfc(near + far)
    return math.erfc(near), across / 2


class Slab:
    """Vortons of the slab and of the ambient fluid around it, and its wave."""

    def __init__(self, wavelength, jitter=0.0):
        self.k = 2 * math.pi / wavelength
        layers = round(THICKNESS / self.k / APART)
        self.thickness = layers * APART
        radius = jn_zeros(1, 2)[1] / self.k
        reach = int(radius / APART) + 5
        flat = APART * np.arange(-reach, reach + 1)
        up = APART * (np.arange(-5, layers + 5) + 0.5)
        x = np.stack(np.meshgrid(flat, flat, up, indexing="ij"), axis=-1).reshape(-1, 3)
        self.x = x[np.hypot(x[:, 0], x[:, 1]) < radius + 3.5 * APART]
        r, z = np.hypot(self.x[:, 0], self.x[:, 1]), self.x[:, 2]
        self.inside = (r < radius) & (z > 0) & (z < self.thickness)
        self.wave = j0(self.k * np.minimum(r, radius))
        self.noise = APART * np.random.default_rng(1).uniform(-jitter, jitter, self.x.shape)
        self.watched = (np.abs(z) < APART) & (r < 0.6 * radius)

    def displacement(self):
        """The eigenmode led by the lower face, 1 at its crest; free of divergence."""
        own, other = coupling(self.k, self.thickness, CORE)
        upper = (own - math.sqrt(own**2 - other**2)) / other
        (x, y, z), d, k = self.x.T, self.thickness, self.k
        below, above = np.exp(k * z), upper * np.exp(k * (d - z))
        within = 1 + (upper - 1) * z / d
        up = np.where(z < 0, below, np.where(z > d, above, within))
        slope = np.where(z < 0, k * below, np.where(z > d, -k * above, (upper - 1) / d))
        r = np.maximum(np.hypot(x, y), 1e-9)
        out = -slope / k * j1(np.minimum(k * r, jn_zeros(1, 2)[1])) / r
        return np.stack([out * x, out * y, up * self.wave], axis=1)

    def heights(self, deviation, times):
        """Of the wave on the lower face, over that at the start; runs for both of its signs."""
        found = []
        for sign in (1, -1):
            x = self.x + self.noise + sign * HEIGHT * self.displacement()
            sim = vt.Simulation(vt.Scene(spacing=1.0, ambient=vt.Gas(density=1.0)))
            density = np.where(self.inside, deviation, 0)
            ids = sim.vortons.add(x, 0 * x, core=1.5, volume=APART**3, density=density)
            heights = [x[self.watched, 2]]
            for now, after in zip(times[:-1], times[1:], strict=True):
                sim.advance(after - now)
                rows = sim.vortons.rows(ids[self.watched])
                heights.append(sim.vortons.position[rows, 2].astype(float))
            found.append(np.array(heights))
        heights = (found[0] - found[1]) @ self.wave[self.watched]
        return heights / heights[0]


def measured_rate(slab, grows):
    """In units of sqrt(A g k), and how far the wave ever is from the cosh or cos of that rate."""
    unit = math.sqrt(ATWOOD * GRAVITY * slab.k)
    time = np.linspace(0, 2, 11)
    heights = slab.heights((2 if grows else -2) * ATWOOD, time / unit)
    form = np.cosh if grows else np.cos
    (rate,), _ = curve_fit(lambda t, rate: form(rate * t), time, heights, p0=[1.0])
    return rate, np.abs(form(rate * time) - heights).max()


def exact_rate(slab, core):
    own, other = coupling(slab.k, slab.thickness, core)
    return (own**2 - other**2) ** 0.25


def test_coupling_is_the_sum_over_waves_across():
    """What stands above, against the integral that it comes from."""
    k, d, core = 0.2, 6.0, 1.7
    q = np.linspace(-40, 40, 400_001)
    sheet = 2 * k / (k**2 + q**2) * np.exp(-(core**2) * (k**2 + q**2) / 2) / (2 * np.pi)
    own, other = coupling(k, d, core)
    assert trapezoid(sheet, q) == pytest.approx(own, rel=1e-6)
    assert trapezoid(sheet * np.cos(q * d), q) == pytest.approx(other, rel=1e-6)
    for new, old in zip(coupling(k, d, 1e-6), coupling(k, d, 0), strict=True):
        assert new == pytest.approx(old, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("grows", "tolerance", "closer"), [(True, 0.15, 0.05), (False, 0.1, 0.1)])
def test_b5_rayleigh_taylor(grows, tolerance, closer):
    """A wave 48 cells long: heavy fluid on light grows, light on heavy oscillates."""
    slab = Slab(48, jitter=0.25)
    rate, residue = measured_rate(slab, grows)
    assert rate == pytest.approx(exact_rate(slab, 0), rel=tolerance)
    assert rate == pytest.approx(exact_rate(slab, CORE), rel=closer)
    assert residue < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("jitter", slow_but([0.0], [0.0, 0.25]))
@pytest.mark.parametrize(("grows", "tolerance"), [(True, 0.05), (False, 0.1)])
def test_b5_short_waves_are_slowed_by_the_cores_alone(grows, tolerance, jitter):
    """24 cells: a fifth slower than without cores, as their width says."""
    slab = Slab(24, jitter)
    rate, residue = measured_rate(slab, grows)
    assert exact_rate(slab, CORE) < 0.82 * exact_rate(slab, 0)
    assert rate == pytest.approx(exact_rate(slab, CORE), rel=tolerance)
    assert residue < 0.06
