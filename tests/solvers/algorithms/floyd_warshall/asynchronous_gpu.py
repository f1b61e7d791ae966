"""GPUs on which everything enqueued runs late, in any order that the marks allow;
kernels are NumPy's.

A queue runs in its order, but which queue goes on next is drawn by chance; most often
it is the first in an order of queues that is drawn, too, so that the last ones fall
behind as far as the marks allow. A missing wait shows as a wrong answer, for some of
the orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import TILE
from solvers.devices.gpu_group import GpuGroup, GpuMember
from tests.solvers.fakes import GIGABYTE, FakeDevice

_GARBAGE = -77
_FAVOURED = 0.95


class Buffer:
    """Memory that holds garbage until it is written."""

    def __init__(self, shape: tuple[int, ...], dtype: Any):
        self.array = np.full(shape, _GARBAGE, dtype)
        self.dtype, self.nbytes, self.shape = self.array.dtype, self.array.nbytes, shape


@dataclass
class Mark:
    world: World
    reached: bool = False

    def synchronize(self) -> None:
        self.world.run(lambda: self.reached)


@dataclass(eq=False)
class Operation:
    act: Callable[[], None]
    waits_for: Mark | None = None
    together: Sequence[Queue] = ()

    def can_run(self) -> bool:
        at_head = all(queue.enqueued and queue.enqueued[0] is self for queue in self.together)
        return at_head and (self.waits_for is None or self.waits_for.reached)


@dataclass(eq=False)
class Queue:
    world: World
    rank: float
    enqueued: list[Operation] = field(default_factory=list)

    def launch(self, program: Program, kernel: str, grid: Any, block: Any, *arguments: Any) -> None:
        self.enqueued.append(Operation(lambda: program.launch(kernel, grid, block, *arguments)))

    def upload(self, buffer: Buffer, array: np.ndarray) -> None:
        self.enqueued.append(Operation(lambda: np.copyto(buffer.array[: len(array)], array)))

    def download(self, buffer: Buffer, array: np.ndarray) -> None:
        self.enqueued.append(Operation(lambda: np.copyto(array, buffer.array[: len(array)])))

    def mark(self) -> Mark:
        mark = Mark(self.world)
        self.enqueued.append(Operation(lambda: setattr(mark, "reached", True)))
        return mark

    def wait(self, mark: Mark) -> None:
        self.enqueued.append(
            Operation(lambda: None, waits_for=None if self.world.ignores_waits else mark)
        )

    def synchronize(self) -> None:
        self.world.run(lambda: not self.enqueued)


@dataclass(eq=False)
class World:
    """All queues of all GPUs."""

    random: Random
    ignores_waits: bool = False
    queues: list[Queue] = field(default_factory=list)

    def run(self, is_done: Callable[[], bool]) -> None:
        """Run operations until that is so."""
        while not is_done():
            ready = [
                queue for queue in self.queues if queue.enqueued and queue.enqueued[0].can_run()
            ]
            assert ready, "every queue waits: for a mark that no queue will reach"
            favourite = max(ready, key=lambda queue: queue.rank)
            operation = (
                favourite if self.random.random() < _FAVOURED else self.random.choice(ready)
            ).enqueued[0]
            operation.act()
            for queue in self.queues:
                if queue.enqueued and queue.enqueued[0] is operation:
                    queue.enqueued.pop(0)


class Session:
    """What `CudaSession` offers for queues."""

    peak_bytes = 1

    def __init__(self, world: World):
        self.world = world

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Buffer:
        return Buffer(shape, dtype)

    def queue(self, *, is_urgent: bool = False) -> Queue:
        self.world.queues.append(Queue(self.world, self.world.random.random()))
        return self.world.queues[-1]

    def current(self) -> Any:
        return nullcontext()

    def page_locked(self, array: np.ndarray) -> Any:
        return nullcontext()

    def write_rows(self, buffer: Buffer, first: int, rows: np.ndarray) -> None:
        buffer.array[first : first + len(rows)] = rows

    def read_rows(self, buffer: Buffer, first: int, rows: np.ndarray) -> None:
        np.copyto(rows, buffer.array[first : first + len(rows)])


class Program:
    """The kernels of ``blocked.cu`` in NumPy."""

    def launch(self, kernel: str, grid: tuple[int, int], block: Any, *arguments: Any) -> None:
        if 0 not in grid:
            getattr(self, f"_{kernel}")(grid, *arguments)

    def _close_pivot(self, grid: Any, matrix: Buffer, at: int, stride: int, pivot: int) -> None:
        self._close(_cells(matrix, at, stride, TILE * (pivot + 1), TILE * (pivot + 1)), pivot)

    def _close(self, square: np.ndarray, pivot: int) -> None:
        tile = square[pivot * TILE : (pivot + 1) * TILE, pivot * TILE : (pivot + 1) * TILE]
        for k in range(TILE):
            np.minimum(tile, tile[:, k, None] + tile[None, k, :], out=tile)

    def _relax_cross(self, grid: Any, matrix: Buffer, at: int, stride: int, pivot: int) -> None:
        extent = (grid[0] + 1) * TILE
        square, inside = (
            _cells(matrix, at, stride, extent, extent),
            slice(pivot * TILE, (pivot + 1) * TILE),
        )
        closed = square[inside, inside].copy()
        square[inside] = _product(square[inside], closed, square[inside].copy())
        square[:, inside] = _product(square[:, inside], square[:, inside].copy(), closed)

    def _relax_rest(self, grid: Any, matrix: Buffer, at: int, stride: int, pivot: int) -> None:
        extent = (grid[0] + 1) * TILE
        square, inside = (
            _cells(matrix, at, stride, extent, extent),
            slice(pivot * TILE, (pivot + 1) * TILE),
        )
        square[:] = _product(square, square[:, inside].copy(), square[inside].copy())
        if pivot * TILE + TILE < extent:
            self._close(square, pivot + 1)

    def _multiply(self, grid: Any, *arguments: Any) -> None:
        depth, first_skipped, skipped = map(int, arguments[-3:])
        down, across = grid[1] * TILE, (grid[0] + skipped) * TILE
        shapes = ((down, across), (down, across), (down, depth), (depth, across))
        out, start, left, right = (
            _cells(*place, *shape) for place, shape in zip(_places(arguments), shapes, strict=False)
        )
        tiles = [
            tile
            for tile in range(grid[0] + skipped)
            if not first_skipped <= tile < first_skipped + skipped
        ]
        for tile in tiles:
            columns = slice(tile * TILE, (tile + 1) * TILE)
            out[:, columns] = _product(start[:, columns], left, right[:, columns])

    def _copy_tiles(self, grid: Any, *arguments: Any) -> None:
        down, across = grid[1] * TILE, grid[0] * TILE
        out, origin = _places(arguments)
        np.copyto(_cells(*out, down, across), _cells(*origin, down, across))


def _places(arguments: Sequence[Any]) -> list[tuple[Any, int, int]]:
    """The leading (buffer, first cell, stride) triples among the arguments of a kernel."""
    triples = zip(arguments[::3], arguments[1::3], arguments[2::3], strict=False)
    return [(buffer, at, stride) for buffer, at, stride in triples if isinstance(buffer, Buffer)]


def _cells(buffer: Buffer, at: int, stride: int, down: int, across: int) -> np.ndarray:
    """That many cells of a matrix, as a view."""
    flat = buffer.array.reshape(-1)
    assert 0 <= at <= flat.size - (down - 1) * stride - across, "cells outside the memory"
    item = flat.itemsize
    return np.lib.stride_tricks.as_strided(
        flat[int(at) :], (down, across), (int(stride) * item, item)
    )


def _product(start: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    least = start.copy()
    for k in range(left.shape[1]):
        np.minimum(least, left[:, k, None] + right[None, k, :], out=least)
    return least


class Gpu(FakeDevice):
    """A CUDA device of a world."""

    compute_capability = 90

    def __init__(self, world: World, number: int = 0, free: int = 8 * GIGABYTE):
        super().__init__(free, "cuda")
        self.key, self.name, self.world = f"cuda:{number}", "Fake Ninety", world

    def compile(self, source: Any) -> Program:
        return Program()

    @contextmanager
    def session(self) -> Iterator[Session]:
        session = Session(self.world)
        yield session
        self.world.run(lambda: not any(queue.enqueued for queue in self.world.queues))


class Group(GpuGroup):
    """A group that sends through the host."""

    def broadcast(self, origin: int, buffers: Sequence[Any], nbytes: int) -> None:
        links: list[Any] = [member.link for member in self.members]

        def send() -> None:
            for buffer in buffers:
                size = nbytes // buffer.dtype.itemsize
                buffer.array.reshape(-1)[:size] = buffers[origin].array.reshape(-1)[:size].copy()

        operation = Operation(send, together=links)
        for link in links:
            link.enqueued.append(operation)


@contextmanager
def group_of(devices: Sequence[Gpu]) -> Iterator[Group]:
    """In place of `gpu_group`."""
    sessions: list[Any] = [Session(device.world) for device in devices]
    members = [
        GpuMember(device, session, *(session.queue() for _ in range(3)))  # type: ignore[arg-type]
        for device, session in zip(devices, sessions, strict=True)
    ]
    yield Group(members, ())
