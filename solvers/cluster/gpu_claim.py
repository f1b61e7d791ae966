"""In a worker: the NVIDIA GPU that it sweeps on, which no other worker of its cluster has.

A worker takes the first free GPU of those that it sees, by a lock on a byte of a file of its machine, and has it as
long as it lives; the system releases the lock with the process. So workers need not be started with a GPU each. Workers
of different clusters do not exclude each other: one that idles would keep others from the GPU.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from solvers.cluster.facts import COUNTER
from solvers.devices.cuda import CudaDevice
from solvers.errors import DeviceUnavailable, InputError
from solvers.host.byte_lock import MOST_PLACE, try_lock
from solvers.host.observer import Observer

CHOICES = ("auto", "cuda", "none")
"""What ``--device`` may be for a run on a cluster."""

_LOOK_S = 0.02

_claiming = threading.Lock()
_claimed: dict[str, CudaDevice] = {}  # by cluster
_files: list[int] = []  # the open lock file, kept: closing it would release its locks
_sweeping = threading.Lock()


def require_choice(device: str) -> None:
    """Raise `InputError` unless ``device`` is one of `CHOICES`."""
    if device not in CHOICES:
        raise InputError(
            f"“{device}” is no device for a run on a cluster: each worker has a GPU of its own. Choose cuda for "
            "workers with GPUs only, none for processors, or auto for both."
        )


def device_for(choice: str, cluster: str) -> CudaDevice | None:
    """The GPU of this process, or None for the processor.

    Parameters
    ----------
    choice : str
        One of `CHOICES`; "cuda" refuses the processor.
    cluster : str
        Names the cluster of the worker: the address of its scheduler.

    Raises
    ------
    DeviceUnavailable
        For "cuda", if this process sees no GPU, or other workers have all that it sees.
    """
    if choice == "none":
        return None
    device = claim_gpu(cluster)
    if device is None and choice == "cuda":
        raise DeviceUnavailable(
            "A worker has no GPU: it sees none, or other workers have all of them. Start one worker a GPU, or choose "
            "--device auto."
        )
    return device


def claim_gpu(cluster: str) -> CudaDevice | None:
    """The GPU that this process has, or gets now; None if there is no free one."""
    with _claiming:
        if cluster not in _claimed:
            free = next((gpu for gpu in _visible_gpus() if _lock(f"{cluster} {gpu.hardware_id}")), None)
            if free is None:
                return None
            _claimed[cluster] = free
            COUNTER.say(f"sweeps on {free.name} ({free.hardware_id})")
        return _claimed[cluster]


@contextmanager
def one_sweep_at_a_time(observer: Observer) -> Iterator[None]:
    """Threads of a worker take turns on its GPU, whose memory holds one hierarchy with its batch."""
    while not _sweeping.acquire(timeout=_LOOK_S):
        observer.checkpoint()
    try:
        yield
    finally:
        _sweeping.release()


def _visible_gpus() -> list[CudaDevice]:
    """Those that CUDA_VISIBLE_DEVICES leaves; none without CuPy and a driver."""
    from solvers.devices import cuda

    try:
        return cuda.find_devices()
    except (ImportError, OSError, RuntimeError):
        return []


def _lock(name: str) -> bool:
    """Lock the byte of that name; True where the folder permits no locks."""
    place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % MOST_PLACE
    try:
        if not _files:
            _files.append(os.open(_lock_path(), os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:
        return True
    return try_lock(_files[0], place)


def _lock_path() -> Path:
    """A file of this machine and user; home folders, where caches are, may belong to several machines."""
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    return Path(tempfile.gettempdir()) / f"tautline-gpus-{owner}.lock"
