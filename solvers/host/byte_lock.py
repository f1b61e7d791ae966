"""Locks between processes on single bytes of a file, which the system releases when their process ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress

_TAKEN = (errno.EACCES, errno.EAGAIN)  # what the system says of a byte that another process has locked

try_lock: Callable[[int, int], bool]
unlock: Callable[[int, int], None]

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: int, place: int) -> bool:
        """Lock one byte of an open file, unless another process has locked it; says whether that succeeded.

        A file system without locks counts as unlocked.
        """
        os.lseek(file, place, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return error.errno not in _TAKEN
        return True

    def unlock(file: int, place: int) -> None:
        """Release a byte."""
        os.lseek(file, place, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

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
