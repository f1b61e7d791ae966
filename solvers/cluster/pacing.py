"""How many sources a chunk has: some seconds' work of the worker that takes it, by what it has shown so far, and what
fits into its memory."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

SLOW = 10.0
"""Times slower than the median, from which on a worker or host is named."""

_TARGET_S = 2.0  # of a chunk: short enough to lose little and to tell progress, long enough to hide the network
_MOST_A_SECOND = 50  # chunks that scheduler and client take without delay; more threads get longer ones
_FIRST = 64  # sources of a worker's first chunk
_GROWTH = 8  # at most, from one chunk to the next
_MOST = 1 << 16
_COMPILING = 1  # chunks of a worker that do not tell its speed: functions are loaded or compiled


class ChunkPacing:
    """Speeds of workers, and chunk sizes that follow from them.

    Parameters
    ----------
    step : int
        Chunks begin at multiples of it, and have that many sources or a multiple of it.
    """

    def __init__(self, step: int):
        self._step = max(1, step)
        self._speeds: dict[str, float] = {}
        self._chunks: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._hosts: dict[str, str] = {}

    def note(self, worker: str, host: str, sources: int, seconds: float) -> None:
        """A worker has finished a chunk."""
        speed = sources / max(seconds, 1e-6)
        chunks = self._chunks[worker] = self._chunks.get(worker, 0) + 1
        if chunks > _COMPILING + 1:
            speed = 0.5 * (self._speeds[worker] + speed)
        self._speeds[worker] = speed
        self._hosts[worker] = host

    def size(self, worker: str, remaining: int, slots: int, most: int = _MOST) -> int:
        """Sources of its next chunk.

        Parameters
        ----------
        remaining : int
            Sources that no chunk has yet.
        slots : int
            Chunks that all workers together compute at a time: towards the end chunks are smaller, so that workers
            end at about the same time.
        most : int
            Sources that fit into its memory; a step is taken in any case.
        """
        last = self._sizes.get(worker, _FIRST // _GROWTH)
        seconds = max(_TARGET_S, slots / _MOST_A_SECOND)
        wanted = self._speeds[worker] * seconds if worker in self._speeds else _FIRST
        wanted = min(wanted, last * _GROWTH, _MOST, max(self._step, remaining / (2 * max(1, slots))))
        size = max(1, min(round(wanted / self._step), most // self._step)) * self._step
        self._sizes[worker] = size
        return size

    def slow_hosts(self) -> dict[str, float]:
        """Hosts whose workers are ten times slower than the median worker, with how many times."""
        known = {worker: speed for worker, speed in self._speeds.items() if self._chunks[worker] > _COMPILING}
        if len(known) < 2:
            return {}
        median = statistics.median_high(known.values())
        found: dict[str, float] = {}
        for worker, speed in known.items():
            if speed * SLOW <= median:
                host = self._hosts[worker]
                found[host] = max(found.get(host, 0.0), median / max(speed, 1e-9))
        return found


class Remaining:
    """Sources that are not in a chunk yet, taken from the first to the last; chunks that failed are put back.

    Parameters
    ----------
    finished : (n,) bool
    step : int
        Chunks do not cross multiples of it, unless they hold whole ones.
    """

    def __init__(self, finished: NDArray[np.bool_], step: int):
        edges = np.flatnonzero(np.diff(finished, prepend=True, append=True))
        self._ranges: list[tuple[int, int]] = [(a, b) for a, b in edges.reshape(-1, 2).tolist()]
        self._step = max(1, step)

    @property
    def count(self) -> int:
        return sum(last - first for first, last in self._ranges)

    def take(self, size: int) -> tuple[int, int] | None:
        """About ``size`` sources that follow each other; None if none are left."""
        if not self._ranges:
            return None
        first, last = self._ranges.pop(0)
        cut = (first + size) // self._step * self._step
        cut = max(cut, (first // self._step + 1) * self._step)
        if cut < last:
            self._ranges.insert(0, (cut, last))
            last = cut
        return first, last

    def put_back(self, first: int, last: int) -> None:
        self._ranges.insert(0, (first, last))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)
