"""What the kernels of ``device_batch.cu`` read of a hierarchy, on the device: it does not depend on the sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.preparation import Prepared
from solvers.algorithms.hierarchy.sweep_pieces import SweepPieces
from solvers.devices.base import DeviceSession, Program

_BLOCK = 128


@dataclass(frozen=True)
class DeviceHierarchy:
    """Buffers in the order of the kernels' parameters.

    Attributes
    ----------
    climbing : tuple
        Of ``climb``: parents, depths, up arcs and their weights.
    sweeping : tuple
        Of ``settle_pieces``: pieces, boundaries, quads, weights, and ranks, sizes and depths.
    place_of_vertex : Buffer
        Of ``turn_rows``.
    """

    climbing: tuple[Any, ...]
    sweeping: tuple[Any, ...]
    place_of_vertex: Any

    @classmethod
    def upload(cls, ready: Prepared, pieces: SweepPieces, program: Program, session: DeviceSession) -> DeviceHierarchy:
        """Copy a hierarchy to a device and lay its weights out by place.

        Raises
        ------
        OutOfMemory
        """
        hierarchy, metric, tree = ready.hierarchy, ready.metric, ready.hierarchy.tree

        def copied(array: NDArray[Any]) -> Any:
            return session.upload(array if len(array) else np.zeros(1, array.dtype))  # OpenCL has no empty buffers

        down, depth = copied(metric.down), copied(tree.depth)
        up = down if metric.is_symmetric else copied(metric.up)
        weights = session.empty(max(1, len(pieces.slots)), metric.down.dtype)
        program.launch(
            "order_weights", (-(-tree.n // _BLOCK),), (_BLOCK,), np.int32(tree.n), copied(pieces.rank),
            copied(hierarchy.up_first), copied(pieces.quad_first), down, weights,
        )  # fmt: skip
        place = np.empty(tree.n, np.int32)
        place[pieces.rank] = np.arange(tree.n, dtype=np.int32)
        structure: tuple[NDArray[Any], ...] = (
            pieces.piece_first, pieces.boundary_first, pieces.boundary, pieces.quad_first, pieces.ends, pieces.slots,
        )  # fmt: skip
        found = cls(
            climbing=(copied(tree.parent), depth, copied(hierarchy.up_first), copied(hierarchy.up_depth), up),
            sweeping=(*map(copied, structure), weights, copied(pieces.rank), copied(tree.size), depth),
            place_of_vertex=copied(place[tree.rank]),
        )
        session.synchronize()
        return found
