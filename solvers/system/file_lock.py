"""Locks between processes on single bytes of a file, which the system releases when their process ends.

One file holds any number of locks: one for each function that is compiled, GPU or window. `filelock` needs a file for
each, which stays in the folder, or one more beside a file that is written; where a file system has no locks, it waits
for a file whose owner may have been killed, or raises, while here such a file system counts as unlocked.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress

_TAKEN = (errno.EACCES, errno.EAGAIN)  # what the system says of a byte that another process has locked

MOST_PLACE = 2**31 - 1  # the C library of Windows counts bytes to lock in 32 bits

try_lock: Callable[[int, int], bool]
unlock: Callable[[int, int], None]

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: int, place: int) -> bool:
        """Lock one byte of an open file, unless another process has locked it; says whether that succeeded.

        A file system without locks counts as unlocked.
        """
        try:
            _lock_at(file, place, msvcrt.LK_NBLCK)
        except OSError as error:
            return error.errno not in _TAKEN
        return True

    def unlock(file: int, place: int) -> None:
        """Release a byte."""
        with suppress(OSError):
            _lock_at(file, place, msvcrt.LK_UNLCK)

    def _lock_at(file: int, place: int, mode: int) -> None:
        """Windows locks from the file's position on, which is where it was afterwards."""
        before = os.lseek(file, 0, os.SEEK_CUR)
        os.lseek(file, place, os.SEEK_SET)
        try:
            msvcrt.locking(file, mode, 1)
        finally:
            os.lseek(file, before, os.SEEK_SET)

else:
    import fcntl

    def try_lock(file: int, place: int) -> bool:
        """Lock one byte of an open file, unless another process has locked it; says whether that succeeded.

        A file system without locks counts as unlocked.
        """
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as error:
            return error.errno not in _TAKEN
        return True

    def unlock(file: int, place: int) -> None:
        """Release a byte."""
        with suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_UN, 1, place)
