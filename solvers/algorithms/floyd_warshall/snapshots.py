"""Choice of the steps after which a watched run copies its matrix, so that copies do not dominate the run."""

from __future__ import annotations

_MOST = 64
_LEAST = 8
_BYTES = 8 * 10**9  # copied or looked through in one run, a few seconds' work


def due_steps(steps: int, matrix_bytes: int) -> frozenset[int]:
    """The steps, from 0, after which a watched run copies the matrix: evenly spaced, including the last.

    At most 64, and fewer where the matrix is large: 8 GB altogether, but never fewer than 8.
    """
    wanted = max(_LEAST, min(_MOST, _BYTES // max(1, matrix_bytes)))
    return frozenset((steps * (i + 1)) // wanted - 1 for i in range(wanted) if steps * (i + 1) >= wanted)
