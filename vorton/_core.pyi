from collections.abc import Callable, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Set = str  # "vortons" or "tracers"
_Vector = tuple[float, float, float]
_Numbers = Sequence[float] | NDArray[Any]

# Keys: name, default, article, choices (a tuple of names, or None for a number), least, most, gap
# (numbers between 0 and this are refused), whole, description.
METHOD_FIELDS: tuple[dict[str, Any], ...]
# Keys: name, type ("int32", "int64", "double", or one of them " x 3"), unit, description.
HEALTH_FIELDS: tuple[dict[str, Any], ...]
# Keys: name, description.
TIMED_STAGES: tuple[dict[str, str], ...]
# Keys: name, dtype ("float32" or "int64"), components (1 or 3), description.
CARRIED: tuple[str, ...]
VORTON_COLUMNS: tuple[dict[str, Any], ...]
TRACER_COLUMNS: tuple[dict[str, Any], ...]

class BusyError(RuntimeError): ...
class CapacityError(RuntimeError): ...

def version() -> str: ...
def simd() -> str: ...
def backend() -> str: ...
def available_threads() -> int: ...
def build() -> str: ...
def has_compression() -> bool: ...
def shape_volume(
    *,
    kind: Literal["sphere", "box", "disk", "mesh", "capsule", "plane", "polytope"] = ...,
    center: _Numbers = ...,
    axis: _Numbers = ...,
    radius: float = ...,
    size: _Numbers = ...,
    vertices: ArrayLike = ...,
    faces: ArrayLike = ...,
    layer: float = ...,
    offset: float = ...,
) -> float: ...
def direct_sum(
    targets: ArrayLike,
    positions: ArrayLike,
    strengths: ArrayLike,
    cores: ArrayLike,
    kernel: str = "gaussian",
    gradient: bool = False,
    potential: bool = False,
    threads: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64] | None]: ...
def solve_poisson(
    field: ArrayLike, spacing: float, threads: int = 0, method: dict[str, Any] = ...
) -> NDArray[np.float32]: ...
def volume_from_tracers(
    *,
    position: ArrayLike,
    density: ArrayLike,
    size: ArrayLike,
    voxel_size: float,
    velocity: Callable[[NDArray[np.float32]], ArrayLike] | None = None,
    velocity_margin: float = ...,
    threads: int = 0,
    temperature: ArrayLike | None = None,
    fuel: ArrayLike | None = None,
    flame: ArrayLike | None = None,
    smoke: ArrayLike | None = None,
    ambient_temperature: float = ...,
    combustion: dict[str, Any] = ...,
    sharp: bool = False,
) -> Volume: ...
def evaluate_track(track: dict[str, Any], time: float) -> NDArray[np.float64]: ...
def integrate_track(track: dict[str, Any], start: float, end: float) -> NDArray[np.float64]: ...

@final
class Simulation:
    def __new__(
        cls,
        *,
        max_vortons: int = ...,
        max_tracers: int = ...,
        max_nodes: int = ...,
        spacing: float = ...,
        viscosity: float = ...,
        thermal_diffusivity: float = ...,
        gravity: _Numbers = ...,
        ambient: dict[str, Any] = ...,
        combustion: dict[str, Any] = ...,
        dissipation: float = ...,
        wind: _Numbers = ...,
        seed: int = ...,
        threads: int = ...,
        at_capacity: str = ...,
        method: dict[str, Any] = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> Simulation: ...
    def copy(self, *, max_vortons: int = 0, max_tracers: int = 0) -> Simulation: ...
    def set_method(self, method: dict[str, Any]) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def step_count(self) -> int: ...
    def step(self, dt: float, count: int = 1) -> None: ...
    def update_fields(self) -> None: ...
    def add_ring(
        self,
        *,
        center: _Numbers = ...,
        axis: _Numbers = ...,
        radius: float | _Numbers = ...,
        major: _Numbers = ...,
        circulation: float = ...,
        core: float = ...,
        vorton_core: float = ...,
        wobble: float = ...,
        wobble_seed: int = ...,
        sections: int = ...,
        layers: int = ...,
        time: float = ...,
        parent: int = ...,
        fluid: dict[str, float] = ...,
    ) -> None: ...
    def add_filament(
        self,
        *,
        points: ArrayLike = ...,
        closed: bool = ...,
        circulation: float = ...,
        core: float = ...,
        vorton_core: float = ...,
        sections: int = ...,
        layers: int = ...,
        time: float = ...,
        parent: int = ...,
        fluid: dict[str, float] = ...,
    ) -> None: ...
    def add_tube(
        self,
        *,
        start: _Numbers = ...,
        end: _Numbers = ...,
        circulation: float = ...,
        core: float = ...,
        vorton_core: float = ...,
        wobble: float = ...,
        wobble_seed: int = ...,
        sections: int = ...,
        layers: int = ...,
        time: float = ...,
        parent: int = ...,
        fluid: dict[str, float] = ...,
    ) -> None: ...
    def add_jet(
        self,
        *,
        center: _Numbers = ...,
        axis: _Numbers = ...,
        radius: float = ...,
        speed: float = ...,
        rate: float = ...,
        duty: float = ...,
        circulation: float = ...,
        start: float = ...,
        end: float = ...,
        core: float = ...,
        vorton_core: float = ...,
        wobble: float = ...,
        tilt: float = ...,
        seed: int = ...,
        sections: int = ...,
        layers: int = ...,
        parent: int = ...,
        fluid: dict[str, float] = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_cloud(
        self,
        *,
        shape: dict[str, Any] = ...,
        speed: float = ...,
        eddy: float = ...,
        core: float = ...,
        count: int = ...,
        seed: int = ...,
        time: float = ...,
        parent: int = ...,
        fluid: dict[str, float] = ...,
    ) -> None: ...
    def add_vorton_points(
        self,
        *,
        position: ArrayLike,
        strength: ArrayLike,
        core: ArrayLike,
        volume: ArrayLike,
        density: ArrayLike | None = None,
        temperature: ArrayLike | None = None,
        fuel: ArrayLike | None = None,
        flame: ArrayLike | None = None,
        smoke: ArrayLike | None = None,
        lifetime: ArrayLike | None = None,
        time: float = ...,
        rate: float = ...,
        end: float = ...,
        jitter: float = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_tracer_points(
        self,
        *,
        position: ArrayLike,
        density: ArrayLike,
        size: ArrayLike,
        lifetime: ArrayLike | None = None,
        growth: ArrayLike | None = None,
        fade: ArrayLike | None = None,
        rate: float = ...,
        start: float = ...,
        end: float = ...,
        temperature: ArrayLike | None = None,
        fuel: ArrayLike | None = None,
        flame: ArrayLike | None = None,
        smoke: ArrayLike | None = None,
        jitter: float = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_parcels(
        self,
        *,
        shape: dict[str, Any] = ...,
        around: dict[str, Any] | None = ...,
        core: float = ...,
        spacing: float = ...,
        fluid: dict[str, float] = ...,
        swirl: float = ...,
        taper: float = ...,
        flicker: float = ...,
        rate: float = ...,
        start: float = ...,
        end: float = ...,
        lifetime: float = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> float: ...
    def add_emitter(
        self,
        *,
        shape: dict[str, Any] = ...,
        count: int = ...,
        rate: float = ...,
        start: float = ...,
        end: float = ...,
        density: float = ...,
        lifetime: float = ...,
        growth: float = ...,
        fade: float = ...,
        fluid: dict[str, float] = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_wind(
        self,
        *,
        velocity: _Numbers = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_wind_grid(
        self,
        *,
        velocity: ArrayLike,
        origin: _Numbers = ...,
        spacing: _Numbers = ...,
        outside: Literal["zero", "border"] = ...,
        strength: float = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_force(
        self,
        *,
        kind: Literal["attractor", "vortex", "drag"] = ...,
        center: _Numbers = ...,
        axis: _Numbers = ...,
        strength: float = ...,
        radius: float = ...,
        velocity: _Numbers = ...,
        shape: dict[str, Any] | None = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_kill(
        self,
        *,
        what: Literal["tracers", "vortons", "both"] = ...,
        shape: dict[str, Any] | None = ...,
        parent: int = ...,
        outside: bool = ...,
        age: float = ...,
        point: _Numbers = ...,
        least_distance: float = ...,
        most_distance: float = ...,
        least_speed: float = ...,
        most_speed: float = ...,
        start: float = ...,
        end: float = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> None: ...
    def add_transform(
        self,
        *,
        position: _Numbers = ...,
        rotation: _Numbers = ...,
        axis: _Numbers = ...,
        angle: float = ...,
        scale: float = ...,
        parent: int = ...,
        animations: dict[str, dict[str, Any]] = ...,
    ) -> int: ...
    def pose(self, id: int, time: float) -> NDArray[np.float64]: ...
    def add_body(
        self,
        *,
        shapes: Sequence[dict[str, Any]],
        name: str | None = None,
        hole: bool = ...,
        parent: int = ...,
        density: float = ...,
        held: bool = ...,
        velocity: _Numbers = ...,
        angular_velocity: _Numbers = ...,
        restitution: float = ...,
        friction: float = ...,
        damping: float = ...,
        force: _Numbers = ...,
        torque: _Numbers = ...,
        animations: dict[str, dict[str, Any]] = ...,
        panels: int = ...,
        shedding: float = ...,
        temperature: float = ...,
        specific_heat: float = ...,
        conductance: float = ...,
    ) -> int: ...
    def panels(self, id: int) -> dict[str, NDArray[Any]]: ...
    def bodies(self) -> list[dict[str, Any]]: ...
    def set_body(
        self,
        id: int,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        over: float = 0.0,
    ) -> None: ...
    def apply_impulse(
        self,
        id: int,
        impulse: ArrayLike,
        point: ArrayLike | None = None,
        angular_impulse: ArrayLike | None = None,
    ) -> None: ...
    def body_distance(
        self, id: int, points: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def add_vortons(
        self, position: ArrayLike, strength: ArrayLike, core: ArrayLike, volume: ArrayLike
    ) -> NDArray[np.int64]: ...
    def add_tracers(
        self, position: ArrayLike, density: ArrayLike, size: ArrayLike
    ) -> NDArray[np.int64]: ...
    def remove(self, set: _Set, mask: ArrayLike) -> None: ...
    def find_rows(self, set: _Set, ids: ArrayLike) -> NDArray[np.int64]: ...
    def count(self, set: _Set, /) -> int: ...
    def capacity(self, set: _Set, /) -> int: ...
    def give_tracers(self, column: str, values: ArrayLike) -> None: ...
    def tracers_carry(self, name: str, /) -> bool: ...
    def column(self, set: _Set, name: str) -> NDArray[Any]: ...
    def grid(self, name: str) -> tuple[NDArray[np.float32], _Vector, float]: ...
    def velocity_at(self, points: ArrayLike) -> NDArray[np.float32]: ...
    def volume(
        self,
        voxel_size: float,
        velocity_margin: float = ...,
        threads: int = 0,
        sharp: bool = False,
    ) -> Volume: ...
    def health(self) -> dict[str, Any]: ...
    def timings(self) -> list[dict[str, Any]]: ...

@final
class Volume:
    def info(self) -> dict[str, Any]: ...
    def density(self, first: _Numbers, shape: _Numbers) -> NDArray[np.float32]: ...
    def values(self, field: str, first: _Numbers, shape: _Numbers) -> NDArray[np.float32]: ...
    def fields(self) -> tuple[str, ...]: ...
    def encode_vdb(
        self,
        *,
        density_name: str | None = ...,
        velocity_name: str | None = ...,
        half: bool = ...,
        compress: bool = ...,
        temperature_name: str | None = ...,
        heat_name: str | None = ...,
        flame_name: str | None = ...,
        fuel_name: str | None = ...,
    ) -> bytes: ...
    def render(
        self,
        *,
        width: int = ...,
        height: int = ...,
        eye: _Numbers = ...,
        target: _Numbers = ...,
        up: _Numbers = ...,
        field_of_view: float = ...,
        extinction: float = ...,
        exposure: float = ...,
        albedo: _Numbers = ...,
        key_direction: _Numbers = ...,
        key_color: _Numbers = ...,
        sky_color: _Numbers = ...,
        ground_color: _Numbers = ...,
        background: Sequence[_Numbers] | NDArray[Any] = ...,
        step: float = ...,
        threads: int = ...,
        emission: float = ...,
        bloom: float = ...,
        dye: _Numbers = ...,
        bodies: Simulation | None = ...,
    ) -> NDArray[np.uint8]: ...
    def extinction(
        self,
        *,
        width: int = ...,
        height: int = ...,
        eye: _Numbers = ...,
        target: _Numbers = ...,
        up: _Numbers = ...,
        field_of_view: float = ...,
        extinction: float = ...,
        exposure: float = ...,
        albedo: _Numbers = ...,
        key_direction: _Numbers = ...,
        key_color: _Numbers = ...,
        sky_color: _Numbers = ...,
        ground_color: _Numbers = ...,
        background: Sequence[_Numbers] | NDArray[Any] = ...,
        step: float = ...,
        threads: int = ...,
        emission: float = ...,
        bloom: float = ...,
        dye: _Numbers = ...,
        bodies: Simulation | None = ...,
    ) -> float: ...
    def emission(
        self,
        *,
        width: int = ...,
        height: int = ...,
        eye: _Numbers = ...,
        target: _Numbers = ...,
        up: _Numbers = ...,
        field_of_view: float = ...,
        extinction: float = ...,
        exposure: float = ...,
        albedo: _Numbers = ...,
        key_direction: _Numbers = ...,
        key_color: _Numbers = ...,
        sky_color: _Numbers = ...,
        ground_color: _Numbers = ...,
        background: Sequence[_Numbers] | NDArray[Any] = ...,
        step: float = ...,
        threads: int = ...,
        emission: float = ...,
        bloom: float = ...,
        dye: _Numbers = ...,
        bodies: Simulation | None = ...,
    ) -> float: ...
