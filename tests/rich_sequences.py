"""Random sequences of calls on whole scenes: fire, bodies, containers, winds, and any method.

Each simulation has a twin with another number of threads, that is given the same calls. After each
call both must have the same bits; a call that is refused must change nothing, in both, but for the
substeps before the one in which a flow blows up or outgrows its room; what is
alive must be finite, in its room, each with an id of its own, and outside of solids.

`test_sequences.py` runs a fixed set of them; `python tests/soak.py` as many new ones as you have
time for.
"""

import pickle
import tempfile

import numpy as np
from hand_made import LEFT_OUT, state
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import vorton as vt

REFUSALS = (ValueError, TypeError, vt.CapacityError, vt.BlowUpError)
POSITIVE = ("core", "volume", "size", "temperature")
SHARES = ("fuel", "flame", "smoke")

TURN = vt.Transform(angle=vt.Keys([(0, 0), (2, 500)]), axis=(0.2, 1, 0), position=(0.4, 0, 0))
PATH = vt.Transform(position=vt.Keys([(0, (-1.5, 0, 0)), (1, (1.5, 0.2, 0))], "smooth"))
SWING = vt.Keys([(0, (0.5, 0, 0)), (1, (-0.5, 0.2, 0))])
PLATE = vt.Box((-0.3, -0.3, -0.02), (0.3, 0.3, 0.02))
WALLS = vt.Box((-1, -1, -1), (1, 1, 1))

seeds = st.integers(0, 2**16)
sets = st.sampled_from(["vortons", "tracers"])


def random_method(random):
    """Most fields as they are by default or for the articles, any others at random."""
    article = random.uniform() < 0.2
    values = {}
    for row in vt._core.DEFINITIONS["method"].values():
        other = vt._core.ARTICLE_METHOD[row["name"]]
        values[row["name"]] = other if article else row["default"]
        if random.uniform() < 0.25:
            if row["choices"] is not None:
                values[row["name"]] = str(random.choice(row["choices"]))
            else:
                some = [row["default"], other, row["least"], 0 if row["or_0"] else row["least"]]
                value = some[random.integers(len(some))] * random.choice([1, 1, 1.5])
                value = min(max(value, row["least"] if value else some[3]), row["most"])
                values[row["name"]] = int(value) if row["type"] == "whole" else float(value)
    return values


def random_sources(random, burns):
    """Up to three of what bears particles."""
    at = tuple(random.uniform(-0.5, 0.5, 3))
    hot = {"temperature": float(random.uniform(250, 1200))} | ({"fuel": 0.5} if burns else {})
    coarse = {"core": 0.15, "lifetime": 0.4, "per_voxel": 1}
    smoke = vt.Sphere(at, 0.3)
    tilted = (1, 0, 0.2)
    seed = int(random.integers(99))
    every = [
        lambda: vt.VortexRing(at, radius=0.4, core=0.15, sections=16, layers=1, wobble=0.1),
        lambda: vt.VortexRing(at, tilted, radius=0.3, core=0.12, sections=12, layers=0, time=0.06),
        lambda: vt.RandomCloud(smoke, speed=0.5, eddy=0.3, count=60, seed=seed),
        lambda: vt.Emitter(vt.Sphere(at, 0.15), swirl=0.3, **hot, **coarse),
        lambda: vt.Tracers(smoke, count=80, lifetime=0.5),
        lambda: vt.Tracers(smoke, rate=200, lifetime=0.3, growth=0.1),
    ]
    return [every[n] for n in random.permutation(len(every))[:3]]


def random_surroundings(random):
    """Up to four of what acts on particles; solids among them have names."""
    panels = 80 if random.uniform() < 0.3 else 0
    every = [
        lambda: vt.Body(PLATE, "plate", parent=TURN, panels=60, temperature=400.0),
        lambda: vt.Body(vt.Sphere(radius=0.2), "flies", parent=PATH, panels=60),
        lambda: vt.Body(vt.Sphere((0.2, 0, 0.6), 0.2), "falls", density=2.0, panels=40),
        lambda: vt.Body(vt.Plane((0, 0, -0.7), (0, 0, 1)), "floor"),
        lambda: vt.Container(WALLS, "room", panels=panels),
        lambda: vt.Wind(SWING),
        lambda: vt.Vortex(circulation=0.5, acts_on="tracers"),
        lambda: vt.Attractor((0, 0, 0.5), strength=0.3),
        lambda: vt.Drag(fraction=0.3, shape=vt.Sphere(), acts_on="tracers"),
        lambda: vt.Kill("both", outside=vt.Sphere(radius=1.5)),
        lambda: vt.Kill("vortons", older_than=0.3),
    ]
    return [every[n] for n in random.permutation(len(every))[:4]]


def random_scene(random, voxel=0.15):
    burns = random.uniform() < 0.4
    scene = vt.Scene("rich", seed=int(random.integers(99)), voxel=voxel)
    scene.combustion = vt.Combustion() if burns else None
    scene.viscosity = float(random.choice([0, 0, 1e-3, 1e-2]))
    scene.thermal_diffusivity = float(random.choice([0, 0, 1e-3]))
    scene.dissipation = float(random.choice([0, 0.5]))
    scene.method = vt.Method(**{**random_method(random), "halo": 1})
    for make in random_sources(random, burns) + random_surroundings(random):
        scene.add(make())
    return scene


def items_of(sim):
    """What the scene of a simulation holds, in one order."""
    return [*sim.scene.sources, *sim.scene.effects, *sim.scene.bodies]


def random_item(seed):
    """Something for any scene."""
    random = np.random.default_rng(seed)
    makes = random_sources(random, False) + random_surroundings(random)
    return makes[random.integers(len(makes))]()


def whole_state(sim):
    """But for what a simulation that was loaded has anew."""
    kept = state(sim, LEFT_OUT)
    return kept, sim._core.step_count, [tuple(body.items()) for body in sim.bodies]


class RichSequences(RuleBasedStateMachine):
    """One simulation and its twin."""

    room = {"vortons": 2500, "tracers": 300}
    voxel = 0.15
    most_nodes = 40_000

    def __init__(self):
        super().__init__()
        self.twins = []
        self.names = []
        self.views = []

    def both(self, call):
        """What the call gives, or None where it was refused; it must be the same for both."""
        results = []
        for sim in self.twins:
            before = whole_state(sim)
            try:
                results.append((call(sim), None))
            except REFUSALS as error:
                assert str(error)
                # of a step that ends in a later substep, those before it stay
                assert sim.time > before[0][0] or whole_state(sim) == before, error
                results.append((None, str(error)))
        assert results[0][1] == results[1][1]
        return results[0]

    @initialize(seed=seeds, threads=st.integers(2, 3), policy=st.sampled_from(["oldest", "error"]))
    def begin(self, seed, threads, policy):
        random = np.random.default_rng(seed)
        while True:
            limits = {f"max_{name}": count for name, count in self.room.items()}
            limits |= {"at_capacity": policy, "max_nodes": self.most_nodes}
            try:
                scene = random_scene(random, self.voxel)
                self.twins = [vt.Simulation(scene, threads=n, **limits) for n in (1, threads)]
            except REFUSALS as error:  # two that do not go together
                assert str(error)
            else:
                break
        self.names = [body.name for body in self.twins[0].bodies]

    # ---- calls ----

    @rule(dt=st.sampled_from([0.0, 1e-3, 1 / 24, 1 / 24, 0.1]))
    def advance(self, dt):
        _, refused = self.both(lambda sim: sim.advance(dt))
        if refused is None and dt > 0:
            self.check_places()

    @rule(frames=st.integers(1, 2))
    def step(self, frames):
        _, refused = self.both(lambda sim: sim.step(frames)) if frames == 1 else (None, "")
        if frames > 1:
            for _ in range(frames):
                _, refused = self.both(lambda sim: sim.step())
        if refused is None:
            self.check_places()

    @rule()
    def refuse_a_step(self):
        """One that is far too long, of one of the twins: they stay alike."""
        sim, twin = self.twins
        before = whole_state(sim)
        try:
            sim.advance(1e6)
        except REFUSALS as error:
            refused = str(error)
        else:
            refused = None  # nothing turns
        if sim.time == before[0][0]:
            assert whole_state(sim) == before, refused
            return
        try:
            twin.advance(1e6)
        except REFUSALS as error:
            assert str(error) == refused
        else:
            assert refused is None

    @rule(seed=seeds)
    def switch(self, seed):
        values = random_method(np.random.default_rng(seed))

        def put(sim):
            sim.method = vt.Method(**values)

        self.both(put)

    @rule(seed=seeds, count=st.integers(0, 20))
    def add_vortons(self, seed, count):
        random = np.random.default_rng(seed)
        values = {
            "position": random.uniform(-1, 1, (count, 3)),
            "strength": 0.02 * random.normal(size=(count, 3)) * (seed % 3 > 0),
            "core": random.uniform(0.12, 0.3, count),
            "volume": random.uniform(1e-3, 1e-2, count),
            "density": random.uniform(-0.3, 0.5, count) if seed % 2 else None,
            "temperature": random.uniform(200, 1500, count) if seed % 5 < 2 else None,
            "fuel": random.uniform(0, 1, count) if seed % 7 < 2 else None,
        }
        self.both(lambda sim: sim.vortons.add(**values).tolist())

    @rule(seed=seeds, count=st.integers(0, 30))
    def add_tracers(self, seed, count):
        random = np.random.default_rng(seed)
        values = {
            "position": random.uniform(-1, 1, (count, 3)),
            "density": random.uniform(0, 1, count),
            "size": random.uniform(0.05, 0.2, count),
            "smoke": random.uniform(0, 1, count) if seed % 3 == 0 else None,
        }
        self.both(lambda sim: sim.tracers.add(**values).tolist())

    @rule(name=sets, seed=seeds, share=st.sampled_from([0.1, 0.5, 1.0]))
    def remove(self, name, seed, share):
        def remove(sim):
            particles = getattr(sim, name)
            particles.remove(np.random.default_rng(seed).uniform(size=particles.count) < share)

        self.both(remove)

    @rule(more=st.integers(0, 1000), seed=seeds)
    def go_on_with_copies(self, more, seed):
        room = {f"max_{name}": getattr(self.twins[0], name).capacity + more for name in self.room}
        self.twins = [sim.copy(**room) for sim in self.twins]

    # ---- what the scene holds ----

    def alter(self, call):
        """The same change of what both hold; names follow."""
        _, refused = self.both(call)
        self.names = [body.name for body in self.twins[0].bodies]
        assert self.names == [body.name for body in self.twins[1].bodies]
        assert [items_of(sim) for sim in self.twins[:1]] == [items_of(self.twins[1])]
        return refused

    @rule(seed=seeds)
    def add_item(self, seed):
        self.alter(lambda sim: sim.add(random_item(seed)) and None)

    @rule(seed=seeds, which=seeds)
    def change_item(self, seed, which):
        """Into another of its class; bodies, and what has been born whole, refuse it."""
        items = items_of(self.twins[0])
        if items:
            which %= len(items)
            others = (random_item(seed + n) for n in range(30))
            new = next((o for o in others if type(o) is type(items[which])), items[which])
            self.alter(lambda sim: sim.change(items_of(sim)[which], new) and None)

    @rule(which=seeds)
    def remove_item(self, which):
        count = len(items_of(self.twins[0]))
        if count:
            refused = self.alter(lambda sim: sim.remove(items_of(sim)[which % count]))
            assert refused is None and len(items_of(self.twins[0])) == count - 1

    # ---- states ----

    @rule(by_file=st.booleans())
    def go_on_with_a_saved_one(self, by_file):
        """In the place of one of the twins: from then on they stay alike."""
        sim = self.twins[1]
        before = whole_state(sim)
        try:
            if by_file:
                with tempfile.TemporaryDirectory() as folder:
                    sim.save(f"{folder}/now.vta")
                    again = vt.Simulation.load(f"{folder}/now.vta", threads=2)
            else:
                again = pickle.loads(pickle.dumps(sim))
        except ValueError as error:
            assert "cannot be saved" in str(error), error
            assert whole_state(sim) == before
            return
        assert whole_state(again) == before
        self.twins[1] = again

    @rule(dt=st.sampled_from([1e-3, 1 / 24, 0.1]), packed=st.booleans())
    def go_back(self, dt, packed):
        """One of the twins, to a state of before a step: from then on they stay alike."""
        sim = self.twins[0]
        before, frame = whole_state(sim), sim.frame
        saved = sim._core.save_state(7)
        if packed:
            saved = vt._core.pack_state(saved, 1)
        try:
            sim.advance(dt)
        except REFUSALS as error:
            assert str(error)
        sim._core.load_state(saved)
        sim.frame = frame
        assert whole_state(sim) == before

    @rule(name=sets, column=st.integers(0, 30), row=seeds, bad=st.booleans())
    def write(self, name, column, row, bad):
        """Through a view; what is out of range is refused by the step, and mended."""
        columns = [c for c in getattr(self.twins[0], name)._columns if c not in ("id", "flags")]
        column = columns[column % len(columns)]
        views = [getattr(getattr(sim, name), column) for sim in self.twins]
        if not len(views[0]) or not views[0].flags.writeable:
            return
        row %= len(views[0])
        good = views[0][row].copy()
        for view in views:
            view[row] = np.nan if bad else good * np.float32(0.9)
        if bad:
            _, refused = self.both(lambda sim: sim.step())
            assert refused is not None, column
            assert f"{name}.{column}" in refused or "do not fit" in refused, refused
            for view in views:
                view[row] = good

    @rule(name=sets, column=st.integers(0, 30))
    def take_view(self, name, column):
        sim = self.twins[0]
        columns = getattr(sim, name)._columns
        column = columns[column % len(columns)]
        view = getattr(getattr(sim, name), column)
        self.views = [*self.views, (sim, name, column, view)][-4:]

    @rule(seed=seeds)
    def push(self, seed):
        if not self.names:
            return
        name = self.names[seed % len(self.names)]
        impulse = np.random.default_rng(seed).normal(size=3)
        self.both(lambda sim: sim.apply_impulse(name, impulse))

    @rule(what=st.integers(0, 4))
    def read(self, what):
        for sim in self.twins:
            before = whole_state(sim)
            if what == 0:
                assert np.isfinite(sim.velocity_at([[0, 0, 0], [5, 5, 5]])).all()
            elif what == 1:
                health = sim.health  # NaN: not known without a grid
                assert np.isfinite(health["energy"]) == (sim.method.velocity == "poisson")
                assert health["spacing"] >= 0
            elif what == 2 and not sim.scene.combustion:  # which makes smoke of what is born
                mass = float(sim.tracers.density.astype(float).sum())
                assert abs(sim.volume(0.2).info()["mass"] - mass) <= 1e-4 * (mass + 1)
            elif what == 3:
                sim.update_fields()
            else:
                assert repr(sim) and repr(sim.method)
            assert whole_state(sim) == before

    # ---- what must hold ----

    def check_places(self):
        """After a step nothing is behind a wall."""
        sim = self.twins[0]
        for name in self.names:
            for particles in (sim.vortons, sim.tracers):
                distance = sim.body_distance(name, particles.position.astype(float))[0]
                assert distance.min(initial=0.0) > -1e-5, (name, particles)

    @invariant()
    def twins_are_alike(self):
        if self.twins:
            assert whole_state(self.twins[0]) == whole_state(self.twins[1])

    @invariant()
    def particles_are_sound(self):
        for sim in self.twins[:1]:
            for name in self.room:
                particles = getattr(sim, name)
                assert particles.count <= particles.capacity
                ids = particles.id
                assert len(np.unique(ids)) == len(ids)
                for column in particles._columns:
                    values = getattr(particles, column)
                    assert np.isfinite(values).all() or column == "lifetime", column
                    assert column not in POSITIVE or (values > 0).all(), column
                    assert column not in SHARES or ((values >= 0) & (values <= 1)).all(), column

    @invariant()
    def views_show_live_memory(self):
        for sim, name, column, view in self.views:
            now = getattr(getattr(sim, name), column)
            rows = min(len(view), len(now))
            assert view[:rows].tobytes() == now[:rows].tobytes()


class SmallSequences(RichSequences):
    """The same calls with little to do in each: many more of them in the same time."""

    room = {"vortons": 400, "tracers": 120}
    voxel = 0.3
    most_nodes = 6000
