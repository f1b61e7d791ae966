"""A table of distances in a file of Zarr, for one that does not fit into the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from solvers.errors import FileNotWritten
from solvers.system.array_types import Float64s
from solvers.system.files import reason_of
from solvers.system.optional_packages import optional_package

_CELLS = 1 << 24  # computed and written at a time


def zarr_table(path: FilePath, shape: tuple[int, int], table: Callable[[slice], Float64s]) -> Any:
    """The Zarr array in a new folder, of the rows that ``table`` computes."""
    zarr = optional_package("zarr", f"Writing {path.name}", "cluster")
    rows = max(1, min(shape[0], _CELLS // max(1, shape[1])))
    try:
        array = zarr.create_array(
            str(path),
            shape=shape,
            chunks=(rows, max(1, min(shape[1], 4096))),
            dtype=np.float64,
            fill_value=np.nan,
        )
        for first in range(0, shape[0], rows):
            part = slice(first, min(first + rows, shape[0]))
            array[part] = table(part)
    except (OSError, ValueError) as error:  # zarr's own errors are of both kinds
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise FileNotWritten(path, reason) from error
    return array
