"""GPUs that workers seem to see, with what workers run in tests: imported there, so
without pytest.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.devices import cuda
from solvers.features.all_sources.on_cluster import worker
from solvers.features.all_sources.on_cluster.worker import (
    _claimed,
    _files,
    _lock_path,
    claim_gpu,
    forget_graphs,
)
from solvers.running import engines
from solvers.running.row_engines import DeviceRows
from tests.solvers.fakes import FakeDevice


class FakeGpu(FakeDevice):
    def __init__(self, number: int):
        super().__init__(kind="cuda")
        self.hardware_id = f"fake GPU {number}"


def show_gpus(lock: str, count: int) -> None:
    class Sweeps(HierarchyRows):
        def __init__(self, graph: Any, device: Any):
            super().__init__(graph, 1)
            self.device = device

    forget_graphs()
    _hidden.extend((_lock_path, cuda.find_devices))
    vars(worker)["_lock_path"] = lambda: Path(lock)
    vars(cuda)["find_devices"] = lambda: [FakeGpu(number) for number in range(count)]
    vars(engines)["DeviceRows"] = Sweeps


def hide_gpus() -> None:
    forget_graphs()
    vars(worker)["_lock_path"], vars(cuda)["find_devices"] = _hidden
    vars(engines)["DeviceRows"] = DeviceRows
    _hidden.clear()
    _claimed.clear()
    while _files:
        os.close(_files.pop())


_hidden: list[Any] = []


def claimed_ids(dask_worker: Any) -> str:
    gpu = claim_gpu(dask_worker.scheduler.address)
    return gpu.hardware_id if gpu else ""
