"""Connections to clusters: processes of this machine, a scheduler that runs, or jobs of
a batch system.

Client and workers have to run the same versions: numbers and pickled objects depend on
them.
"""

from __future__ import annotations

import logging
import platform
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from solvers.cluster import dask_for, quiet_logs
from solvers.cluster.address import ClusterAddress, TlsFiles, parse_address
from solvers.cluster.launch import batch_cluster, local_cluster
from solvers.errors import ClusterUnavailable, NoWorkers, SchedulerUnreachable, VersionsDiffer
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import reason_of
from solvers.text import plural
from solvers.version import __version__

log = logging.getLogger(__name__)

_LOOK_S = 0.05
_NOT_SIGNED = (
    "certificates are refused; those of client and cluster must be signed by the "
    "authority that both name (--tls-ca)"
)


@dataclass(frozen=True)
class ClusterOptions:
    """Which cluster, and how to connect to it."""

    address: ClusterAddress
    template: Path | None = None  # TOML file with the options of a batch system's jobs
    tls: TlsFiles = field(default_factory=TlsFiles)  # for ``tls://`` addresses
    # serve Dask's dashboard if the cluster is started here, on loopback, at a secret
    # path
    dashboard: bool = False
    with_gpus: bool = True  # give worker processes of this machine its GPUs, one each
    # for a scheduler to answer and to have a worker; jobs of a batch system may wait
    # for hours
    timeout_s: float = 10.0


@dataclass(frozen=True)
class Connection:
    """A connected cluster with at least one worker."""

    client: Any  # a ``distributed.Client``
    options: ClusterOptions

    @property
    def name(self) -> str:
        """Address of the cluster, for messages."""
        return self.options.address.text

    @property
    def is_local(self) -> bool:
        """Whether the workers are processes that this connection has started on this machine."""
        return self.options.address.kind == "local"

    @property
    def dashboard(self) -> str:
        """Web address of Dask's dashboard; "" if it is not served."""
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
def connected(options: ClusterOptions | str, progress: Progress = SILENT) -> Iterator[Connection]:
    """Connect to a cluster, starting it if it is local or jobs of a batch system; what
    was started ends with the block.

    A str is as for `parse_address`: ``local:2``, ``tcp://host:8786``, ``slurm:4``.
    Raises PackageMissing if Dask is not installed; SchedulerUnreachable if no scheduler
    answers at the address; NoWorkers, VersionsDiffer, ClusterUnavailable, Cancelled.
    """
    if isinstance(options, str):
        options = ClusterOptions(parse_address(options))
    distributed = dask_for("A run on a cluster")
    address = options.address
    log.info("connecting to %s", address.text)
    with quiet_logs():
        if address.kind == "local":
            with local_cluster(address.count, options.dashboard, options.with_gpus) as cluster:
                yield from _client(distributed, cluster, options, progress)
        elif address.is_batch:
            with batch_cluster(address, options.template, options.dashboard) as cluster:
                yield from _client(distributed, cluster, options, progress)
        else:
            _require_listener(options)
            yield from _client(distributed, address.where, options, progress)


def _require_listener(options: ClusterOptions) -> None:
    """Find errors at once for which Dask would wait until its time is over, or without end.

    These are an unknown host, a port where nothing listens, and a listener that is not
    a scheduler: without TLS, schedulers speak first.
    """
    host, _, port = options.address.where.partition("://")[2].rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), options.timeout_s) as line:
            line.settimeout(options.timeout_s)
            if options.address.kind == "tcp" and not line.recv(1):
                raise SchedulerUnreachable(
                    options.address.text, "the program that listens there closed the connection"
                )
    except OverflowError as error:
        raise SchedulerUnreachable(options.address.text, "ports end at 65535") from error
    except OSError as error:
        reason = _silence(options) if isinstance(error, TimeoutError) else reason_of(error)
        raise SchedulerUnreachable(options.address.text, reason) from error


def _silence(options: ClusterOptions) -> str:
    """Why nothing may have been received."""
    words = f"the program that listens there gave no answer within {options.timeout_s:g} s"
    is_plain = options.address.kind == "tcp"
    return (
        f"{words}; if it is a scheduler with TLS, its address begins with tls://"
        if is_plain
        else words
    )


def _client(
    distributed: Any, cluster: Any, options: ClusterOptions, progress: Progress
) -> Iterator[Connection]:
    name = options.address.text
    try:
        client = distributed.Client(
            cluster,
            timeout=options.timeout_s,
            set_as_default=False,
            security=_security(distributed, options),
        )
    except (OSError, TimeoutError, ValueError) as error:
        # ValueError: the other side speaks no such protocol
        is_refused = options.address.kind == "tls" and isinstance(
            error, distributed.comm.CommClosedError
        )
        raise SchedulerUnreachable(
            name, _NOT_SIGNED if is_refused else _silence(options)
        ) from error
    with client:
        connection = Connection(client, options)
        _wait_for_worker(connection, progress)
        require_same_versions(client, name)
        log.info("%s has %s", name, plural(len(connection.workers()), "worker"))
        yield connection


def _wait_for_worker(connection: Connection, progress: Progress) -> None:
    """Until all workers of a local cluster, or one of others, are there."""
    options = connection.options
    wanted = len(connection.client.cluster.worker_spec) if connection.is_local else 1
    patience = options.timeout_s * (6 if connection.is_local else 1)
    if options.address.is_batch:
        patience = float("inf")
    began = time.monotonic()
    while len(connection.workers()) < wanted:
        progress.checkpoint()
        if time.monotonic() - began > patience:
            raise NoWorkers(connection.name, patience)
        time.sleep(_LOOK_S)


def _security(distributed: Any, options: ClusterOptions) -> Any:
    """Certificates for TLS; None leaves all to Dask's configuration."""
    tls = options.tls
    if options.address.kind != "tls":
        return None
    given = {
        "tls_ca_file": tls.authority,
        "tls_client_cert": tls.certificate,
        "tls_client_key": tls.key,
    }
    files = {name: str(path) for name, path in given.items() if path is not None}
    security = distributed.Security(require_encryption=True, **files)
    if security.get_connection_args("client").get("ssl_context") is None:
        raise ClusterUnavailable(
            options.address.text,
            "TLS needs certificates. Name an authority, a certificate and its key, "
            "or set them in Dask's configuration",
        )
    return security


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
