"""NVIDIA GPUs through CuPy: kernels are compiled by NVRTC, and work is enqueued on the
device's default stream.

CuPy is imported on first use. Memory is allocated directly from the driver, so that
freed memory is available to other programs and `free_bytes` is exact; only small arrays
come from a pool, since the driver takes longer for them than a launch does.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from solvers.devices.cuda_streams import MIN_BYTES, CudaQueue, LockedArrays, Staging
from solvers.devices.device import Device, KernelSource, Timer, defines_of, driver_failed
from solvers.devices.kernel import (
    LINES_VARIABLE,
    ArgumentCheck,
    KernelParameter,
    Programs,
    check_block,
    check_prefix_copy,
    check_same_size,
    declared_parameters,
    prepare_cupy,
)
from solvers.errors import DeviceUnavailable, KernelBuildError, OutOfMemory
from solvers.graphs.weights import WeightType
from solvers.system import machine
from solvers.system.array_types import AnyArray

_DRIVER_FILE = Path("/proc/driver/nvidia/version")
_POOLED_BYTES = 4 << 20  # of an array, ...
_POOL_BYTES = 64 << 20  # ... and of the pool of a device, at most
_PORTABLE = 1  # cudaHostRegisterPortable: for all devices
_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14  # CU_FUNC_ATTRIBUTE_..., a constant that CuPy lacks


def find_devices() -> list[CudaDevice]:
    """Every CUDA device.

    Raises ImportError or OSError if CuPy or a CUDA library is missing, RuntimeError if
    the driver is missing, too old or broken.
    """
    prepare_cupy()
    import cupy

    return [CudaDevice(cupy, ordinal) for ordinal in range(cupy.cuda.runtime.getDeviceCount())]


class CudaBuffer:
    """Device memory; see `device.Buffer`."""

    def __init__(self, array: Any):
        self.array = array
        self.shape = tuple(array.shape)
        self.dtype = array.dtype
        self.nbytes = int(array.nbytes)


class CudaProgram:
    """A compiled kernel file; see `device.Program`."""

    def __init__(
        self, device: CudaDevice, module: Any, declared: Mapping[str, tuple[KernelParameter, ...]]
    ):
        self._device = device
        self._module = module
        self._declared = declared
        self._kernels: dict[str, tuple[Any, ArgumentCheck, int]] = {}

    def launch(
        self,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        *arguments: Any,
        shared_bytes: int = 0,
    ) -> None:
        if 0 in grid:
            return
        if kernel not in self._kernels:
            entry = self._module.get_function(kernel)
            most = min(int(entry.max_threads_per_block), self._device.max_block)
            self._kernels[kernel] = (
                entry,
                ArgumentCheck(kernel, self._declared.get(kernel), CudaBuffer),
                most,
            )
        entry, check, most = self._kernels[kernel]
        check_block(kernel, self._device.name, grid, block, most)
        if shared_bytes > entry.max_dynamic_shared_size_bytes:
            entry.max_dynamic_shared_size_bytes = shared_bytes
        raw = tuple(a.array if isinstance(a, CudaBuffer) else a for a in check(arguments))
        entry(tuple(grid), tuple(block), raw, shared_mem=shared_bytes)

    def allow_large_clusters(self, kernel: str) -> None:
        """Allow clusters of more than 8 blocks (up to 16 on Hopper) for the kernel;
        raises DeviceUnavailable.
        """
        loader = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        handle = ctypes.c_void_p(self._module.get_function(kernel).kernel.ptr)
        if status := loader.cuFuncSetAttribute(handle, _NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1):
            raise DeviceUnavailable(
                f"{self._device.name} refuses clusters of more than 8 blocks (CUDA error {status})."
            )


class CudaDevice:
    """See `device.Device`."""

    kind = "cuda"
    is_cpu = False

    def __init__(self, cupy: Any, ordinal: int):
        properties = cupy.cuda.runtime.getDeviceProperties(ordinal)
        self.cupy = cupy
        self.ordinal = ordinal
        self.key = f"cuda:{ordinal}"
        self.name = properties["name"].decode()
        self.driver = _driver_text(cupy.cuda.runtime.driverGetVersion())
        self.total_bytes = int(properties["totalGlobalMem"])
        self.compute_units = int(properties["multiProcessorCount"])
        self.max_block = int(properties["maxThreadsPerBlock"])
        self.shared_bytes = int(properties["sharedMemPerBlockOptin"])
        self.compute_capability = 10 * int(properties["major"]) + int(properties["minor"])
        self.staging = Staging(cupy)
        self.pool = cupy.cuda.MemoryPool()
        self.pool.set_limit(_POOL_BYTES)
        self._results = LockedArrays(cupy)
        self.communicators: dict[tuple[str, ...], tuple[Any, ...]] = {}  # of NCCL; see gpu_group.py
        self._programs = Programs(self._build)

    def __repr__(self) -> str:
        return f"<{self.key} {self.name}>"

    @property
    def hardware_id(self) -> str:
        """The same in all processes of the machine, whatever GPUs they see; parts of a
        GPU (MIG) differ in it.
        """
        runtime = self.cupy.cuda.runtime
        uuid = runtime.getDeviceProperties(self.ordinal).get("uuid", b"")
        part = uuid.hex() if isinstance(uuid, bytes) else ""
        return f"{runtime.deviceGetPCIBusId(self.ordinal)} {part}".strip()

    def free_bytes(self) -> int:
        with self.cupy.cuda.Device(self.ordinal):
            return int(self.cupy.cuda.runtime.memGetInfo()[0])

    def missing_features(self, kind: WeightType) -> str:
        return ""

    def result_array(self, shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
        return self._results.empty(shape, dtype)

    def compile(self, source: KernelSource) -> CudaProgram:
        return self._programs.get(source)

    def _build(self, text: str, source: KernelSource) -> CudaProgram:
        lines = ("-lineinfo",) if os.environ.get(LINES_VARIABLE) else ()
        options = ("-std=c++17", *lines, *defines_of(dict(source.defines)))
        with self.cupy.cuda.Device(self.ordinal):
            module = self.cupy.RawModule(code=text, options=options, backend="nvrtc")
            try:
                module.compile()
            except self.cupy.cuda.compiler.CompileException as error:
                raise KernelBuildError(source.path.name, self.name, str(error)) from None
        return CudaProgram(self, module, declared_parameters(text, dict(source.defines)))

    @contextmanager
    def session(self) -> Iterator[CudaSession]:
        # CUDA's current device is a setting of the thread; make it this device for the
        # whole session.
        with self.cupy.cuda.Device(self.ordinal):
            session = CudaSession(self)
            try:
                try:
                    yield session
                finally:
                    session.release()
            except (
                self.cupy.cuda.runtime.CUDARuntimeError,
                self.cupy.cuda.driver.CUDADriverError,
            ) as error:
                raise driver_failed(self.name, error) from error


class CudaSession:
    """See `device.DeviceSession`."""

    def __init__(self, device: CudaDevice):
        self.device: Device = device
        self._device = device
        self._cupy = device.cupy
        self._stream = device.cupy.cuda.Stream.null
        self._buffers: list[CudaBuffer] = []
        self._queues: list[CudaQueue] = []
        self._live = 0
        self._peak = 0

    @property
    def peak_bytes(self) -> int:
        return self._peak

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> CudaBuffer:
        extent = (shape,) if isinstance(shape, int) else tuple(shape)
        nbytes = math.prod(extent) * np.dtype(dtype).itemsize
        buffer = CudaBuffer(
            self._cupy.ndarray(extent, np.dtype(dtype), memptr=self._memory(max(1, nbytes)))
        )
        self._buffers.append(buffer)
        self._live += nbytes
        self._peak = max(self._peak, self._live)
        return buffer

    def _memory(self, nbytes: int) -> Any:
        cuda = self._cupy.cuda
        if nbytes <= _POOLED_BYTES:
            with suppress(cuda.memory.OutOfMemoryError):
                return self._device.pool.malloc(nbytes)
        free = self._device.free_bytes()
        if nbytes > free:
            raise OutOfMemory("An array", nbytes, free, self._device.name)
        try:
            return cuda.MemoryPointer(cuda.Memory(nbytes), 0)
        except cuda.memory.OutOfMemoryError:
            raise OutOfMemory("An array", nbytes, free, self._device.name) from None
        except cuda.runtime.CUDARuntimeError as error:
            if error.status != cuda.runtime.errorMemoryAllocation:
                raise
            raise OutOfMemory("An array", nbytes, free, self._device.name) from None

    def upload(self, array: AnyArray) -> CudaBuffer:
        buffer = self.empty(array.shape, array.dtype)
        self.write(buffer, array)
        return buffer

    def fill(self, buffer: CudaBuffer, value: int | float) -> None:
        buffer.array.fill(value)

    def write(self, buffer: CudaBuffer, array: AnyArray) -> None:
        check_same_size(buffer, array)
        array = np.ascontiguousarray(array)
        if buffer.nbytes >= MIN_BYTES:
            self._device.staging.upload(buffer.array.data.ptr, array, self._stream)
        elif buffer.nbytes:
            buffer.array.set(array, stream=self._stream)
            self._stream.synchronize()

    def download(self, buffer: CudaBuffer, into: AnyArray | None = None) -> AnyArray:
        array = self._device.result_array(buffer.shape, buffer.dtype) if into is None else into
        check_prefix_copy(buffer, array)
        if array.nbytes >= MIN_BYTES and not self._is_locked(array):
            self._device.staging.download(buffer.array.data.ptr, array, self._stream)
        else:
            prefix = buffer.array.reshape(-1)[: array.size].reshape(array.shape)
            prefix.get(out=array, stream=self._stream)
            self._stream.synchronize()
        return array

    def _is_locked(self, array: AnyArray) -> bool:
        runtime = self._cupy.cuda.runtime
        return bool(runtime.pointerGetAttributes(array.ctypes.data).type == runtime.memoryTypeHost)

    def write_rows(self, buffer: CudaBuffer, first: int, rows: AnyArray) -> None:
        """Copy contiguous rows into a matrix, from row ``first`` on; complete on return."""
        if rows.nbytes:
            self._device.staging.upload(buffer.array[first:].data.ptr, rows, self._stream)

    def read_rows(self, buffer: CudaBuffer, first: int, rows: AnyArray) -> None:
        """Copy rows of a matrix, from row ``first`` on, into a contiguous array."""
        if rows.nbytes:
            self._device.staging.download(buffer.array[first:].data.ptr, rows, self._stream)

    def synchronize(self) -> None:
        self._stream.synchronize()

    def recorded(self, queue: Callable[[], None]) -> Callable[[], None]:
        stream = self._cupy.cuda.Stream(non_blocking=True)  # the session's own cannot be recorded
        with stream:
            stream.begin_capture()
            try:
                queue()
            finally:
                graph = stream.end_capture()
        return partial(graph.launch, self._stream)

    def current(self) -> Any:
        """A ``with`` block in which this thread's calls to CUDA go to this device; see
        `gpu_group`.
        """
        return self._cupy.cuda.Device(self._device.ordinal)

    def queue(self, *, is_urgent: bool = False) -> CudaQueue:
        """A queue beside that of the session, which waits for no other; it ends with
        the session.
        """
        queue = CudaQueue(self._cupy, is_urgent=is_urgent)
        self._queues.append(queue)
        return queue

    @contextmanager
    def page_locked(self, array: AnyArray) -> Iterator[None]:
        """Lock an array's memory, so that queues copy from and to it at the speed of
        the bus, in the background.

        Raises OutOfMemory if the system does not lock that much.
        """
        runtime = self._cupy.cuda.runtime
        try:
            runtime.hostRegister(array.ctypes.data, array.nbytes, _PORTABLE)
        except runtime.CUDARuntimeError as error:
            free = machine.memory().free_bytes
            raise OutOfMemory(
                "Page-locked memory", array.nbytes, free, remedy=f"CUDA says: {error}."
            ) from None
        try:
            yield
        finally:
            for queue in self._queues:
                queue.synchronize()
            runtime.hostUnregister(array.ctypes.data)

    @contextmanager
    def timer(self) -> Iterator[Timer]:
        events, timer = self._cupy.cuda, Timer()
        first, last = events.Event(), events.Event()
        self._stream.synchronize()
        first.record(self._stream)
        try:
            yield timer
        finally:
            last.record(self._stream)
            last.synchronize()
            timer.ms = float(events.get_elapsed_time(first, last))

    def release(self) -> None:
        """Wait for the stream and the queues, and free every buffer, even if it is
        still referenced.
        """
        for queue in self._queues:
            queue.synchronize()
        self._queues.clear()
        self._stream.synchronize()
        for buffer in self._buffers:
            buffer.array = None
        self._buffers.clear()
        self._live = 0


def _driver_text(version: int) -> str:
    """CUDA version and, on Linux, driver version: ``_driver_text(13000)`` is "CUDA
    13.0, driver 580.159".
    """
    words = f"CUDA {version // 1000}.{version % 1000 // 10}"
    if _DRIVER_FILE.exists():
        number = re.search(
            r"\d+\.\d+(\.\d+)?", _DRIVER_FILE.read_text(encoding="utf-8", errors="replace")
        )
        words += f", driver {number.group()}" if number else ""
    return words
