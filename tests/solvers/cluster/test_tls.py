"""Who is let in, and who is not: by a scheduler with certificates made for the test,
and by what is started here.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import stat
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import distributed
import psutil
import pytest
import trustme
from distributed.core import connect
from distributed.protocol.pickle import dumps

from solvers import cli
from solvers.cluster import jobqueue_for, launch, quiet_logs
from solvers.cluster.address import BATCH_SYSTEMS, TlsFiles, parse_address
from solvers.cluster.connection import ClusterOptions, Connection, connected
from solvers.cluster.workers import look_at_hosts
from solvers.errors import ClusterUnavailable, PackageMissing, SchedulerUnreachable

pytestmark = pytest.mark.slow


def files_of(authority: trustme.CA, folder: Path) -> TlsFiles:
    folder.mkdir()
    paths = [folder / name for name in ("ca.pem", "certificate.pem", "key.pem")]
    issued = authority.issue_cert("127.0.0.1")
    for blob, path in zip(
        (authority.cert_pem, issued.cert_chain_pems[0], issued.private_key_pem), paths, strict=True
    ):
        blob.write_to_path(str(path))
    return TlsFiles(*paths)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return files_of(trustme.CA(), tmp_path_factory.mktemp("tls") / "own")


@pytest.fixture(scope="module")
def address(own: TlsFiles) -> Iterator[str]:
    """Of a scheduler with one worker, both in this process."""
    files = {"tls_ca_file": str(own.authority)}
    for role in ("scheduler", "worker", "client"):
        files |= {f"tls_{role}_cert": str(own.certificate), f"tls_{role}_key": str(own.key)}
    security = distributed.Security(require_encryption=True, **files)
    place = {"host": "127.0.0.1", "protocol": "tls", "dashboard_address": "127.0.0.1:0"}
    workers = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        quiet_logs(),
        distributed.LocalCluster(
            security=security, silence_logs=False, **workers, **place
        ) as cluster,
    ):
        yield cluster.scheduler_address


def test_a_certificate_lets_in(address: str, own: TlsFiles) -> None:
    with connected(ClusterOptions(parse_address(address), tls=own)) as connection:
        (worker,) = look_at_hosts(connection)
        assert worker.address.startswith("tls://")
        assert connection.client.submit(sum, (1, 2)).result(timeout=10) == 3


@pytest.mark.parametrize("knows_the_authority", [True, False])
def test_certificates_of_another_authority_are_refused(
    address: str, own: TlsFiles, tmp_path: Path, knows_the_authority: bool
) -> None:
    other = files_of(trustme.CA(), tmp_path / "other")
    files = TlsFiles(
        own.authority if knows_the_authority else other.authority, other.certificate, other.key
    )
    options = ClusterOptions(parse_address(address), tls=files, timeout_s=2.0)
    with pytest.raises(SchedulerUnreachable, match="certificates are refused"), connected(options):
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


def test_no_web_server_listens(cluster: Connection) -> None:
    for address, pid in cluster.client.run(os.getpid).items():
        ports = [
            one.laddr.port
            for one in psutil.Process(pid).net_connections()
            if one.status == psutil.CONN_LISTEN
        ]
        assert ports == [int(address.rpartition(":")[2])]
    scheduler = cluster.client.cluster.scheduler
    assert not scheduler.services
    assert not hasattr(scheduler, "http_server")
    assert cluster.dashboard == ""


def status_at(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_the_dashboard_answers_only_at_its_secret_address() -> None:
    with connected(ClusterOptions(parse_address("local:1"), dashboard=True)) as connection:
        address = connection.dashboard
        host, secret = address.split("/")[2:4]
        assert len(secret) >= 20
        assert status_at(address) == 200
        assert status_at(f"http://{host}/{secret}/info/main/workers.html") == 200
        for path in (
            "",
            "status",
            "sitemap.json",
            "health",
            "info/main/workers.html",
            f"x/../{secret[:-1]}/status",
        ):
            assert status_at(f"http://{host}/{path}") == 404, path


def test_credentials_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with (
        pytest.raises(PackageMissing, match="cryptography: pip install dask distributed"),
        connected("local:1"),
    ):
        pass


@pytest.fixture
def jobs_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder in which a command runs whose batch system starts jobs as processes of
    this machine.
    """
    package = jobqueue_for("this test")
    from dask_jobqueue.local import LocalCluster

    monkeypatch.setattr(package, "LocalCluster", LocalCluster, raising=False)
    monkeypatch.setitem(BATCH_SYSTEMS, "slurm", "LocalCluster")
    folder = tmp_path / "here"
    folder.mkdir(mode=0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(Path(launch.__file__).parents[2]))
    (folder / "job.toml").write_text('[slurm]\nscheduler_options = {host = "127.0.0.1"}\n')
    return folder


def test_jobs_of_a_batch_system_have_credentials_that_only_their_owner_reads(
    jobs_here: Path,
) -> None:
    options = ClusterOptions(parse_address("slurm:1"), jobs_here / "job.toml")
    with connected(options) as connection:
        (private,) = (one for one in jobs_here.iterdir() if one.is_dir())
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in private.iterdir()} == {0o600}
        assert connection.client.submit(sum, (1, 2)).result(timeout=10) == 3
        scheduler = connection.client.cluster.scheduler
        assert not scheduler.services
        where = {scheduler.address: "run_function"} | dict.fromkeys(connection.workers(), "run")
        for make in STRANGERS.values():
            require_refused(where, jobs_here / "ran", make())
        own = connection.client.security.get_connection_args("client")
        send(scheduler.address, "run_function", jobs_here / "own", own)
    assert sorted(os.listdir(jobs_here)) == ["job.toml", "own"], (
        "the credentials are gone, and no stranger ran"
    )


@pytest.mark.parametrize("folder", ["no folder", "none"])
def test_a_folder_without_room_for_credentials_is_refused(jobs_here: Path, folder: str) -> None:
    (jobs_here / "job.toml").write_text(
        f'[slurm]\nshared_temp_directory = "{jobs_here / folder}"\n'
    )
    options = ClusterOptions(parse_address("slurm:1"), jobs_here / "job.toml")
    with (
        pytest.raises(ClusterUnavailable, match=r"credentials.* shared_temp_directory"),
        connected(options),
    ):
        pass
