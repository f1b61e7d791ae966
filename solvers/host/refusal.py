"""The reason of a failed write, as text."""

from __future__ import annotations

import errno

_WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
}
if hasattr(errno, "EDQUOT"):
    _WORDS[errno.EDQUOT] = "the disk quota is used up"


def reason_of(error: OSError) -> str:
    """The reason, without the file's name: "the disk is full"."""
    return _WORDS.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__
