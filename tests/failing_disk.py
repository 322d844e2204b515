"""A bake whose disk fails at each of its calls in turn: a clear error, whole frames or none, and
the same bytes once the disk works again. Runs with tests/faults/disk.c loaded before all others:

    LD_PRELOAD=disk.so python failing_disk.py FOLDER [STRIDE]
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
from vorton.manifest import Manifest

CODES = errno.ENOSPC, errno.EIO, errno.EROFS
MOST_CALLS = 10**6


def small():
    scene = vt.Scene("ring", voxel=0.2, max_tracers=1000)
    scene.add(vt.VortexRing(core=0.3, layers=0, sections=12))
    scene.add(vt.Tracers(vt.Torus(thickness=0.2), count=50))
    return scene


def bake(out):
    return vt.bake(small(), out, frames=(1, 2), progress=False, threads=1)


def derive(out):
    """From the archive of the bake beside it."""
    return vt.derive(out.parent / "whole", out, progress=False, threads=1)


def save(out):
    """A simulation into an archive, a scene into a file."""
    vt.Simulation(small(), threads=1, max_vortons=99).save(out / "now.vta")
    small().save(out / "scene.json")


def check_frames(out):
    """What the manifest names is whole."""
    if (out / "ring.json").exists():
        manifest = Manifest.load(out / "ring.json")
        assert all(manifest.is_whole(n) for n in manifest.frames), manifest.frames


def try_one(disk, job, out, wanted, after, code, everything):
    """Whether the call that failed ended the job."""
    shutil.rmtree(out, ignore_errors=True)
    if job is save:
        out.mkdir()
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
    job(out)
    assert content(out) == wanted, f"{where} ({failed}): {sorted(content(out))}"
    return failed is not None


def main(place, stride):
    disk = ctypes.CDLL(None)
    whole = place / "whole"
    tried = errors = 0
    for job in (bake, derive, save):
        target = whole if job is bake else place / job.__name__
        if job is save:
            target.mkdir()
        disk.fail_writes(str(target).encode(), MOST_CALLS, 0, 0)
        job(target)
        calls, wanted = disk.stop_failing(), content(target)
        print(f"{job.__name__}: {calls} calls")
        for after in range(0, calls, stride):
            for code in CODES:
                for everything in (0, 1):
                    out = place / "out"
                    errors += try_one(disk, job, out, wanted, after, code, everything)
                    tried += 1
    print(f"{tried} disks failed, {errors} jobs with them; all went on to the same bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
