"""The elimination tree cut into pieces that blocks of a device sweep, and what a piece needs of the rest.

A sweep from many sources abreast keeps, for each source, the distances of one path to the root, and for tall trees
these do not fit into the memory of a block. So the tree is cut by the sizes of subtrees into *stages*, and what is left
of a stage falls apart into *pieces*, each with one root. All higher neighbours of a piece's vertices that lie outside
are higher neighbours of its root. They and one path inside the piece are all that a sweep of it reads: its *slots*.

The arcs are laid out in the order in which a sweep takes them, in *chunks* that a block loads together. A vertex with
more arcs than there is room for in a chunk goes on in the next.

The cut depends on the structure only, and serves whatever weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.elimination_tree import NONE
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.host.jit import njit

CHUNK = 256  # arcs, and records, that a block loads together
UNFINISHED = 0xFFFF  # instead of its slot: the vertex has more arcs in the next chunk
_RATIO = 16  # at least, of the sizes of subtrees at which two stages end


@dataclass(frozen=True)
class SweepStage:
    """Pieces that do not depend on one another, after those of earlier stages.

    Attributes
    ----------
    first, last : int
        The pieces ``first`` to ``last - 1``.
    slots : int
        Most slots of one of them.
    """

    first: int
    last: int
    slots: int


@dataclass(frozen=True)
class SweepPieces:
    """Stages and pieces. A vertex's *place*: by stage, then by piece, then from the root down.

    Attributes
    ----------
    stages : tuple of SweepStage
        From the roots down.
    inner : int
        Places of all stages but the last, which later pieces read.
    rank : (n,) int32
        Of the vertex at each place.
    piece_first : (pieces + 1,) int32
        Place of each piece's root, which comes first.
    boundary_first : (pieces + 1,) int64
        Where each piece's entries in ``boundary`` begin.
    boundary : (entries,) int32
        Places of the higher neighbours of a piece's root; they have the first slots.
    row_first : (n,) int64
        First up arc of the vertex at each place, in the hierarchy.
    arc_first : (n + 1,) int64
        The same in the order of places.
    slots : (arcs up,) uint16
        Slot of each up arc's upper end in the piece of the lower, by place and then as in the hierarchy.
    piece_chunk : (pieces + 1,) int32
        First chunk of each piece.
    chunk_record, chunk_arc : (chunks + 1,) int64
        First record and first arc of each chunk.
    records : (at least n,) uint32
        A vertex and its arcs in a chunk: their number in the upper half, in the lower its slot or `UNFINISHED`.
    """

    stages: tuple[SweepStage, ...]
    inner: int
    rank: NDArray[np.int32]
    piece_first: NDArray[np.int32]
    boundary_first: NDArray[np.int64]
    boundary: NDArray[np.int32]
    row_first: NDArray[np.int64]
    arc_first: NDArray[np.int64]
    slots: NDArray[np.uint16]
    piece_chunk: NDArray[np.int32]
    chunk_record: NDArray[np.int64]
    chunk_arc: NDArray[np.int64]
    records: NDArray[np.uint32]

    @property
    def pieces(self) -> int:
        return len(self.piece_first) - 1


def sweep_pieces(hierarchy: Hierarchy, most_vertices: int) -> SweepPieces:
    """Cut a tree so that pieces of the last stage have at most ``most_vertices``. O(n log n + arcs)."""
    tree = hierarchy.tree
    n = tree.n
    stage = np.searchsorted(_limits(n, most_vertices), -tree.size.astype(np.int64)).astype(np.int8)
    root = _roots(tree.parent, stage)
    highest_first = np.arange(n - 1, -1, -1, dtype=np.int32)
    key = stage.astype(np.int64) * n + (n - 1 - root)
    rank = highest_first[np.argsort(key[::-1], kind="stable")]
    starts = np.flatnonzero(np.diff(key[rank], prepend=-1))
    roots = rank[starts]
    place = np.empty(n, np.int32)
    place[rank] = np.arange(n, dtype=np.int32)
    degrees = np.diff(hierarchy.up_first)
    boundary_first = np.concatenate(([0], np.cumsum(degrees[roots], dtype=np.int64)))
    boundary, slots = np.empty(boundary_first[-1], np.int32), np.empty(hierarchy.arcs, np.uint16)
    piece_first = np.append(starts, n)
    arc_first = np.concatenate(([0], np.cumsum(degrees[rank])))
    own = _name_slots(
        rank, piece_first, boundary_first, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, place,
        tree.height, arc_first, boundary, slots,
    )  # fmt: skip
    piece_chunk, chunk_record, chunk_arc, records = _chunks(piece_first, degrees[rank], own, hierarchy.arcs)
    return SweepPieces(
        stages=_stages(stage[roots], np.maximum.reduceat(own, starts) + 1 if n else own),
        inner=int(starts[np.flatnonzero(stage[roots] == stage.max())[0]]) if n else 0,
        rank=rank,
        piece_first=piece_first.astype(np.int32),
        boundary_first=boundary_first,
        boundary=boundary,
        row_first=hierarchy.up_first[rank],
        arc_first=arc_first,
        slots=slots,
        piece_chunk=piece_chunk,
        chunk_record=chunk_record,
        chunk_arc=chunk_arc,
        records=records,
    )


def _limits(n: int, most_vertices: int) -> NDArray[np.int64]:
    """Negated sizes of subtrees, ascending; a vertex belongs to the stage of the last one that it exceeds."""
    sizes = [most_vertices]
    while sizes[-1] * _RATIO < n:
        sizes.append(sizes[-1] * _RATIO)
    return -np.array(sizes[::-1], np.int64)


def _stages(stage_of_piece: NDArray[np.int8], slots: NDArray[np.int64]) -> tuple[SweepStage, ...]:
    firsts = np.flatnonzero(np.diff(stage_of_piece, prepend=-1)).tolist()
    lasts = [*firsts[1:], len(stage_of_piece)]
    return tuple(SweepStage(a, b, int(slots[a:b].max())) for a, b in zip(firsts, lasts, strict=False))


@njit(cache=True, nogil=True)
def _roots(parent: NDArray[np.int32], stage: NDArray[np.int8]) -> NDArray[np.int32]:
    """The root of each vertex's piece, by rank."""
    root = np.empty(len(parent), np.int32)
    for v in range(len(parent) - 1, -1, -1):
        higher = parent[v]
        root[v] = root[higher] if higher != NONE and stage[higher] == stage[v] else v
    return root


@njit(cache=True, nogil=True)
def _name_slots(
    rank: NDArray[np.int32],
    starts: NDArray[np.int64],
    boundary_first: NDArray[np.int64],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    up_first: NDArray[np.int64],
    up_depth: NDArray[np.uint16],
    place: NDArray[np.int32],
    height: int,
    arc_first: NDArray[np.int64],
    boundary: NDArray[np.int32],
    slots: NDArray[np.uint16],
) -> NDArray[np.int64]:
    """Fill ``boundary`` and ``slots``; returns the own slot of the vertex at each place."""
    own = np.empty(len(rank), np.int64)
    slot_at = np.empty(height, np.uint16)  # by depth
    for p in range(len(starts) - 1):
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
            own[i] = count + depth[v] - depth[root]
            slot_at[depth[v]] = own[i]
            for k in range(up_first[v + 1] - up_first[v]):
                slots[arc_first[i] + k] = slot_at[up_depth[up_first[v] + k]]
    return own


@njit(cache=True, nogil=True)
def _chunks(
    piece_first: NDArray[np.int64], degree: NDArray[np.int64], own: NDArray[np.int64], arcs: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """First chunk of each piece, first record and first arc of each chunk, and the records."""
    n, pieces = len(degree), len(piece_first) - 1
    most = (pieces + (n + arcs) // CHUNK + 2) * 3 // 2  # a chunk that is not a piece's last is full of one or the other
    piece_chunk = np.zeros(pieces + 1, np.int32)
    chunk_record, chunk_arc = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    records = np.empty(n + most, np.uint32)
    chunk, record, arc = 0, 0, 0
    for p in range(pieces):
        for i in range(piece_first[p], piece_first[p + 1]):
            left = degree[i]
            while True:
                if record - chunk_record[chunk] == CHUNK or (left > 0 and arc - chunk_arc[chunk] == CHUNK):
                    chunk += 1
                    chunk_record[chunk], chunk_arc[chunk] = record, arc
                now = min(left, CHUNK - (arc - chunk_arc[chunk]))
                records[record] = now << 16 | (own[i] if now == left else UNFINISHED)
                record, arc, left = record + 1, arc + now, left - now
                if left == 0:
                    break
        chunk += 1
        chunk_record[chunk], chunk_arc[chunk] = record, arc
        piece_chunk[p + 1] = chunk
    return piece_chunk, chunk_record[: chunk + 1], chunk_arc[: chunk + 1], records[:record]
