"""A cluster of two worker processes: what listens, what is told of its workers, and runs of all sources over it."""

from __future__ import annotations

import json
import os
import sys

import psutil
import pytest

from solvers import cli
from solvers.cluster.connection import Connection
from solvers.cluster.hosts import HostWatch


def test_its_workers_are_told(cluster: Connection) -> None:
    watch = HostWatch(cluster)
    first, second = watch.look()
    assert first.host == second.host
    assert {first.cores, second.cores} == {1}
    assert {first.pid, second.pid} == {child.pid for child in workers_of_this_process()}
    assert first.answered
    assert 0 < first.memory_used_bytes < first.memory_bytes
    assert [worker.address for worker in watch.look()] == [first.address, second.address]


def workers_of_this_process() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [child for child in children if "resource_tracker" not in " ".join(child.cmdline())]


def test_nothing_listens_beyond_this_machine(cluster: Connection) -> None:
    for process in (psutil.Process(), *workers_of_this_process()):
        ports = [port for port in process.net_connections() if port.status == psutil.CONN_LISTEN]
        assert ports
        assert {port.laddr.ip for port in ports} == {"127.0.0.1"}


def test_workers_import_no_qt(cluster: Connection) -> None:
    assert set(cluster.client.run(_qt_modules).values()) == {()}


def _qt_modules() -> tuple[str, ...]:
    return tuple(name for name in sys.modules if name.startswith(("PySide6", "gui")))


def test_the_environment_of_this_process_is_left_alone(cluster: Connection) -> None:
    assert set(cluster.client.run(_threads).values()) == {"1"}
    assert os.environ.get("OMP_NUM_THREADS") != "1"


def _threads() -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def test_the_command_lists_workers_of_a_running_scheduler(
    cluster: Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    address = cluster.client.scheduler.address
    assert cli.main(["hosts", "--cluster", address, "--json"]) == 0
    workers = json.loads(capsys.readouterr().out)
    assert {worker["address"] for worker in workers} == set(cluster.workers())
    assert cli.main(["hosts", "--cluster", address]) == 0
    out = capsys.readouterr()
    assert "2 workers on 1 host." in out.out
    assert not out.err
