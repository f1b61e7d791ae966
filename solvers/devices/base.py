"""The thin interface that every kernel variant is written against.

Two implementations: ``cuda.py`` (CuPy) and ``opencl.py`` (PyOpenCL). A kernel is compiled once for a device and a set
of defines, and launched with device buffers and NumPy scalars; the launch is asynchronous and in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvers.graphs.weights import WeightType


@dataclass(frozen=True)
class KernelSource:
    """A kernel file and the macros it is compiled with.

    Attributes
    ----------
    path : Path
        The ``.cu`` file.
    defines : tuple of (name, value)
        Becomes ``-D name=value``.
    """

    path: Path
    defines: tuple[tuple[str, int | str], ...] = ()

    @classmethod
    def beside(cls, module_file: str, name: str, **defines: int | str) -> KernelSource:
        """The kernel ``name`` in the folder of ``module_file`` (``__file__`` of the variant)."""
        return cls(Path(module_file).with_name(name), tuple(sorted(defines.items())))


class Buffer(Protocol):
    """Memory on a device; ``nbytes``, ``dtype`` and ``shape`` as of a NumPy array."""

    nbytes: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class Program(Protocol):
    """A compiled kernel file."""

    def launch(
        self, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: Any, shared_bytes: int = 0
    ) -> None:
        """Queue ``kernel`` over ``grid`` blocks of ``block`` threads (one to three dimensions each).

        ``arguments`` are Buffers and NumPy scalars of exactly the kernel's parameter types (else TypeError). A grid
        with a 0 in it launches nothing; a block past the device's limit is a ParameterError. ``shared_bytes`` of
        shared memory are sized at the launch (``extern __shared__``), which only CUDA has.
        """


class Timer(Protocol):
    """Filled when its ``with`` block has ended."""

    ms: float


@runtime_checkable
class Device(Protocol):
    """A device that runs kernels.

    Attributes
    ----------
    key : str
        Stable name on the command line and in settings: "cuda:0", "opencl:0".
    kind : str
        "cuda" or "opencl".
    name, driver : str
        For people: "NVIDIA H200", "CUDA 13.0, driver 580.159".
    total_bytes : int
    is_cpu : bool
        An OpenCL device that is the processor itself.
    compute_units : int
        Multiprocessors or cores.
    max_block : int
        Most threads in a block.
    compute_capability : int
        CUDA's, times ten (90 for an H200); 0 for OpenCL devices.
    """

    key: str
    kind: str
    name: str
    driver: str
    total_bytes: int
    is_cpu: bool
    compute_units: int
    max_block: int
    compute_capability: int

    def free_bytes(self) -> int:
        """Bytes that can still be allocated, as far as the driver tells."""

    def lacks(self, kind: WeightType) -> str:
        """What it would need for distances of that type and has not: "64-bit atomics"; "" where it has all."""

    def compile(self, source: KernelSource) -> Program:
        """Compile, or take from the cache. Raises `KernelBuildError` with the compiler's log."""

    def session(self) -> AbstractContextManager[DeviceSession]:
        """Buffers and work that belong together; leaving it frees the buffers, also after an error."""


class DeviceSession(Protocol):
    """Allocation, copies and timing on one device, in order on one queue."""

    device: Device

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Any:
        """Uninitialised buffer. Raises `OutOfMemory` before allocating where it does not fit."""

    def upload(self, array: NDArray[Any]) -> Any:
        """A buffer holding a copy of ``array``."""

    def fill(self, buffer: Any, value: int | float) -> None:
        """Set every element (queued)."""

    def copy(self, target: Any, origin: Any) -> None:
        """Device-to-device copy of a whole buffer (queued)."""

    def write(self, buffer: Any, array: NDArray[Any]) -> None:
        """Host-to-device copy into an existing buffer (queued after earlier work, done on return)."""

    def download(self, buffer: Any, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """Wait for all queued work, then copy to a new host array; or its beginning into a contiguous one, to the end.

        Raises TypeError or ValueError where ``into`` has another type, is strided or has more elements.
        """

    def synchronize(self) -> None:
        """Wait for all queued work."""

    def timer(self) -> AbstractContextManager[Timer]:
        """Time the queued work of a ``with`` block by device events; waits for it at the end."""

    @property
    def peak_bytes(self) -> int:
        """Most bytes held at once by this session."""


def defines_of(mapping: Mapping[str, int | str]) -> Iterator[str]:
    """``-D`` options of a set of defines."""
    for name, value in mapping.items():
        yield f"-D{name}={value}"
