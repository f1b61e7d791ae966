"""A header's number of vertices, compared with the arcs before memory is spent on it."""

from __future__ import annotations

import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.readers.input_file import InputFile
from solvers.text import format_count, plural

_MOST_VERTICES = np.iinfo(np.int32).max


def require_plausible_size(file: InputFile, n: int, arcs: int) -> None:
    """Refuse a graph without vertices, with too many for 32 bits, or with far more of them than its arcs could join.

    Raises
    ------
    FileFormatError
    """
    if n < 1:
        raise FileFormatError(file.path, "the graph has no vertices")
    if n > _MOST_VERTICES:
        raise FileFormatError(file.path, f"{format_count(n)} vertices are too many for 32-bit indices")
    if n > 100 * arcs + 1_000_000:
        reason = f"its header says {format_count(n)} vertices, but it has only {plural(arcs, 'arc')}"
        raise FileFormatError(file.path, reason, hint="The header may be wrong, or the file truncated.")
