"""What needs no cluster: addresses, versions, libraries that are missing,
schedulers that are not there.
"""

from __future__ import annotations

import logging
import socket
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from solvers.errors import (
    ClusterUnavailable,
    InputError,
    NoWorkers,
    OutOfMemory,
    PackageMissing,
    SchedulerUnreachable,
    TautpathError,
    UnknownName,
    VersionsDiffer,
)
from solvers.features.all_sources.on_cluster.chunks import ChunkMemory, ChunkPacing, Remaining
from solvers.features.clusters import quiet_logs
from solvers.features.clusters.address import parse_address
from solvers.features.clusters.connection import (
    ClusterOptions,
    Connection,
    compare_versions,
    connected,
    require_same_versions,
    versions,
)


@pytest.mark.parametrize(
    "text", ["local", "local:2", "tcp://host:8786", "tls://[::1]:8786", "slurm:4", "pbs"]
)
def test_addresses_are_what_they_were_made_of(text: str) -> None:
    assert parse_address(text).text == text
    assert parse_address(text.upper() if "://" not in text else text).text == text


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("slrum", UnknownName, "Nearest: slurm"),
        ("", UnknownName, "no kind of cluster"),
        ("local:none", InputError, "local:2"),
        ("local:0", InputError, "at least 1"),
        ("tcp://host", InputError, "tcp://HOST:PORT"),
        ("tcp://:8786", InputError, "tcp://HOST:PORT"),
        ("http://host:80", UnknownName, "http://"),
    ],
)
def test_addresses_that_are_none(text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parse_address(text)


def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_no_scheduler_listens_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port in (unused_port(), silent.getsockname()[1]):
            options = ClusterOptions(parse_address(f"tcp://127.0.0.1:{port}"), timeout_s=0.3)
            began = time.monotonic()
            with (
                pytest.raises(SchedulerUnreachable, match=r"no scheduler answered within 0\.3 s"),
                connected(options),
            ):
                pass
            assert time.monotonic() - began < 20


def test_tls_needs_certificates() -> None:
    with (
        pytest.raises(ClusterUnavailable, match="TLS needs certificates"),
        connected(f"tls://127.0.0.1:{unused_port()}"),
    ):
        pass


def test_versions_that_differ_are_named_by_worker() -> None:
    own = versions()
    compare_versions(own, {"tcp://a:1": own})
    with pytest.raises(VersionsDiffer, match=r"tcp://b:1 has numpy 1.0 \(here") as caught:
        compare_versions(own, {"tcp://a:1": own, "tcp://b:1": {**own, "numpy": "1.0"}})
    assert caught.value.different == {"tcp://b:1": {"numpy": (own["numpy"], "1.0")}}
    assert {"tautpath", "python", "numpy", "numba"} <= own.keys()


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (
            ImportError("No module named 'solvers'"),
            ClusterUnavailable,
            "tcp://a:1 cannot import Tautpath",
        ),
        (
            OSError("closed"),
            ClusterUnavailable,
            r"did not report its versions \(tcp://a:1: closed\)",
        ),
        ({**versions(), "numba": "0.1"}, VersionsDiffer, "tcp://a:1 has numba 0.1"),
    ],
)
def test_workers_that_cannot_take_part(
    answer: object, error: type[TautpathError], words: str
) -> None:
    client = SimpleNamespace(run=lambda function, on_error: {"tcp://a:1": answer})
    with pytest.raises(error, match=words):
        require_same_versions(client, "tcp://host:8786")


def test_dask_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(PackageMissing, match="pip install dask distributed"),
        connected("local:1"),
    ):
        pass


def test_a_scheduler_that_ended_is_told() -> None:
    lost = SimpleNamespace(scheduler_info=lambda n_workers: {"type": "Scheduler"})
    with pytest.raises(SchedulerUnreachable, match="it ended, or the connection is lost"):
        Connection(lost, "tcp://host:8786").workers()


def test_what_dask_logs_is_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    import distributed  # noqa: F401  its loggers have handlers from now on

    with quiet_logs():
        for name in ("distributed", "distributed.client", "distributed.scheduler"):
            logging.getLogger(name).error("lost")
    assert capfd.readouterr() == ("", "")


def test_sources_are_taken_once_and_put_back() -> None:
    finished = np.zeros(1000, np.bool_)
    finished[100:150] = True
    remaining = Remaining(finished, 16)
    taken = np.zeros(1000, np.int64)
    lost = remaining.take(40)
    assert lost is not None
    remaining.put_back(*lost)
    while (chunk := remaining.take(40)) is not None:
        assert chunk[1] % 16 == 0 or chunk[1] in (100, 1000), "blocks of an array are not shared"
        taken[slice(*chunk)] += 1
    np.testing.assert_array_equal(taken, ~finished)
    assert remaining.count == 0


def test_chunks_follow_the_speed_and_a_slow_host_is_told() -> None:
    pace = ChunkPacing(16)
    assert pace.size("fast", 10**6, 2) == 64
    for worker, seconds in (("fast", 0.1), ("other", 0.1), ("slow", 2.0)):
        for _ in range(3):
            pace.size(worker, 10**6, 2)
            pace.note(worker, f"host of {worker}", 1000, seconds)
    assert pace.size("slow", 10**6, 2) == 992
    assert pace.size("fast", 10**6, 2) > 10_000
    assert pace.size("fast", 100, 2) == 32, "towards the end chunks are smaller"
    assert pace.size("other", 10**9, 1000) > 20_000, "of many workers, chunks are longer"
    assert pace.slow_hosts() == {"host of slow": pytest.approx(20)}


def test_chunks_fit_into_the_memory_of_a_worker() -> None:
    memory = ChunkMemory("a graph", graph_bytes=10**9, thread_bytes=10**9, source_bytes=1000)
    assert memory.slots(0, 16) == 16, "without a limit"
    assert memory.slots(8 * 10**9, 16) == 4, (
        "70 % of 8 GB hold the program, the graph and four threads"
    )
    assert memory.slots(10**9, 16) == 1
    assert memory.most_sources(8 * 10**9, 4) == 75_000
    pace = ChunkPacing(16)
    for _ in range(5):
        pace.size("fast", 10**6, 2)
        pace.note("fast", "host", 1000, 0.001)
    assert pace.size("fast", 10**6, 2, most=100) == 96
    assert pace.size("fast", 10**6, 2, most=1) == 16
    memory.require_room([0, 10**6])
    memory.require_room([])
    with pytest.raises(
        OutOfMemory,
        match=r"A source of a graph needs 1.*; the largest worker has .*--memory-limit 0",
    ):
        memory.require_room([10**6, 10**8])


def test_a_scheduler_without_workers_is_told() -> None:
    import distributed

    place = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with quiet_logs(), distributed.LocalCluster(n_workers=0, silence_logs=False, **place) as empty:
        options = ClusterOptions(parse_address(empty.scheduler_address), timeout_s=0.5)
        with pytest.raises(NoWorkers, match=r"had no worker for 0\.5 s"), connected(options):
            pass
