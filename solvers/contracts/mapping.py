"""How a variant divides its data among workers: threads, blocks of threads, cores or ranks.

Data only; the card of the window draws it (``gui/panels/thread_map.py``).
"""

from __future__ import annotations

from enum import Enum


class WorkMapping(Enum):
    """Which worker handles which vertex, arc or matrix cell; the value says it in one line."""

    CORE_BY_VERTEX = "One core, one vertex after another"
    CORE_BY_SOURCE = "One core, one source after another"
    CORE_BY_CELL = "One core, one cell of the matrix after another"
    CORE_FROM_BOTH_ENDS = "One core, in turn from the source and from the target"
    THREAD_PER_VERTEX = "One thread per vertex"
    THREADS_STRIDED = "Fewer threads than vertices: each takes every so-many-th one"
    THREADS_STRIDED_FLAGGED = "Fewer threads than vertices; only flagged vertices are relaxed"
    THREAD_PER_FRONTIER_VERTEX = "One thread per vertex; only those of the frontier have work"
    THREAD_PER_UNRESOLVED_VERTEX = "One thread per vertex; only unresolved vertices have work"
    CORE_AND_THREAD_PER_VERTEX = "One core and one thread per vertex, in turn"
    THREAD_PER_ARC = "One thread per arc"
    THREAD_PER_FLAGGED_ARC = "One thread per arc; only arcs with a flagged tail are relaxed"
    THREAD_PER_CELL = "One thread per cell of the matrix"
    THREAD_PER_ROW = "One thread per row of the matrix"
    THREAD_PER_SOURCE = "One thread per source; each fills its row"
    BLOCK_PER_SOURCE = "One block of threads per source; each fills its row"
    BLOCK_PER_TILE = "One block of threads per tile"
    BLOCK_PER_PART = "One block of threads per part of the graph"
    BLOCK_PER_SUBTREES = "One block of threads per bundle of subtrees of the elimination tree"
    CLUSTER_SHARES_FRONTIER = "The blocks of one cluster share the frontier"
    THREADS_SHARE_FRONTIER = "All threads share the frontier, several to a vertex"
    CORES_SHARE_FRONTIER = "The cores share the frontier in chunks"
    CORES_SHARE_ROWS = "The cores share the rows of the matrix"
    CORES_SHARE_TILES = "The cores share the tiles of the matrix"
    CORES_SHARE_SUBTREES = "The cores share the subtrees of the elimination tree"
    CORES_SHARE_SOURCES = "Each core takes a batch of sources, one vector lane per source"
    RANKS_OWN_VERTICES = "Each rank owns a range of vertices"
    RANKS_OWN_ROWS = "Each rank owns a range of rows"
    CHOSEN_LATER = "The mapping of the variant that is chosen"
