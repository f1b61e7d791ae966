"""Locks between processes on single bytes of a file, which the system releases when
their process ends.

One file holds any number of locks: one for each function that is compiled, GPU or
window. `filelock` needs a file for each, which stays in the folder, or one more beside
a file that is written; where a file system has no locks, it waits for a file whose
owner may have been killed, or raises, while here such a file system counts as unlocked.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

# what the system says of a byte that another process has locked
_TAKEN = (errno.EACCES, errno.EAGAIN)

MOST_PLACE = 2**31 - 1  # the C library of Windows counts bytes to lock in 32 bits

if sys.platform == "win32":
    import msvcrt

    _LOCK, _UNLOCK = msvcrt.LK_NBLCK, msvcrt.LK_UNLCK

    def _set_lock(file: int, mode: int, offset: int) -> None:
        """Windows locks from the file's position on, which is restored."""
        before = os.lseek(file, 0, os.SEEK_CUR)
        os.lseek(file, offset, os.SEEK_SET)
        try:
            msvcrt.locking(file, mode, 1)
        finally:
            os.lseek(file, before, os.SEEK_SET)

else:
    import fcntl

    _LOCK, _UNLOCK = fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN

    def _set_lock(file: int, mode: int, offset: int) -> None:
        fcntl.lockf(file, mode, 1, offset)


def try_lock(file: int, offset: int) -> bool:
    """Lock one byte of an open file, unless another process has locked it; returns
    whether that succeeded.

    A file system without locks counts as unlocked.
    """
    try:
        _set_lock(file, _LOCK, offset)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


def unlock(file: int, offset: int) -> None:
    with suppress(OSError):
        _set_lock(file, _UNLOCK, offset)
