"""Disk cache of arrays that take long to compute, such as the order of a large graph.

The size of its folder is limited: the oldest files are removed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from solvers.errors import FileNotWritten
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.files import make_private_folder, open_regular, replace_atomically
from solvers.system.former_name import take_over

MOST_BYTES = 1 << 30
_DIGEST_BYTES = 32
_blake2b = partial(hashlib.blake2b, digest_size=_DIGEST_BYTES)

FOLDER_VARIABLE = "TAUTPATH_DATA"
DELETED_KEPT = timedelta(days=30)  # how long what the user deleted can be restored

log = logging.getLogger(__name__)

_TYPES = {2: np.uint16, 4: np.int32, 8: np.int64}
_ALIGNED = 8


def cache_folder() -> Path:
    """The folder of all that is kept for this user only to save time."""
    from platformdirs import user_cache_path  # a GPU server may lack it

    take_over()
    return _found_by(user_cache_path, os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))


@lru_cache(maxsize=4)
def _found_by(find: Callable[[str], Path], *_named: str | None) -> Path:
    """What ``find`` answers, asked once as long as the environment names the same folders: it
    takes a tenth of a millisecond.
    """
    return find("tautpath")


def user_folder(kind: str) -> Path:
    """Folder of the user's cached arrays of that kind."""
    return cache_folder() / kind


def data_folder() -> Path:
    """Folder of the user's runs, kernels and variants: that named by ``TAUTPATH_DATA``,
    or the user's data folder.
    """
    if folder := os.environ.get(FOLDER_VARIABLE):
        return Path(folder)
    return users_folder()


def users_folder() -> Path:
    """The user's data folder."""
    from platformdirs import user_data_path

    take_over()
    return user_data_path("tautpath")


@dataclass(frozen=True)
class StoredArray:
    """An array, or why there is none though a file exists: "damaged", or "of an earlier
    version".
    """

    array: AnyArray | None = None
    problem: str = ""


class ArrayStore:
    """Arrays of one type by name, each in a file.

    A file holds the digests of a version, if there is one, and of its name with the numbers,
    and the numbers, little-endian. A file that does not match, such as one that was given
    another name, counts as absent and is removed; a pipe, device or folder counts as absent;
    failures to write are only logged.

    ``version``: of the method that makes the arrays; to be raised when its results
    change. Arrays of other versions are not used; "" where names tell the version.
    ``checksum``: of name and numbers, 32 bytes; SHA-256 takes less time for large arrays on
    processors that have it built in.
    """

    def __init__(
        self,
        folder: Path,  # created on demand
        version: str,
        *,
        checksum: Callable[[Any], Any] = _blake2b,
        # size limit; beyond it the least recently used arrays are removed
        most_bytes: int = MOST_BYTES,
        dtype: str = "<i4",
        suffix: str = "array",
    ):
        self._folder, self._checksum, self._most_bytes = folder, checksum, most_bytes
        self._dtype, self._suffix = np.dtype(dtype), suffix
        self._version = _digest(version.encode()) if version else b""

    def load(self, name: str, length: int | None) -> StoredArray:
        """The array of that name, if it is there and whole; of any length if ``length`` is None."""
        path = self._path(name)
        try:
            file = open_regular(path)
        except OSError:
            return StoredArray()
        try:
            with file:
                problem = self._problem(file, length)
                content = np.fromfile(file, np.uint8, 0 if problem else -1)
            os.utime(path)  # marks it as recently used
        except Exception as error:  # whatever is wrong with it, the array can be made again
            log.debug("cannot read %s: %s", path, error)
            problem = "damaged"
        if problem:
            return self._refused(path, problem)
        head = len(self._version)
        digest = content[head : head + _DIGEST_BYTES].tobytes()
        numbers = content[head + _DIGEST_BYTES :]
        if digest != self._digest_of(name, numbers.data):
            return self._refused(path, "damaged")
        log.debug("read %s", path)
        native = self._dtype.newbyteorder("=")
        return StoredArray(numbers.view(self._dtype).astype(native, copy=False))

    def has(self, name: str, length: int | None) -> bool:
        """Whether there is an array of that name, length and version; its content is
        not checked.
        """
        path = self._path(name)
        try:
            with open_regular(path) as file:
                return not self._problem(file, length)
        except OSError:
            return False

    def _problem(self, file: BinaryIO, length: int | None) -> str:
        """What is wrong with an open file, without reading its numbers; it is left at its start."""
        head, width = len(self._version), self._dtype.itemsize
        size = os.fstat(file.fileno()).st_size - head - _DIGEST_BYTES
        version = file.read(head)
        file.seek(0)
        if len(version) == head and version != self._version:
            return "of an earlier version"
        fits = (
            size % width == 0 and 0 <= size <= self._most_bytes
            if length is None
            else size == width * length
        )
        return "" if fits else "damaged"

    def save(self, name: str, array: AnyArray) -> None:
        """Store an array, and remove others beyond the size limit."""
        numbers = np.ascontiguousarray(array, self._dtype).tobytes()
        if len(numbers) > self._most_bytes:
            return
        path = self._path(name)
        try:
            make_private_folder(self._folder)
            make_way(path)
            with replace_atomically(path) as beside, beside.open("wb") as file:
                file.writelines((self._version, self._digest_of(name, numbers), numbers))
            remove_oldest(self._folder, self._most_bytes, path)
        except (OSError, FileNotWritten) as error:
            log.debug("cannot store %s: %s", path, error)
            _say_once()

    def _digest_of(self, name: str, numbers: bytes | memoryview) -> bytes:
        digest = self._checksum(name.encode())
        digest.update(numbers)
        found: bytes = digest.digest()
        return found

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.{self._suffix}"

    def _refused(self, path: Path, problem: str) -> StoredArray:
        log.info("%s is %s, and is not used", path, problem)
        remove_cached(path)
        return StoredArray(None, problem)


def joined(arrays: Sequence[AnyArray]) -> Int32s:
    """Arrays in one, behind their lengths and the sizes of their numbers, in the
    machine's byte order.
    """
    header = np.array([(len(array), array.itemsize) for array in arrays], np.int64)
    gaps = [np.zeros(-array.nbytes % _ALIGNED, np.uint8) for array in arrays]
    parts = [
        part
        for array, gap in zip(arrays, gaps, strict=True)
        for part in (array.view(np.uint8), gap)
    ]
    return np.concatenate([header.ravel().view(np.uint8), *parts]).view(np.int32)


def parted(content: Int32s, count: int) -> list[AnyArray]:
    """Views of the so many arrays that `joined` put together, with integers of their size."""
    numbers, at, found = content.view(np.uint8), 16 * count, []
    for length, size in numbers[:at].view(np.int64).reshape(-1, 2).tolist():
        found.append(numbers[at : at + length * size].view(_TYPES[size]))
        at += -(-length * size // _ALIGNED) * _ALIGNED
    return found


@cache
def _say_once() -> None:
    log.warning(
        "What takes long to prepare, such as the order of a large graph, cannot be kept, because "
        "the user's cache folder is not writable or its disk is full; every start will take longer."
    )


def _digest(numbers: bytes | memoryview) -> bytes:
    return _blake2b(numbers).digest()


def remove_oldest(folder: Path, most_bytes: int, newest: Path) -> None:
    """Remove the least recently used files beyond ``most_bytes``, but not ``newest``;
    OSError without such a folder.
    """
    files = [(entry.stat(), Path(entry.path)) for entry in os.scandir(folder) if entry.is_file()]
    total = sum(status.st_size for status, _ in files)
    for status, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
        if total <= most_bytes:
            return
        if path != newest:
            remove_cached(path)
            total -= status.st_size


def make_way(path: Path) -> None:
    """Remove a link, pipe or device at the path of a cached file: opening a pipe would
    wait; raises OSError.
    """
    try:
        is_file = stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_file:
        path.unlink()


def remove_cached(path: Path) -> None:
    """Remove a file if that is allowed; a file that stays is only logged."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.debug("cannot remove %s: %s", path, error)
