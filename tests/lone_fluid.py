"""What archives foretell of vortons (csrc/archive/lone_fluid.h), by another program: NumPy in
single precision, with the same roundings."""

import numpy as np

F = np.float32
EMITTED = 16  # vt.VortonFlag
AMBIENT, EXPANSION, RATE, FLAME_RATE, SOOT, HEATING, RADIATION, MIXING = range(8)
PARTS = 8


def fma(a, b, c):
    """Rounded once: products of floats are exact in double precision."""
    return (np.multiply(a, b, dtype=float) + np.asarray(c, float)).astype(F)


def exp(x):
    inside = np.maximum(np.minimum(x, F(88)), F(-87))
    large = F(1.5 * 2**23)
    power = fma(inside, F(1.44269504), large) - large
    r = fma(power, F(-float.fromhex("0x1.63p-1")), inside)
    r = fma(power, F(2.12194440e-4), r)
    total = fma(F(1.39262034e-3), r, F(8.36319489e-3))
    for term in (4.16665545e-2, 1.66665769e-1, 5.0e-1):
        total = fma(total, r, F(term))
    fraction = fma(total, r * r, r) + F(1)
    scaled = fraction * ((power.astype(np.int32) + 127) << 23).astype(np.int32).view(F)
    return np.where(x < -87, F(0), scaled)


def mean_decay(z):
    total = fma(z, F(-1 / 5040), F(1 / 720))
    for part in (120, 24, 6, 2):
        total = fma(z, -total, F(1 / part))
    total = fma(z, -total, F(1))
    large = np.maximum(z, F(0.25))
    return np.where(z < 0.25, total, (F(1) - exp(-large)) / large)


def radiation_rate(law, t):
    ambient = law[AMBIENT]
    return law[RADIATION] * (t + ambient) * fma(t, t, ambient * ambient)


def cool(law, temperature, time):
    excess, half = temperature - law[AMBIENT], F(0.5) * time
    first = radiation_rate(law, temperature) + law[MIXING]
    middle = law[AMBIENT] + excess / (F(1) + half * first)
    falls = fma(time, law[MIXING], time * radiation_rate(law, middle))
    return fma(excess, exp(-falls), law[AMBIENT])


def flame_of(law, mixture, age):
    k, w = law[RATE], law[FLAME_RATE]
    slow, apart = min(k, w), max(k, w) - min(k, w)
    made = mixture * (k * age) * exp(-slow * age) * mean_decay(apart * age)
    return fma(F(0), exp(-w * age), made)


def temperature_of(law, mixture, age, birth):
    time = age * F(1 / PARTS)
    stays, fuel, t = exp(-law[RATE] * time), mixture, np.full(len(age), birth, F)
    for _ in range(PARTS):
        t = cool(law, t, F(0.5) * time)
        before, fuel = fuel, fuel * stays
        t = cool(law, fma(law[HEATING], before - fuel, t), F(0.5) * time)
    return t


def swelling_of(law, of, dt):
    back = np.full(len(of["fuel"]), F(-0.5) * dt)
    burnt = of["fuel"] * (exp(law[RATE] * dt) - F(1))
    t = cool(law, fma(-law[HEATING], burnt, cool(law, of["temperature"], back)), back)
    share = (of["temperature"] - t) / np.maximum(of["temperature"], F(1))
    return of["volume"] * share / dt


def relative_volume(law, temperature):
    if not law[EXPANSION]:
        return temperature
    left = F(1) - law[EXPANSION] * (temperature - law[AMBIENT])
    return np.where(left > F(0.05), F(1) / left, F(20))


def volume_of(law, of, birth):
    return of["birth_volume"] * (relative_volume(law, of["volume_temperature"]) * (F(1) / birth))


def foretell(name, columns, law, dt, birth):
    """Column `name` of the vortons, of which columns has those that it follows from."""
    of = {n: np.where(v >= 1e-30, v, F(0)) for n, v in columns.items() if v.dtype == F}
    fluid = of["mixture"] > 0 if "mixture" in of else columns["flags"] & EMITTED > 0
    lone = {n: v[fluid] for n, v in of.items() if v.ndim == 1}
    rest = np.zeros(len(fluid), F)
    if name == "fuel":
        found = lone["mixture"] * exp(-law[RATE] * lone["age"])
    elif name == "flame":
        found = flame_of(law, lone["mixture"], lone["age"])
    elif name == "smoke":
        found = law[SOOT] * (lone["mixture"] - lone["fuel"] - lone["flame"])
    elif name == "temperature":
        found, rest = temperature_of(law, lone["mixture"], lone["age"], birth), rest + law[AMBIENT]
    elif name == "swelling":
        found = swelling_of(law, lone, F(dt))
    else:
        found = volume_of(law, lone, birth)
        rest = volume_of(law, of, relative_volume(law, law[AMBIENT]))
    rest[fluid] = found
    return np.where(np.abs(rest) >= 1e-30, rest, F(0))
