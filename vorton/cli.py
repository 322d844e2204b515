"""The command `vorton`: `arguments.make_parser` says what it does.

Exit status: 0 done; 1 an error, said in one line; 2 wrong usage; 3 all but some frames: `derive`
made all but those that are damaged in the archive, which the error names, `info` found nothing
wrong but frames that are still to be baked; 130 interrupted by Ctrl-C; 143 ended by SIGTERM.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import shlex
import signal
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from . import sdk
from .archive.manifest import Manifest
from .archive.reading import SUFFIX, Archive, DamageError
from .archive.scene_files import load_scene
from .archive.stages import summary
from .arguments import TRACEBACK, make_parser
from .bakes.bake_branch import branch, rewind
from .bakes.bake_folders import copy_bake, move_bake, prune_bake
from .bakes.bake_opening import bake_there, told_by_archive
from .bakes.baking import PRESETS, Volumes, bake, made_with
from .bakes.damages import damages, damages_of_archive
from .bakes.deriving import derive
from .bakes.gathering import gather
from .bakes.report import describe, describe_archive
from .base.checks import counted, ranges_text
from .files.disk import one_line
from .first_moments import hand_over
from .hosts import usd
from .hosts.alembic import write_alembic
from .hosts.vdb_points import write_point_grids

INCOMPLETE, INTERRUPTED, TERMINATED = 3, 130, 143


# ---- commands ----


def _own(arguments: Namespace) -> dict[str, Any]:
    """The options by name, which are the arguments of the function that the command calls."""
    return {k: v for k, v in vars(arguments).items() if k not in ("command", "command_line")}


def _take_files(options: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, with those of the volumes as `Volumes`; the others as `told`
    (`made_with`)."""
    given = {name: value for name, value in options.items() if value is not None}
    names = given.keys() & {field.name for field in dataclasses.fields(Volumes)}
    own = {name: given.pop(name) for name in names}
    volumes = told.get("volumes", {})
    wanted = given.pop("volumes", None)
    if own or wanted:
        volumes = (volumes or {}) | own
    if wanted is False:
        volumes = None
    return told | given | {"volumes": None if volumes is None else Volumes(**volumes)}


def run_bake(arguments: Namespace) -> int:
    """`vorton bake`."""
    options = _own(arguments)
    scene = load_scene(options.pop("scene"))
    there = bake_there(arguments.out, scene)
    values = _take_files(options, {} if there is None else made_with(there))
    try:
        manifest = bake(scene, **values)
    except KeyboardInterrupt as stop:
        return _say_how_to_go_on(arguments, arguments.out / f"{scene.name}.json", stop)
    return _describe(manifest)


def _corners(box: Sequence[float] | None) -> Any:
    return None if box is None else (box[:3], box[3:])


def run_derive(arguments: Namespace) -> int:
    """`vorton derive`."""
    values = _take_files(_own(arguments), {})
    values["region"] = _corners(arguments.region)
    try:
        manifest = derive(**values)
    except DamageError as error:
        print(f"vorton: error: {one_line(error)}", file=sys.stderr)
        return INCOMPLETE
    except KeyboardInterrupt as stop:
        found = Manifest.all_in(arguments.out)
        path = found[0].path if found else arguments.out / "none"
        return _say_how_to_go_on(arguments, path, stop)
    return _describe(manifest)


def run_branch(arguments: Namespace) -> int:
    """`vorton branch`."""
    values = _own(arguments)
    scene = load_scene(values.pop("scene"))
    try:
        print(describe(branch(scene, **values)))
    except KeyboardInterrupt as stop:
        return _say_how_to_go_on(arguments, arguments.out / f"{scene.name}.json", stop)
    return 0


def _run_and_describe(function: Callable[..., Manifest], arguments: Namespace) -> int:
    print(describe(function(**_own(arguments))))
    return 0


def run_gather(arguments: Namespace) -> int:
    """`vorton gather`: parts may come later, and the status says whether they are to."""
    manifest = gather(**_own(arguments))
    print(describe(manifest))
    return INCOMPLETE if manifest.missing else 0


def _describe(manifest: Manifest) -> int:
    print(describe(manifest))
    if volumes := manifest.data["volumes"]:
        preset = PRESETS[volumes["preset"]]
        if "velocity" in volumes["grids"] or not preset.hint_of_velocity:
            print(f"{volumes['preset']:10} {preset.hint}")
    return 0


class Terminated(KeyboardInterrupt):
    """SIGTERM, to be treated as Ctrl-C."""


@contextlib.contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Within, SIGTERM ends the work as Ctrl-C does, unless somebody else looks after it."""

    def stop(number: int, frame: Any) -> None:
        raise Terminated

    hand_over()
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    try:
        signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _say_how_to_go_on(arguments: Namespace, path: Path, stop: KeyboardInterrupt) -> int:
    whole = "no frame is written yet"
    if path.is_file():
        manifest = Manifest.load(path)
        count = manifest.data["last"] - manifest.data["first"] + 1
        done = f" ({ranges_text(manifest.frames)})" if manifest.frames else ""
        are = "is" if len(manifest.frames) == 1 else "are"
        whole = f"{len(manifest.frames)} of {counted(count, 'frame')} {are} whole{done}"
    command = [word for word in arguments.command_line if word != "--overwrite"]
    terminated = isinstance(stop, Terminated)
    word = "terminated" if terminated else "interrupted"
    print(f"vorton: {word}; {whole}. To go on: {shlex.join(command)}", file=sys.stderr)
    return TERMINATED if terminated else INTERRUPTED


def run_stage(arguments: Namespace) -> int:
    """`vorton stage`."""
    values = _own(arguments)
    kind = values.pop("format")
    if kind == "abc":
        print(write_alembic(**values | {"up": values["up"] or "y"}))
    elif kind == "vdb":
        if values["preset"] != "usd" or values["up"] or not values["points"]:
            raise ValueError("--format vdb: goes without --preset, --up and --no-points")
        print(*write_point_grids(values["place"], progress=values["progress"]), sep="\n")
    else:
        print(usd.make_stage(**values))
    return 0


def run_preview(arguments: Namespace) -> int:
    """`vorton preview`."""
    from .preview.film import make_film

    values, dye = _own(arguments), arguments.dye
    look = {name: values.pop(name) for name in ("albedo", "background", "exposure")}
    if look["background"] is not None:
        look["background"] = (look["background"],) * 2  # at the bottom and the top
    values |= {name: value for name, value in look.items() if value is not None}
    if dye is not None and len(dye) not in (0, 2):
        raise ValueError(f"--dye: takes no temperature or two of them, got {len(dye)}")
    values["dye"] = False if dye is None else tuple(dye) or True
    values["region"] = _corners(arguments.region)
    print(make_film(**values))
    return 0


def run_info(arguments: Namespace) -> int:
    """`vorton info`."""
    if not arguments.place.exists():
        raise FileNotFoundError(f"{arguments.place}: no such folder or file")
    place, verify = arguments.place, arguments.verify
    if place.suffix == SUFFIX and Manifest.of_file(place) is None:
        return _show_archive(place, verify)
    archives = sorted(place.glob(f"*{SUFFIX}")) if place.is_dir() else []
    if archives and not Manifest.all_in(place):
        shown = [_show_archive(path, verify) for path in archives]
        return 1 if any(shown) or any(map(told_by_archive, archives)) else 0
    manifest = Manifest.find(place)
    print(describe(manifest))
    found = damages(manifest, content=verify, progress=verify and arguments.progress)
    for damage in found:
        print(f"damaged    {damage}: bake again to repair it")
    if not found and verify:
        print(f"verified   all files of {counted(len(manifest.frames), 'frame')} are as written")
    if found or summary(manifest, own=False):
        return 1
    return INCOMPLETE if manifest.missing else 0


def _show_archive(path: Path, verify: bool) -> int:
    """Of an archive that no manifest tells of."""
    print(describe_archive(path))
    with Archive(path) as archive:
        found = damages_of_archive(archive) if verify else []
        lost = bool(archive.lost)
    for damage in found:
        print(f"damaged    {damage}")
    return 1 if found or lost else 0


def run_demo(arguments: Namespace) -> int:
    """`vorton demo`."""
    from .preview.demo import run

    try:
        for path in run(**_own(arguments)):
            print(path)
    except KeyboardInterrupt as stop:
        return _say_how_to_go_on(arguments, arguments.out / "demo.json", stop)
    return 0


def run_validate(arguments: Namespace) -> int:
    """`vorton validate`."""
    from .validation.report import validate

    return validate(**_own(arguments))


RUN: dict[str, Callable[[Namespace], int]] = {
    "bake": run_bake,
    "derive": run_derive,
    "stage": run_stage,
    "branch": run_branch,
    "rewind": functools.partial(_run_and_describe, rewind),
    "gather": run_gather,
    "copy": functools.partial(_run_and_describe, copy_bake),
    "move": functools.partial(_run_and_describe, move_bake),
    "prune": functools.partial(_run_and_describe, prune_bake),
    "preview": run_preview,
    "info": run_info,
    "demo": run_demo,
    "validate": run_validate,
    "sdk": sdk.show,
}
"""What runs each command but `bench`, whose arguments are its own."""


# ---- entry ----


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        with _sigterm_interrupts(), warnings.catch_warnings():
            warnings.showwarning = _say_warning
            return _run(argv)
    except KeyboardInterrupt as stop:
        terminated = isinstance(stop, Terminated)
        print(f"vorton: {'terminated' if terminated else 'interrupted'}", file=sys.stderr)
        return TERMINATED if terminated else INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get(TRACEBACK) == "1":
            raise
        print(f"vorton: error: {one_line(error)}", file=sys.stderr)
        return 1


def _say_warning(message: Any, *_: Any, **__: Any) -> None:
    print(f"vorton: warning: {message}", file=sys.stderr)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["bench"]:
        from .bench.command import main as bench

        return bench(argv[1:]) or 0
    arguments = make_parser().parse_args(argv)
    arguments.command_line = ["vorton", *argv]
    status = RUN[arguments.command](arguments)
    sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
