"""Who is let in, and who is not: by a scheduler with certificates made for the test,
and by what is started here.
"""

from __future__ import annotations

import asyncio
import gc
import http.client
import os
import ssl
import stat
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dask
import distributed
import networkx as nx
import psutil
import pytest
import trustme
from distributed.core import connect
from distributed.protocol.pickle import dumps

from solvers import all_sources, cli
from solvers.errors import PackageMissing, ParameterError, SchedulerUnreachable
from solvers.features.clusters import jobqueue_for, quiet_logs
from solvers.features.clusters.address import BATCH_SYSTEMS, parse_address
from solvers.features.clusters.connection import ClusterOptions, Connection, connected
from solvers.features.clusters.workers import look_at_hosts

pytestmark = pytest.mark.slow


def files_of(authority: trustme.CA, folder: Path) -> dict[str, str]:
    """The options of Dask's `Security` for all roles."""
    folder.mkdir()
    paths = [str(folder / name) for name in ("ca.pem", "certificate.pem", "key.pem")]
    issued = authority.issue_cert("127.0.0.1")
    for blob, path in zip(
        (authority.cert_pem, issued.cert_chain_pems[0], issued.private_key_pem), paths, strict=True
    ):
        blob.write_to_path(path)
    files = {"tls_ca_file": paths[0]}
    for role in ("scheduler", "worker", "client"):
        files |= {f"tls_{role}_cert": paths[1], f"tls_{role}_key": paths[2]}
    return files


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(trustme.CA(), tmp_path_factory.mktemp("tls") / "own")


@pytest.fixture(scope="module")
def address(own: dict[str, str]) -> Iterator[str]:
    """Of a scheduler with one worker, both in this process."""
    security = distributed.Security(require_encryption=True, **own)
    place = {"host": "127.0.0.1", "protocol": "tls", "dashboard_address": "127.0.0.1:0"}
    workers = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        quiet_logs(),
        distributed.LocalCluster(
            security=security, silence_logs=False, **workers, **place
        ) as cluster,
    ):
        yield cluster.scheduler_address


def configured(files: Mapping[str, str]) -> Any:
    """Dask's configuration names the certificates of a client."""
    return dask.config.set(
        {
            "distributed.comm.tls.ca-file": files["tls_ca_file"],
            "distributed.comm.tls.client.cert": files["tls_client_cert"],
            "distributed.comm.tls.client.key": files["tls_client_key"],
        }
    )


def test_a_certificate_lets_in(address: str, own: dict[str, str]) -> None:
    with configured(own), connected(address) as connection:
        (worker,) = look_at_hosts(connection)
        assert worker.address.startswith("tls://")
        assert connection.client.submit(sum, (1, 2)).result(timeout=10) == 3


@pytest.mark.parametrize("knows_the_authority", [True, False])
def test_certificates_of_another_authority_are_refused(
    address: str, own: dict[str, str], tmp_path: Path, knows_the_authority: bool
) -> None:
    files = files_of(trustme.CA(), tmp_path / "other")
    if knows_the_authority:
        files["tls_ca_file"] = own["tls_ca_file"]
    options = ClusterOptions(parse_address(address), timeout_s=2.0)
    with (
        configured(files),
        pytest.raises(SchedulerUnreachable, match="certificates are refused"),
        connected(options),
    ):
        pass


def test_without_tls_the_right_address_is_told(address: str) -> None:
    options = ClusterOptions(parse_address(address.replace("tls", "tcp")), timeout_s=0.2)
    with (
        pytest.raises(SchedulerUnreachable, match="its address begins with tls://"),
        connected(options),
    ):
        pass


# -- what is started here
# --------------------------------------------------------------------------------------------


def without_certificate() -> dict[str, Any]:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return {"ssl_context": context, "require_encryption": True}


def with_certificate_of_another() -> dict[str, Any]:
    other = distributed.Security.temporary().get_connection_args("client")
    other["ssl_context"].verify_mode = ssl.CERT_NONE  # it does not mind who answers
    return dict(other)


STRANGERS = {
    "TCP": dict,
    "TLS without a certificate": without_certificate,
    "another CA": with_certificate_of_another,
}


def listeners(connection: Connection) -> dict[str, str]:
    """Addresses of all that listens, with the name under which it runs what it is sent."""
    cluster = connection.client.cluster
    nannies = [nanny.address for nanny in cluster.workers.values()]
    return {cluster.scheduler.address: "run_function"} | dict.fromkeys(
        (*connection.workers(), *nannies), "run"
    )


def send(address: str, operation: str, marker: Path, arguments: Mapping[str, Any]) -> None:
    """Let whoever listens there make a file, as a client would."""

    async def talk() -> None:
        line = await connect(address, timeout=2, **arguments)
        try:
            order = {
                "op": operation,
                "function": dumps(Path.touch),
                "args": dumps((marker,)),
                "kwargs": dumps({}),
            }
            await line.write({**order, "wait": True, "reply": True})
            await asyncio.wait_for(line.read(), 5)
        finally:
            line.abort()

    with quiet_logs():
        asyncio.run(talk())


def require_refused(where: Mapping[str, str], marker: Path, arguments: Mapping[str, Any]) -> None:
    for address, operation in where.items():
        assert address.startswith("tls://")
        with pytest.raises(OSError, match=r"."):
            send(
                address if arguments else address.replace("tls://", "tcp://"),
                operation,
                marker,
                arguments,
            )


def test_whoever_has_the_credentials_runs_functions_everywhere(
    cluster: Connection, tmp_path: Path
) -> None:
    """Else the test below would prove nothing."""
    own = cluster.client.security.get_connection_args("client")
    for number, (address, operation) in enumerate(listeners(cluster).items()):
        send(address, operation, tmp_path / str(number), own)
        assert (tmp_path / str(number)).exists(), (address, operation)
    assert number == 4, "a scheduler, two workers and two nannies"


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_stranger_is_refused_by_all_that_listens(
    cluster: Connection, tmp_path: Path, stranger: str
) -> None:
    require_refused(listeners(cluster), tmp_path / "ran", STRANGERS[stranger]())
    assert not (tmp_path / "ran").exists()
    assert cluster.client.submit(sum, (1, 2)).result(timeout=10) == 3


def test_the_command_needs_the_credentials_too(cluster: Connection) -> None:
    assert cli.main(["hosts", "--cluster", cluster.client.scheduler.address]) == 3


def test_no_page_is_served(cluster: Connection) -> None:
    ports = {cluster.client.cluster.scheduler.http_server.port} | {
        one.laddr.port
        for pid in cluster.client.run(os.getpid).values()
        for one in psutil.Process(pid).net_connections()
        if one.status == psutil.CONN_LISTEN
    }
    for port in ports:
        for path in ("", "status", "health", "info/main/workers.html", "json/counts.json"):
            assert status_at(f"http://127.0.0.1:{port}/{path}") in (0, 404)
    assert cluster.dashboard == ""


def status_at(address: str) -> int:
    """0 from whoever speaks no HTTP."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return 0


def test_the_dashboard_is_served_on_loopback_where_it_is_asked_for() -> None:
    with connected(ClusterOptions(parse_address("local:1"), dashboard=True)) as connection:
        assert connection.dashboard.startswith("http://127.0.0.1:")
        assert status_at(connection.dashboard) == 200


def test_credentials_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with (
        pytest.raises(PackageMissing, match="cryptography: pip install dask distributed"),
        connected("local:1"),
    ):
        pass


def test_jobs_of_a_batch_system_have_credentials_that_only_their_owner_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A batch system that starts jobs as processes of this machine."""
    package = jobqueue_for("this test")
    from dask_jobqueue.local import LocalCluster

    monkeypatch.setattr(package, "LocalCluster", LocalCluster, raising=False)
    monkeypatch.setitem(BATCH_SYSTEMS, "slurm", "LocalCluster")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(cli.__file__).parents[1]))
    configuration = {"jobqueue.slurm.scheduler-options": {"host": "127.0.0.1"}}
    with dask.config.set(configuration), connected("slurm:1") as connection:
        private = [one for one in tmp_path.iterdir() if "worker" in one.name]
        assert private
        assert {stat.S_IMODE(file.stat().st_mode) for file in private} == {0o600}
        assert connection.client.submit(sum, (1, 2)).result(timeout=10) == 3
        scheduler = connection.client.cluster.scheduler
        where = {scheduler.address: "run_function"} | dict.fromkeys(connection.workers(), "run")
        for make in STRANGERS.values():
            require_refused(where, tmp_path / "ran", make())
        own = connection.client.security.get_connection_args("client")
        send(scheduler.address, "run_function", tmp_path / "own", own)
    del connection, scheduler
    gc.collect()  # dask-jobqueue removes its files with its cluster
    names = [name for name in os.listdir(tmp_path) if not name.startswith("dask-scratch")]
    assert names == ["own"], "the credentials are gone, and no stranger ran"


@pytest.mark.parametrize("kind", ["client", "cluster", "scheduler"])
def test_what_is_handed_in_is_used_and_left_open(kind: str) -> None:
    place = {"host": "tcp://127.0.0.1", "dashboard_address": None, "processes": False}
    with quiet_logs(), distributed.LocalCluster(n_workers=1, silence_logs=False, **place) as mine:
        given = {"client": mine.get_client(), "cluster": mine, "scheduler": mine.scheduler_address}
        found = all_sources(nx.path_graph(5), cluster=given[kind])
        assert found.eccentricity.tolist() == [4, 3, 2, 3, 4]
        assert "Computed on 1 host" in found.note
        assert given["client"].submit(sum, (1, 2)).result(timeout=10) == 3


def test_what_is_no_cluster_is_refused() -> None:
    with pytest.raises(ParameterError, match="a Client or a cluster of Dask"):
        all_sources(nx.path_graph(5), cluster=7)
