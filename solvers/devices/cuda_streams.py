"""Queues of one NVIDIA GPU that run side by side, and large copies through chunks of
page-locked memory.

A `DeviceSession` has one queue, on which everything is in order. Where copies or
another device's work overlap with kernels, each chain of work has a queue of its own
for its launches and copies, and waits for marks of the others.

The driver copies pageable memory with one thread, which uses a fraction of the bus's
bandwidth. In `Staging` several threads fill one page-locked chunk while the bus
transfers another, and share the page faults of a newly allocated target, which cost
more than the copy. Results come in page-locked memory from the start (`LockedArrays`).
Measurements: ``tests/benchmarks/2026-11/solving.md``, "Copies".
"""

from __future__ import annotations

import logging
import math
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from solvers.devices.device import Program
from solvers.system import machine
from solvers.system.array_types import AnyArray, UInt8s

log = logging.getLogger(__name__)

_H2D, _D2H = 1, 2  # cudaMemcpyKind


class CudaQueue:
    """A stream. Its methods return before the work is done, and need its device to be
    the thread's current one.

    Blocks of an urgent one are started before those of other queues that wait.
    """

    def __init__(self, cupy: Any, *, is_urgent: bool = False):
        self._cupy = cupy
        # clamped to what there is
        self.stream = cupy.cuda.Stream(non_blocking=True, priority=-5 if is_urgent else 0)

    def launch(
        self,
        program: Program,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *arguments: Any,
    ) -> None:
        """As `Program.launch`, on this queue."""
        with self.stream:
            program.launch(kernel, grid, block, *arguments)

    def upload(self, buffer: Any, array: AnyArray) -> None:
        """Copy a contiguous array in page-locked memory to the first elements of a buffer."""
        self._cupy.cuda.runtime.memcpyAsync(
            buffer.array.data.ptr, array.ctypes.data, array.nbytes, _H2D, self.stream.ptr
        )

    def download(self, buffer: Any, array: AnyArray) -> None:
        """Copy the first elements of a buffer to a contiguous array in page-locked memory."""
        self._cupy.cuda.runtime.memcpyAsync(
            array.ctypes.data, buffer.array.data.ptr, array.nbytes, _D2H, self.stream.ptr
        )

    def mark(self) -> Any:
        """A mark behind the work enqueued so far; queues of other devices may wait for it, too."""
        mark = self._cupy.cuda.Event(block=False, disable_timing=True)
        mark.record(self.stream)
        return mark

    def wait(self, mark: Any) -> None:
        """Start what is enqueued from now on when the mark is reached."""
        self.stream.wait_event(mark)

    def synchronize(self) -> None:
        """Wait for all enqueued work."""
        self.stream.synchronize()


MIN_BYTES = 8 << 20  # smaller copies are faster with the driver's own path
_CHUNK_BYTES = 16 << 20  # faster than chunks of 8 MB
_CHUNKS = 3
_MAX_THREADS = 8  # more were not measured
_PAGE_BYTES = 4096


@dataclass(frozen=True)
class _Chunk:
    """Page-locked memory, and the event that marks the end of its latest transfer."""

    memory: Any
    bytes: UInt8s
    moved: Any


class Staging:
    """Staging chunks and copy threads of one device; copies are serialised.

    The chunks are allocated at the first copy and stay page-locked (48 MB) for the
    lifetime of the device object.
    """

    def __init__(self, cupy: Any):
        self._cupy = cupy
        self._lock = threading.Lock()
        self._threads = min(_MAX_THREADS, machine.cores())
        self._chunks: list[_Chunk] = []
        self._pool = ThreadPoolExecutor(self._threads, "copies")  # threads start at the first task

    def upload(self, pointer: int, array: AnyArray, stream: Any) -> None:
        """Copy a contiguous array to device memory, after the stream's earlier work;
        complete on return.
        """
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

    def download(self, pointer: int, array: AnyArray, stream: Any) -> None:
        """Copy device memory into a contiguous array, after the stream's earlier work;
        complete on return.
        """
        target = _bytes_of(array)
        with self._lock:
            chunks, ranges = self._ready(), list(_ranges(len(target)))
            for number in range(len(ranges) + _CHUNKS - 1):  # transfers precede the host copies
                if number < len(ranges):
                    self._start_download(pointer, ranges[number], chunks[number % _CHUNKS], stream)
                if (done := number - _CHUNKS + 1) >= 0:
                    (first, last), chunk = ranges[done], chunks[done % _CHUNKS]
                    chunk.moved.synchronize()
                    self._copy(target[first:last], chunk.bytes[: last - first])

    def _start_download(
        self, pointer: int, part: tuple[int, int], chunk: _Chunk, stream: Any
    ) -> None:
        first, last = part
        self._move(chunk.memory.ptr, pointer + first, last - first, _D2H, stream)
        chunk.moved.record(stream)

    def _move(self, target: int, origin: int, nbytes: int, direction: int, stream: Any) -> None:
        self._cupy.cuda.runtime.memcpyAsync(target, origin, nbytes, direction, stream.ptr)

    def _copy(self, target: UInt8s, origin: UInt8s) -> None:
        """Host copy, divided among the threads in multiples of whole pages."""
        pages = -(-len(origin) // _PAGE_BYTES)
        share = -(-pages // self._threads) * _PAGE_BYTES
        starts = range(0, len(origin), share)
        list(
            self._pool.map(
                lambda at: np.copyto(target[at : at + share], origin[at : at + share]), starts
            )
        )

    def _ready(self) -> list[_Chunk]:
        if not self._chunks:
            self._chunks = [self._chunk() for _ in range(_CHUNKS)]
        return self._chunks

    def _chunk(self) -> _Chunk:
        memory = self._cupy.cuda.alloc_pinned_memory(_CHUNK_BYTES)
        moved = self._cupy.cuda.Event(disable_timing=True)
        return _Chunk(memory, np.frombuffer(memory, np.uint8, _CHUNK_BYTES), moved)


_LEAST_LOCKED = 1 << 16
_MOST_LOCKED = 8 << 30


class LockedArrays:
    """Arrays in page-locked memory, for results: a download runs at the speed of the
    bus, without a second copy.

    The memory comes from CuPy's pool, and is there again when the last view of an array
    is freed: a second result of the same size costs no page faults. Small arrays, and
    those beyond a share of the machine's memory, are NumPy's.
    """

    def __init__(self, cupy: Any):
        self._cupy = cupy
        self._most = min(_MOST_LOCKED, machine.memory().total_bytes // 8)
        self._held = 0
        self._lock = threading.RLock()  # an array may be freed, by the collector, while one is made

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
        kind, count = np.dtype(dtype), math.prod(shape)
        nbytes = count * kind.itemsize
        with self._lock:
            if nbytes < _LEAST_LOCKED or self._held + nbytes > self._most:
                return np.empty(shape, kind)
            self._held += nbytes
        try:
            memory = self._cupy.cuda.alloc_pinned_memory(nbytes)
        except self._cupy.cuda.runtime.CUDARuntimeError as error:
            log.info("no page-locked memory for a result: %s", type(error).__name__)
            self._release(nbytes)
            return np.empty(shape, kind)
        array = np.frombuffer(memory, kind, count)
        weakref.finalize(array, self._release, nbytes).atexit = False
        return array.reshape(shape)

    def _release(self, nbytes: int) -> None:
        with self._lock:
            self._held -= nbytes


def _bytes_of(array: AnyArray) -> UInt8s:
    return array.reshape(-1).view(np.uint8)


def _ranges(nbytes: int) -> Iterator[tuple[int, int]]:
    for first in range(0, nbytes, _CHUNK_BYTES):
        yield first, min(nbytes, first + _CHUNK_BYTES)
