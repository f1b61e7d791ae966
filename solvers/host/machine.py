"""Host memory, cores and processor name, on Linux, macOS and Windows.

In a container or batch job the limit of its control group applies, not the memory of the whole node. psutil supports
neither control groups nor the processor's name.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

_kept = threading.local()  # a reading of the memory, within `one_reading_of_memory`


@dataclass(frozen=True)
class Memory:
    """Host memory in bytes: total, and available without swapping."""

    total_bytes: int
    free_bytes: int


@contextmanager
def one_reading_of_memory() -> Iterator[None]:
    """Let `memory` read the system's counters once within the context, in this thread, for many questions at a time."""
    before, _kept.reading = getattr(_kept, "reading", None), memory()
    try:
        yield
    finally:
        _kept.reading = before


def memory() -> Memory:
    """Current host memory, within the limit of the control group; reclaimable caches count as free."""
    kept: Memory | None = getattr(_kept, "reading", None)
    return _read_memory() if kept is None else kept


def _read_memory() -> Memory:
    found = psutil.virtual_memory()
    whole = Memory(found.total, found.available)
    if sys.platform != "linux":
        return whole
    limit = _control_group_memory(system_text(Path("/proc/self/cgroup")), Path("/sys/fs/cgroup"))
    if limit is None or limit.total_bytes >= whole.total_bytes:
        return whole
    return Memory(limit.total_bytes, min(whole.free_bytes, limit.free_bytes))


def cores() -> int:
    """Number of cores available to this process, which in a batch job or container may be fewer than the machine's."""
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
        found = re.search(r"^model name\s*:\s*(.+)$", system_text(Path("/proc/cpuinfo")), re.MULTILINE)
        name = found.group(1).strip() if found else ""
    return name or platform.processor() or platform.machine() or "CPU"


def _control_group_memory(own_group: str, root: Path) -> Memory | None:
    """The tightest memory limit of this process's control group and its parents; None if there is none."""
    found = re.search(r"^0::/?(.*)$", own_group, re.MULTILINE)
    inner = root / found.group(1) if found else root
    tightest: Memory | None = None
    for group in (inner, *inner.parents):
        limit = system_text(group / "memory.max").strip()
        if limit.isdigit():
            used = int(system_text(group / "memory.current") or 0)
            cached = re.search(r"^inactive_file (\d+)$", system_text(group / "memory.stat"), re.MULTILINE)
            free = max(0, int(limit) - used + (int(cached.group(1)) if cached else 0))
            if tightest is None or free < tightest.free_bytes:
                tightest = Memory(int(limit), free)
        if group == root:
            break
    return tightest


def system_text(path: Path) -> str:
    """Text of a file in which the system shows its state; "" if this system has no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _output(*command: str) -> str:
    """Output of a system tool; "" if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
