"""What writes bakes, on a disk that fails at each of its calls in turn: a clear error, whole frames
or none, the bake that it starts from as it was, and the same bytes once the disk works again. Runs
with tests/faults/disk.c loaded before all others:

    LD_PRELOAD=disk.so python failing_disk.py FOLDER [STRIDE [JOB ...]]
"""

import ctypes
import errno
import os
import shutil
import sys
import traceback
from pathlib import Path

from bakes import content

import vorton as vt
from vorton import Manifest
from vorton.files.disk import LOCK
from vorton.film import make_film
from vorton.hosts.usd import make_stage
from vorton.hosts.vdb_points import write_point_grids

CODES = errno.ENOSPC, errno.EIO, errno.EROFS
MOST_CALLS = 10**6


def small():
    scene = vt.Scene("ring", voxel=0.2, max_tracers=1000)
    scene.add(vt.VortexRing(core=0.3, layers=0, sections=12))
    scene.add(vt.Tracers(vt.Torus(thickness=0.2), count=50))
    return scene


def nothing(out):
    shutil.rmtree(out, ignore_errors=True)


def empty(out):
    nothing(out)
    out.mkdir()


def a_bake(out):
    nothing(out)
    shutil.copytree(out.parent / "whole", out)


def a_bake_below(out):
    nothing(out)
    shutil.copytree(out.parent / "whole", out / "from")


def bake(out):
    return vt.bake(small(), out, frames=(1, 3), progress=False, threads=1)


def derive(out):
    """From the archive of the bake beside it."""
    return vt.derive(out.parent / "whole", out, progress=False, threads=1)


def retime(out):
    """The same with frames in between, into tracers alone."""
    fields = {"fps": 48, "volumes": None, "tracers": True}
    return vt.derive(out.parent / "whole", out, progress=False, threads=1, **fields)


def save(out):
    """A simulation into an archive, a scene into a file."""
    vt.Simulation(small(), threads=1, max_vortons=99).save(out / "now.vta")
    small().save(out / "scene.json")


def branch(out):
    scene = small()
    scene.add(vt.Wind((1, 0, 0)))
    return vt.branch(scene, out.parent / "whole", out, frame=2, progress=False, threads=1)


def copy(out):
    return vt.copy_bake(out.parent / "whole", out)


def move(out):
    return vt.move_bake(out / "from", out / "to")


def gather(out):
    """Of parts beside it, which are made once."""
    parts, how = out.parent / "parts", {"progress": False, "threads": 1}
    for first, last in (1, 1), (2, 3):
        if not (parts / str(first)).exists():
            vt.derive(out.parent / "whole", parts / str(first), frames=(first, last), **how)
    return vt.gather(parts, out, progress=False)


def show(out):
    """What hosts and people look at, beside the bake."""
    make_stage(out, points=False, progress=False)
    write_point_grids(out, progress=False)
    film = make_film(out, out / "ring.gif", size=(16, 16), progress=False, threads=1)
    return make_film(out, film.with_suffix(".png"), size=(16, 16), progress=False, threads=1)


def rewind(out):
    return vt.rewind(out, 1)


def prune(out):
    return vt.prune_bake(out, frames=(2, 2), archive=False)


# What is there before
JOBS = {
    bake: nothing,
    derive: nothing,
    retime: nothing,
    save: empty,
    branch: nothing,
    copy: nothing,
    move: a_bake_below,
    gather: nothing,
    show: a_bake,
    rewind: a_bake,
    prune: a_bake,
}

AGAIN = bake, derive, retime, save, branch, gather, show  # the same call goes on with what is whole


def contents(out):
    """Of the folder and those below it; one that stays empty does no harm."""
    folders = [path for path in sorted(out.iterdir()) if path.is_dir()]
    found = {path.name: inside for path in folders if (inside := contents(path))} or content(out)
    found.pop(LOCK, None)  # one that stays locks nothing
    return found


def check_frames(out):
    """What the manifest names is whole."""
    if (out / "ring.json").exists():
        manifest = Manifest.load(out / "ring.json")
        assert all(manifest.is_whole(n) for n in manifest.frames), manifest.frames


def try_one(disk, job, out, wanted, after, code, everything):
    """Whether the call that failed ended the job."""
    JOBS[job](out)
    before = content(out.parent / "whole")
    disk.fail_writes(str(out).encode(), after, code, everything)
    try:
        job(out)
        failed = None
    except OSError as error:
        failed = error
    finally:
        calls = disk.stop_failing()
    where = f"{job.__name__}, call {after} of {calls}, {errno.errorcode[code]}, {everything=}"
    if failed is not None:
        text = str(failed)
        assert failed.errno == code and str(out) in text, f"{where}: {failed!r}"
        clear = not text.startswith(f"[Errno {code}] {os.strerror(code)}")
        assert clear, f"{where}: {failed!r}\n" + "".join(traceback.format_exception(failed))
    check_frames(out)
    if failed is not None or job in AGAIN:
        job(out)
    assert contents(out) == wanted, f"{where} ({failed}): {contents(out)}, not {wanted}"
    assert content(out.parent / "whole") == before, where
    return failed is not None


def main(place, stride, names):
    disk = ctypes.CDLL(None)
    tried = errors = 0
    for job, prepare in JOBS.items():
        if names and job.__name__ not in names and job is not bake:
            continue
        target = place / ("whole" if job is bake else job.__name__)
        prepare(target)
        disk.fail_writes(str(target).encode(), MOST_CALLS, 0, 0)
        job(target)
        calls, wanted = disk.stop_failing(), contents(target)
        print(f"{job.__name__}: {calls} calls")
        for after in range(0, calls, stride):
            if names and job.__name__ not in names:
                break
            for code in CODES:
                for everything in (0, 1):
                    errors += try_one(disk, job, place / "out", wanted, after, code, everything)
                    tried += 1
    print(f"{tried} disks failed, {errors} jobs with them; all went on to the same bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3:])
