"""Large copies between ordinary host memory and an NVIDIA GPU, by way of a few chunks that the GPU reads by itself.

A driver copies ordinary memory with one thread, at some 7 GB/s on the host of an H200, whose bus moves 52. Here several
threads fill one chunk of page-locked memory while the bus moves another. What they write to is often fresh memory, and
its first touch, which costs more than the copy, is shared among them, too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.host.machine import cores

LEAST_BYTES = 8 << 20  # threads lost at 4 MB, and gained at 14
_CHUNK_BYTES = 16 << 20  # 8 gained less at 37 MB and at 473
_CHUNKS = 3
_MOST_THREADS = 8  # more were not tried
_PAGE_BYTES = 4096
_H2D, _D2H = 1, 2  # cudaMemcpyKind


@dataclass(frozen=True)
class _Chunk:
    """Page-locked memory, and the event after which it is free again, or filled."""

    memory: Any
    bytes: NDArray[np.uint8]
    moved: Any


class Staging:
    """The chunks and threads of one device; one copy at a time, whoever asks.

    Nothing is allocated before the first copy; then 48 MB stay page-locked as long as the device is known.
    """

    def __init__(self, cupy: Any):
        self._cupy = cupy
        self._lock = threading.Lock()
        self._threads = min(_MOST_THREADS, cores())
        self._chunks: list[_Chunk] = []
        self._pool = ThreadPoolExecutor(self._threads, "copies")  # starts no thread before there is work

    def upload(self, pointer: int, array: NDArray[Any], stream: Any) -> None:
        """Copy a contiguous array to device memory, after what the stream has queued; done on return."""
        source = _bytes_of(array)
        with self._lock:
            chunks = self._ready()
            for number, (first, last) in enumerate(_ranges(len(source))):
                chunk = chunks[number % _CHUNKS]
                chunk.moved.synchronize()
                self._copy(chunk.bytes[: last - first], source[first:last])
                self._move(pointer + first, chunk.memory.ptr, last - first, _H2D, stream)
                chunk.moved.record(stream)
            stream.synchronize()

    def download(self, pointer: int, array: NDArray[Any], stream: Any) -> None:
        """Copy device memory into a contiguous array, after what the stream has queued; done on return."""
        target = _bytes_of(array)
        with self._lock:
            chunks, ranges = self._ready(), list(_ranges(len(target)))
            for number in range(len(ranges) + _CHUNKS - 1):  # the bus is that many chunks ahead of the threads
                if number < len(ranges):
                    self._ask(pointer, ranges[number], chunks[number % _CHUNKS], stream)
                if (done := number - _CHUNKS + 1) >= 0:
                    (first, last), chunk = ranges[done], chunks[done % _CHUNKS]
                    chunk.moved.synchronize()
                    self._copy(target[first:last], chunk.bytes[: last - first])

    def _ask(self, pointer: int, part: tuple[int, int], chunk: _Chunk, stream: Any) -> None:
        first, last = part
        self._move(chunk.memory.ptr, pointer + first, last - first, _D2H, stream)
        chunk.moved.record(stream)

    def _move(self, target: int, origin: int, nbytes: int, direction: int, stream: Any) -> None:
        self._cupy.cuda.runtime.memcpyAsync(target, origin, nbytes, direction, stream.ptr)

    def _copy(self, target: NDArray[np.uint8], origin: NDArray[np.uint8]) -> None:
        """On the host, each thread a run of whole pages."""
        pages = -(-len(origin) // _PAGE_BYTES)
        share = -(-pages // self._threads) * _PAGE_BYTES
        starts = range(0, len(origin), share)
        list(self._pool.map(lambda at: np.copyto(target[at : at + share], origin[at : at + share]), starts))

    def _ready(self) -> list[_Chunk]:
        if not self._chunks:
            self._chunks = [self._chunk() for _ in range(_CHUNKS)]
        return self._chunks

    def _chunk(self) -> _Chunk:
        memory = self._cupy.cuda.alloc_pinned_memory(_CHUNK_BYTES)
        moved = self._cupy.cuda.Event(disable_timing=True)
        return _Chunk(memory, np.frombuffer(memory, np.uint8, _CHUNK_BYTES), moved)


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


def _ranges(nbytes: int) -> Iterator[tuple[int, int]]:
    for first in range(0, nbytes, _CHUNK_BYTES):
        yield first, min(nbytes, first + _CHUNK_BYTES)
