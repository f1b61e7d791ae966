"""What fits into a worker: chunks that it computes at a time, and sources of each, by the engine's estimates."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from solvers.errors import OutOfMemory

_SHARE = 0.7  # of the limit of a worker: Dask pauses workers at 80 % of it, and ends them at 95 %
_PROGRAM_BYTES = 300_000_000  # of a worker before it has opened a graph: libraries and compiled functions


@dataclass(frozen=True)
class ChunkMemory:
    """Memory that the chunks of a run take.

    Attributes
    ----------
    name : str
        Of the graph, for messages.
    graph_bytes : int
        Shared by all chunks of a worker, and counted by Dask as the worker's own.
    thread_bytes : int
        Of a chunk that is computed, however many sources it has.
    source_bytes : int
        Of each of its sources.
    """

    name: str
    graph_bytes: int
    thread_bytes: int
    source_bytes: int

    def slots(self, limit: int, threads: int) -> int:
        """Chunks at a time for a worker with that many threads and a limit of bytes; 0 stands for no limit."""
        if not limit:
            return threads
        return max(1, min(threads, self._usable(limit) // max(1, self.thread_bytes)))

    def most_sources(self, limit: int, slots: int) -> int:
        """Sources of each of so many chunks."""
        if not limit:
            return sys.maxsize
        return max(1, (self._usable(limit) // slots - self.thread_bytes) // self.source_bytes)

    def require_room(self, limits: Iterable[int]) -> None:
        """Raise `OutOfMemory` if a chunk fits into no worker with one of these limits."""
        limits = list(limits)
        if limits and all(0 < limit < self.thread_bytes for limit in limits):
            raise OutOfMemory(
                f"A source of {self.name}",
                self.thread_bytes,
                max(limits),
                "the largest worker",
                remedy="Start workers with more memory each, or without a limit (dask worker --memory-limit 0).",
            )

    def _usable(self, limit: int) -> int:
        return max(0, int(limit * _SHARE) - self.graph_bytes - _PROGRAM_BYTES)
