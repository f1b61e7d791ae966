"""Connections to clusters of Dask: one that is handed in, a scheduler that runs, or one
that Dask itself starts, of processes of this machine or of jobs of a batch system.

Whoever connects to a scheduler or worker can have it run code. What is started here has
Dask's own TLS with credentials made for it, which its processes alone have. Client and
workers have to run the same versions: numbers and pickled objects depend on them.
"""

from __future__ import annotations

import logging
import platform
import socket
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from solvers.errors import (
    ClusterUnavailable,
    NoWorkers,
    ParameterError,
    SchedulerUnreachable,
    VersionsDiffer,
)
from solvers.features.clusters import dask_for, jobqueue_for, quiet_logs
from solvers.features.clusters.address import BATCH_SYSTEMS, ClusterAddress, parse_address
from solvers.system import machine
from solvers.system.cancel import SILENT, Progress
from solvers.system.optional_packages import optional_package
from solvers.text import plural
from solvers.version import __version__

log = logging.getLogger(__name__)

_LOOK_S = 0.05
_LOOPBACK = "127.0.0.1"
_LOCAL_S = 60.0  # for worker processes of this machine to start
_JOB: Mapping[str, Any] = {"cores": 1, "processes": 1, "memory": "4GB"}
_SETTINGS: Mapping[str, Any] = {
    # Dask sets this environment in this process, too, where OMP_NUM_THREADS=1 would
    # affect everything that is computed later.
    "distributed.nanny.pre-spawn-environ": {},
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.tick.limit": "1h",
    # Dask serves pages without credentials even if its dashboard is off
    "distributed.worker.http.routes": [],
}
_NOT_SIGNED = (
    "certificates are refused; those of client and cluster must be signed by the "
    "authority that both name (distributed.comm.tls in Dask's configuration)"
)


@dataclass(frozen=True)
class ClusterOptions:
    """Which cluster, and how to connect to it."""

    address: ClusterAddress
    dashboard: bool = False  # Dask's, on loopback, of a cluster that is started here
    # for a scheduler to answer and to have a worker; jobs of a batch system may wait
    # for hours
    timeout_s: float = 10.0


@dataclass(frozen=True)
class Connection:
    """A connected cluster with at least one worker."""

    client: Any  # a ``distributed.Client``
    name: str  # address of the cluster, for messages
    has_dashboard: bool = True  # that may be served

    @property
    def dashboard(self) -> str:
        """Web address of Dask's dashboard; "" if it is not served."""
        if not self.has_dashboard:
            return ""
        try:
            link: str = self.client.dashboard_link or ""
        except KeyError:  # of a scheduler without any web server
            return ""
        return link

    def workers(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows of its workers, by their address.

        Raises SchedulerUnreachable if the connection is lost.
        """
        try:
            found: dict[str, dict[str, Any]] = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, RuntimeError, KeyError) as error:
            # KeyError: the client has no scheduler any more
            lost = (
                "it ended, or the connection is lost; "
                "finished sources are kept where there is a file to resume from"
            )
            raise SchedulerUnreachable(self.name, lost) from error
        return found


@contextmanager
def connected(cluster: Any, progress: Progress = SILENT) -> Iterator[Connection]:
    """Connect to a cluster; what was started for it ends with the block.

    ``cluster`` is a ``distributed.Client``, one of Dask's clusters (``LocalCluster``,
    dask-jobqueue's and others), `ClusterOptions`, or a str as for `parse_address`:
    ``local:2``, ``tcp://host:8786``, ``slurm:4``. Raises PackageMissing if Dask is not
    installed; SchedulerUnreachable if no scheduler answers at the address; NoWorkers,
    VersionsDiffer, ClusterUnavailable, Cancelled; ParameterError for anything else.
    """
    distributed = dask_for("A run on a cluster")
    if isinstance(cluster, str):
        cluster = ClusterOptions(parse_address(cluster))
    with quiet_logs(), ExitStack() as stack:
        client, wanted, patience_s = cluster, 1, ClusterOptions.timeout_s
        has_dashboard = True
        if isinstance(cluster, ClusterOptions):
            name, patience_s = cluster.address.text, cluster.timeout_s
            log.info("connecting to %s", name)
            where: Any = cluster.address.where
            if not where:
                where, wanted = stack.enter_context(_started(distributed, cluster))
                has_dashboard = cluster.dashboard
                patience_s = float("inf") if cluster.address.is_batch else _LOCAL_S
            client = stack.enter_context(_client(distributed, where, cluster))
        elif isinstance(cluster, distributed.deploy.Cluster):
            client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        if not isinstance(client, distributed.Client):
            choices = "it takes an address, ClusterOptions, a Client or a cluster of Dask"
            raise ParameterError("connected", "cluster", cluster, choices)
        if not isinstance(cluster, ClusterOptions):
            name = client.scheduler.address
        connection = Connection(client, name, has_dashboard)
        _wait_for_workers(connection, wanted, patience_s, progress)
        require_same_versions(client, name)
        log.info("%s has %s", name, plural(len(connection.workers()), "worker"))
        yield connection


@contextmanager
def _started(distributed: Any, options: ClusterOptions) -> Iterator[tuple[Any, int]]:
    """One of Dask's clusters, and how many workers are waited for."""
    import dask

    address = options.address
    optional_package("cryptography", f"A run on {address.kind}", "cluster")
    pages: dict[str, Any] = {}
    if not options.dashboard:
        pages["distributed.scheduler.http.routes"] = []
    with dask.config.set({**_SETTINGS, **pages}):
        try:
            if address.is_batch:
                cluster, wanted = _of_jobs(address, options.dashboard), 1
            else:
                wanted = address.count or machine.cores()
                cluster = _of_processes(distributed, wanted, options.dashboard)
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            words = f"Dask could not start it ({error})"
            raise ClusterUnavailable(address.text, words) from error
        with cluster:
            yield cluster, wanted


def _of_processes(distributed: Any, count: int, dashboard: bool) -> Any:
    """Worker processes of this machine with one thread each.

    They do not limit their own memory, because pages of the graph, which all of them
    share, would count against each; instead, chunks are chosen to fit.
    """
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return distributed.LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        host=_LOOPBACK,
        security=distributed.Security.temporary(),
        dashboard_address=f"{_LOOPBACK}:0",
        scheduler_kwargs={"dashboard": dashboard},
        memory_limit=None,
        silence_logs=False,
        env=dict.fromkeys(names, "1"),
        preload=["solvers.features.clusters"],
    )


def _of_jobs(address: ClusterAddress, dashboard: bool) -> Any:
    """Jobs as Dask's configuration describes them (``jobqueue.slurm`` and its likes)."""
    import dask

    jobqueue, configured = jobqueue_for(f"A run on {address.kind}"), f"jobqueue.{address.kind}"
    options = {
        name: value
        for name, value in _JOB.items()
        if dask.config.get(f"{configured}.{name}", None) is None
    }
    # metrics of scheduler and workers, which have no credentials: on their own machines only
    pages = {"dashboard": dashboard, "dashboard_address": f"{_LOOPBACK}:0"}
    of_workers = dask.config.get(f"{configured}.worker-extra-args", None) or ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the credentials are in the working directory
        cluster = getattr(jobqueue, BATCH_SYSTEMS[address.kind])(
            security=True,
            scheduler_options={
                **pages,
                **(dask.config.get(f"{configured}.scheduler-options", None) or {}),
            },
            worker_extra_args=[
                *of_workers,
                "--no-dashboard",
                "--dashboard-address",
                f"{_LOOPBACK}:0",
            ],
            **options,
        )
    cluster.scale(jobs=max(1, address.count))
    return cluster


def _client(distributed: Any, where: Any, options: ClusterOptions) -> Any:
    address = options.address
    security = None
    if address.kind == "tls":
        security = distributed.Security(require_encryption=True)
        if security.get_connection_args("client").get("ssl_context") is None:
            raise ClusterUnavailable(
                address.text,
                "TLS needs certificates. Name an authority, a certificate and its key in Dask's "
                "configuration, under distributed.comm.tls",
            )
    try:
        if address.kind == "tcp":
            _require_first_word(address.where, options.timeout_s)
        return distributed.Client(
            where, timeout=options.timeout_s, set_as_default=False, security=security
        )
    except (OSError, OverflowError, ValueError) as error:
        # ValueError: the other side speaks no such protocol; OverflowError: ports end at 65535
        is_refused = address.kind == "tls" and isinstance(error, distributed.comm.CommClosedError)
        words = f"no scheduler answered within {options.timeout_s:g} s"
        if address.kind == "tcp":
            words += "; if it is one with TLS, its address begins with tls://"
        raise SchedulerUnreachable(address.text, _NOT_SIGNED if is_refused else words) from error


def _require_first_word(address: str, timeout_s: float) -> None:
    """Schedulers speak first; for one that says nothing Dask would wait without end."""
    host, _, port = address.partition("://")[2].rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), timeout_s) as line:
        line.settimeout(timeout_s)
        if not line.recv(1):
            raise ConnectionResetError


def _wait_for_workers(
    connection: Connection, wanted: int, patience_s: float, progress: Progress
) -> None:
    began = time.monotonic()
    while len(connection.workers()) < wanted:
        progress.checkpoint()
        if time.monotonic() - began > patience_s:
            raise NoWorkers(connection.name, patience_s)
        time.sleep(_LOOK_S)


def require_same_versions(client: Any, address: str) -> None:
    """Compare the versions of every worker with those of this program.

    Raises VersionsDiffer; ClusterUnavailable if a worker cannot import Tautpath.
    """
    found: Mapping[str, Any] = client.run(versions, on_error="return")
    missing = sorted(worker for worker, value in found.items() if isinstance(value, ImportError))
    if missing:
        raise ClusterUnavailable(
            address,
            f"the worker {missing[0]} cannot import Tautpath. Install the same version there, "
            "or start it there",
        )
    failed = [
        f"{worker}: {value}" for worker, value in found.items() if isinstance(value, BaseException)
    ]
    if failed:
        raise ClusterUnavailable(address, f"a worker did not report its versions ({failed[0]})")
    compare_versions(versions(), found)


def versions() -> dict[str, str]:
    """Versions that have to be the same in client and workers, by name: "3.11" of
    Python, whole ones of packages.
    """
    found = {"tautpath": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    for name in ("numpy", "numba", "distributed"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def compare_versions(own: Mapping[str, str], of_workers: Mapping[str, Mapping[str, str]]) -> None:
    """Raise `VersionsDiffer` unless all are the same; it names each package, and the
    workers that have another.
    """
    different = {
        worker: {
            name: (own[name], theirs.get(name, "none"))
            for name in own
            if theirs.get(name) != own[name]
        }
        for worker, theirs in of_workers.items()
    }
    different = {worker: names for worker, names in different.items() if names}
    if different:
        raise VersionsDiffer(different)
