"""What workers of a cluster do: GPUs of their own, tasks with a host to themselves, and
whole chunks of rows.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers.errors import Cancelled, DeviceUnavailable, InputError
from solvers.features.all_sources.on_cluster.row_array import BlockWriter, RowArray
from solvers.features.all_sources.on_cluster.run import ClusterChoices, run_on_cluster
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.clusters.connection import Connection
from solvers.features.clusters.workers import Ended, ExclusiveHosts
from solvers.features.experiments.cluster_hosts import ClusterHosts
from solvers.features.experiments.forecast import GridForecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import ExperimentRequest
from solvers.features.experiments.measurement import Measurement
from solvers.features.experiments.on_host import Surroundings
from solvers.features.experiments.spec import Experiment, ExperimentScale
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.system.cancel import CancelToken
from tests import graphs
from tests.solvers.features.clusters.fake_gpus import claimed_ids, hide_gpus, show_gpus
from tests.solvers.features.experiments.samples import sample

pytestmark = pytest.mark.slow

_opened = threading.Event()


def hold() -> tuple[float, float]:
    """Begin and end of a task that ends when `release` is called in its process, or
    after some seconds.
    """
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
    assert (ended.value, ended.is_lost) == (None, False)
    assert "ValueError" in ended.error


def place_on(
    cluster: Connection, experiment: Experiment, token: CancelToken, store: RunStore | None
) -> ClusterHosts:
    scale, nothing = ExperimentScale.SMALL, GridForecast(())
    wanted = ExperimentRequest(
        experiment, scale, nothing, GraphFiles(), experiment.measuring[scale], None, store
    )
    return ClusterHosts(wanted, token, ExclusiveHosts(cluster), Surroundings.of(wanted, (), "auto"))


def test_an_experiment_survives_its_worker(cluster: Connection, tmp_path: Path) -> None:
    """Its worker is killed while it measures; the points are measured by another, and
    found in the store later.
    """
    store = RunStore(tmp_path / "data" / "runs.sqlite3")
    place = place_on(cluster, sample(tmp_path), CancelToken(), store)
    assert any("2 workers, but only one measures" in words for words in place.sentences(""))
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
    # runs when the token is free: the measurement has ended
    place.hosts.start(place.crew[0], "next", os.getpid)
    assert outcome(place.hosts).label == "next"


REQUEST = AllSourcesRequest(graphs.at_random(300, 700, seed=4))


@contextmanager
def gpus_shown(cluster: Connection, folder: Path, count: int) -> Iterator[None]:
    """Lets all workers see the same GPUs; sweeps of the processor stand in for theirs."""
    cluster.client.run(show_gpus, str(folder / "gpus.lock"), count)
    try:
        yield
    finally:
        cluster.client.run(hide_gpus)


@pytest.mark.openmp
def test_workers_that_see_the_same_gpus_take_different_ones(
    cluster: Connection, tmp_path: Path
) -> None:
    with gpus_shown(cluster, tmp_path, 2):
        found = run_on_cluster(REQUEST, cluster)
        claimed = cluster.client.run(claimed_ids)
        processors = run_on_cluster(REQUEST, cluster, ClusterChoices(device="none"))
        assert cluster.client.run(claimed_ids) == claimed, "a worker keeps its GPU"
    assert sorted(claimed.values()) == ["fake GPU 0", "fake GPU 1"]
    assert found.eccentricity.tolist() == processors.eccentricity.tolist()
    assert found.verdict.verified
    assert "Computed on 1 host with 2 GPUs." in found.note
    assert "GPU" not in processors.note


@pytest.mark.openmp
def test_a_worker_without_a_gpu_computes_on_its_processor_unless_refused(
    cluster: Connection, tmp_path: Path
) -> None:
    with gpus_shown(cluster, tmp_path, 1):
        claimed = cluster.client.run(claimed_ids)
        assert run_on_cluster(REQUEST, cluster).verdict.verified
        with pytest.raises(DeviceUnavailable, match="A worker has no GPU"):
            run_on_cluster(REQUEST, cluster, ClusterChoices(device="cuda"))
    assert sorted(claimed.values()) == ["", "fake GPU 0"]


def test_other_devices_are_refused() -> None:
    with pytest.raises(InputError):
        ClusterChoices(device="opencl:1")


@pytest.mark.parametrize("part", [1, 16, 25, 64])
@pytest.mark.parametrize("targets", [None, [4, 0]])
def test_rows_are_written_in_whole_chunks(part: int, targets: list[int] | None) -> None:
    rows = np.arange(60 * 5).reshape(60, 5)
    written: dict[int, Any] = {}
    writer = SimpleNamespace(
        dtype=rows.dtype, write=lambda first, block: written.update({first: block.copy()})
    )
    chosen = None if targets is None else np.array(targets)
    array = RowArray("", "", block=25, columns=5 if targets is None else 2, targets=chosen)
    blocks = BlockWriter(writer, array, first=100, count=60)
    for begin in range(0, 60, part):
        end = min(60, begin + part)
        blocks.take(slice(begin, end), rows[begin:end])
    assert {first: len(block) for first, block in written.items()} == {100: 25, 125: 25, 150: 10}
    whole = np.concatenate([written[first] for first in sorted(written)])
    np.testing.assert_array_equal(whole, rows if targets is None else rows[:, targets])
