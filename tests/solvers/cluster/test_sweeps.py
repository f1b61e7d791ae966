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
from solvers.experiments.cluster_hosts import HostPlan
from solvers.experiments.graphs import GraphFiles
from solvers.experiments.measure import ExperimentRequest
from solvers.experiments.measurement import Measurement
from solvers.experiments.place import ClusterExperimentRun
from solvers.experiments.remote_points import Surroundings
from solvers.experiments.spec import ExperimentScale
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


def release() -> None:
    _opened.set()


def end_process() -> None:
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


def test_an_experiment_survives_its_worker(cluster: Connection, tmp_path: Path) -> None:
    """Its worker is killed while it measures; the points are measured by another, and found in the store later."""
    experiment, token, told = sample(tmp_path), CancelToken(), list[str]()
    store = RunStore(tmp_path / "data" / "runs.sqlite3")
    hosts, scale = ExclusiveHosts(cluster), ExperimentScale.SMALL
    around = Surroundings.of((), "auto", experiment.measuring[scale])
    plan = HostPlan.made(hosts, experiment, around, token)
    assert any("2 workers, of which one measures" in words for words in plan.choice.sentences(""))
    look = plan.forecast(experiment, scale, token)
    request = ExperimentRequest(experiment, scale, look, GraphFiles(), experiment.measuring[scale], None, store)
    outcomes = ClusterExperimentRun(request=request, cancel=token, plan=plan, tell=told.append).measure()
    found = [next(outcomes)]
    hosts.tell(plan.choice.hosts, end_process)
    found += list(outcomes)
    assert plan.choice.hosts[0].worker not in cluster.workers()
    assert len(found) == 6
    assert all(isinstance(one, Measurement) and one.is_timed for one in found)
    assert {one.machine.host for one in found if isinstance(one, Measurement)} == {plan.choice.hosts[0].name}
    again = list(ClusterExperimentRun(request=request, cancel=token, plan=plan).measure())
    assert [isinstance(one, Measurement) and one.is_earlier for one in again] == [True] * 6


def test_cancelling_ends_what_a_worker_measures(cluster: Connection, tmp_path: Path) -> None:
    text = ("trials = 2", "trials = 100000")
    experiment, token = sample(tmp_path, text), CancelToken()
    hosts, scale = ExclusiveHosts(cluster), ExperimentScale.SMALL
    around = Surroundings.of((), "auto", experiment.measuring[scale])
    plan = HostPlan.made(hosts, experiment, around, token)
    look = plan.forecast(experiment, scale, token)
    request = ExperimentRequest(experiment, scale, look, GraphFiles(), experiment.measuring[scale])
    run = ClusterExperimentRun(request=request, cancel=token, plan=plan)
    timer = threading.Timer(0.5, token.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        list(run.measure())
    hosts.start(plan.choice.hosts[0], "next", os.getpid)  # runs when the token is free again: the measurement has ended
    assert outcome(hosts).label == "next"
