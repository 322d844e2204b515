"""Kills bakes at any moment, and those that go on with them: whole frames or none, and in the end
the same bytes. The same of moves: at every moment all frames and states are whole in one of both
folders. And of what is derived in parts and gathered: at every moment the parts are what they were.

    python tests/killed_bakes.py [KILLS] [SEED]

until so many bakes (default 200) and half as many moves and gathers have been killed. The last
quarter of the bakes have so many tracers that threads share their work, now one, now three of them.
Each of them is a forked child, so that the moments lie in it and not in the start of Python.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from bakes import content, small_scene

import vorton as vt
from vorton import Manifest
from vorton.archive import Archive
from vorton.files.disk import LOCK


def shared_scene():
    """Of more rows than one thread copies into a state."""
    scene = vt.Scene("ring", seed=3, voxel=0.2)
    scene.add(vt.VortexRing(core=0.3, layers=0, sections=12))
    scene.add(vt.Tracers(vt.Torus(thickness=0.2), count=70_000))
    return scene


def begin(scene, out, threads):
    """The process that bakes into the folder."""
    return fork(lambda: vt.bake(scene, out, frames=(1, 4), progress=False, threads=threads))


def fork(job):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            job()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:  # or it would remove the folders of its parent on its way out
            os._exit(status)
    return child


def end(child):
    """Whether it came to its end by itself; an error ends all of this."""
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and status:
        sys.exit("a bake failed")
    return status == 0


def check_frames(out, whole):
    """What the manifest names is whole; so is each file of a frame that has its name, as that of
    the whole bake, and each frame that the archive has."""
    if (out / "ring.json").exists():
        manifest = Manifest.load(out / "ring.json")
        assert all(manifest.is_whole(n) for n in manifest.frames), manifest.frames
    for suffix in (".vdb", ".npz"):
        for path in out.glob(f"ring_*{suffix}"):
            assert path.read_bytes() == (whole / path.name).read_bytes(), path.name
    if (out / "ring.vta").exists():
        with Archive(out / "ring.vta") as archive, Archive(whole / "ring.vta") as right:
            for n in archive.frames:
                assert archive.block(n) == right.block(n), n


# ---- moves ----


def meshed(folder):
    """A scene with a mesh in a file, of which the path in the archive follows a move."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = "2 4 3 1\nf 7 8 6 5\nf 5 6 2 1\nf 4 8 7 3\nf 3 7 5 1\nf 6 8 4 2"
    lines = [f"v {x - 3} {y} {z}" for x, y, z in corners]
    (folder / "box.obj").write_text("\n".join(lines) + f"\nf {faces}\n")
    scene = small_scene()
    scene.add(vt.Body(vt.Mesh(folder / "box.obj")))
    return scene


def whole_frames(folder):
    """Numbers of the frames, and of the states, that are whole there."""
    if not (folder / "ring.json").exists():
        return set(), set()
    manifest = Manifest.load(folder / "ring.json")
    frames = {n for n in manifest.frames if manifest.is_whole(n)}
    if not (folder / "ring.vta").exists():
        return frames, set()
    with Archive(folder / "ring.vta") as archive:
        return frames, {n for n in archive.frames if archive.damage(n) is None}


def move(source, target):
    """Unless an earlier one got so far that there is no bake any more."""
    if (source / "ring.json").exists():
        vt.move_bake(source, target, progress=False)


def files(folder):
    found = content(folder) if folder.exists() else {}
    found.pop(LOCK, None)  # one that stays locks nothing
    return found


def kill_moves(place, chance, wanted_kills):
    """Returns how many moves, and how often they were killed."""
    moves, kills = 0, 0
    source, target, wanted, kept = (Path(place, n) for n in ("from", "to", "wanted", "kept"))
    for share, scene in ((0.5, small_scene()), (1, meshed(Path(place)))):
        vt.bake(scene, kept, frames=(1, 4), progress=False, threads=1, overwrite=True)
        shutil.copytree(kept, source)
        length = time.monotonic()
        vt.move_bake(source, wanted)
        length, result = time.monotonic() - length, files(wanted)
        shutil.rmtree(wanted)
        while kills < share * wanted_kills:
            shutil.copytree(kept, source)
            for _ in range(chance.randint(1, 4)):
                child = fork(lambda: move(source, target))
                time.sleep(chance.uniform(0, length))
                os.kill(child, signal.SIGKILL)
                kills += not end(child)
                there, here = whole_frames(source), whole_frames(target)
                for n in range(2):
                    assert there[n] | here[n] == {1, 2, 3, 4}, (there, here)
            move(source, target)
            shutil.rmtree(source, ignore_errors=True)
            assert files(target) == result, (sorted(files(target)), sorted(result))
            shutil.rmtree(target)
            moves += 1
    return moves, kills


# ---- parts ----


def gather(source, target):
    for n in (1, 3):
        part = source.parent / "parts" / str(n)
        vt.derive(source, part, frames=(n, n + 1), progress=False, threads=1)
    vt.gather(source.parent / "parts", target, progress=False)


def kill_gathers(place, chance, wanted_kills):
    """Returns how many bakes were derived in parts and gathered, and how often that was killed."""
    gathers, kills = 0, 0
    source, target = Path(place, "from"), Path(place, "to")
    vt.bake(small_scene(), source, frames=(1, 4), progress=False, threads=1)
    wanted = content(vt.derive(source, Path(place, "wanted"), progress=False, threads=1).folder)
    length = time.monotonic()
    gather(source, target)
    length = time.monotonic() - length
    while kills < wanted_kills:
        shutil.rmtree(target)
        shutil.rmtree(target.parent / "parts")
        for _ in range(chance.randint(1, 4)):
            child = fork(lambda: gather(source, target))
            time.sleep(chance.uniform(0, length))
            os.kill(child, signal.SIGKILL)
            kills += not end(child)
            for part in (target, *Path(place, "parts").glob("*")):
                check_derived(part, wanted)
        gather(source, target)
        assert files(target) == wanted, sorted(files(target))
        gathers += 1
    return gathers, kills


def check_derived(folder, wanted):
    """What its manifest names is whole; each file that has the name of one is."""
    for manifest in Manifest.all_in(folder) if folder.exists() else []:
        assert all(manifest.is_whole(n) for n in manifest.frames), manifest.frames
    for name, digest in files(folder).items():
        if name.endswith((".vdb", ".npz")) and not name.startswith("."):
            assert digest == wanted[name], name


def kill_bakes(place, chance, wanted_kills):
    """Returns how many bakes, and how often they were killed."""
    bakes, kills = 0, 0
    for share, scene, most in ((0.75, small_scene(), 1), (1, shared_scene(), 3)):
        whole, started = Path(place, f"whole {most}"), time.monotonic()
        end(begin(scene, whole, 1))
        length = time.monotonic() - started
        while kills < share * wanted_kills:
            out = Path(place, str(bakes))
            for _ in range(chance.randint(1, 3)):
                child = begin(scene, out, chance.choice((1, most)))
                time.sleep(chance.uniform(0, length))
                os.kill(child, signal.SIGKILL)
                kills += not end(child)
                check_frames(out, whole)
            end(begin(scene, out, chance.choice((1, most))))
            assert content(out) == content(whole), sorted(content(out))
            shutil.rmtree(out)
            bakes += 1
    return bakes, kills


def main(wanted="200", seed="1"):
    with tempfile.TemporaryDirectory() as place:
        moves, kills = kill_moves(place, random.Random(int(seed)), int(wanted) / 2)
    print(f"{moves} moves, killed {kills} times: all of the same bytes", flush=True)
    with tempfile.TemporaryDirectory() as place:
        gathers, kills = kill_gathers(place, random.Random(int(seed)), int(wanted) / 2)
    print(f"{gathers} gathered, killed {kills} times: all of the same bytes", flush=True)
    with tempfile.TemporaryDirectory() as place:
        bakes, kills = kill_bakes(place, random.Random(int(seed)), int(wanted))
    print(f"{bakes} bakes, killed {kills} times: all of the same bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
