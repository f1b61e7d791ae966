"""The device interface that all kernel variants use, its recording wrapper, and the
register of devices in timed use.

Implemented by ``cuda.py`` (CuPy) and ``opencl.py`` (PyOpenCL). A kernel is compiled
once per device and set of defines, and launched with device buffers and NumPy scalars;
launches are asynchronous and run in order.

A recording device, for traced runs only, passes everything on to another and reports
every launch. Devices used by timed runs are registered, so that other work (drawing)
avoids them meanwhile.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from solvers.errors import DeviceUnavailable
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray

OnLaunch = Callable[[str, int, int], None]
"""Called with the name of a kernel, the number of blocks, and the threads in each."""

_lock = threading.Lock()
_runs: Counter[str] = Counter()


@dataclass(frozen=True)
class KernelSource:
    """A kernel file and its macro definitions."""

    path: Path  # the ``.cu`` file
    defines: tuple[tuple[str, int | str], ...] = ()  # passed to the compiler as ``-Dname=value``

    @classmethod
    def beside(cls, module_file: str, name: str, **defines: int | str) -> KernelSource:
        """The kernel ``name`` in the folder of ``module_file`` (``__file__`` of the variant)."""
        return cls(Path(module_file).with_name(name), tuple(sorted(defines.items())))


class Buffer(Protocol):
    """Device memory; ``nbytes``, ``dtype`` and ``shape`` have NumPy's meaning."""

    nbytes: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class Program(Protocol):
    """A compiled kernel file."""

    def launch(
        self,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *arguments: Any,
        shared_bytes: int = 0,
    ) -> None:
        """Enqueue ``kernel`` over ``grid`` blocks of ``block`` threads (one to three
        dimensions each).

        Arguments are buffers, integers, which get the types of the kernel's parameters,
        other NumPy scalars of exactly these types, and structured arrays with no
        dimensions for structures passed by value.
        ``shared_bytes`` of dynamic shared memory are for CUDA only. A grid with a
        dimension of 0 launches nothing.

        Raises TypeError or OverflowError if the arguments do not match the kernel's
        declaration, ParameterError if the device cannot run blocks of that size, ValueError for
        shared bytes on an OpenCL device.
        """


class Timer:
    """Elapsed device time in ms, set at the end of the ``with`` block."""

    ms = 0.0


@runtime_checkable
class Device(Protocol):
    key: str  # name on the command line and in settings: "cuda:0", "opencl:0"
    kind: str  # "cuda" or "opencl"
    # for display: "NVIDIA H200", "CUDA 13.0, driver 580.159"
    name: str
    driver: str
    total_bytes: int
    is_cpu: bool  # true for an OpenCL device that is the host's processor
    compute_units: int  # multiprocessors or cores
    max_block: int  # maximum number of threads per block
    # shared memory that one block can have; on a GPU more than 48 KB of it only where
    # it is dynamic
    shared_bytes: int
    # CUDA compute capability times ten (90 for an H200); 0 for OpenCL devices
    compute_capability: int

    def free_bytes(self) -> int:
        """Bytes that can still be allocated, according to the driver."""

    def missing_features(self, kind: WeightType) -> str:
        """Features that distances of that type need and the device lacks ("64-bit
        atomics"); "" if none.
        """

    def result_array(self, shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
        """An uninitialised array on the host into which a result is downloaded fast."""

    def compile(self, source: KernelSource) -> Program:
        """Compile a kernel file; results are cached. Raises `KernelBuildError` with the
        compiler's log.
        """

    def session(self) -> AbstractContextManager[DeviceSession]:
        """A scope for buffers and work; leaving it frees the buffers, also after an error."""


class DeviceSession(Protocol):
    """Allocation, copies and timing on one device, in order on one queue."""

    device: Device

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Any:
        """Allocate an uninitialised buffer. Raises `OutOfMemory`, before allocating, if
        it does not fit.
        """

    def upload(self, array: AnyArray) -> Any:
        """Allocate a buffer with a copy of ``array``."""

    def fill(self, buffer: Any, value: int | float) -> None:
        """Set every element to ``value`` (enqueued)."""

    def write(self, buffer: Any, array: AnyArray) -> None:
        """Copy from host into an existing buffer, after earlier enqueued work; complete
        on return.
        """

    def download(self, buffer: Any, into: AnyArray | None = None) -> AnyArray:
        """Wait for all enqueued work, then copy a buffer to the host, to ``into`` or a
        new array of its shape.

        ``into`` may be shorter; it then gets the first elements. Raises TypeError if it
        has another dtype, ValueError if it is not contiguous or larger than the buffer.
        """

    def synchronize(self) -> None:
        """Wait for all enqueued work."""

    def recorded(self, queue: Callable[[], None]) -> Callable[[], None]:
        """A function that enqueues the launches of ``queue`` each time; CUDA calls
        ``queue`` once, now.

        Buffers and arguments are those of that time, and the function may be called
        until the session ends.
        """

    def timer(self) -> AbstractContextManager[Timer]:
        """Measure the work enqueued in a ``with`` block by device events; waits for it
        at the end.
        """

    @property
    def peak_bytes(self) -> int:
        """Maximum number of bytes held at once by this session."""


def defines_of(mapping: Mapping[str, int | str]) -> Iterator[str]:
    """Compiler options ``-Dname=value`` for a set of defines."""
    for name, value in mapping.items():
        yield f"-D{name}={value}"


def kind_of_driver(driver: str) -> str:
    """Kind of the device that a result names by its driver, "" for none: CUDA devices
    have "CUDA 13.0, driver ...".
    """
    if not driver:
        return ""
    return "cuda" if driver.startswith("CUDA ") else "opencl"


def driver_failed(device: str, error: Exception) -> DeviceUnavailable:
    """The error for a driver that failed during a run: a lost device, a crashed kernel,
    a watchdog.
    """
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return DeviceUnavailable(
        f"{device} failed during the run: {reason}. Run again, or choose another device."
    )


def recording(device: Device, on_launch: OnLaunch) -> Device:
    """``device``, with ``on_launch`` called for every launch of a program that is
    compiled on it from now on.
    """
    return cast(Device, _RecordingDevice(device, on_launch))


def recorded_with(device: Device, other: Device) -> Device:
    """``other``, recorded as ``device`` is; ``other`` itself if ``device`` is not recorded."""
    return device.with_other(other) if isinstance(device, _RecordingDevice) else other


def devices_recorded(device: Device) -> tuple[Device, ...]:
    """The devices that programs were compiled on: that of ``recording``, and those
    recorded with it.
    """
    return tuple(device.compiled.values()) if isinstance(device, _RecordingDevice) else ()


def is_recorded(device: Device | None) -> bool:
    return isinstance(device, _RecordingDevice)


def replay_launch(device: Device | None, kernel: str, blocks: int, block: int) -> None:
    """Report a launch that another process made on this recorded device; does nothing
    for other devices.
    """
    if isinstance(device, _RecordingDevice):
        device.replay(kernel, blocks, block)


class _RecordingDevice:
    """Attributes and sessions are those of the device itself."""

    def __init__(self, device: Device, on_launch: OnLaunch):
        self._device, self._on_launch = device, on_launch
        self.compiled: dict[str, Device] = {}  # by key; shared with those recorded with it

    def with_other(self, other: Device) -> Device:
        found = _RecordingDevice(other, self._on_launch)
        found.compiled = self.compiled
        return cast(Device, found)

    def replay(self, kernel: str, blocks: int, block: int) -> None:
        self.compiled[self._device.key] = self._device
        self._on_launch(kernel, blocks, block)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def compile(self, source: KernelSource) -> Program:
        self.compiled[self._device.key] = self._device
        return _RecordingProgram(self._device.compile(source), self._on_launch)


class _RecordingProgram:
    def __init__(self, program: Program, on_launch: OnLaunch):
        self._program, self._on_launch = program, on_launch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    def launch(
        self,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *arguments: Any,
        shared_bytes: int = 0,
    ) -> None:
        if blocks := prod(grid):
            self._on_launch(kernel, blocks, prod(block))
        self._program.launch(kernel, grid, block, *arguments, shared_bytes=shared_bytes)


@contextmanager
def timing_on(key: str | None) -> Iterator[None]:
    """Register the device with that key for the duration of the ``with`` block; None
    registers nothing.
    """
    if key is None:
        yield
        return
    with _lock:
        _runs[key] += 1
    try:
        yield
    finally:
        with _lock:
            _runs[key] -= 1


def is_timed_on(key: str) -> bool:
    """Whether a timed run uses the device with that key."""
    with _lock:
        return _runs[key] > 0
