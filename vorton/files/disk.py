"""Files that are whole or absent: written beside their target, flushed, renamed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TEMPORARY = ".vorton-part"
"""Ending of a file that is being written; one that stayed behind may be removed."""

LOCK = ".vorton-lock"
"""File in a folder that is being written into; it holds the process id of who does so."""

_LOCKED_BYTE = 1 << 20
_NOT_INHERITED = getattr(os, "O_CLOEXEC", 0)  # Windows: never

_REASONS = {
    errno.ENOSPC: "the disk is full",
    getattr(errno, "EDQUOT", -1): "the disk quota is used up",  # unknown to Windows
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "the folder does not exist",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "it exists and is not a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EFBIG: "the file is too large for the file system",
    errno.EIO: "the disk reports an error",
}


def explain(error: OSError, path: Path, action: str = "cannot write") -> OSError:
    """An OSError of the same kind that says what could not be done to `path`, and why."""
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    if error.errno == errno.ENOENT and path.parent.is_dir():
        reason = "it does not exist"
    return OSError(error.errno, f"{action} {path}: {reason}")


def one_line(error: Exception) -> str:
    """The error and its notes in one line; an unexpected one with its type."""
    notes = getattr(error, "__notes__", [])
    if isinstance(error, OSError) and error.filename and error.errno:
        error = explain(error, Path(os.fsdecode(error.filename)), "cannot use")
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    expected = (ValueError, TypeError, OSError, RuntimeError, ImportError)
    if not isinstance(error, expected) or not text:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return " ".join((f"{text} ({'; '.join(notes)})" if notes else text).split())


def gone(path: Path) -> OSError:
    """That a file is not there any more."""
    text = f"{path}: was written, and is gone: somebody removes files of the bake"
    return FileNotFoundError(errno.ENOENT, text)


def write_atomically(path: str | os.PathLike[str], data: bytes | bytearray | memoryview) -> None:
    """Write a whole file: afterwards `path` holds `data`, or is what it was before.

    The bytes go to a file beside the target, are flushed to the disk, and the file is renamed.

    Raises
    ------
    OSError
        When it cannot be written (no permission, disk full ...); nothing is left behind.
    """
    path = Path(path)
    with replaced(path) as part:
        with open(part, "wb") as file:
            file.write(data)


@contextlib.contextmanager
def replaced(path: Path, flush: bool = True) -> Iterator[Path]:
    """A file beside `path` to be written and closed; then it is flushed and takes that name.

    Where the block or the disk fails, `path` stays what it was before. Without `flush` the caller
    sees to it that file and folder reach the disk.

    Raises
    ------
    OSError
        When it cannot be written, naming `path`, or what the block misses; nothing is left
        behind.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        yield part
        if flush:
            flush_file(part)
        os.replace(part, path)
        if flush:
            flush_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):  # the first error counts; the next bake removes it
            part.unlink(missing_ok=True)
        if isinstance(error, FileNotFoundError) and error.filename and path.parent.is_dir():
            missing = Path(os.fsdecode(error.filename))
            told = gone(path) if missing == part else explain(error, missing, "cannot read")
            raise told from error
        if isinstance(error, OSError):
            raise explain(error, path) from error
        raise


def remove(path: Path) -> None:
    """Remove a file, unless it is gone already; OSError naming it where it cannot be removed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise explain(error, path, "cannot remove") from error


def flush_file(path: Path) -> None:
    """What was written into a file reaches the disk."""
    handle = os.open(path, os.O_RDWR)  # Windows flushes nothing that was opened to be read
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_folder(folder: Path) -> None:
    """The new name reaches the disk too (where the system can open a folder)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass  # some network file systems cannot
    finally:
        os.close(handle)


def make_folder(path: Path) -> None:
    """Make a folder and its parents, and make sure that files can be written into it.

    Raises
    ------
    OSError
        When it cannot be made or written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain(error, path, "cannot make the folder") from error
    check_folder(path)


def check_folder(path: Path) -> None:
    """Make sure that files can be written into a folder.

    Raises
    ------
    OSError
        When there is none, or it cannot be written to.
    """
    probe = path / f".{os.getpid()}{TEMPORARY}"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise explain(error, path, "cannot write into the folder") from error


@contextlib.contextmanager
def new_folders_removed(path: Path) -> Iterator[None]:
    """Where the block fails, a folder that it made goes again, and those above it that it made;
    not one that holds something."""
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()
        raise


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep everybody else who asks for it out of a folder.

    The system gives the lock back with the end of the process that held it, so a lock file that was
    left behind locks nothing. On file systems without locks there is none.

    Raises
    ------
    BlockingIOError
        Another process, or another thread of this one, is at work there; the text names both.
    OSError
        When the lock file cannot be made.
    """
    handle = _take_lock(folder)
    try:
        yield
    finally:
        if sys.platform == "win32":  # no name goes while its file is open
            os.close(handle)
            with contextlib.suppress(PermissionError):  # somebody else has it now
                (folder / LOCK).unlink(missing_ok=True)
        else:
            with contextlib.suppress(OSError):  # a lock file that stays locks nothing
                (folder / LOCK).unlink(missing_ok=True)
            os.close(handle)


def _lock_at_once(handle: int) -> None:
    """Raise BlockingIOError where another handle has locked the file, OSError where none can."""
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)  # behind the text, which others are to read
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except PermissionError as error:
        raise BlockingIOError(errno.EAGAIN, "locked") from error
    finally:
        os.lseek(handle, 0, os.SEEK_SET)


def _take_lock(folder: Path) -> int:
    path = folder / LOCK
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | _NOT_INHERITED, 0o666)
        except OSError as error:
            raise explain(error, path) from error
        try:
            _lock_at_once(handle)
        except BlockingIOError as error:
            owner = os.read(handle, 20).decode(errors="replace").strip() or "unknown"
            os.close(handle)
            text = f"{folder}: process {owner} is baking into it; wait, or choose another folder"
            raise BlockingIOError(errno.EAGAIN, text) from error
        except OSError:
            return handle
        # Who had it before may have removed the file meanwhile: then it keeps nobody out.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                with contextlib.suppress(OSError):  # a full disk: others learn no number
                    os.truncate(handle, 0)
                    os.write(handle, f"{os.getpid()}\n".encode())
                return handle
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Remove half-written files that a killed process left behind."""
    for part in folder.glob(f".*{TEMPORARY}"):
        remove(part)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
