"""The command `vorton`: `make_parser` says what it does.

Exit status: 0 done; 1 an error, said in one line; 2 wrong usage; 130 interrupted by Ctrl-C; 143
ended by SIGTERM.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import _core, sdk
from .archive import SUFFIX, Archive
from .bake_branch import branch, rewind
from .bake_folders import copy_bake, move_bake, prune_bake
from .baking import PRESETS, Volumes, bake, derive
from .fields import ranges_text
from .files import explain
from .first_moments import hand_over
from .hosts import usd
from .hosts.alembic import write_alembic
from .manifest import FPS, FRAMES, MOST_FPS, MOST_FRAMES, Manifest
from .report import describe, describe_archive
from .scene_files import load_scene

INTERRUPTED, TERMINATED = 130, 143
TRACEBACK = "VORTON_TRACEBACK"
SHARP = "thin sheets of few tracers as sheets, not dots: slower, for less than 4 tracers a voxel"


# ---- arguments ----


def frame_range(text: str) -> tuple[int, int]:
    """`12-48` or `12` as first and last frame."""
    match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of frames such as 1-96, or 12")
    first = int(match[1])
    last = int(match[2] or match[1])
    if not 1 <= first <= last <= MOST_FRAMES:
        raise argparse.ArgumentTypeError(
            f"{text!r}: frames go from 1 to {MOST_FRAMES}, the first before the last"
        )
    return first, last


def picture_size(text: str) -> tuple[int, int]:
    """`640x480` as width and height."""
    match = re.fullmatch(r"(\d+)[xX](\d+)", text)
    if not match or not all(16 <= int(n) <= 8192 for n in match.groups()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size such as 640x480, from 16 to 8192 pixels"
        )
    return int(match[1]), int(match[2])


def positive(text: str) -> float:
    """A finite number > 0."""
    return _number_to(1e12, text)


def frames_a_second(text: str) -> float:
    """A frame rate."""
    return _number_to(MOST_FPS, text)


def _number_to(most: float, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from above 0 to {most:g}")
    return value


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command."""
    parser = argparse.ArgumentParser(
        prog="vorton",
        description="Vortex-particle fluid solver: smoke and fire for technical artists.",
        epilog=f"An error is one line; {TRACEBACK}=1 in the environment shows where it came from.",
    )
    version = f"vorton {_core.version()} ({_core.simd()}, {_core.backend()})"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_bake(commands)
    _add_derive(commands)
    _add_stage(commands)
    _add_branch(commands)
    _add_rewind(commands)
    _add_transfers(commands)
    _add_prune(commands)
    _add_preview(commands)
    _add_info(commands)
    _add_demo(commands)
    _add_validate(commands)
    _add_sdk(commands)
    commands.add_parser(
        "bench", help="measure the solver; vorton bench --help says how", add_help=False
    )
    return parser


def _add_threads(parser: argparse.ArgumentParser) -> None:
    text = "threads (default: all processors); the result does not depend on it"
    parser.add_argument("--threads", type=int, default=0, metavar="N", help=text)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="BAKE", type=Path, help="bake folder, or its manifest")


def _add_volume(parser: argparse.ArgumentParser, default: str) -> None:
    text = f"voxel size in m (default: {default})"
    parser.add_argument("--voxel", type=positive, metavar="H", help=text)
    parser.add_argument("--sharp", action="store_true", help=SHARP)


def _add_bake(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "bake",
        help="simulate a scene and write numbered volumes and tracers",
        description="Simulate a scene and write OUT/name_0001.vdb, OUT/name_0001.npz ..., the "
        "archive OUT/name.vta and the manifest OUT/name.json. A bake that was interrupted goes on "
        "when it is started again.",
    )
    parser.add_argument("scene", metavar="SCENE", help="scene.json, or scene.py that makes `scene`")
    parser.add_argument("out", metavar="OUT", type=Path, help="folder; made if it is not there")
    parser.add_argument(
        "--frames",
        type=frame_range,
        default=FRAMES,
        metavar="A-B",
        help="first and last frame (default 1-96); frame 1 is the start",
    )
    parser.add_argument(
        "--fps",
        type=frames_a_second,
        default=FPS,
        metavar="F",
        help="frames a second (default 24)",
    )
    _add_files(parser)
    text = "write no .vta file: a bake that was interrupted begins from the start"
    parser.add_argument("--no-archive", action="store_true", help=text)
    _add_threads(parser)
    parser.set_defaults(run=run_bake)


def _add_files(parser: argparse.ArgumentParser) -> None:
    """What is written of a frame."""
    _add_volume(parser, "the scene's")
    parser.add_argument(
        "--preset", choices=PRESETS, default="blender", help="host that reads it (default blender)"
    )
    for name, text in (
        ("no-half", "store 32-bit floats"),
        ("no-compress", "do not compress volumes"),
        ("no-volumes", "write no .vdb files"),
        ("no-tracers", "write no .npz files"),
        ("overwrite", "remove another bake that OUT holds"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=text)


def _add_derive(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "derive",
        help="write volumes and tracers from the archive of a bake, without simulating",
        description="Write what a bake with these settings writes, from the archive of another one "
        "and without simulating: voxels of another size, other frames, for another host.",
    )
    parser.add_argument("place", metavar="BAKE", type=Path, help="bake folder, or a .vta file")
    parser.add_argument("out", metavar="OUT", type=Path, help="another folder")
    text = "first and last frame (default: all that the archive has)"
    parser.add_argument("--frames", type=frame_range, metavar="A-B", help=text)
    text = "frames a second of the same motion (default: as archived); more give slow motion"
    parser.add_argument("--fps", type=frames_a_second, metavar="F", help=text)
    text = "only the tracers in this box, m: lower corner, upper corner"
    axes = ("X", "Y", "Z", "X", "Y", "Z")
    parser.add_argument("--region", type=float, nargs=6, metavar=axes, help=text)
    text = "processes that make frames at the same time (default 1)"
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help=text)
    _add_files(parser)
    _add_threads(parser)
    parser.set_defaults(run=run_derive)


def _add_stage(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "stage",
        help="write a USD stage that ties the files of a bake together, or an Alembic archive",
        description="Write BAKE/name.usda, a USD stage with volumes, tracers as points, bodies and "
        "a camera; or BAKE/name.abc, an Alembic archive of tracers and bodies. Points of USD need "
        "usd-core (pip install usd-core), Alembic needs alembic3d.",
    )
    _add_place(parser)
    parser.add_argument("--format", choices=("usd", "abc"), default="usd", help="default usd")
    text = "host that reads it (default usd): up axis, unit and names of the fields"
    parser.add_argument("--preset", choices=usd.PRESETS, default="usd", help=text)
    text = "up axis (default: as the host has it; of Alembic always y)"
    parser.add_argument("--up", choices=usd.UPS, help=text)
    parser.add_argument("--no-points", action="store_true", help="without the tracers")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=run_stage)


def _add_branch(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "branch",
        help="bake a changed scene from a frame of another bake on",
        description="Make a bake that has the frames 1 to N of another one, linked where the disk "
        "can, and goes on from there with a changed scene: other sources, effects, bodies, method "
        "... A branch that was interrupted goes on when it is started again.",
    )
    parser.add_argument("scene", metavar="SCENE", help="the changed scene, .json or .py")
    text = "folder of the other bake, or its manifest"
    parser.add_argument("--from", dest="place", metavar="BAKE", type=Path, required=True, help=text)
    text = "its last frame that stays"
    parser.add_argument("--frame", type=int, metavar="N", required=True, help=text)
    text = "another folder; made if it is not there"
    parser.add_argument("-o", "--out", metavar="OUT", type=Path, required=True, help=text)
    text = "first and last frame (default: those of the other bake)"
    parser.add_argument("--frames", type=frame_range, metavar="A-B", help=text)
    parser.add_argument("--overwrite", action="store_true", help="remove another bake in OUT")
    _add_threads(parser)
    parser.set_defaults(run=run_branch)


def _add_rewind(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "rewind",
        help="remove the frames of a bake after one of them",
        description="Remove the frames of a bake after frame N, and their states. `vorton bake` "
        "goes on from there.",
    )
    _add_place(parser)
    text = "the last frame that stays"
    parser.add_argument("--frame", type=int, metavar="N", required=True, help=text)
    parser.set_defaults(run=run_rewind)


def _add_transfers(commands: argparse._SubParsersAction) -> None:
    for name, transfer in (("copy", copy_bake), ("move", move_bake)):
        text = f"{name} a bake into another folder"
        parser = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        _add_place(parser)
        text = "another folder; made if it is not there"
        parser.add_argument("out", metavar="OUT", type=Path, help=text)
        parser.set_defaults(run=run_transfer, transfer=transfer)


def _add_prune(commands: argparse._SubParsersAction) -> None:
    text = "remove files of a bake that nobody needs any more"
    more = "`vorton bake` makes frames again from the archive, without simulating."
    parser = commands.add_parser("prune", help=text, description=f"{text.capitalize()}. {more}")
    _add_place(parser)
    text = "frames whose volumes and tracers stay (default: all)"
    parser.add_argument("--frames", type=frame_range, metavar="A-B", help=text)
    parser.add_argument("--no-archive", action="store_true", help="remove the archive")
    parser.set_defaults(run=run_prune)


def _add_preview(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "preview",
        help="render lit smoke: a picture or a film",
        description="Render lit smoke from a bake (its tracers), or from a scene (which is "
        "simulated): a .png is one frame, .webp, .gif and .mp4 are films.",
    )
    parser.add_argument(
        "place", metavar="SCENE|BAKE", type=Path, help="scene file, bake folder or .vta"
    )
    parser.add_argument("out", metavar="OUT", type=Path, help="picture.png, film.webp|gif|mp4")
    parser.add_argument(
        "--frames",
        type=frame_range,
        metavar="A-B",
        help="frames of a film, or N of a picture (default: all baked ones, 1-96 of a scene; of a "
        "picture the last)",
    )
    parser.add_argument(
        "--size", type=picture_size, default=(640, 480), metavar="WxH", help="default 640x480"
    )
    parser.add_argument(
        "--fps",
        type=frames_a_second,
        metavar="F",
        help="frames a second (default 24, or what the bake has)",
    )
    _add_volume(parser, "that of the bake's volumes, or the scene's")
    for name, text in (("eye", "where the camera is"), ("target", "where it looks")):
        parser.add_argument(
            f"--{name}",
            type=float,
            nargs=3,
            metavar=tuple("XYZ"),
            help=f"{text}, m (default: so that smoke and bodies fill the picture)",
        )
    for name, text in (
        ("azimuth", "around Z: -90 from in front, 0 from +X (default -65)"),
        ("elevation", "above the horizon, -80 to 80 (default -5, with bodies 10)"),
    ):
        help_text = f"where the default camera looks from, degrees {text}"
        parser.add_argument(f"--{name}", type=float, metavar="D", help=help_text)
    parser.add_argument(
        "--fov", type=positive, default=35.0, metavar="DEGREES", help="vertical, default 35"
    )
    parser.add_argument(
        "--extinction",
        type=positive,
        metavar="E",
        help="optical depth of a kg/m^2 of smoke (default: smoke born with 1 kg/m^3 reads well)",
    )
    parser.add_argument(
        "--dye",
        type=positive,
        nargs="*",
        metavar="K",
        help="dye that shows temperature instead of fire, from blue to red: of the whole shot, or "
        "from the first to the second of two temperatures in K",
    )
    _add_threads(parser)
    parser.set_defaults(run=run_preview)


def _add_info(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "info", help="print what a bake holds, with tracers per active voxel and warnings"
    )
    text = "bake folder, or its manifest or another file of it; a .vta alone, too"
    parser.add_argument("place", metavar="BAKE", type=Path, help=text)
    parser.add_argument(
        "--verify", action="store_true", help="check the hash of every file; status 1 if one fails"
    )
    parser.set_defaults(run=run_info)


def _add_demo(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "demo",
        help="bake and render an example, nothing to configure",
        description="Bake and render an example in under a minute on two cores.",
    )
    parser.add_argument(
        "out",
        metavar="OUT",
        type=Path,
        nargs="?",
        default=Path("vorton-demo"),
        help="folder (default vorton-demo)",
    )
    _add_threads(parser)
    parser.set_defaults(run=run_demo)


def _add_sdk(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "sdk",
        help="what C and C++ programs need to link the library",
        description="Print what C and C++ programs need to link the library; all of it, with its "
        "names, where no option is given.",
    )
    sdk.add_arguments(parser)
    parser.set_defaults(run=sdk.show)


def _add_validate(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "validate",
        help="compare the solver with exact solutions, conserved quantities and sums in float64",
        description="Run cases that have an exact answer and say for each what is exact, what was "
        "computed, the error and the largest that it may have. Status 1 if one fails.",
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="only cases with one of these words in their name, such as rings, heat or Hill",
    )
    parser.add_argument("--quick", action="store_true", help="without the slow ones")
    for name, text in (("html", "a page with figures (these need matplotlib)"), ("json", "JSON")):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"write {text}, too")
    parser.set_defaults(run=run_validate)


# ---- commands ----


def run_bake(arguments: argparse.Namespace) -> int:
    """`vorton bake`."""
    scene = load_scene(arguments.scene)
    try:
        manifest = bake(
            scene,
            arguments.out,
            frames=arguments.frames,
            fps=arguments.fps,
            archive=not arguments.no_archive,
            **_files_of(arguments),
        )
    except KeyboardInterrupt as stop:
        return _say_how_to_go_on(arguments, arguments.out / f"{scene.name}.json", stop)
    return _describe(arguments, manifest)


def run_derive(arguments: argparse.Namespace) -> int:
    """`vorton derive`."""
    try:
        files = _files_of(arguments)
        box = arguments.region
        manifest = derive(
            arguments.place,
            arguments.out,
            frames=arguments.frames,
            fps=arguments.fps,
            region=None if box is None else (box[:3], box[3:]),
            jobs=arguments.jobs,
            **files,
        )
    except KeyboardInterrupt as stop:
        found = Manifest.all_in(arguments.out)
        path = found[0].path if found else arguments.out / "none"
        return _say_how_to_go_on(arguments, path, stop)
    return _describe(arguments, manifest)


def run_branch(arguments: argparse.Namespace) -> int:
    """`vorton branch`."""
    scene = load_scene(arguments.scene)
    try:
        manifest = branch(
            scene,
            arguments.place,
            arguments.out,
            frame=arguments.frame,
            frames=arguments.frames,
            progress=not arguments.quiet,
            threads=arguments.threads,
            overwrite=arguments.overwrite,
        )
    except KeyboardInterrupt as stop:
        return _say_how_to_go_on(arguments, arguments.out / f"{scene.name}.json", stop)
    print(describe(manifest))
    return 0


def run_rewind(arguments: argparse.Namespace) -> int:
    """`vorton rewind`."""
    print(describe(rewind(arguments.place, arguments.frame)))
    return 0


def run_transfer(arguments: argparse.Namespace) -> int:
    """`vorton copy`, `vorton move`."""
    print(describe(arguments.transfer(arguments.place, arguments.out)))
    return 0


def run_prune(arguments: argparse.Namespace) -> int:
    """`vorton prune`."""
    archive = not arguments.no_archive
    print(describe(prune_bake(arguments.place, frames=arguments.frames, archive=archive)))
    return 0


def _files_of(arguments: argparse.Namespace) -> dict[str, Any]:
    volumes = Volumes(
        voxel=arguments.voxel,
        preset=arguments.preset,
        half=not arguments.no_half,
        sharp=arguments.sharp,
        compress=not arguments.no_compress,
    )
    return {
        "volumes": None if arguments.no_volumes else volumes,
        "tracers": not arguments.no_tracers,
        "progress": not arguments.quiet,
        "threads": arguments.threads,
        "overwrite": arguments.overwrite,
    }


def _describe(arguments: argparse.Namespace, manifest: Manifest) -> int:
    print(describe(manifest))
    if manifest.data["volumes"]:
        print(f"{arguments.preset:10} {PRESETS[arguments.preset].hint}")
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


def _say_how_to_go_on(arguments: argparse.Namespace, path: Path, stop: KeyboardInterrupt) -> int:
    whole = "no frame is written yet"
    if path.is_file():
        manifest = Manifest.load(path)
        count = manifest.data["last"] - manifest.data["first"] + 1
        done = f" ({ranges_text(manifest.frames)})" if manifest.frames else ""
        whole = f"{len(manifest.frames)} of {count} frames are whole{done}"
    command = [word for word in arguments.command_line if word != "--overwrite"]
    terminated = isinstance(stop, Terminated)
    word = "terminated" if terminated else "interrupted"
    print(f"vorton: {word}; {whole}. To go on: {shlex.join(command)}", file=sys.stderr)
    return TERMINATED if terminated else INTERRUPTED


def run_stage(arguments: argparse.Namespace) -> int:
    """`vorton stage`."""
    how = {
        "preset": arguments.preset,
        "points": not arguments.no_points,
        "progress": not arguments.quiet,
    }
    if arguments.format == "abc":
        path = write_alembic(arguments.place, up=arguments.up or "y", **how)
    else:
        path = usd.make_stage(arguments.place, up=arguments.up, **how)
    print(path)
    return 0


def run_preview(arguments: argparse.Namespace) -> int:
    """`vorton preview`."""
    from .film import make_film

    dye = arguments.dye
    if dye is not None and len(dye) not in (0, 2):
        raise ValueError(f"--dye: takes no temperature or two of them, got {len(dye)}")
    make_film(
        arguments.place,
        arguments.out,
        frames=arguments.frames,
        fps=arguments.fps,
        size=arguments.size,
        voxel=arguments.voxel,
        sharp=arguments.sharp or None,
        eye=arguments.eye,
        target=arguments.target,
        azimuth=arguments.azimuth,
        elevation=arguments.elevation,
        field_of_view=arguments.fov,
        extinction=arguments.extinction,
        dye=False if dye is None else tuple(dye) or True,
        threads=arguments.threads,
        progress=not arguments.quiet,
    )
    print(arguments.out)
    return 0


def run_info(arguments: argparse.Namespace) -> int:
    """`vorton info`."""
    if not arguments.place.exists():
        raise FileNotFoundError(f"{arguments.place}: no such folder or file")
    alone = arguments.place.suffix == SUFFIX and Manifest.of_file(arguments.place) is None
    if alone:
        print(describe_archive(arguments.place))
        return 0
    manifest = Manifest.find(arguments.place)
    print(describe(manifest))
    if not arguments.verify:
        return 0
    damages = [damage for n in manifest.frames if (damage := manifest.damage(n))]
    damages += _damages_of_archive(manifest)
    for damage in damages:
        print(f"damaged    {damage}: bake again to repair it")
    if not damages:
        print(f"verified   all files of {len(manifest.frames)} frames are as they were written")
    return 1 if damages or manifest.missing else 0


def _damages_of_archive(manifest: Manifest) -> list[str]:
    if manifest.archive is None:
        return []
    try:
        with Archive(manifest.archive) as archive:
            needed = range(1, max(manifest.frames, default=0) + 1)
            lacking = sorted(set(needed).difference(archive.frames))
            damages = [damage for n in archive.frames if (damage := archive.damage(n))]
    except (OSError, ValueError) as error:
        return [str(error)]
    if lacking:
        damages.append(f"{manifest.archive.name} lacks frames {ranges_text(lacking)}")
    return damages


def run_demo(arguments: argparse.Namespace) -> int:
    """`vorton demo`."""
    from .demo import run

    try:
        for path in run(arguments.out, threads=arguments.threads, progress=not arguments.quiet):
            print(path)
    except KeyboardInterrupt as stop:
        return _say_how_to_go_on(arguments, arguments.out / "demo.json", stop)
    return 0


def run_validate(arguments: argparse.Namespace) -> int:
    """`vorton validate`."""
    from .validation.report import validate

    return validate(
        quick=arguments.quick,
        words=arguments.words,
        html_path=arguments.html,
        json_path=arguments.json,
    )


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
        from .bench import main as bench

        return bench(argv[1:]) or 0
    arguments = make_parser().parse_args(argv)
    arguments.command_line = ["vorton", *argv]
    status = arguments.run(arguments)
    sys.stdout.flush()
    return status


def one_line(error: Exception) -> str:
    """The error and its notes in one line; an unexpected one with its type."""
    if isinstance(error, OSError) and error.filename and error.errno:
        error = explain(error, Path(os.fsdecode(error.filename)), "cannot use")
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    expected = (ValueError, TypeError, OSError, RuntimeError, ImportError)
    if not isinstance(error, expected) or not text:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    notes = getattr(error, "__notes__", [])
    return " ".join((f"{text} ({'; '.join(notes)})" if notes else text).split())


if __name__ == "__main__":
    sys.exit(main())
