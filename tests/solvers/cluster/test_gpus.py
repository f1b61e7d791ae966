"""GPUs of workers: each worker gets one of its own, also where all of them see all. The GPUs are fakes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from solvers import cli
from solvers.cluster import launch
from solvers.cluster.all_sources import ClusterChoices, run_on_cluster
from solvers.cluster.connection import Connection
from solvers.cluster.launch import local_cluster, visible_gpus, worker_environment
from solvers.errors import DeviceUnavailable, InputError
from solvers.running.all_sources.request import AllSourcesRequest
from solvers.system import machine
from tests import graphs
from tests.solvers.cluster.fake_gpus import claimed_ids, hide_gpus, show_gpus

REQUEST = AllSourcesRequest(graphs.at_random(300, 700, seed=4))


def test_local_workers_see_one_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert visible_gpus(2) == ("0", "1")
    seen = [worker_environment(number, visible_gpus(2)).get("CUDA_VISIBLE_DEVICES") for number in range(3)]
    assert seen == ["0", "1", ""], "the third worker computes on the processor"
    assert "CUDA_VISIBLE_DEVICES" not in worker_environment(0, visible_gpus(0))


def test_gpus_that_a_batch_system_gave_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, GPU-7f,-1,0")
    assert visible_gpus(2) == ("3", "GPU-7f"), "CUDA sees what is before the first that does not exist"
    assert worker_environment(1, visible_gpus(2))["CUDA_VISIBLE_DEVICES"] == "GPU-7f"


def test_there_are_as_many_local_workers_as_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[int, Any]] = []

    def refuse(workers: dict[int, Any], *_: object, **__: object) -> None:
        made.append(workers)
        raise OSError("no processes in this test")

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(launch, "gpu_names", lambda: ("NVIDIA H200",) * 3)
    monkeypatch.setattr("distributed.SpecCluster", refuse)
    with pytest.raises(Exception, match="no processes"), local_cluster(0, False):
        pass
    assert [worker["options"]["env"]["CUDA_VISIBLE_DEVICES"] for worker in made[0].values()] == ["0", "1", "2"]
    with pytest.raises(Exception, match="no processes"), local_cluster(0, False, with_gpus=False):
        pass
    assert len(made[1]) == machine.cores()
    assert "CUDA_VISIBLE_DEVICES" not in made[1][0]["options"]["env"]


@contextmanager
def gpus_shown(cluster: Connection, folder: Path, count: int) -> Iterator[None]:
    """Lets all workers see the same GPUs; sweeps of the processor stand in for theirs."""
    cluster.client.run(show_gpus, str(folder / "gpus.lock"), count)
    try:
        yield
    finally:
        cluster.client.run(hide_gpus)


@pytest.mark.openmp
def test_workers_that_see_the_same_gpus_take_different_ones(cluster: Connection, tmp_path: Path) -> None:
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
def test_a_worker_without_a_gpu_computes_on_its_processor_unless_refused(cluster: Connection, tmp_path: Path) -> None:
    with gpus_shown(cluster, tmp_path, 1):
        claimed = cluster.client.run(claimed_ids)
        assert run_on_cluster(REQUEST, cluster).verdict.verified
        with pytest.raises(DeviceUnavailable, match="A worker has no GPU"):
            run_on_cluster(REQUEST, cluster, ClusterChoices(device="cuda"))
    assert sorted(claimed.values()) == ["", "fake GPU 0"]


def test_other_devices_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="Choose cuda for workers"):
        ClusterChoices(device="opencl:1")
    assert cli.main(["all-sources", str(tmp_path / "any.gr"), "--cluster", "local", "--device", "opencl"]) == 2
    assert "“opencl” is no device for a run on a cluster" in capsys.readouterr().err
