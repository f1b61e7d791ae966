"""Large copies in chunks: complete, in order, and no chunk used again before the bus
has done with it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers.devices import cuda_streams
from solvers.devices.cuda_streams import LockedArrays, Staging

CHUNK = 1 << 20


@dataclass
class LazyStream:
    """Copies nothing until someone waits for it: who reads or overwrites too soon is found out."""

    ptr: int = 0
    queued: list[Callable[[], None]] = field(default_factory=list)
    done: int = 0

    def run(self, until: int) -> None:
        for work in self.queued[self.done : until]:
            work()
        self.done = max(self.done, until)

    def synchronize(self) -> None:
        self.run(len(self.queued))


@dataclass
class LazyEvent:
    recorded: tuple[LazyStream, int] | None = None

    def record(self, stream: LazyStream) -> None:
        self.recorded = stream, len(stream.queued)

    def synchronize(self) -> None:
        if self.recorded:
            stream, place = self.recorded
            stream.run(place)


class PinnedMemory(bytearray):
    @property
    def ptr(self) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(self))


def lazy_cupy(stream: LazyStream) -> Any:
    """As much of CuPy as copies need; device memory is host memory."""

    def memcpy_async(target: int, origin: int, nbytes: int, direction: int, _: int) -> None:
        stream.queued.append(lambda: ctypes.memmove(target, origin, nbytes) and None)

    return SimpleNamespace(
        cuda=SimpleNamespace(
            runtime=SimpleNamespace(memcpyAsync=memcpy_async),
            alloc_pinned_memory=PinnedMemory,
            Event=lambda disable_timing: LazyEvent(),
        )
    )


@pytest.mark.parametrize("nbytes", [1, CHUNK // 2, CHUNK, CHUNK + 1, 3 * CHUNK, 5 * CHUNK - 4097])
def test_every_byte_arrives(nbytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_streams, "_CHUNK_BYTES", CHUNK)
    stream = LazyStream()
    staging = Staging(lazy_cupy(stream))
    array = np.random.default_rng(nbytes).integers(0, 256, nbytes, dtype=np.uint8)
    on_device, back = np.zeros_like(array), np.zeros_like(array)
    staging.upload(on_device.ctypes.data, array, stream)
    np.testing.assert_array_equal(on_device, array)
    staging.download(on_device.ctypes.data, back, stream)
    np.testing.assert_array_equal(back, array)


def test_copies_come_after_what_was_queued() -> None:
    stream = LazyStream()
    staging = Staging(lazy_cupy(stream))
    on_device, back = np.zeros(100), np.zeros(100)
    stream.queued.append(lambda: on_device.fill(3))
    staging.download(on_device.ctypes.data, back, stream)
    assert (back == 3).all()
    stream.queued.append(lambda: on_device.fill(4))
    staging.upload(on_device.ctypes.data, np.full(100, 5.0), stream)
    assert (on_device == 5).all()


def test_nothing_is_pinned_before_the_first_copy() -> None:
    cupy = lazy_cupy(LazyStream())
    cupy.cuda.alloc_pinned_memory = pytest.fail
    Staging(cupy)


class PinnedPool:
    """In place of CuPy's: hands out memory up to a limit, and counts it."""

    def __init__(self, most: int):
        self.most, self.given = most, 0

    def alloc_pinned_memory(self, nbytes: int) -> bytearray:
        self.given += nbytes
        if self.given > self.most:
            raise RuntimeError("out of memory")
        return bytearray(nbytes)


def locked_arrays(pool: PinnedPool) -> LockedArrays:
    runtime = SimpleNamespace(CUDARuntimeError=RuntimeError)
    return LockedArrays(
        SimpleNamespace(
            cuda=SimpleNamespace(alloc_pinned_memory=pool.alloc_pinned_memory, runtime=runtime)
        )
    )


def test_results_lie_in_page_locked_memory_up_to_a_share_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cuda_streams, "_MOST_LOCKED", 3 * CHUNK)
    pool = PinnedPool(10 * CHUNK)
    arrays = locked_arrays(pool)
    held = [arrays.empty((CHUNK // 8, 2), np.float32) for _ in range(4)]
    assert pool.given == 3 * CHUNK, "the fourth is NumPy's own"
    for number, array in enumerate(held):
        array[:] = number
        assert array.shape == (CHUNK // 8, 2)
        assert array.flags.writeable
    rows = held[0][5:9]
    del held[0], array
    arrays.empty((CHUNK,), np.uint8)
    assert pool.given == 3 * CHUNK, "a view of the first is still used"
    assert (rows == 0).all()
    del rows
    arrays.empty((CHUNK,), np.uint8)
    assert pool.given == 4 * CHUNK


def test_small_results_and_those_that_the_system_does_not_lock_are_plain_arrays() -> None:
    pool = PinnedPool(CHUNK)
    arrays = locked_arrays(pool)
    assert arrays.empty((10,), np.int32).shape == (10,)
    assert pool.given == 0
    kept = arrays.empty((CHUNK,), np.uint8)
    assert arrays.empty((CHUNK,), np.uint8).shape == kept.shape, "refused by the system"
