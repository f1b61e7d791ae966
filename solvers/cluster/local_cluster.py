"""Worker processes of this machine with their own scheduler: the cluster that needs no set-up.

Scheduler, workers and the nannies that watch them listen on the loopback interface only, where every user of the
machine can connect. They run what they are sent, so all of them demand credentials that are made for each cluster and
known to its processes only. Dask's web servers are left out; the dashboard has a secret address.

Workers do not limit their own memory: pages of the graph, which all of them share, would count against each; chunks are
chosen to fit instead.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import current_process
from typing import Any

from solvers.cluster.facts import gpu_names
from solvers.cluster.packages import dask_for, temporary_security_for
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
        Serve Dask's dashboard on a free port of the loopback interface, below a secret path.
    with_gpus : bool
        Give workers the GPUs of this machine.

    Raises
    ------
    PackageMissing
    ParameterError
        For a number of workers beyond reason.
    ClusterUnavailable
        If worker processes cannot be started.
    """
    what = "A run on worker processes"
    distributed = dask_for(what)
    if count > _MOST_WORKERS:
        raise ParameterError("cluster", "workers", count, f"at most {_MOST_WORKERS} worker processes are started here")
    if getattr(current_process(), "_inheriting", False):
        raise ClusterUnavailable(
            "local", "a worker process ran the script that started it. Put its calls under if __name__ == '__main__'"
        )
    gpus = visible_gpus(len(gpu_names())) if with_gpus else ()
    count = count or len(gpus) or machine.cores()
    security = temporary_security_for(what)
    import dask

    from solvers.cluster.worker_start import WorkerWithoutWeb

    # What Dask sets in the environment of workers, it sets in that of this process, too, where OMP_NUM_THREADS=1 would
    # hold for everything that is computed later.
    settings = {
        "distributed.nanny.pre-spawn-environ": {},
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.admin.tick.limit": "1h",
    }
    with temporary_folder("cluster") as folder, dask.config.set(settings), web_page(dashboard) as (cls, page):
        workers = {
            number: {
                "cls": distributed.Nanny,
                "options": {
                    "host": LOOPBACK,
                    "security": security,
                    "worker_class": WorkerWithoutWeb,
                    "nthreads": 1,
                    "memory_limit": None,
                    "dashboard": False,
                    "local_directory": str(folder),
                    "silence_logs": _SILENT,
                    "preload": ["solvers.cluster.worker_start"],
                    "env": worker_environment(number, gpus),
                },
            }
            for number in range(count)
        }
        scheduler = {"cls": cls, "options": {"host": LOOPBACK, "port": 0, "security": security, **page}}
        try:
            cluster = distributed.SpecCluster(
                workers, scheduler, security=security, silence_logs=False, name="tautline"
            )
        except (OSError, RuntimeError) as error:
            raise ClusterUnavailable("local", f"its processes could not be started ({error})") from error
        with cluster:
            yield cluster


@contextmanager
def web_page(dashboard: bool) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The class of a scheduler with or without a dashboard, and its options; in the block Dask knows its address.

    The dashboard shows what runs, and asks nobody who they are: what protects it is a path that is drawn at random.
    """
    import dask

    from solvers.cluster.worker_start import SchedulerWithDashboard, SchedulerWithoutWeb

    if not dashboard:
        yield SchedulerWithoutWeb, {"dashboard": False}
        return
    secret = secrets.token_urlsafe(16)
    link = dask.config.get("distributed.dashboard.link").replace("/status", f"/{secret}/status")
    with dask.config.set({"distributed.dashboard.link": link}):
        options = {"dashboard": True, "dashboard_address": f"{LOOPBACK}:0", "http_prefix": f"/{secret}"}
        yield SchedulerWithDashboard, options


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
