"""What the kernels of the compound-frontier programs do in an iteration, and the bytes that their threads ask for.

In every iteration `relax` reads a flag of each vertex, `minimum1` another, and `update` reads and writes one; the
latter two read the distance of each unsettled vertex.
"""

from __future__ import annotations

from solvers.contracts.device_work import Bytes, DeviceWork, Traffic

_RELAXING = ("relax", "relax_matrix")
_OTHERS = ("minimum1", "minimum2", "update")
_STEPS = 4  # bytes per vertex: the flags

FROM_FRONTIER = DeviceWork(
    _RELAXING,
    _OTHERS,
    Traffic(
        vertex=Bytes(_STEPS),
        unsettled=Bytes(values=2),
        active=Bytes(16, 1),
        relaxed=Bytes(5),
        improved=Bytes(values=2),
    ),
)

FROM_UNSETTLED = DeviceWork(
    _RELAXING,
    _OTHERS,
    Traffic(vertex=Bytes(_STEPS), unsettled=Bytes(16, 4), unsettled_arc=Bytes(5), improved=Bytes(values=2)),
)

SHARED_BOUNDS = DeviceWork(
    _RELAXING,
    _OTHERS,
    Traffic(vertex=Bytes(_STEPS + 8), unsettled=Bytes(values=4), unsettled_arc=Bytes(5), improved=Bytes(values=2)),
)
