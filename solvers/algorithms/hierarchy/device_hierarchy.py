"""The hierarchy on a device, as ``device_batch.cu`` reads it, and the pieces of the
elimination tree that blocks sweep.

None of it depends on the sources. A sweep from many sources together keeps, for each
source, the distances of one path to the root, and for tall trees these do not fit into
the memory of a block. So the tree is cut by the sizes of subtrees into *stages*, and
the rest of a stage consists of separate *pieces*, each with one root. All higher
neighbours of a piece's vertices that lie outside are higher neighbours of its root.
They and one path inside the piece are all that a sweep of it reads: its *slots*.

The arcs are laid out in the order in which a sweep takes them, in *quads* of four. A
vertex whose number of arcs is no multiple of four has its last arc several times, which
changes no minimum and lets kernels load four arcs at once.

The cut depends on the structure only, and holds for all weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.preparation import Prepared
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.devices.device import DeviceSession, Program
from solvers.system.array_types import AnyArray, Int8s, Int32s, Int64s, UInt16s
from solvers.system.jit import njit
from solvers.system.ranges import offsets_of

_BLOCK = 128


@dataclass(frozen=True)
class DeviceHierarchy:
    """Buffers in the order of the kernels' parameters."""

    climbing: tuple[Any, ...]  # of ``climb``: parents, depths, up arcs and their weights
    # of ``settle_pieces``: pieces, boundaries, quads, weights, and ranks, sizes and
    # depths
    sweeping: tuple[Any, ...]
    place_of_vertex: Any  # of ``turn_rows``

    @classmethod
    def upload(
        cls, ready: Prepared, pieces: SweepPieces, program: Program, session: DeviceSession
    ) -> DeviceHierarchy:
        """Copy a hierarchy to a device and lay its weights out by place; raises OutOfMemory."""
        hierarchy, metric, tree = ready.hierarchy, ready.metric, ready.hierarchy.tree

        def copied(array: AnyArray) -> Any:
            # OpenCL has no empty buffers
            return session.upload(array if len(array) else np.zeros(1, array.dtype))

        down, depth = copied(metric.down), copied(tree.depth)
        up = down if metric.is_symmetric else copied(metric.up)
        weights = session.empty(max(1, len(pieces.slots)), metric.down.dtype)
        program.launch(
            "order_weights",
            (-(-tree.n // _BLOCK),),
            (_BLOCK,),
            np.int32(tree.n),
            copied(pieces.rank),
            copied(hierarchy.up_first),
            copied(pieces.quad_first),
            down,
            weights,
        )
        place = np.empty(tree.n, np.int32)
        place[pieces.rank] = np.arange(tree.n, dtype=np.int32)
        structure: tuple[AnyArray, ...] = (
            pieces.piece_first,
            pieces.boundary_first,
            pieces.boundary,
            pieces.quad_first,
            pieces.ends,
            pieces.slots,
        )
        found = cls(
            climbing=(
                copied(tree.parent),
                depth,
                copied(hierarchy.up_first),
                copied(hierarchy.up_depth),
                up,
            ),
            sweeping=(
                *map(copied, structure),
                weights,
                copied(pieces.rank),
                copied(tree.size),
                depth,
            ),
            place_of_vertex=copied(place[tree.rank]),
        )
        session.synchronize()
        return found


QUAD = 4  # arcs that a kernel relaxes together
UNFINISHED = 0xFFFF  # instead of its slot: the vertex has more quads
_RATIO = 16  # at least, of the sizes of subtrees at which two stages end


@dataclass(frozen=True)
class SweepStage:
    """Pieces that do not depend on one another, after those of earlier stages."""

    # first, last: the pieces ``first`` to ``last - 1``
    first: int
    last: int
    slots: int  # most slots of one of them


@dataclass(frozen=True)
class SweepPieces:
    """Stages and pieces. A vertex's *place*: by stage, then by piece, then from the root down."""

    stages: tuple[SweepStage, ...]  # from the roots down
    inner: int  # places of all stages but the last, which later pieces read
    rank: Int32s  # (n,), of the vertex at each place
    piece_first: Int32s  # (pieces + 1,), place of each piece's root, which comes first
    # (pieces + 1,), where each piece's entries in ``boundary`` begin
    boundary_first: Int64s
    # (entries,), places of the higher neighbours of a piece's root; they have the first slots
    boundary: Int32s
    # (n + 1,), first quad of the vertex at each place; a vertex without arcs has one
    # quad, of the slot 0
    quad_first: Int64s
    # (4 * quads,), slot of each arc's upper end in the piece of the lower
    slots: UInt16s
    # (quads,), the slot of the vertex itself at its last quad, `UNFINISHED` at the
    # others
    ends: UInt16s


def sweep_pieces(hierarchy: Hierarchy, most_vertices: int) -> SweepPieces:
    """Cut a tree so that pieces of the last stage have at most ``most_vertices``. O(n
    log n + arcs).
    """
    tree = hierarchy.tree
    n = tree.n
    stage = np.searchsorted(_limits(n, most_vertices), -tree.size.astype(np.int64)).astype(np.int8)
    root = piece_roots(tree.parent, stage)
    highest_first = np.arange(n - 1, -1, -1, dtype=np.int32)
    key = stage.astype(np.int64) * n + (n - 1 - root)
    rank = highest_first[np.argsort(key[::-1], kind="stable")]
    starts = np.flatnonzero(np.diff(key[rank], prepend=-1))
    roots = rank[starts]
    place = np.empty(n, np.int32)
    place[rank] = np.arange(n, dtype=np.int32)
    degrees = np.diff(hierarchy.up_first)
    boundary_first = offsets_of(degrees[roots])
    boundary = np.empty(boundary_first[-1], np.int32)
    piece_first = np.append(starts, n)
    quads = np.maximum(1, -(-degrees[rank] // QUAD))
    quad_first = offsets_of(quads)
    slots, ends = (
        np.zeros(QUAD * quad_first[-1], np.uint16),
        np.full(quad_first[-1], UNFINISHED, np.uint16),
    )
    most_slots = _name_slots(
        rank,
        piece_first,
        boundary_first,
        tree.parent,
        tree.depth,
        hierarchy.up_first,
        hierarchy.up_depth,
        place,
        tree.height,
        quad_first,
        boundary,
        slots,
        ends,
    )
    return SweepPieces(
        stages=_stages(stage[roots], most_slots),
        inner=int(starts[np.flatnonzero(stage[roots] == stage.max())[0]]) if n else 0,
        rank=rank,
        piece_first=piece_first.astype(np.int32),
        boundary_first=boundary_first,
        boundary=boundary,
        quad_first=quad_first,
        slots=slots,
        ends=ends,
    )


def _limits(n: int, most_vertices: int) -> Int64s:
    """Negated sizes of subtrees, ascending; a vertex belongs to the stage of the last
    one that it exceeds.
    """
    sizes = [most_vertices]
    while sizes[-1] * _RATIO < n:
        sizes.append(sizes[-1] * _RATIO)
    return -np.array(sizes[::-1], np.int64)


def _stages(stage_of_piece: Int8s, slots: Int64s) -> tuple[SweepStage, ...]:
    firsts = np.flatnonzero(np.diff(stage_of_piece, prepend=-1)).tolist()
    lasts = [*firsts[1:], len(stage_of_piece)]
    return tuple(
        SweepStage(a, b, int(slots[a:b].max())) for a, b in zip(firsts, lasts, strict=False)
    )


@njit
def piece_roots(parent: Int32s, stage: Int8s) -> Int32s:
    """The root of each vertex's piece, by rank."""
    root = np.empty(len(parent), np.int32)
    for v in range(len(parent) - 1, -1, -1):
        higher = parent[v]
        root[v] = root[higher] if higher != NONE and stage[higher] == stage[v] else v
    return root


@njit
def _name_slots(
    rank: Int32s,
    starts: Int64s,
    boundary_first: Int64s,
    parent: Int32s,
    depth: Int32s,
    up_first: Int64s,
    up_depth: UInt16s,
    place: Int32s,
    height: int,
    quad_first: Int64s,
    boundary: Int32s,
    slots: UInt16s,
    ends: UInt16s,
) -> Int64s:
    """Fill ``boundary``, ``slots`` and ``ends``; returns the number of slots of each piece."""
    pieces = len(starts) - 1
    most = np.zeros(pieces, np.int64)
    slot_at = np.empty(height, np.uint16)  # by depth
    for p in range(pieces):
        root = rank[starts[p]]
        higher, count = parent[root], boundary_first[p + 1] - boundary_first[p]
        for j in range(count):
            k = up_depth[up_first[root] + j]
            while depth[higher] != k:
                higher = parent[higher]
            boundary[boundary_first[p] + j] = place[higher]
            slot_at[k] = j
        for i in range(starts[p], starts[p + 1]):
            v = rank[i]
            own = count + depth[v] - depth[root]
            most[p] = max(most[p], own + 1)
            slot_at[depth[v]] = own
            ends[quad_first[i + 1] - 1] = own
            degree = up_first[v + 1] - up_first[v]
            for k in range(QUAD * (quad_first[i + 1] - quad_first[i]) if degree else 0):
                slots[QUAD * quad_first[i] + k] = slot_at[
                    up_depth[up_first[v] + min(k, degree - 1)]
                ]
    return most
