"""Launches of a traced run: how many kernels, blocks and threads each iteration started, on which device."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.device_work import DeviceWork

WARP = 32  # threads that an NVIDIA GPU runs in lock step

COLUMNS = 4  # of the counts of an iteration
_LAUNCHES, _BLOCKS, _THREADS, _WARPS = range(COLUMNS)


@dataclass(frozen=True, eq=False)
class LaunchTrace:
    """What a traced run launched on its device.

    Attributes
    ----------
    device_name : str
    is_cpu : bool
        Whether the device is the processor of this machine, which has no warps.
    counts : (T, 4) float64
        Per kept iteration, summed over those that it represents: launches of all kernels of the iteration; blocks,
        threads and groups of 32 threads of the one that relaxes. Launches that are known for several iterations only
        together are divided among them.
    block : int
        Threads in a block of the kernel that relaxes; 0 if launches are not divided into iterations.
    grid : int
        Blocks of its largest launch.
    bandwidth : float or None
        Bytes per second that the device's memory moved when an array was copied there; None if not measured.
    """

    device_name: str
    is_cpu: bool
    counts: NDArray[np.float64]
    block: int
    grid: int
    bandwidth: float | None = None

    @property
    def known(self) -> bool:
        """Whether launches are known for each iteration."""
        return self.block > 0

    @property
    def launches(self) -> NDArray[np.float64]:
        return self.counts[:, _LAUNCHES]

    @property
    def blocks(self) -> NDArray[np.float64]:
        return self.counts[:, _BLOCKS]

    @property
    def threads(self) -> NDArray[np.float64]:
        return self.counts[:, _THREADS]

    @property
    def warps(self) -> NDArray[np.float64]:
        return self.counts[:, _WARPS]


@dataclass(frozen=True)
class KernelLaunches:
    """The launches of one kernel in a phase of an all-pairs run.

    Attributes
    ----------
    kernel : str
    launches : int
    blocks, threads, warps : int
        Of all these launches together; warps are groups of 32 threads of a block.
    block : int
        Threads in a block of the largest launch.
    """

    kernel: str
    launches: int
    blocks: int
    threads: int
    warps: int
    block: int


class KernelLog:
    """Collects the launches of every kernel until the phase is reported.

    Parameters
    ----------
    device_name : str
    is_cpu : bool
    """

    def __init__(self, device_name: str, is_cpu: bool):
        self.device_name, self.is_cpu = device_name, is_cpu
        self._waiting: dict[str, KernelLaunches] = {}

    def launched(self, kernel: str, blocks: int, block: int) -> None:
        """Count one launch of ``blocks`` blocks of ``block`` threads."""
        before = self._waiting.get(kernel, KernelLaunches(kernel, 0, 0, 0, 0, 0))
        self._waiting[kernel] = KernelLaunches(
            kernel, before.launches + 1, before.blocks + blocks, before.threads + blocks * block,
            before.warps + blocks * -(-block // WARP), max(before.block, block),
        )  # fmt: skip

    def take(self) -> tuple[KernelLaunches, ...]:
        """The launches since the last call, most threads first."""
        found = sorted(self._waiting.values(), key=lambda launched: -launched.threads)
        self._waiting.clear()
        return tuple(found)


@dataclass
class LaunchLog:
    """Collects the launches of the kernels that belong to iterations, until the iteration is reported.

    Parameters
    ----------
    device_name : str
    is_cpu : bool
    work : DeviceWork
        Names the kernels; others are not counted.
    """

    device_name: str
    is_cpu: bool
    work: DeviceWork
    _waiting: NDArray[np.float64] = field(default_factory=lambda: np.zeros(COLUMNS))
    _block: int = 0
    _grid: int = 0

    def launched(self, kernel: str, blocks: int, block: int) -> None:
        """Count one launch of ``blocks`` blocks of ``block`` threads."""
        if kernel in self.work.relaxing:
            self._waiting += (1, blocks, blocks * block, blocks * -(-block // WARP))
            self._block, self._grid = max(self._block, block), max(self._grid, blocks)
        elif kernel in self.work.others:
            self._waiting[_LAUNCHES] += 1

    def take(self, iterations: int) -> NDArray[np.float64]:
        """(iterations, 4) counts since the last call, in equal shares; they then begin at zero again."""
        shares = np.tile(self._waiting / max(1, iterations), (iterations, 1))
        if iterations:
            self._waiting[:] = 0
        return shares

    def finish(self, counts: NDArray[np.float64], bandwidth: float | None) -> LaunchTrace:
        """The launches of the whole run."""
        return LaunchTrace(self.device_name, self.is_cpu, counts, self._block, self._grid, bandwidth)
