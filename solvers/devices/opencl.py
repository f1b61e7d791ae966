"""OpenCL devices through PyOpenCL: the processor, by a runtime registered here, and any
GPU with an OpenCL driver.

Each device has one in-order queue with profiling. PyOpenCL is imported on first use.

``intel-opencl-rt`` installs ``libintelocl.so`` into ``<prefix>/lib``, but its ``.icd``
file contains a path of Intel's build machine. So before ``pyopencl`` is imported, a
folder with a correct ``.icd`` file and copies of the system's is created, and the
loader is pointed at it. Both Linux loaders (ocl-icd, bundled with the PyOpenCL wheels,
and Khronos's) accept a folder in ``OCL_ICD_VENDORS``; ocl-icd does not support
``OCL_ICD_FILENAMES``. The Windows loader (Khronos's) adds ``OCL_ICD_FILENAMES`` to the
drivers in the registry. macOS has its own OpenCL.
"""

from __future__ import annotations

import hashlib
import logging
import os
import site
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from solvers.devices.device import Device, KernelSource, Timer, defines_of, driver_failed
from solvers.devices.kernel import (
    ArgumentCheck,
    KernelParameter,
    Programs,
    check_block,
    check_prefix_copy,
    check_same_size,
    declared_parameters,
    opencl_cache,
    prepare_pyopencl,
)
from solvers.errors import KernelBuildError, OutOfMemory
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray
from solvers.system.disk_cache import cache_folder
from solvers.system.files import folder_until_exit, make_private_folder
from solvers.system.once import Once

log = logging.getLogger(__name__)

# Extensions that `portable.h` requires, by distance type.
_ATOMICS = ("cl_khr_int64_extended_atomics", "64-bit atomics")
_NEEDED = {"int64": (_ATOMICS,), "float64": (("cl_khr_fp64", "double precision"), _ATOMICS)}

_RUNTIME = {"linux": Path("lib/libintelocl.so"), "win32": Path("Library/bin/intelocl64.dll")}
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")


def import_pyopencl() -> Any:
    """Import PyOpenCL, after registering the CPU runtime with its loader; raises
    ImportError or OSError.
    """
    point_loader_at_pip_runtime()
    prepare_pyopencl()
    import pyopencl

    return pyopencl


def find_devices() -> list[OpenCLDevice]:
    """Every usable OpenCL device: GPUs and accelerators first, then processors, Intel's
    runtime before others.

    Raises ImportError or OSError if PyOpenCL or the loader is missing, pyopencl.Error
    if no driver is installed, or a driver fails.
    """
    cl = import_pyopencl()
    found = [device for platform in cl.get_platforms() for device in _devices_of(cl, platform)]
    found.sort(key=lambda device: (_is_cpu(cl, device), "Intel" not in device.platform.name))
    return [OpenCLDevice(cl, device, f"opencl:{number}") for number, device in enumerate(found)]


def _devices_of(cl: Any, platform: Any) -> list[Any]:
    """The platform's devices that can compile and run kernels; empty for a driver
    without a card.
    """
    try:
        return [d for d in platform.get_devices() if d.available and d.compiler_available]
    except cl.RuntimeError:
        return []


def _is_cpu(cl: Any, device: Any) -> bool:
    return bool(device.type & cl.device_type.CPU)


class OpenCLBuffer:
    """Device memory; see `device.Buffer`."""

    def __init__(self, memory: Any, shape: tuple[int, ...], dtype: np.dtype[Any]):
        self.memory = memory
        self.shape = shape
        self.dtype = dtype
        self.nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize


class OpenCLProgram:
    """A compiled kernel file; see `device.Program`."""

    def __init__(
        self, device: OpenCLDevice, built: Any, declared: Mapping[str, tuple[KernelParameter, ...]]
    ):
        self._device = device
        self._built = built
        self._declared = declared
        self._kernels: dict[str, tuple[Any, ArgumentCheck, int]] = {}
        # a kernel object holds its arguments: set and enqueue them in one step
        self._lock = threading.Lock()

    def launch(
        self,
        kernel: str,
        grid: Sequence[int],
        block: Sequence[int],
        *arguments: Any,
        shared_bytes: int = 0,
    ) -> None:
        if shared_bytes:
            raise ValueError(
                f"kernel {kernel}: OpenCL has no dynamic shared memory; "
                "its size is fixed at compilation"
            )
        if 0 in grid:
            return
        with self._lock:
            if kernel not in self._kernels:
                self._kernels[kernel] = self._open(kernel)
            entry, check, most = self._kernels[kernel]
            check_block(kernel, self._device.name, grid, block, most)
            checked = check(arguments)
            raw = [a.memory if isinstance(a, OpenCLBuffer) else a for a in checked]
            total = tuple(g * b for g, b in zip(grid, block, strict=True))
            entry(self._device.queue, total, tuple(block), *raw)

    def _open(self, name: str) -> tuple[Any, ArgumentCheck, int]:
        """The driver's kernel object, its argument check, and the maximum number of
        threads per block.
        """
        cl = self._device.cl
        entry = cl.Kernel(self._built, name)
        most = entry.get_work_group_info(
            cl.kernel_work_group_info.WORK_GROUP_SIZE, self._device.handle
        )
        check = ArgumentCheck(name, self._declared.get(name), OpenCLBuffer)
        return entry, check, min(int(most), self._device.max_block)


class OpenCLDevice:
    """See `device.Device`."""

    kind = "opencl"
    compute_capability = 0

    def __init__(self, cl: Any, handle: Any, key: str):
        self.cl = cl
        self.handle = handle
        self.key = key
        self.name = handle.name.strip()
        self.driver = f"{handle.platform.name.strip()}, driver {handle.driver_version.strip()}"
        self.total_bytes = int(handle.global_mem_size)
        self.is_cpu = _is_cpu(cl, handle)
        self.compute_units = int(handle.max_compute_units)
        self.max_block = int(handle.max_work_group_size)
        self.shared_bytes = int(handle.local_mem_size)
        self.live_bytes = 0
        self._programs = Programs(self._build)
        self._lock = threading.RLock()
        self._context = Once(lambda: cl.Context([handle]))
        self._queue = Once(self._make_queue)

    def __repr__(self) -> str:
        return f"<{self.key} {self.name}>"

    @property
    def context(self) -> Any:
        return self._context.get()

    @property
    def queue(self) -> Any:
        return self._queue.get()

    def _make_queue(self) -> Any:
        profiling = self.cl.command_queue_properties.PROFILING_ENABLE
        return self.cl.CommandQueue(self.context, self.handle, properties=profiling)

    def free_bytes(self) -> int:
        """Total bytes less those held by this process; on a processor at most the
        host's available memory.
        """
        free = self.total_bytes - self.live_bytes
        return max(0, min(free, _free_host_bytes()) if self.is_cpu else free)

    def count(self, nbytes: int) -> None:
        """Add ``nbytes`` (may be negative) to the bytes held on this device; thread-safe."""
        with self._lock:
            self.live_bytes += nbytes

    def missing_features(self, kind: WeightType) -> str:
        has = set(self.handle.extensions.split())
        return " and ".join(
            words for extension, words in _NEEDED.get(kind.name, ()) if extension not in has
        )

    def result_array(self, shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
        return np.empty(shape, dtype)

    def compile(self, source: KernelSource) -> OpenCLProgram:
        return self._programs.get(source)

    def _build(self, text: str, source: KernelSource) -> OpenCLProgram:
        """Build a text, or take it from the cache.

        ``cl.Program.build`` would make the path of PyOpenCL's headers, which no text of
        ours includes, part of the cache's key: each environment would build everything anew.
        """
        from pyopencl.cache import create_built_program_from_source_cached

        options = " ".join(defines_of(dict(source.defines))).encode()
        # filters of warnings are of the process
        with self._lock, warnings.catch_warnings():
            # Intel's compiler warns even on success
            warnings.simplefilter("ignore", self.cl.CompilerWarning)
            # it then compiles without
            warnings.filterwarnings("ignore", "PyOpenCL compiler caching failed")
            try:
                built, _ = create_built_program_from_source_cached(
                    self.context, text, options, cache_dir=self._cache(), include_path=()
                )
            except self.cl.Error as error:
                raise KernelBuildError(
                    source.path.name, self.name, _compiler_log(str(error))
                ) from None
        return OpenCLProgram(self, built, declared_parameters(text, dict(source.defines)))

    def _cache(self) -> str | bool:
        """PyOpenCL's folder for what is built; False where it keeps none, or the driver does."""
        from pyopencl.characterize import has_src_build_cache

        return not has_src_build_cache(self.handle) and (opencl_cache() or False)

    @contextmanager
    def session(self) -> Iterator[OpenCLSession]:
        session = OpenCLSession(self)
        try:
            try:
                yield session
            finally:
                session.release()
        except self.cl.Error as error:
            raise driver_failed(self.name, error) from error


class OpenCLSession:
    """See `device.DeviceSession`."""

    def __init__(self, device: OpenCLDevice):
        self.device: Device = device
        self._device = device
        self._buffers: list[OpenCLBuffer] = []
        self._live = 0
        self._peak = 0

    @property
    def peak_bytes(self) -> int:
        return self._peak

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> OpenCLBuffer:
        cl, device = self._device.cl, self._device
        buffer = OpenCLBuffer(
            None, (shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype)
        )
        allowed = min(device.free_bytes(), int(device.handle.max_mem_alloc_size))
        if buffer.nbytes > allowed:
            raise OutOfMemory("An array", buffer.nbytes, allowed, device.name)
        try:
            buffer.memory = cl.Buffer(
                device.context, cl.mem_flags.READ_WRITE, max(1, buffer.nbytes)
            )
        except cl.MemoryError:
            raise OutOfMemory("An array", buffer.nbytes, allowed, device.name) from None
        self._buffers.append(buffer)
        device.count(buffer.nbytes)
        self._live += buffer.nbytes
        self._peak = max(self._peak, self._live)
        return buffer

    def upload(self, array: AnyArray) -> OpenCLBuffer:
        buffer = self.empty(array.shape, array.dtype)
        self.write(buffer, array)
        return buffer

    def fill(self, buffer: OpenCLBuffer, value: int | float) -> None:
        if buffer.nbytes:
            pattern = buffer.dtype.type(value)
            self._device.cl.enqueue_fill_buffer(
                self._device.queue, buffer.memory, pattern, 0, buffer.nbytes
            )

    def write(self, buffer: OpenCLBuffer, array: AnyArray) -> None:
        check_same_size(buffer, array)
        if buffer.nbytes:
            self._device.cl.enqueue_copy(
                self._device.queue, buffer.memory, np.ascontiguousarray(array), is_blocking=True
            )

    def download(self, buffer: OpenCLBuffer, into: AnyArray | None = None) -> AnyArray:
        array = np.empty(buffer.shape, buffer.dtype) if into is None else into
        check_prefix_copy(buffer, array)
        if array.nbytes:
            self._device.cl.enqueue_copy(self._device.queue, array, buffer.memory, is_blocking=True)
        return array

    def synchronize(self) -> None:
        self._device.queue.finish()

    def recorded(self, queue: Callable[[], None]) -> Callable[[], None]:
        return queue

    @contextmanager
    def timer(self) -> Iterator[Timer]:
        cl, queue, timer = self._device.cl, self._device.queue, Timer()
        queue.finish()
        started = time.perf_counter()
        first = cl.enqueue_marker(queue)
        try:
            yield timer
        finally:
            last = cl.enqueue_marker(queue)
            queue.finish()
            on_host = (time.perf_counter() - started) * 1e3
            timer.ms = _elapsed_ms(cl, first, last, on_host)

    def release(self) -> None:
        """Wait for the queue and free every buffer."""
        try:
            self._device.queue.finish()
        finally:
            for buffer in self._buffers:
                buffer.memory.release()
                self._device.count(-buffer.nbytes)
            self._buffers.clear()
            self._live = 0


def _elapsed_ms(cl: Any, first: Any, last: Any, on_host: float) -> float:
    """Time in ms between two markers by the device's clock, or ``on_host`` if profiling
    is missing or implausible.
    """
    try:
        on_device = (last.profile.end - first.profile.end) * 1e-6
    except cl.Error:
        return on_host
    return on_device if 0 < on_device <= 1.5 * on_host + 1 else on_host


def _compiler_log(message: str) -> str:
    """The compiler's log from the first error on, without the preamble added by
    PyOpenCL and Intel.
    """
    lines = [line for line in message.splitlines() if line.strip()]
    first = next(
        (number for number, line in enumerate(lines) if "error" in line.lower() and ".cu:" in line),
        0,
    )
    return "\n".join(lines[first:])


def _free_host_bytes() -> int:
    """Available host memory in bytes on Linux; on other systems a number large enough
    not to limit anything.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            kilobytes = next(
                int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")
            )
    except (OSError, StopIteration):
        return 2**62
    return kilobytes * 1024


def point_loader_at_pip_runtime() -> None:
    """Set the loader's environment variables; those already set are kept.

    Does nothing if the runtime is not installed, and on systems other than Linux and
    Windows.
    """
    runtime = pip_runtime()
    if runtime is None:
        return
    if sys.platform == "win32":
        os.environ.setdefault("OCL_ICD_FILENAMES", str(runtime))
    elif "OCL_ICD_VENDORS" not in os.environ and "OPENCL_VENDOR_PATH" not in os.environ:
        os.environ["OCL_ICD_VENDORS"] = str(vendors_folder(runtime))


def pip_runtime() -> Path | None:
    """Path of Intel's CPU runtime in this Python's folders, or None."""
    relative = _RUNTIME.get(sys.platform)
    if relative is None:
        return None
    found = (Path(folder) / relative for folder in (sys.prefix, site.getuserbase()))
    return next((path for path in found if path.exists()), None)


def vendors_folder(runtime: Path) -> Path:
    """Create a folder of ``.icd`` files: copies of the system's, and one that names ``runtime``.

    The folder is in the user's cache; if that is not writable, it is a temporary
    folder, removed when the program ends. A fixed name in a shared folder would let
    other users choose the libraries that are loaded. Raises FileNotWritten if the
    temporary folder cannot be made, OSError if it cannot be filled.
    """
    wanted = {
        icd.name: icd.read_text()
        for icd in sorted(SYSTEM_VENDORS.glob("*.icd"))
        if os.access(icd, os.R_OK)
    }
    wanted["tautpath-intel-cpu.icd"] = f"{runtime}\n"
    # one folder per set of files; never modified
    key = hashlib.sha256(repr(wanted).encode()).hexdigest()[:12]
    folder = cache_folder() / f"opencl-vendors-{key}"
    try:
        _fill(folder, wanted)
    except OSError as error:
        log.info("the list of OpenCL drivers is made in a temporary folder: %s", error)
        folder = folder_until_exit("opencl")
        _fill(folder, wanted)
    return folder


def _fill(folder: Path, wanted: dict[str, str]) -> None:
    make_private_folder(folder)
    for name, text in wanted.items():
        target = folder / name
        if not target.exists() or target.read_text() != text:
            temporary = folder / f"{name}.{os.getpid()}"
            try:
                temporary.write_text(text)
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)
