"""A scheduler and a worker that speak TLS, with certificates made for the test: who is let in, and who is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest
import trustme

from solvers.cluster.address import TlsFiles, parse_address
from solvers.cluster.connection import ClusterOptions, connected
from solvers.cluster.hosts import look_at_hosts
from solvers.cluster.quiet_logs import quiet_logs
from solvers.errors import SchedulerUnreachable


def files_of(authority: trustme.CA, folder: Path) -> TlsFiles:
    folder.mkdir()
    paths = [folder / name for name in ("ca.pem", "certificate.pem", "key.pem")]
    issued = authority.issue_cert("127.0.0.1")
    for blob, path in zip((authority.cert_pem, issued.cert_chain_pems[0], issued.private_key_pem), paths, strict=True):
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
        distributed.LocalCluster(security=security, silence_logs=False, **workers, **place) as cluster,
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
    files = TlsFiles(own.authority if knows_the_authority else other.authority, other.certificate, other.key)
    options = ClusterOptions(parse_address(address), tls=files, timeout_s=2.0)
    with pytest.raises(SchedulerUnreachable, match="certificates are refused"), connected(options):
        pass


def test_without_tls_the_right_address_is_told(address: str) -> None:
    options = ClusterOptions(parse_address(address.replace("tls", "tcp")), timeout_s=0.2)
    with pytest.raises(SchedulerUnreachable, match="its address begins with tls://"), connected(options):
        pass
