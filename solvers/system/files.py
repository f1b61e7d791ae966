"""Files: atomic replacement and creation, early checks of output paths, temporary
files, and reasons of failed writes.

The names of temporary folders and files identify their owner, so that those of killed
programs can be removed. A name holds the process id and a tag of the machine:
``tautpath-mpi-4711-3fa2c1-x8k2``. Process ids are compared only where the tag is this
machine's (and in a container, this container's), because folders may be shared.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import itertools
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy

from solvers.errors import FileNotWritten
from solvers.program import ROOT
from solvers.system.array_types import AnyArray
from solvers.text import format_bytes

# found by its place: whoever uses the library may have a package of that name
RESOURCES = ROOT / "resources"

_PIECE_BYTES = 1 << 26

_OWNED = re.compile(r"^\.?tautpath-(?:[a-z]+-)?(?P<pid>\d+)-(?P<machine>[0-9a-f]{6})-")
_CLOCK_SLACK_S = 2.0  # file systems and the process table round times differently
_TAIL = 24  # characters of a file's own name that are kept, for its suffixes
_WAITS_S = (0.0, 0.02, 0.2)  # before each attempt to remove a folder

_WORDS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOSPC: "the disk is full",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
}


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Have what the system refuses in the ``with`` block raise FileNotWritten."""
    try:
        yield
    except OSError as error:
        raise FileNotWritten(path, reason_of(error)) from error


def write_text(path: Path, text: str) -> None:
    """Write a text atomically, in folders that are made where they are missing; raises
    FileNotWritten.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replace_atomically(path) as beside:
        beside.write_text(text, encoding="utf-8")


def make_private_folder(folder: Path) -> None:
    """Make a folder for what is run or believed later; where the umask lets everybody write
    to it, it is closed to others. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = folder.stat()
    if hasattr(os, "getuid") and state.st_mode & stat.S_IWOTH and state.st_uid == os.getuid():
        folder.chmod(stat.S_IRWXU)


@contextmanager
def replace_atomically(path: Path | str) -> Iterator[Path]:
    """Write ``path`` atomically: the ``with`` block writes a temporary file, which then
    replaces ``path``.

    If the block raises, or the program ends before the block does, the temporary file
    is removed and an existing ``path`` is unchanged. The temporary file is in the same
    folder and has the same suffix, because writers choose compression and image format
    by it. Symbolic links are followed. Pipes and devices cannot be replaced and are
    written to directly. Raises FileNotWritten if the system refuses: missing folder, no
    permission, disk full.
    """
    with writing(path):
        target = Path(os.path.realpath(path))
        mode = _mode(target)
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError("it is a folder")
        if mode is None or stat.S_ISREG(mode):
            with _temporary(target) as temporary:
                yield temporary
                os.replace(temporary, target)
        else:
            yield target


def write_new_files(
    folder: Path | str, writers: Mapping[str, Callable[[Path], None]]
) -> tuple[Path, ...]:
    """Write files under names that are free, also against other programs; nothing is replaced.

    If a name is taken, all files have the first number that is free for all of them:
    ``a-2.csv`` and ``b-2.csv``. A file has its name only when it is complete: a program
    that is killed leaves no empty or partial one. If a writer raises, the files that
    were finished before are kept. Raises FileNotWritten.

    ``folder``: created if it does not exist. ``writers``: for each name, a function
    that writes the file to the path it is given; the paths returned are in this order.
    """
    folder = Path(folder)
    finished: dict[str, Path] = {}
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as temporaries:
            try:
                for name, write in writers.items():
                    temporary = temporaries.enter_context(_temporary(folder / name))
                    write(temporary)
                    finished[name] = temporary
            finally:
                placed = _place(finished, folder)
    return placed


def _place(files: Mapping[str, Path], folder: Path) -> tuple[Path, ...]:
    """Give temporary files their names, with the first number that is free for all."""
    for number in itertools.count(1):
        placed: list[Path] = []
        try:
            for name, temporary in files.items():
                path = folder / name
                path = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
                _place_one(temporary, path)
                placed.append(path)
            return tuple(placed)
        except FileExistsError:
            for path in placed:
                _remove(path)
    raise AssertionError("numbers do not end")


def _place_one(temporary: Path, path: Path) -> None:
    """Make ``path`` a second name of the file; FileExistsError if it is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # the file system has no links: a copy, which is complete only when it ends
        with temporary.open("rb") as source, path.open("xb") as copy:
            shutil.copyfileobj(source, copy)


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """A path for a temporary file in the folder of ``target``, removed at the end of the block."""
    sweep_once(target.parent)
    temporary = temporary_beside(target)
    remove = partial(_remove, temporary)
    atexit.register(remove)  # if the program exits while a daemon thread is in the block
    try:
        yield temporary
    finally:
        remove()
        atexit.unregister(remove)


def _remove(temporary: Path) -> None:
    with suppress(OSError):  # what went wrong before is what the user must know
        temporary.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """The file's type and permissions; None if it does not exist. OSError if the system
    refuses to look.
    """
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_regular(path: Path | str) -> BinaryIO:
    """Open a regular file for reading, without waiting; raises `NotRegularFile` for
    others, and other OSErrors.
    """
    # Non-blocking, since opening a pipe would wait for its writer before it can be told
    # from a file.
    flags = (
        os.O_RDONLY
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_NOCTTY", 0)
        | getattr(os, "O_BINARY", 0)
    )
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    try:
        require_regular(os.fstat(descriptor), path)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def require_regular(status: os.stat_result, path: Path | str) -> None:
    """Raise `NotRegularFile` for a pipe, device, socket or folder."""
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularFile(errno.EINVAL, kind_of_file(status.st_mode), str(path))


def kind_of_file(mode: int) -> str:
    """What a file that is not a regular one is: "it is a pipe, not a file"."""
    kinds = {
        stat.S_IFDIR: "folder",
        stat.S_IFIFO: "pipe",
        stat.S_IFCHR: "device",
        stat.S_IFBLK: "device",
        stat.S_IFSOCK: "socket",
    }
    return f"it is a {kinds.get(stat.S_IFMT(mode), 'special file')}, not a file"


def read_regular(path: Path | str, most_bytes: int) -> bytes:
    """The content of a regular file of ``most_bytes`` at most, which is checked before it is read.

    For files at known paths, such as those of caches: a pipe or an endless device there
    is neither waited for nor read.

    Raises NotRegularFile, FileTooLarge: these are OSErrors; others for a file that does
    not exist or cannot be read.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most_bytes:
            raise FileTooLarge(
                errno.EINVAL, f"it is larger than {format_bytes(most_bytes)}", str(path)
            )
        content = file.read(size + 1)
    # it grows, or is a file of the system, which tells no size
    if content is None or len(content) > size:
        raise FileTooLarge(errno.EINVAL, "it is longer than the system says", str(path))
    return content


class NotRegularFile(OSError):
    """A pipe, device, socket or folder is where a file is expected."""


class FileTooLarge(OSError):
    """A file is larger than it can be."""


def save_array(path: Path, array: AnyArray) -> None:
    """As ``numpy.save``, but a full disk raises an OSError with its error number."""
    with path.open("wb") as file:
        array = np.asarray(array, order="C")
        npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
        cells = array.reshape(-1).view(np.uint8).data
        for first in range(0, len(cells), _PIECE_BYTES):
            file.write(cells[first : first + _PIECE_BYTES])


def require_writable_file(path: Path | str) -> None:
    """Check, before a long computation, that its output file can be written.

    Raises FileNotWritten if ``path`` is a folder, or its folder is missing or not
    writable.
    """
    with writing(path):
        target = Path(os.path.realpath(path))
        mode, folder = _mode(target), _mode(target.parent)
    if mode is not None and stat.S_ISDIR(mode):
        raise FileNotWritten(path, "it is a folder")
    if folder is None or not stat.S_ISDIR(folder):
        raise FileNotWritten(path, f"there is no folder {target.parent}")
    # a device is written to directly
    place = target.parent if mode is None or stat.S_ISREG(mode) else target
    _require_room(path, place, os.W_OK)


def require_writable_folder(path: Path | str) -> None:
    """Check that an output folder is writable, or can be created.

    Raises FileNotWritten if the folder, or its nearest existing parent, is not a folder
    or not writable.
    """
    with writing(path):
        target = Path(os.path.realpath(path))
        nearest = next(place for place in (target, *target.parents) if _mode(place) is not None)
        is_folder = nearest.is_dir()
    if not is_folder:
        raise FileNotWritten(path, f"{nearest} is not a folder")
    _require_room(path, nearest, os.W_OK | os.X_OK)


def _require_room(path: Path | str, place: Path, access: int) -> None:
    if not os.access(place, access):
        raise FileNotWritten(path, f"no permission to write in {place}")
    if place.is_dir() and (disk := shutil.disk_usage(place)).total and not disk.free:
        raise FileNotWritten(path, reason_of(OSError(errno.ENOSPC, "")))


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A new temporary folder, removed at the end of the ``with`` block; raises
    `FileNotWritten` if none can be made.
    """
    folder = _make(kind)
    try:
        yield folder
    finally:
        _remove_folder(folder)


def folder_until_exit(kind: str) -> Path:
    """A new temporary folder, removed when this process ends; raises as `temporary_folder`."""
    folder, owner = _make(kind), os.getpid()
    atexit.register(lambda: _remove_folder(folder) if os.getpid() == owner else None)
    return folder


def temporary_beside(target: Path) -> Path:
    """An unused, hidden name in the folder of ``target`` with the same suffixes;
    nothing is created.
    """
    return target.with_name(f".tautpath-{_owner()}-{uuid.uuid4().hex[:8]}-{target.name[-_TAIL:]}")


def sweep_temporary_folder() -> None:
    """Remove the entries of killed processes from the temporary folder. Never raises."""
    with suppress(OSError):
        sweep(Path(tempfile.gettempdir()))


def sweep(folder: Path) -> None:
    """Remove entries of ``folder`` whose owner has ended; those of running processes
    and other machines are kept.
    """
    try:
        entries = [entry for entry in os.scandir(folder) if _OWNED.match(entry.name)]
    except OSError:
        return
    for entry in entries:
        with suppress(OSError):
            if _is_abandoned(entry):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


@cache
def sweep_once(folder: Path) -> None:
    """As `sweep`, at most once for each folder and process."""
    sweep(folder)


def _remove_folder(folder: Path) -> None:
    """Remove a folder, also where processes that are about to end still write into it."""
    for wait_s in _WAITS_S:
        time.sleep(wait_s)
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break


def _make(kind: str) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=f"tautpath-{kind}-{_owner()}-"))
    except OSError as error:
        raise FileNotWritten(
            os.environ.get("TMPDIR") or "/tmp", f"no temporary folder: {reason_of(error)}"
        ) from error


def _owner() -> str:
    return f"{os.getpid()}-{_machine()}"


@cache
def _machine() -> str:
    """A tag of this machine and its process namespace, which differs between containers."""
    processes = ""
    with suppress(OSError):
        processes = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()} {processes}".encode()).hexdigest()[:6]


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    found = _OWNED.match(entry.name)
    if found is None or found["machine"] != _machine():
        return False
    state = entry.stat(follow_symlinks=False)
    if hasattr(os, "getuid") and state.st_uid != os.getuid():
        return False

    import psutil  # imported here because the window starts without it

    try:
        process = psutil.Process(int(found["pid"]))
        # A process that is younger than the entry has been given its owner's number.
        return (
            process.status() == psutil.STATUS_ZOMBIE
            or process.create_time() > state.st_mtime + _CLOCK_SLACK_S
        )
    except psutil.NoSuchProcess:
        return os.path.exists("/proc/self") or sys.platform != "linux"  # else nothing is known
    except psutil.Error:
        return False


if hasattr(errno, "EDQUOT"):
    _WORDS[errno.EDQUOT] = "the disk quota is used up"


def reason_of(error: OSError) -> str:
    """The reason, without the file's name, as within a sentence: "the disk is full"."""
    said = error.strerror or ""  # "Is a directory"
    known = _WORDS.get(error.errno or 0) or said[:1].lower() + said[1:]
    return known or str(error) or type(error).__name__
