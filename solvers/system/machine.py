"""Host memory, cores and processor name, on Linux, macOS and Windows; and load between two samples.

In a container or batch job the limit of its control group applies, not the memory of
the whole node. psutil supports neither control groups nor the processor's name.

The load is the CPU time of this program and of others, and how far the processor was
slowed down. A sample reads counters that the system keeps anyway, so it costs a few
milliseconds and needs no thread. Two samples around a measurement show what happened in
between, but not when.
"""

from __future__ import annotations

import ctypes
import logging
import os
import platform
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from solvers.errors import OutOfMemory

log = logging.getLogger(__name__)

# On two cores, compilers of kernels abort below half of this, and every kind of variant
# answers above; the other half is for the stacks of the threads of more cores, and a
# graph.
LEAST_BYTES = 2_000_000_000
# each thread takes its stack and buffers in advance
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_kept = threading.local()  # the reading of the memory, within `one_reading_of_memory`

LEAST_SPAN_S = 0.2
"""The counters advance in steps of 10 to 16 ms on each core: over shorter spans the
load is not known.
"""

_SYSTEM = Path("/sys")


@dataclass(frozen=True)
class Memory:
    """Host memory: total, and available without swapping."""

    total_bytes: int
    free_bytes: int


@contextmanager
def one_reading_of_memory() -> Iterator[None]:
    """Within the context, let `memory` read the system's counters once in this thread."""
    before, _kept.reading = getattr(_kept, "reading", None), []
    try:
        yield
    finally:
        _kept.reading = before


def memory() -> Memory:
    """Current host memory, within the limit of the control group; reclaimable caches
    count as free.
    """
    kept: list[Memory] | None = getattr(_kept, "reading", None)  # none or one
    if kept is None:
        return _read_memory()
    if not kept:
        kept.append(_read_memory())
    return kept[0]


def require_memory(what: str, needed_bytes: int, *, remedy: str = "") -> None:
    """Raise `OutOfMemory`, before anything is allocated, if more is needed than is free."""
    free = memory().free_bytes
    if needed_bytes > free > 0:  # 0: unknown on this system
        raise OutOfMemory(what, needed_bytes, free, remedy=remedy)


def return_free_memory() -> None:
    """Give what has been freed back to the system.

    glibc keeps it for later: after flows of a million vertices about as much as they need.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


def _read_memory() -> Memory:
    import psutil  # imported here because the window starts without it

    try:
        found = psutil.virtual_memory()
        whole = Memory(found.total, found.available)
    except (psutil.Error, OSError):  # Linux without /proc
        page, pages, free = (
            os.sysconf(name) for name in ("SC_PAGE_SIZE", "SC_PHYS_PAGES", "SC_AVPHYS_PAGES")
        )
        whole = Memory(page * pages, page * free)
    if sys.platform != "linux":
        return whole
    limit = _control_group_memory(system_text(Path("/proc/self/cgroup")), Path("/sys/fs/cgroup"))
    if limit is None or limit.total_bytes >= whole.total_bytes:
        return whole
    return Memory(limit.total_bytes, min(whole.free_bytes, limit.free_bytes))


def cores() -> int:
    """Number of cores available to this process, which in a batch job or container may
    be fewer than the machine's.
    """
    if hasattr(os, "sched_getaffinity"):  # of the system, not of /proc, which may be missing
        return len(os.sched_getaffinity(0))
    import psutil  # imported here because the window starts without it

    process = psutil.Process()
    if hasattr(process, "cpu_affinity"):  # not on macOS, which has no such limit
        return len(process.cpu_affinity())
    return psutil.cpu_count() or 1


@cache
def cpu_name() -> str:
    """Model name of the processor ("AMD EPYC 9654 96-Core Processor"), for tables and CSV files."""
    if sys.platform == "darwin":
        name = _output("sysctl", "-n", "machdep.cpu.brand_string").strip()
    else:
        found = re.search(
            r"^model name\s*:\s*(.+)$", system_text(Path("/proc/cpuinfo")), re.MULTILINE
        )
        name = found.group(1).strip() if found else ""
    return name or platform.processor() or platform.machine() or "CPU"


def _control_group_memory(own_group: str, root: Path) -> Memory | None:
    """The tightest memory limit of this process's control group and its parents; None
    if there is none.
    """
    found = re.search(r"^0::/?(.*)$", own_group, re.MULTILINE)
    inner = root / found.group(1) if found else root
    tightest: Memory | None = None
    for group in chain((inner,), inner.parents):
        limit = system_text(group / "memory.max").strip()
        if limit.isdigit():
            used = int(system_text(group / "memory.current") or 0)
            cached = re.search(
                r"^inactive_file (\d+)$", system_text(group / "memory.stat"), re.MULTILINE
            )
            free = max(0, int(limit) - used + (int(cached.group(1)) if cached else 0))
            if tightest is None or free < tightest.free_bytes:
                tightest = Memory(int(limit), free)
        if group == root:
            break
    return tightest


def system_text(path: Path) -> str:
    """Text of a file in which the system shows its state; "" if this system has no such file.

    A text file would take three times as long as the system takes to answer.
    """
    try:
        with path.open("rb", buffering=0) as file:
            content = file.readall()
    except OSError:
        return ""
    return content.decode("utf-8", errors="replace")


def _output(*command: str) -> str:
    """Output of a system tool; "" if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        log.debug("%s gave no answer: %s", command[0], error)
        return ""


@dataclass(frozen=True)
class CpuSample:
    """Counters at one moment; all increase from the start of the system or the process."""

    wall_s: float
    busy_s: float  # CPU time of all programs, over all cores
    own_s: float  # CPU time of this process and its descendants, ended ones included
    thread_s: float = 0.0  # CPU time of the calling thread
    # CPU time that the hypervisor gave to other virtual machines; 0 where it is not
    # known
    stolen_s: float = 0.0
    # time during which the control group had used up its CPU quota; 0 where it is not
    # known
    held_back_s: float = 0.0
    # how often cores lowered their clock because of heat; 0 where it is not known
    hot_events: int = 0


@dataclass(frozen=True)
class CpuConditions:
    """What happened between two samples."""

    cores: int  # of the machine, including those that this process may not use
    # cores that other programs kept busy, on average; None if it is unknown
    load: float | None = None
    # cores that other threads of this program, and its descendants, kept busy on
    # average
    own_work: float = 0.0
    stolen: float = 0.0  # cores that the hypervisor withheld, on average
    held_back: float = 0.0  # fraction of the time during which the CPU quota was used up
    overheated: bool = False  # a core lowered its clock because of heat


def sample_cpu(system: Path = _SYSTEM) -> CpuSample:
    """Read the counters, in the thread that runs the solvers; ``system`` is the root of
    Linux's sysfs.
    """
    import psutil  # imported here because the window starts without it

    cpu = psutil.cpu_times()
    return CpuSample(
        wall_s=time.perf_counter(),
        busy_s=cpu.user + getattr(cpu, "nice", 0.0) + cpu.system,
        own_s=_own_seconds(),
        thread_s=time.thread_time(),
        stolen_s=getattr(cpu, "steal", 0.0),
        held_back_s=_held_back_seconds(system),
        hot_events=_hot_events(system),
    )


def conditions_between(before: CpuSample, after: CpuSample, cores: int) -> CpuConditions:
    """What happened between two samples; nothing is known for less than `LEAST_SPAN_S`,
    except overheating.

    Containers with counters of their own may show less time for the whole system than
    this process used: the load is unknown there.
    """
    overheated = after.hot_events > before.hot_events
    wall = after.wall_s - before.wall_s
    if wall < LEAST_SPAN_S:
        return CpuConditions(cores, overheated=overheated)
    busy, own = after.busy_s - before.busy_s, after.own_s - before.own_s
    is_plausible = busy >= own / 2
    return CpuConditions(
        cores,
        load=max(0.0, busy - own) / wall if is_plausible else None,
        own_work=max(0.0, own - (after.thread_s - before.thread_s)) / wall,
        stolen=(after.stolen_s - before.stolen_s) / wall,
        held_back=(after.held_back_s - before.held_back_s) / wall,
        overheated=overheated,
    )


def _own_seconds() -> float:
    """CPU time of this process and its descendants. Windows does not count descendants
    that have ended.
    """
    import psutil  # imported here because the window starts without it

    mine = os.times()
    seconds = mine.user + mine.system + mine.children_user + mine.children_system
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.Error:  # it has just ended
            continue
        seconds += times.user + times.system
        seconds += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return seconds


def _held_back_seconds(system: Path) -> float:
    own_group = re.search(r"^0::/?(.*)$", system_text(Path("/proc/self/cgroup")), re.MULTILINE)
    statistics = system_text(
        system / "fs/cgroup" / (own_group.group(1) if own_group else "") / "cpu.stat"
    )
    found = re.search(r"^throttled_usec (\d+)$", statistics, re.MULTILINE)
    return int(found.group(1)) / 1e6 if found else 0.0


def _hot_events(system: Path) -> int:
    counts = system.glob("devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
    return sum(int(system_text(file) or 0) for file in counts)


def prepare_for_limit(environment: MutableMapping[str, str] | None = None) -> str:
    """Let BLAS start one thread if the address space has a limit; a sentence if it is
    too low for any work, else "".

    To be called before numerical libraries are loaded, so that this module imports
    none: without enough of it (``ulimit -v``), the start of their threads and their
    compilers hang or abort instead of failing.
    """
    environment = os.environ if environment is None else environment
    limit = _address_space()
    if limit is None:
        return ""
    for name in _BLAS_THREADS:
        environment.setdefault(name, "1")
    if limit >= LEAST_BYTES:
        return ""
    return (
        f"The address space of this process is limited to {limit // 1_000_000} MB, and at least "
        f"{LEAST_BYTES // 1_000_000} MB are needed. Raise the limit: ulimit -v unlimited."
    )


def _address_space() -> int | None:
    try:
        import resource
    except ImportError:  # Windows has none
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
