"""Experiments on the hosts of a cluster: which hosts measure, what they refuse, what is
kept when they end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solvers.errors import Cancelled, ClusterUnavailable, InputError, NoWorkers
from solvers.features.experiments import cluster_hosts, measure, on_host
from solvers.features.experiments.cluster_hosts import ClusterExperimentRun, ClusterHosts
from solvers.features.experiments.forecast import GridForecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import ExperimentRequest, ExperimentRun
from solvers.features.experiments.measurement import Equipment, Measurement, Omission, Resumption
from solvers.features.experiments.on_host import HostOutcome, Surroundings, measure_point
from solvers.features.experiments.report import findings_of, report_html
from solvers.features.experiments.spec import Experiment, ExperimentScale
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running import estimate
from solvers.running.estimate import EstimateBasis
from solvers.system.cancel import CancelToken
from tests.solvers.features.experiments.fake_hosts import USUAL, FakeHosts
from tests.solvers.features.experiments.samples import sample, waiting_for_ever

SMALL = ExperimentScale.SMALL
MISSING = "random: the file own.gr is not here"


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "data" / "runs.sqlite3")


def prepared(
    experiment: Experiment, hosts: FakeHosts, store: RunStore | None, *, takes_any: bool = False
) -> tuple[ClusterExperimentRun, list[str]]:
    """A run on these hosts, and what it will have told the user."""
    token, told = CancelToken(), list[str]()
    measuring = experiment.measuring[SMALL]
    wanted = ExperimentRequest(
        experiment, SMALL, GridForecast(()), GraphFiles(), measuring, None, store
    )
    around = Surroundings.of(wanted, (), "auto")
    place = ClusterHosts(wanted, token, hosts, around, told.append, takes_any=takes_any)
    told += place.sentences("--any-host lets it")
    return place.run(place.request()), told


def measured(outcomes: Sequence[Measurement | Omission]) -> list[Measurement]:
    return [one for one in outcomes if isinstance(one, Measurement)]


def by_point(outcomes: Sequence[Measurement | Omission]) -> dict[tuple[str, str], Any]:
    return {(one.point.graph.title, one.point.title): one for one in outcomes}


def test_every_point_is_measured_on_one_of_two_hosts(tmp_path: Path, store: RunStore) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    run, told = prepared(sample(tmp_path), hosts, store)
    found = list(run.measure())
    assert len(by_point(found)) == 6
    assert all(one.is_timed and one.kept.verdict.verified for one in measured(found))
    by_graph = {(one.graph.vertices, one.machine.host) for one in measured(found)}
    # a graph stays on one host while there is another for the other
    assert by_graph == {(20, "node1"), (40, "node2")}
    assert hosts.most_busy == 2
    assert told == ["2 hosts measure, one point at a time on each: node1, node2 (A CPU)."]
    runs = store.runs_of_experiment("own/small")
    assert sum(len(one.variants) for one in runs) == 6
    assert all(len({kept.variant for kept in one.variants}) == len(one.variants) for one in runs)
    assert {one.machine.host for one in runs} == {"node1", "node2"}


def test_one_graph_is_shared_by_hosts_that_would_wait(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    run, _ = prepared(sample(tmp_path, ("vertices = [20, 40]", "vertices = 20")), hosts, None)
    assert {one.machine.host for one in measured(list(run.measure()))} == {"node1", "node2"}


def test_only_the_largest_group_of_equal_hosts_measures(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=Equipment("B CPU", 8), node2=USUAL, node3=USUAL)
    run, told = prepared(sample(tmp_path), hosts, None)
    found = measured(list(run.measure()))
    assert {one.machine.host for one in found} == {"node2", "node3"}
    assert (
        "node1 measures nothing, as it differs in CPU: node2 has A CPU, node1 has B CPU. "
        "--any-host lets it."
    ) in told


def test_unequal_hosts_measure_if_that_is_asked_for(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=Equipment("B CPU", 8), node2=USUAL, node3=USUAL)
    run, told = prepared(sample(tmp_path), hosts, None, takes_any=True)
    assert "node1" in {one.machine.host for one in measured(list(run.measure()))}
    assert any("node1 differs in CPU" in words for words in told)


def test_hosts_without_the_device_are_named(tmp_path: Path) -> None:
    with pytest.raises(ClusterUnavailable, match="node1: There is no CUDA device"):
        prepared(sample(tmp_path), FakeHosts(node1="There is no CUDA device"), None)


def test_a_host_that_comes_later_measures_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_hosts, "_REFRESH_S", 0.0)
    hosts = FakeHosts(node1=USUAL)
    run, told = prepared(sample(tmp_path), hosts, None)
    hosts.equipment |= {"node2": USUAL, "node3": Equipment("A CPU", 4)}
    assert {one.machine.host for one in measured(list(run.measure()))} == {"node1", "node2"}
    assert "node2 joined, and measures too." in told
    assert (
        "node3 joined, but measures nothing, as it differs in cores: node1 has 8, node3 has 4."
        in told
    )


# -- graphs that hosts do not have
# -----------------------------------------------------------------------------------


def test_points_go_to_the_hosts_that_have_the_graph(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    hosts.answers["node1", "measure_point"] = [MISSING, MISSING]
    run, told = prepared(sample(tmp_path), hosts, None)
    found = list(run.measure())
    assert {one.machine.host for one in measured(found)} == {"node2"}
    assert len(found) == 6
    assert (
        sum(
            "node1 measures nothing on" in words and "own.gr is not here" in words for words in told
        )
        == 2
    )


def test_what_no_host_has_is_left_out_with_the_reason(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    for name in ("node1", "node2"):
        hosts.answers[name, "measure_point"] = [MISSING] * 2
    run, _ = prepared(sample(tmp_path), hosts, None)
    found = list(run.measure())
    assert [type(one) for one in found] == [Omission] * 6
    assert {one.reason for one in found if isinstance(one, Omission)} == {MISSING}


def test_a_host_with_another_graph_of_that_name_measures_nothing_on_it(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    run, told = prepared(sample(tmp_path, ("vertices = [20, 40]", "vertices = 20")), hosts, None)
    own = measure_point(run.request.forecast.points[0], Resumption(), run.place.around)
    assert isinstance(own, HostOutcome)
    other = replace(own, run=replace(own.run, graph=replace(own.run.graph, sha256="f" * 64)))
    hosts.answers["node2", "measure_point"] = [other]
    found = measured(list(run.measure()))
    assert [one.machine.host for one in found] == ["node1"] * 3
    assert any("node2 has another graph under the name random" in words for words in told)


# -- what ends midway
# ------------------------------------------------------------------------------------------------


def test_the_points_of_a_lost_worker_are_measured_again(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    hosts.answers["node1", "measure_point"] = ["lost"]
    run, told = prepared(sample(tmp_path), hosts, None)
    found = list(run.measure())
    assert len(measured(found)) == 6
    assert sum("it is measured again" in words for words in told) == 1


def test_a_point_that_ends_its_worker_twice_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_hosts, "_REFRESH_S", 0.0)
    hosts = FakeHosts(node1=USUAL)
    hosts.answers["node1", "measure_point"] = ["lost", "lost"]
    run, _ = prepared(sample(tmp_path), hosts, None)
    found = list(run.measure())
    (left_out,) = (one for one in found if isinstance(one, Omission))
    assert left_out.reason == "its worker ended 2 times, perhaps for lack of memory"
    assert len(found) == 6


def test_a_cluster_that_loses_all_hosts_is_an_error_and_the_points_are_kept(
    tmp_path: Path, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_REFRESH_S", "_PATIENCE_S"):
        monkeypatch.setattr(cluster_hosts, name, 0.0)
    experiment = sample(tmp_path)
    hosts = FakeHosts(node1=USUAL)
    run, _ = prepared(experiment, hosts, store)
    found, outcomes = [], run.measure()
    found.append(next(outcomes))
    hosts.equipment.clear()
    with pytest.raises(NoWorkers):
        found.extend(outcomes)
    assert 1 <= len(found) < 6
    monkeypatch.undo()
    run, _ = prepared(experiment, FakeHosts(node7=Equipment("A CPU", 8)), store)
    again = measured(list(run.measure()))
    assert sum(one.is_earlier for one in again) == len(found)
    assert len(again) == 6


def test_cancelling_reaches_the_hosts(tmp_path: Path, store: RunStore) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    run, _ = prepared(sample(tmp_path), hosts, store)

    def ended(wait_s: float) -> tuple[()]:
        run.cancel.cancel()
        return ()

    hosts.ended = ended  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        list(run.measure())
    assert hosts.told == ["node1", "node2"]
    assert hosts.busy == ()


def test_a_paused_run_starts_nothing(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL)
    run, _ = prepared(sample(tmp_path), hosts, None)
    before = len(hosts.ran)
    run.pause.pause()
    looks = 0

    def ended(wait_s: float) -> tuple[()]:
        nonlocal looks
        looks += 1
        if looks == 3:
            run.cancel.cancel()
        return ()

    hosts.ended = ended  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        list(run.measure())
    assert (looks, len(hosts.ran)) == (3, before)


def test_a_store_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run, _ = prepared(
        sample(tmp_path), FakeHosts(node1=USUAL), RunStore(tmp_path / "file" / "runs.sqlite3")
    )
    assert len(measured(list(run.measure()))) == 6
    assert run.problem is not None


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    seen: list[Any] = []
    run, _ = prepared(sample(tmp_path), FakeHosts(node1=USUAL, node2=USUAL), None)
    run.report = seen.append
    list(run.measure())
    assert {one.total for one in seen} == {6}
    assert seen[-1].done == 6
    assert any("2 hosts measuring (node1, node2)" in one.words for one in seen)


# -- what reports show
# -----------------------------------------------------------------------------------------------


def test_a_report_of_hosts_has_what_one_of_this_machine_has(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=USUAL, node2=USUAL)
    run, _ = prepared(sample(tmp_path), hosts, None)
    page = report_html(findings_of(run, run.measure()))
    here = ExperimentRun(request=run.request)
    local = report_html(findings_of(here, here.measure()))
    assert run.pictures == here.pictures
    assert _headings(page) == _headings(local)
    assert page.count("data:image/png") == local.count("data:image/png") == 2
    assert "The points come from node1 and node2, equal in processor, cores and device." in page


def _headings(page: str) -> list[str]:
    return re.findall(r"<h[23]>(.*?)</h[23]>", page)


def test_the_limit_of_the_hosts_memory_is_asked_of_one(tmp_path: Path) -> None:
    hosts = FakeHosts(node1=replace(USUAL, device="H200"), node2=replace(USUAL, device="H200"))
    run, _ = prepared(sample(tmp_path, ('kind = "time"', 'kind = "rate"')), hosts, None)
    hosts.answers["node1", "bandwidth_here"] = [4.8e12]
    found = findings_of(run, run.measure())
    assert run.memory_bandwidth() == 4.8e12
    assert len(found.measurements) == 6
    assert [name for _, name in hosts.ran].count("bandwidth_here") == 1


# -- forecasts of hosts
# ----------------------------------------------------------------------------------------------


def test_guesses_are_probed_on_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        estimate, "model_seconds", lambda variant, shape, *rest: 30.0 * shape.m / 60
    )
    hosts, told = FakeHosts(node1=USUAL, node2=USUAL), list[str]()
    run, _ = prepared(sample(tmp_path), hosts, None)
    assert run.request.forecast.runnable == ()
    assert all(one.is_too_long for one in run.request.forecast.points)
    better = run.place.probed(run.request, told.append)
    assert {one.basis for one in better.forecast.points} == {EstimateBasis.PROBED}
    assert len(better.forecast.runnable) == 6
    assert told == ["node1 probes the smallest graphs"]
    assert run.place.probed(better, always=True) is better, "nothing is guessed any more"


def test_a_cancelled_probe_ends_on_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimate, "model_seconds", lambda variant, shape, *rest: 30.0)
    hosts = FakeHosts(node1=USUAL)
    run, _ = prepared(sample(tmp_path), hosts, None)
    run.cancel.cancel()
    with pytest.raises(Cancelled):
        run.place.probed(run.request)
    assert hosts.told == ["node1"]


def test_times_of_earlier_runs_on_such_processors_are_known(
    tmp_path: Path, store: RunStore
) -> None:
    run, _ = prepared(sample(tmp_path), FakeHosts(node1=USUAL), store)
    list(run.measure())
    again, _ = prepared(sample(tmp_path), FakeHosts(node1=USUAL), store)
    assert len(again.place.earlier) == 6
    assert {one.basis for one in again.request.forecast.points} == {EstimateBasis.MEASURED}
    assert store.earlier_times({"dijkstra-heap"}) == (), (
        "another processor's are not of this machine"
    )


def test_an_experiment_that_compares_interfaces_stays_on_one_machine(tmp_path: Path) -> None:
    text = ('variant = "dijkstra-array"', 'variant = "bf-vertex"\ndevice = "cuda"')
    with pytest.raises(InputError, match="run it on one machine"):
        prepared(sample(tmp_path, text), FakeHosts(node1=USUAL), None)


def test_a_graph_whose_first_point_is_too_slow_has_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = prepared(sample(tmp_path), FakeHosts(node1=USUAL), None)
    monkeypatch.setattr(on_host, "_pictures", {})
    look = replace(run.request.forecast.points[0], reason="too slow", is_too_long=True)
    outcome = measure_point(look, Resumption(), run.place.around)
    assert isinstance(outcome, HostOutcome)
    assert isinstance(outcome.found, Omission)
    assert outcome.picture is None


def test_a_line_that_a_host_stopped_is_left_out_on_larger_graphs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "time_limit_s", lambda measuring: 0.05)
    experiment = waiting_for_ever(sample(tmp_path, ("arity = [2, 4]", "arity = 2")))
    run, _ = prepared(experiment, FakeHosts(node1=USUAL), None)
    reasons = [one.reason for one in run.measure() if isinstance(one, Omission)]
    assert reasons == [
        "it timed out after 0 s",
        "on a smaller graph it timed out",
    ]
