"""Tasks that have a host to themselves, and an experiment, on two real worker processes of this machine."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from solvers.cluster.connection import Connection
from solvers.cluster.workers import Ended, ExclusiveHosts
from solvers.errors import Cancelled
from solvers.experiments.cluster_hosts import ClusterHosts, Surroundings
from solvers.experiments.forecast import GridForecast
from solvers.experiments.graphs import GraphFiles
from solvers.experiments.measure import ExperimentRequest
from solvers.experiments.measurement import Measurement
from solvers.experiments.spec import Experiment, ExperimentScale
from solvers.running.store.run_store import RunStore
from solvers.system.cancel import CancelToken
from tests.solvers.experiments.samples import sample

_opened = threading.Event()


def hold() -> tuple[float, float]:
    """Begin and end of a task that ends when `release` is called in its process, or after some seconds."""
    began = time.monotonic()
    _opened.wait(5.0)
    _opened.clear()
    return began, time.monotonic()


async def release() -> None:
    _opened.set()


async def end_process() -> None:
    os._exit(1)


def outcome(hosts: ExclusiveHosts) -> Ended:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if ended := hosts.ended(0.05):
            return ended[0]
    raise AssertionError("the task did not end")


def test_two_clients_do_not_measure_on_one_machine_at_a_time(cluster: Connection) -> None:
    first, second = ExclusiveHosts(cluster), ExclusiveHosts(cluster)
    (host,) = first.find()
    assert host.workers == 2
    assert second.find() == (host,)
    first.start(host, "first", hold)
    second.start(host, "second", hold)
    assert second.ended(0.3) == ()
    first.tell((host,), release)
    ended = outcome(first)
    second.tell((host,), release)
    later = outcome(second)
    assert (ended.label, later.label) == ("first", "second")
    assert ended.value[1] <= later.value[0]


def test_an_error_of_a_task_comes_back_in_words(cluster: Connection) -> None:
    hosts = ExclusiveHosts(cluster)
    (host,) = hosts.find()
    hosts.start(host, "label", int, "no number")
    ended = outcome(hosts)
    assert ended.value is None
    assert not ended.is_lost
    assert "ValueError" in ended.error


def place_on(cluster: Connection, experiment: Experiment, token: CancelToken, store: RunStore | None) -> ClusterHosts:
    scale = ExperimentScale.SMALL
    wanted = ExperimentRequest(
        experiment, scale, GridForecast(()), GraphFiles(), experiment.measuring[scale], None, store
    )
    return ClusterHosts(wanted, token, ExclusiveHosts(cluster), Surroundings.of(wanted, (), "auto"))


def test_an_experiment_survives_its_worker(cluster: Connection, tmp_path: Path) -> None:
    """Its worker is killed while it measures; the points are measured by another, and found in the store later."""
    store = RunStore(tmp_path / "data" / "runs.sqlite3")
    place = place_on(cluster, sample(tmp_path), CancelToken(), store)
    assert any("2 workers, of which one measures" in words for words in place.sentences(""))
    (host,) = place.crew
    outcomes = place.run(place.request()).measure()
    found = [next(outcomes)]
    place.hosts.tell([host], end_process)
    found += list(outcomes)
    assert host.worker not in cluster.workers()
    assert len(found) == 6
    assert all(isinstance(one, Measurement) and one.is_timed for one in found)
    assert {one.machine.host for one in found if isinstance(one, Measurement)} == {host.name}
    again = list(place.run(place.request()).measure())
    assert [isinstance(one, Measurement) and one.is_earlier for one in again] == [True] * 6


def test_cancelling_ends_what_a_worker_measures(cluster: Connection, tmp_path: Path) -> None:
    token = CancelToken()
    place = place_on(cluster, sample(tmp_path, ("trials = 2", "trials = 100000")), token, None)
    run = place.run(place.request())
    timer = threading.Timer(0.5, token.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        list(run.measure())
    place.hosts.start(place.crew[0], "next", os.getpid)  # runs when the token is free: the measurement has ended
    assert outcome(place.hosts).label == "next"
