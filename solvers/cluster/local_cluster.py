"""Worker processes of this machine with their own scheduler: the cluster that needs no set-up.

Scheduler, workers and dashboard listen on the loopback interface only. Workers do not limit their own memory: pages of
the graph, which all of them share, would count against each; chunks are chosen to fit instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import current_process
from typing import Any

from solvers.cluster.facts import gpu_names
from solvers.cluster.packages import dask_for
from solvers.errors import ClusterUnavailable, ParameterError
from solvers.host import machine
from solvers.host.scratch import temporary_folder

LOOPBACK = "127.0.0.1"
_MOST_WORKERS = 1024
_SILENT = 60  # a level above all of logging


@contextmanager
def local_cluster(count: int, dashboard: bool, with_gpus: bool = True) -> Iterator[Any]:
    """A cluster of ``count`` worker processes with one thread each, ended with the block.

    Parameters
    ----------
    count : int
        0 for one worker per GPU where there are GPUs for them, else one per core.
    dashboard : bool
        Serve Dask's dashboard on a free port of the loopback interface.
    with_gpus : bool
        Give workers the GPUs of this machine.

    Raises
    ------
    ParameterError
        For a number of workers beyond reason.
    ClusterUnavailable
        If worker processes cannot be started.
    """
    distributed = dask_for("A run on worker processes")
    import dask

    if count > _MOST_WORKERS:
        raise ParameterError("cluster", "workers", count, f"at most {_MOST_WORKERS} worker processes are started here")
    if getattr(current_process(), "_inheriting", False):
        raise ClusterUnavailable(
            "local", "a worker process ran the script that started it. Put its calls under if __name__ == '__main__'"
        )
    gpus = visible_gpus(len(gpu_names())) if with_gpus else ()
    count = count or len(gpus) or machine.cores()
    options = {"host": LOOPBACK, "dashboard": dashboard, "dashboard_address": f"{LOOPBACK}:0"}
    # What Dask sets in the environment of workers, it sets in that of this process, too, where OMP_NUM_THREADS=1 would
    # hold for everything that is computed later.
    settings = {
        "distributed.nanny.pre-spawn-environ": {},
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.admin.tick.limit": "1h",
    }
    with temporary_folder("cluster") as folder, dask.config.set(settings):
        workers = {
            number: {
                "cls": distributed.Nanny,
                "options": {
                    "host": LOOPBACK,
                    "nthreads": 1,
                    "memory_limit": None,
                    "dashboard": False,
                    "dashboard_address": f"{LOOPBACK}:0",
                    "local_directory": str(folder),
                    "silence_logs": _SILENT,
                    "preload": ["solvers.cluster.worker_start"],
                    "env": worker_environment(number, gpus),
                },
            }
            for number in range(count)
        }
        scheduler = {"cls": distributed.Scheduler, "options": {**options, "port": 0}}
        try:
            cluster = distributed.SpecCluster(workers, scheduler, silence_logs=False, name="tautline")
        except (OSError, RuntimeError) as error:
            raise ClusterUnavailable("local", f"its processes could not be started ({error})") from error
        with cluster:
            yield cluster


def visible_gpus(count: int) -> tuple[str, ...]:
    """Names of the first ``count`` GPUs of this process for the CUDA_VISIBLE_DEVICES of others.

    Where a batch system has given this process some of the GPUs of its machine, numbers would name others.
    """
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = [str(number) for number in range(count)] if given is None else [name.strip() for name in given.split(",")]
    return tuple(names[:count])


def worker_environment(number: int, gpus: Sequence[str]) -> dict[str, str]:
    """One thread a worker, and one of the GPUs while there are any; further workers see none."""
    found = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    if gpus:
        found["CUDA_VISIBLE_DEVICES"] = gpus[number] if number < len(gpus) else ""
    return found
