"""Disk cache of layouts, so that reopening a graph does not compute its layout again. No Qt."""

from __future__ import annotations

from pathlib import Path

from solvers.graphs.graph import Graph
from solvers.system import disk_cache
from solvers.system.array_types import Float64s
from solvers.system.disk_cache import ArrayStore

LEAST_VERTICES = 500  # smaller graphs are laid out instantly
MOST_BYTES = 512 << 20  # 32 million vertices
_VERSION = "1"  # raise it when a layout comes out otherwise: those on disk are then made anew


def user_folder() -> Path:
    """Folder of the user's cached layouts."""
    return disk_cache.user_folder("layouts")


class LayoutStore:
    """Cached positions by graph fingerprint, layout kind and version of the layouts.

    Files that cannot be read count as absent, and failures to write are only logged.
    Meant for worker threads, since files of large graphs are slow to read. Beyond
    ``most_bytes`` the least recently used layouts are removed.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES):
        self._store = ArrayStore(
            folder or user_folder(), "", most_bytes=most_bytes, dtype="<f8", suffix="positions"
        )

    def load(self, graph: Graph, kind: str) -> Float64s | None:
        """(n, 2) positions; None if not cached. A damaged file is removed."""
        if graph.n < LEAST_VERTICES:
            return None
        found = self._store.load(_name(graph, kind), 2 * graph.n).array
        return None if found is None else found.reshape(-1, 2)

    def save(self, graph: Graph, kind: str, positions: Float64s) -> None:
        """Store a layout, and remove others beyond the size limit."""
        if graph.n >= LEAST_VERTICES:
            self._store.save(_name(graph, kind), positions)


def _name(graph: Graph, kind: str) -> str:
    return f"{graph.sha256}-{kind}-{_VERSION}"
