"""Random sequences of calls against a simple model of what they should do.

The model knows every particle by its id: what it was given, and what has been written into it. What
the flow does to it the model takes from the simulation, but for still air and wind. After each call
both must agree on ids, rows, columns, ages and room; a call that is refused must change nothing.

`test_sequences.py` runs a fixed set of sequences; `python tests/soak.py` runs as many new ones as
you have time for.
"""

import contextlib
import copy
import pickle
from dataclasses import dataclass, field

import numpy as np
from hand_made import LEFT_OUT, state
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import vorton as vt

KEPT = {"vortons": ("core", "volume"), "tracers": ("density", "size")}
MOST_SIMULATIONS = 3
LIFETIME = 0.3
RATE = 60.0

seeds = st.integers(0, 2**16)
counts = st.integers(0, 12)
sets = st.sampled_from(["vortons", "tracers"])
picks = st.integers(0, 10**6)


@dataclass
class Model:
    """What should be in a simulation."""

    policy: str
    capacity: dict
    wind: np.ndarray
    emits: bool
    time: float = 0.0
    frame: int = 0
    next_id: dict = field(default_factory=lambda: {"vortons": 0, "tracers": 0})
    rows: dict = field(default_factory=lambda: {"vortons": {}, "tracers": {}})

    def is_still(self):
        """No vorton carries circulation: only the wind moves."""
        return not any(row["strength"].any() for row in self.rows["vortons"].values())


@dataclass
class Pair:
    """A simulation, its model, and the views that were taken of it."""

    sim: vt.Simulation
    model: Model
    views: list = field(default_factory=list)


def particles_of(pair, name):
    return getattr(pair.sim, name)


def whole_state(sim):
    """What a refused call must leave as it is, ids to come included."""
    return state(sim, LEFT_OUT), sim._core.step_count


def are_close(found, expected):
    """To five digits, or 1e-5. NumPy's allclose takes a tenth of the time of all sequences."""
    return (np.abs(found - expected) <= 1e-5 + 1e-5 * np.abs(expected)).all()


BAD_CALLS = [
    lambda sim: sim.vortons.add([[0, 0]], [[0, 0, 1]], core=0.1, volume=1e-3),
    lambda sim: sim.vortons.add([[0, 0, np.nan]], [[0, 0, 1]], core=0.1, volume=1e-3),
    lambda sim: sim.vortons.add([[0, 0, 0]], [[0, 0, np.inf]], core=0.1, volume=1e-3),
    lambda sim: sim.vortons.add([[0, 0, 0]], [[0, 0, 1]], core=0, volume=1e-3),
    lambda sim: sim.vortons.add([[0, 0, 0]], [[0, 0, 1]], core=0.1, volume=-1),
    lambda sim: sim.vortons.add([[0, 0, 0]], [[0, 0, 1]] * 2, core=0.1, volume=1),
    lambda sim: sim.vortons.add(None, None, core=None, volume=None),
    lambda sim: sim.tracers.add([[0, 0, 1e39]], density=1, size=1),
    lambda sim: sim.tracers.add([[0, 0, 0]], density=-1, size=1),
    lambda sim: sim.tracers.add([[0, 0, 0]], density=[1, 2], size=1),
    lambda sim: sim.tracers.add(np.zeros((10**4, 3)), density=1, size=1),
    lambda sim: sim.vortons.remove(np.ones(sim.vortons.count + 1, bool)),
    lambda sim: sim.tracers.remove(np.full(sim.tracers.count + 1, 0.5)),
    lambda sim: sim.tracers.rows([0.5]),
    lambda sim: sim.vortons.rows("no"),
    lambda sim: sim.step(-1),
    lambda sim: sim.step(0.5),
    lambda sim: sim.advance(np.nan),
    lambda sim: sim.advance(-0.1),
    lambda sim: sim.advance(np.inf),
    lambda sim: sim.velocity_at([[0, 0]]),
    lambda sim: sim.velocity_at([[np.nan, 0, 0]]),
    lambda sim: sim.copy(max_vortons=0),
    lambda sim: sim.copy(max_tracers=1.5),
    lambda sim: sim.volume(voxel=0.0),
    lambda sim: sim.volume(voxel=np.nan),
    lambda sim: sim._core.column("vortons", "nothing"),
    lambda sim: sim._core.column("nothing", "position"),
    lambda sim: sim._core.add("ring", core=-1.0),
    lambda sim: sim._core.add("tracers", rate=-1.0),
    lambda sim: sim._core.add("tracers", shape={"kind": "sphere", "radius": np.nan}),
]
REFUSALS = (ValueError, TypeError, vt.CapacityError, vt.BlowUpError)


class Sequences(RuleBasedStateMachine):
    """Up to three simulations at a time, of which every rule picks one."""

    def __init__(self):
        super().__init__()
        self.pairs = []
        self.orphans = []  # views of simulations that are gone, and what they showed

    def pick(self, number):
        return self.pairs[number % len(self.pairs)]

    # ---- life ----

    @initialize(
        policy=st.sampled_from(["error", "oldest", "stop"]),
        method=st.sampled_from(["poisson", "poisson", "direct"]),
        room=st.integers(1, 40),
        windy=st.booleans(),
        emits=st.booleans(),
    )
    def begin(self, policy, method, room, windy, emits):
        self.create(policy, method, room, windy, emits)

    @precondition(lambda self: len(self.pairs) < MOST_SIMULATIONS)
    @rule(
        policy=st.sampled_from(["error", "oldest", "stop"]),
        method=st.sampled_from(["poisson", "direct"]),
        room=st.integers(1, 40),
        windy=st.booleans(),
        emits=st.booleans(),
    )
    def create(self, policy, method, room, windy, emits):
        wind = (0.5, -0.25, 0.125) if windy else (0.0, 0.0, 0.0)
        scene = vt.Scene("random", wind=wind, voxel=0.2, method=vt.Method(velocity=method))
        if emits:
            ball = vt.Sphere(radius=0.2)
            scene.add(vt.Tracers(ball, rate=RATE, lifetime=LIFETIME, start=0.05, end=0.6))
        capacity = {"vortons": room, "tracers": 2 * room}
        sim = vt.Simulation(
            scene,
            threads=1 + room % 2,
            at_capacity=policy,
            max_vortons=room,
            max_tracers=2 * room,
            max_nodes=20_000,
        )
        self.pairs.append(Pair(sim, Model(policy, capacity, np.array(wind), emits)))

    @precondition(lambda self: 0 < len(self.pairs) < MOST_SIMULATIONS)
    @rule(which=picks)
    def branch_by_pickle(self, which):
        pair = self.pick(which)
        again = pickle.loads(pickle.dumps(pair.sim))
        assert whole_state(again) == whole_state(pair.sim)
        self.pairs.append(Pair(again, copy.deepcopy(pair.model)))

    @precondition(lambda self: 0 < len(self.pairs) < MOST_SIMULATIONS)
    @rule(which=picks, more=st.integers(0, 9))
    def branch(self, which, more):
        pair = self.pick(which)
        model = copy.deepcopy(pair.model)
        if more:
            model.capacity = {name: room + more for name, room in model.capacity.items()}
            room = {f"max_{name}": room for name, room in model.capacity.items()}
            self.pairs.append(Pair(pair.sim.copy(**room), model))
        else:
            self.pairs.append(Pair(copy.copy(pair.sim), model))

    @precondition(lambda self: len(self.pairs) > 1)
    @rule(which=picks)
    def delete(self, which):
        pair = self.pairs.pop(which % len(self.pairs))
        self.orphans += [(view, view.copy()) for _, _, view in pair.views]
        self.orphans = self.orphans[-6:]

    # ---- particles ----

    @rule(which=picks, seed=seeds, count=counts, neutral=st.booleans())
    def add_vortons(self, which, seed, count, neutral):
        random = np.random.default_rng(seed)
        values = {
            "position": random.uniform(-1, 1, (count, 3)).astype(np.float32),
            "strength": random.uniform(-1e-3, 1e-3, (count, 3)).astype(np.float32) * (not neutral),
            "core": random.uniform(0.15, 0.4, count).astype(np.float32),
            "volume": random.uniform(1e-3, 1e-2, count).astype(np.float32),
        }
        self.add(self.pick(which), "vortons", count, values)

    @rule(which=picks, seed=seeds, count=counts, far=st.booleans())
    def add_tracers(self, which, seed, count, far):
        random = np.random.default_rng(seed)
        values = {
            "position": random.uniform(-1, 1, (count, 3)).astype(np.float32) * (100 if far else 1),
            "density": random.uniform(0, 1, count).astype(np.float32),
            "size": random.uniform(0.05, 0.2, count).astype(np.float32),
        }
        self.add(self.pick(which), "tracers", count, values)

    def add(self, pair, name, count, values):
        particles, model = particles_of(pair, name), pair.model
        ids_before, ages = particles.id.copy(), particles.age.copy()
        room = model.capacity[name] - len(ids_before)
        fits = count <= room or (model.policy == "oldest" and count <= model.capacity[name])
        before = whole_state(pair.sim)
        try:
            ids = particles.add(**values)
        except vt.CapacityError:
            assert not fits and whole_state(pair.sim) == before
            return
        assert fits
        missing = max(0, count - room)
        oldest = sorted(range(len(ids_before)), key=lambda row: (-ages[row], row))[:missing]
        for row in oldest:
            del model.rows[name][int(ids_before[row])]
        first = model.next_id[name]
        assert list(ids) == list(range(first, first + count))
        model.next_id[name] += count
        for n in range(count):
            row = {key: value[n].copy() for key, value in values.items()}
            model.rows[name][first + n] = {**row, "age": 0.0}

    @rule(which=picks, name=sets, seed=seeds, share=st.sampled_from([0.0, 0.3, 1.0]))
    def remove(self, which, name, seed, share):
        pair = self.pick(which)
        particles = particles_of(pair, name)
        ids = particles.id.copy()
        mask = np.random.default_rng(seed).uniform(size=len(ids)) < share
        particles.remove(mask)
        assert np.array_equal(particles.id, ids[~mask])
        for dead in ids[mask]:
            del pair.model.rows[name][int(dead)]

    @rule(which=picks, name=sets, seed=seeds)
    def find_rows(self, which, name, seed):
        pair = self.pick(which)
        particles = particles_of(pair, name)
        asked = np.random.default_rng(seed).integers(-2, pair.model.next_id[name] + 3, 9)
        rows, ids = particles.rows(asked), list(particles.id)
        for wanted, row in zip(asked, rows, strict=True):
            assert row == (ids.index(wanted) if wanted in ids else -1)

    # ---- views ----

    @rule(which=picks, name=sets, column=picks)
    def take_view(self, which, name, column):
        pair = self.pick(which)
        particles = particles_of(pair, name)
        column = particles._columns[column % len(particles._columns)]
        pair.views = [*pair.views, (name, column, getattr(particles, column))][-6:]

    @precondition(lambda self: any(pair.views for pair in self.pairs))
    @rule(which=picks, view=picks, seed=seeds)
    def write(self, which, view, seed):
        with_views = [pair for pair in self.pairs if pair.views]
        pair = with_views[which % len(with_views)]
        name, column, array = pair.views[view % len(pair.views)]
        particles = particles_of(pair, name)
        alive = min(len(array), particles.count)
        if column not in ("position", "strength", *KEPT[name]) or not alive:
            return
        row = seed % alive
        factor = np.float32(np.random.default_rng(seed).uniform(0.8, 1.1))
        array[row] *= factor
        if column in ("core", "size"):
            array[row] = np.clip(array[row], np.float32(0.1), np.float32(0.5))
        pair.model.rows[name][int(particles.id[row])][column] = array[row].copy()

    @rule(which=picks, dt=st.sampled_from([1e-3, 0.07]))
    def go_back(self, which, dt):
        """To the state of before a step; views show it again."""
        pair = self.pick(which)
        before, frame = whole_state(pair.sim), pair.sim.frame
        saved = pair.sim._core.save_state(3)
        with contextlib.suppress(vt.CapacityError):
            pair.sim.advance(dt)
        pair.sim._core.load_state(saved)
        pair.sim.frame = frame
        assert whole_state(pair.sim) == before

    @rule(which=picks, seed=seeds, name=sets)
    def write_nonsense(self, which, seed, name):
        """A value out of range is refused by the step, which leaves it there; then it is mended."""
        pair = self.pick(which)
        particles = particles_of(pair, name)
        if not particles.count:
            return
        column = ("position", "age", *KEPT[name])[seed % 4]
        row = seed % particles.count
        view = getattr(particles, column)
        good = view[row].copy()
        view[row] = (np.nan, np.inf)[seed % 2]
        before = whole_state(pair.sim)
        try:
            pair.sim.step()
        except (ValueError, vt.CapacityError) as error:
            full = isinstance(error, vt.CapacityError)
            assert full or f"{name}.{column} has" in str(error)
        else:
            raise AssertionError(f"{name}.{column} was not refused")
        assert whole_state(pair.sim) == before
        view[row] = good

    # ---- time ----

    @rule(which=picks, dt=st.sampled_from([0.0, 1e-3, 1 / 24, 0.11]))
    def advance(self, which, dt):
        self.step(self.pick(which), dt)

    @rule(which=picks)
    def frame(self, which):
        pair = self.pick(which)
        if self.step(pair, 1 / 24, lambda sim: sim.step()):
            pair.model.frame += 1

    @rule(which=picks, dt=st.sampled_from([1e-3, 0.07]))
    def step_beside_a_copy(self, which, dt):
        pair = self.pick(which)
        twin = pair.sim.copy()
        if self.step(pair, dt):
            twin.advance(dt)
            assert state(twin) == state(pair.sim)

    def step(self, pair, dt, call=None):
        """Returns whether the step was not refused for want of room."""
        sim, model = pair.sim, pair.model
        call = call or (lambda sim: sim.advance(dt))
        before, still = whole_state(sim), model.is_still()
        try:
            call(sim)
        except vt.CapacityError:
            too_many = RATE * dt + 2 > model.capacity["tracers"]  # for a whole simulation
            assert model.policy == "error" or (model.policy == "oldest" and too_many)
            assert model.emits and whole_state(sim) == before
            return False
        model.time += dt
        for name in ("vortons", "tracers"):
            self.grow_older(pair, name, dt, still)
        return True

    def grow_older(self, pair, name, dt, still):
        particles, rows = particles_of(pair, name), pair.model.rows[name]
        ids, ages = particles.id, particles.age
        born = [int(i) for i in ids if int(i) not in rows]
        first = pair.model.next_id[name]
        assert not born or (name == "tracers" and pair.model.emits and min(born) >= first)
        pair.model.next_id[name] = max([first, *(i + 1 for i in born)])
        alive = set(map(int, ids))
        dead = [i for i in rows if i not in alive]
        for i in dead:
            if pair.model.policy == "oldest":
                youngest = min((rows[k]["age"] for k in rows if k in alive), default=0.0)
                assert rows[i]["age"] >= youngest - 1e-5 or rows[i]["age"] + dt > LIFETIME - 1e-5
            else:
                assert rows[i].get("emitted") and rows[i]["age"] + dt > LIFETIME - 1e-5
        for i in dead:
            del rows[i]
        for row in rows.values():
            row["age"] += dt
            known = still and row["position"] is not None
            row["position"] = row["position"] + pair.model.wind * dt if known else None
        for row, i in enumerate(ids):
            if int(i) in born:
                assert -1e-6 <= ages[row] <= dt + 1e-6
                columns = ("position", *KEPT[name])
                values = {column: getattr(particles, column)[row].copy() for column in columns}
                rows[int(i)] = {**values, "age": float(ages[row]), "emitted": True}
            if name == "vortons":
                rows[int(i)]["strength"] = particles.strength[row].copy()

    # ---- reading, and nonsense ----

    @rule(which=picks, what=st.integers(0, 5))
    def read(self, which, what):
        sim = self.pick(which).sim
        before = whole_state(sim)
        if what == 0:
            assert np.isfinite(sim.velocity_at([[0, 0, 0], [9, 9, 9], [-0.3, 0.2, 0.1]])).all()
        elif what == 1:
            health = sim.health
            assert (health["vortons"], health["tracers"]) == (sim.vortons.count, sim.tracers.count)
        elif what == 2:
            mass = float(sim.tracers.density.astype(float).sum())
            near = np.abs(sim.tracers.position).max(initial=0) < 1e4
            assert not near or abs(sim.volume(0.5).info()["mass"] - mass) < 1e-4 * (mass + 1)
        elif what == 3:
            sim.update_fields()
        elif what == 4:
            assert repr(sim) and repr(sim.grids) and repr(sim.vortons)
        else:
            assert sim.timings["step"]["calls"] >= 0
        assert whole_state(sim) == before

    @rule(which=picks, call=st.sampled_from(range(len(BAD_CALLS))))
    def nonsense(self, which, call):
        sim = self.pick(which).sim
        before = whole_state(sim)
        try:
            BAD_CALLS[call](sim)
        except REFUSALS as error:
            assert str(error)
        else:
            raise AssertionError(f"bad call {call} was not refused")
        assert whole_state(sim) == before

    # ---- what must hold after each of them ----

    @invariant()
    def model_and_simulation_agree(self):
        for pair in self.pairs:
            sim, model = pair.sim, pair.model
            assert abs(sim.time - model.time) < 1e-9 and sim.frame == model.frame
            for name in ("vortons", "tracers"):
                self.compare(particles_of(pair, name), model.rows[name], model.capacity[name])

    @staticmethod
    def compare(particles, rows, capacity):
        ids = [int(i) for i in particles.id]
        assert particles.capacity == capacity and particles.count == len(ids) <= capacity
        assert sorted(ids) == sorted(rows)
        for column in KEPT[particles._set]:
            expected = np.array([rows[i][column] for i in ids], np.float32)
            assert getattr(particles, column).tobytes() == expected.tobytes(), column
        ages = np.array([rows[i]["age"] for i in ids])
        assert are_close(particles.age, ages)
        known = [n for n, i in enumerate(ids) if rows[i]["position"] is not None]
        expected = np.array([rows[ids[n]]["position"] for n in known]).reshape(-1, 3)
        assert are_close(particles.position[known], expected)
        assert np.isfinite(particles.position).all()

    @invariant()
    def views_show_live_memory(self):
        for pair in self.pairs:
            for name, column, view in pair.views:
                now = getattr(particles_of(pair, name), column)
                rows = min(len(view), len(now))
                assert view[:rows].tobytes() == now[:rows].tobytes()
        for view, shown in self.orphans:
            assert view.tobytes() == shown.tobytes()
