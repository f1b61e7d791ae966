"""Proof of rows of distances where they are, in a device's memory, by ``device_rows.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.devices.device import DeviceSession, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.system.array_types import AnyArray, Bools, Int64s

_BLOCK = 1024  # threads of a row; the processor takes fewer
_MARKS = 1 << 26  # bytes


def proved_on_device(
    graph: Graph, session: DeviceSession, rows: Any, sources: Int64s, chosen: Int64s
) -> Bools:
    """Which of the chosen rows of a buffer, (k, n), are proved to be the distances from
    their ``sources``, (k,).

    Not being proved says nothing: weights may not be positive integers, as this proof needs.
    Raises OutOfMemory, KernelBuildError.
    """
    kind, device, weights = weight_type(rows.dtype), session.device, graph.weights
    none = np.zeros(len(chosen), np.int32)
    is_integer = kind.is_integer and weights.dtype.kind == "i"
    if not is_integer or rows.shape != (len(sources), graph.n) or not graph.m * len(chosen):
        return none > 0
    if not 0 < weights.min() <= weights.max() < kind.infinity:
        return none > 0
    block = min(_BLOCK, device.max_block)
    words = -(-graph.n // 32)
    blocks = min(len(chosen), 2 * device.compute_units, max(1, _MARKS // (4 * words)))
    defines = distance_defines(kind) | {"BLOCK": block}
    program = device.compile(KernelSource.beside(__file__, "device_rows.cu", **defines))
    given: tuple[AnyArray, ...] = (
        chosen.astype(np.int32),
        sources[chosen].astype(np.int32),
        graph.indptr,
        graph.indices,
        graph.weights_in(kind.dtype),
    )
    marks, proved = session.empty(blocks * words, np.int32), session.upload(none)
    session.fill(marks, 0)
    buffers = *map(session.upload, given), rows, marks, proved
    program.launch("prove_rows", (blocks,), (block,), graph.n, words, len(chosen), *buffers)
    return session.download(proved) > 0
