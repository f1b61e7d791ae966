"""Queues of one NVIDIA GPU that run side by side: launches, copies, and marks that other queues wait for.

A `DeviceSession` has one queue, on which everything is in order. Where copies or another device's work are to overlap
with kernels, each chain of work has a queue of its own, and waits for marks of the others.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from solvers.devices.base import Program

_H2D, _D2H = 1, 2  # cudaMemcpyKind


class CudaQueue:
    """A stream. Its methods return before the work is done, and need its device to be the thread's current one.

    Parameters
    ----------
    cupy : module
    is_urgent : bool
        Its blocks are started before those of other queues that wait.
    """

    def __init__(self, cupy: Any, *, is_urgent: bool = False):
        self._cupy = cupy
        self.stream = cupy.cuda.Stream(non_blocking=True, priority=-5 if is_urgent else 0)  # clamped to what there is

    def launch(
        self, program: Program, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: Any
    ) -> None:
        """As `Program.launch`, on this queue."""
        with self.stream:
            program.launch(kernel, grid, block, *arguments)

    def upload(self, buffer: Any, array: NDArray[Any]) -> None:
        """Copy a contiguous array in page-locked memory to the first elements of a buffer."""
        self._cupy.cuda.runtime.memcpyAsync(
            buffer.array.data.ptr, array.ctypes.data, array.nbytes, _H2D, self.stream.ptr
        )

    def download(self, buffer: Any, array: NDArray[Any]) -> None:
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
