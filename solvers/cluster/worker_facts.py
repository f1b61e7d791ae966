"""What a worker is, and what it has done: versions, machine, GPUs, tasks, last log lines. Runs in the workers."""

from __future__ import annotations

import os
import platform
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from solvers.system import machine
from solvers.version import __version__

_LAST_WORDS = 20  # lines that are kept
_RECENT_S = 30.0  # over which throughput is measured


@dataclass(frozen=True)
class WorkerFacts:
    """What stays the same while a worker lives.

    Attributes
    ----------
    host : str
        Name of its machine.
    pid : int
    cores : int
        That the process may use.
    memory_bytes : int
        Of its machine, or of the control group.
    cpu : str
        Model of the processor.
    gpus : tuple of str
        Names of the NVIDIA GPUs that it sees through CuPy.
    versions : mapping of str to str
    """

    host: str
    pid: int
    cores: int
    memory_bytes: int
    cpu: str
    gpus: tuple[str, ...]
    versions: Mapping[str, str]


@dataclass(frozen=True)
class WorkerTally:
    """What a worker has done since it was started.

    Attributes
    ----------
    tasks, sources : int
    busy_s : float
    sources_per_s : float
        Over the last half minute.
    last_words : tuple of str
        Last lines of its log, the newest last.
    """

    tasks: int
    sources: int
    busy_s: float
    sources_per_s: float
    last_words: tuple[str, ...]


class TaskCounter:
    """Counts the tasks of this process; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks = self._sources = 0
        self._busy_s = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        self._words: deque[str] = deque(maxlen=_LAST_WORDS)

    def add(self, sources: int, seconds: float) -> None:
        """Count a finished task of that many sources."""
        with self._lock:
            self._tasks += 1
            self._sources += sources
            self._busy_s += seconds
            self._recent.append((time.monotonic(), sources))

    def say(self, line: str) -> None:
        """Keep a log line, with the time of day in UTC."""
        with self._lock:
            self._words.append(f"{time.strftime('%H:%M:%S', time.gmtime())} {line}")

    def tally(self) -> WorkerTally:
        with self._lock:
            now = time.monotonic()
            while self._recent and self._recent[0][0] < now - _RECENT_S:
                self._recent.popleft()
            speed = sum(count for _, count in self._recent) / _RECENT_S
            return WorkerTally(self._tasks, self._sources, self._busy_s, speed, tuple(self._words))


COUNTER = TaskCounter()
"""Of this process."""


def versions() -> dict[str, str]:
    """Versions that have to be the same in client and workers, by name: "3.11" of Python, whole ones of packages."""
    found = {"tautline": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    for name in ("numpy", "numba", "distributed"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def worker_facts() -> WorkerFacts:
    """Facts on this process."""
    return WorkerFacts(
        socket.gethostname(),
        os.getpid(),
        machine.cores(),
        machine.memory().total_bytes,
        machine.cpu_name(),
        gpu_names(),
        versions(),
    )


def worker_tally() -> WorkerTally:
    """What this process has done."""
    return COUNTER.tally()


def gpu_names() -> tuple[str, ...]:
    """Names of the NVIDIA GPUs that this process sees; none without CuPy and a driver."""
    try:
        from solvers.devices import cuda

        return tuple(device.name for device in cuda.find_devices())
    except (ImportError, OSError, RuntimeError):
        return ()
