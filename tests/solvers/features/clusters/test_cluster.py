"""A cluster of two worker processes: what listens, what is told of its workers, and
runs of all sources over it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
import numpy as np
import psutil
import pytest
import zarr

from solvers import all_sources, cli
from solvers.algorithms.distance_rows import sum_type_of
from solvers.errors import (
    Cancelled,
    FileNotWritten,
    GraphNotOnWorker,
    InputError,
    OutOfMemory,
    SeparatorsTooLarge,
    UnknownVertex,
)
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.flows.flow_sweep import HierarchyFlows
from solvers.features.all_sources.on_cluster import chunks, row_array
from solvers.features.all_sources.on_cluster import run as all_sources_module
from solvers.features.all_sources.on_cluster.chunks import ChunkPacing, ChunkRunner
from solvers.features.all_sources.on_cluster.run import ClusterChoices, run_on_cluster
from solvers.features.all_sources.on_cluster.worker import forget_graphs
from solvers.features.all_sources.reductions import REDUCTIONS, parse_bins
from solvers.features.all_sources.request import AllSourcesRequest, Direction
from solvers.features.all_sources.run import COMPUTING, run_all_sources
from solvers.features.all_sources.state_file import StateFile, state_key
from solvers.features.clusters.connection import Connection
from solvers.features.clusters.placing import Placement, place
from solvers.features.clusters.workers import HostWatch, look_at_hosts, worker_tally
from solvers.graphs.following_arcs import crossing_turns
from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import TurnRules
from solvers.graphs.writers import write_dimacs
from solvers.running import engines, network_pack
from solvers.system.cancel import SILENT, CancelToken, Progress
from tests import graphs
from tests.solvers.features.clusters.in_workers import (
    add_one,
    allow_sweeps,
    empty_disk,
    executing,
    fill_disk,
    ignores_interrupts,
    never_end,
    qt_modules,
    refuse_sweeps,
    restore_summarise,
    running_keys,
    threads,
)
from tests.solvers.features.mpi.started import descendants

pytestmark = [pytest.mark.openmp, pytest.mark.slow]


def test_its_workers_are_told(cluster: Connection) -> None:
    watch = HostWatch(cluster)
    first, second = watch.look()
    assert first.host == second.host
    assert {first.cores, second.cores} == {1}
    assert {first.pid, second.pid} == {child.pid for child in descendants()}
    assert first.answered
    assert 0 < first.memory_used_bytes < first.memory_bytes
    assert [worker.address for worker in watch.look()] == [first.address, second.address]


def test_nothing_listens_beyond_this_machine_and_processes_are_set_up(cluster: Connection) -> None:
    for process in (psutil.Process(), *descendants()):
        ports = [port for port in process.net_connections() if port.status == psutil.CONN_LISTEN]
        assert ports
        assert {port.laddr.ip for port in ports} == {"127.0.0.1"}
    assert set(cluster.client.run(qt_modules).values()) == {()}
    assert set(cluster.client.run(ignores_interrupts).values()) == {True}, (
        "Ctrl+C is left to the client"
    )
    assert set(cluster.client.run(threads).values()) == {"1"}
    assert os.environ.get("OMP_NUM_THREADS") != "1"


def test_the_command_lists_workers_of_a_running_scheduler(
    cluster: Connection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = cluster.client.scheduler.address
    with credentials_of(cluster, tmp_path):
        assert cli.main(["hosts", "--cluster", address, "--json"]) == 0
        workers = json.loads(capsys.readouterr().out)
        assert {worker["address"] for worker in workers} == set(cluster.workers())
        assert cli.main(["hosts", "--cluster", address]) == 0
    out = capsys.readouterr()
    assert "2 workers on 1 host." in out.out
    assert not out.err


@contextmanager
def credentials_of(cluster: Connection, folder: Path) -> Iterator[None]:
    """Let Dask's configuration name them, so that a command connects to the same cluster."""
    security, found = cluster.client.security, {}
    for option, text in (
        ("ca-file", security.tls_ca_file),
        ("client.cert", security.tls_client_cert),
        ("client.key", security.tls_client_key),
    ):
        path = folder / f"{option}.pem"
        path.write_text(text)
        found[f"distributed.comm.tls.{option}"] = str(path)
    with dask.config.set(found):
        yield


GRAPH = graphs.at_random(300, 700, seed=4)
_OUT = Direction.OUT
REQUEST = AllSourcesRequest(GRAPH, REDUCTIONS, 25.0, bins=parse_bins("powers"))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_FIRST", 16)
    monkeypatch.setattr(chunks, "_MOST", 16)


@pytest.fixture(scope="module")
def right() -> AllSources:
    """The answer of one process."""
    return run_all_sources(REQUEST)


def require_same(found: AllSources, right: AllSources) -> None:
    for one, other in zip(found.summaries.arrays, right.summaries.arrays, strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.diameter_ends == right.diameter_ends
    if right.histogram is not None:
        assert found.histogram.pairs.tolist() == right.histogram.pairs.tolist()
    assert found.verdict.verified


@pytest.mark.parametrize("shared", [True, False], ids=["the client's file", "a file of the host"])
def test_the_numbers_are_those_of_one_process(
    cluster: Connection, right: AllSources, shared: bool
) -> None:
    remove_packs(cluster)
    found = run_on_cluster(REQUEST, cluster, ClusterChoices(shared=shared))
    require_same(found, right)
    assert found.engine == "cluster: hierarchy"
    assert "Computed on 1 host" in found.note
    assert ("the graph was sent to 1 of them" in found.note) is (not shared)
    again = run_on_cluster(REQUEST, cluster, ClusterChoices(shared=shared))
    assert "was sent" not in again.note, "it is in the host's cache"


def remove_packs(cluster: Connection) -> None:
    """Let no worker have a file of a graph."""
    cluster.client.run(forget_graphs)
    for file in network_pack.packs_folder().glob("*.sent.pack"):
        file.unlink()


def test_searches_and_distances_to_vertices(
    cluster: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(graph: Graph, *_: object, **__: object) -> None:
        raise SeparatorsTooLarge("test", graph.name, 9, 1)

    monkeypatch.setattr(engines, "prepare", refuse)
    request = replace(REQUEST, graph=graphs.at_random(90, 200, seed=6), direction=Direction.IN)
    cluster.client.run(refuse_sweeps)
    try:
        found = run_on_cluster(request, cluster)
    finally:
        cluster.client.run(allow_sweeps)
    require_same(found, run_all_sources(request))
    assert found.engine == "cluster: search"


def test_cancelled_hands_no_more_chunks_out_and_resumes(
    cluster: Connection,
    right: AllSources,
    tmp_path: Path,
    small_chunks: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token, request = CancelToken(), replace(REQUEST, state=tmp_path / "state")
    submitted: list[object] = []
    submit = ChunkRunner._submit
    monkeypatch.setattr(
        ChunkRunner, "_submit", lambda self, chunk: (submitted.append(chunk), submit(self, chunk))
    )

    def stop(done: float, total: float) -> None:
        if total == GRAPH.n and done >= 64:
            token.cancel()
            submitted.clear()

    with pytest.raises(Cancelled):
        run_on_cluster(
            request,
            cluster,
            None,
            lambda words: Progress(token, stop if words == COMPUTING else None),
        )
    assert not submitted
    finished = sum(len(done.summaries) for done in state_of(request).open()[0])
    assert 64 <= finished <= 80
    found = run_on_cluster(request, cluster)
    require_same(found, right)
    assert f"{finished} of 300 vertices were read from the state file" in found.note
    assert sum(chunk.last - chunk.first for chunk in submitted) == 300 - finished


def test_workers_with_little_memory_get_small_chunks_and_too_little_is_told(
    cluster: Connection, right: AllSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    submit, workers, limit = ChunkRunner._submit, Connection.workers, 2_000_000

    def note_size(self: ChunkRunner, chunk: Any) -> None:
        sizes.append(chunk.last - chunk.first)
        submit(self, chunk)

    def limited(self: Connection) -> dict[str, dict[str, Any]]:
        return {
            address: {**known, "memory_limit": limit} for address, known in workers(self).items()
        }

    monkeypatch.setattr(ChunkRunner, "_submit", note_size)
    monkeypatch.setattr(Connection, "workers", limited)
    require_same(run_on_cluster(REQUEST, cluster), right)
    assert max(sizes) == 16
    limit = 1000
    with pytest.raises(OutOfMemory, match="the largest worker has 1"):
        run_on_cluster(REQUEST, cluster)


def state_of(request: AllSourcesRequest) -> StateFile:
    kind, sums = request.searched.distance_type, sum_type_of(request.searched)
    key = state_key(request, "cluster: hierarchy", kind, sums)
    return StateFile(request.state, key, GRAPH.n, kind, sums, request.bins.count)


def test_a_chunk_that_is_computed_ends_when_the_run_is_cancelled(cluster: Connection) -> None:
    token = CancelToken(
        lambda: token.cancel() if sum(cluster.client.run(executing).values()) == 2 else None
    )
    cluster.client.run(never_end)
    try:
        with pytest.raises(Cancelled):
            run_on_cluster(
                REQUEST,
                cluster,
                None,
                lambda words: Progress(token) if words == COMPUTING else SILENT,
            )
        until = time.monotonic() + 30
        while sum(cluster.client.run(executing).values()) and time.monotonic() < until:
            time.sleep(0.01)
        assert sum(cluster.client.run(executing).values()) == 0
    finally:
        cluster.client.run(restore_summarise)


def test_paused_while_a_checkpoint_does_not_return(cluster: Connection, small_chunks: None) -> None:
    counts: list[int] = []

    def tasks() -> int:
        return sum(tally.tasks for tally in cluster.client.run(worker_tally).values())

    def pause(done: float, total: float) -> None:
        if counts:
            return
        before = tasks()
        while cluster.client.run(running_keys) != dict.fromkeys(cluster.workers(), 0):
            time.sleep(0.01)
        counts.extend((before, tasks()))

    before = tasks()
    run_on_cluster(
        REQUEST,
        cluster,
        None,
        lambda words: Progress(report=pause) if words == COMPUTING else SILENT,
    )
    assert counts[1] - before <= 5, (
        "each worker has ended the two chunks that it had, and one had ended before"
    )
    assert tasks() - before >= 19


def test_a_killed_workers_chunks_run_again(
    cluster: Connection, right: AllSources, small_chunks: None
) -> None:
    killed: list[int] = []

    def kill(done: float, total: float) -> None:
        if total == GRAPH.n and not killed:
            killed.append(look_at_hosts(cluster)[0].pid)
            psutil.Process(killed[0]).kill()

    found = run_on_cluster(REQUEST, cluster, None, lambda words: Progress(report=kill))
    require_same(found, right)
    assert not psutil.pid_exists(killed[0])
    until = time.monotonic() + 60
    # other tests use this cluster, too
    while len(cluster.workers()) < 2 and time.monotonic() < until:
        time.sleep(0.02)


def test_rows_in_an_array_that_zarr_alone_opens(
    cluster: Connection, right: AllSources, tmp_path: Path
) -> None:
    path = tmp_path / "rows.zarr"
    found = run_on_cluster(REQUEST, cluster, ClusterChoices(path))
    require_same(found, right)
    group = zarr.open_group(str(path), mode="r")
    matrix = graphs.right_matrix(GRAPH)
    whole = np.where(np.isfinite(matrix), matrix, GRAPH.distance_type.infinity)
    np.testing.assert_array_equal(group["distances"][:], whole)
    assert group["distances"].attrs["_ARRAY_DIMENSIONS"] == ["source", "target"]
    assert group["distances"].fill_value == GRAPH.distance_type.infinity
    np.testing.assert_array_equal(group["source"][:], GRAPH.ids)
    assert group["source"].fill_value is None, "xarray would take ids that equal it for missing"
    assert group["finished"][:].all()
    assert group.attrs["graph_sha256"] == GRAPH.sha256
    again = run_on_cluster(REQUEST, cluster, ClusterChoices(path))
    assert "300 of 300 vertices were read" in again.note
    with pytest.raises(InputError, match="holds something other"):
        run_on_cluster(REQUEST, cluster, ClusterChoices(path, np.array([1])))


def test_a_table_of_sources_and_targets_from_the_library(
    cluster: Connection, tmp_path: Path
) -> None:
    path = tmp_path / "table.zarr"
    sources = np.random.default_rng(2).permutation(GRAPH.n)[:100]
    names = {"sources": GRAPH.ids[sources].tolist(), "targets": GRAPH.ids[[7, 3]].tolist()}
    found = all_sources(GRAPH, ["histogram"], cluster=cluster, rows_to=path, **names)
    assert found.source_vertices.tolist() == sources.tolist()
    assert found.verdict.verified
    matrix = graphs.right_matrix(GRAPH)
    np.testing.assert_array_equal(found.reached, np.isfinite(matrix[sources]).sum(axis=1))
    group = zarr.open_group(str(path), mode="r")
    table = group["distances"][:]
    right = matrix[np.ix_(sources, [7, 3])]
    np.testing.assert_array_equal(
        np.where(table == GRAPH.distance_type.infinity, np.inf, table), right
    )
    np.testing.assert_array_equal(group["source"][:], GRAPH.ids[sources])
    assert found.histogram.pairs.sum() == found.reached.sum() - 100
    with pytest.raises(UnknownVertex):
        all_sources(GRAPH, cluster=cluster, rows_to=path, targets=[1])
    with pytest.raises(InputError, match="needs a cluster"):
        all_sources(GRAPH, rows_to=path)


def test_a_full_disk_under_the_array(
    cluster: Connection, right: AllSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_array, "_MOST_ROWS", 32)
    path = tmp_path / "rows.zarr"
    cluster.client.run(fill_disk)
    try:
        with pytest.raises(
            FileNotWritten, match=r"rows.zarr: the disk is full. Finished rows are kept"
        ):
            run_on_cluster(REQUEST, cluster, ClusterChoices(path))
    finally:
        cluster.client.run(empty_disk)
    kept = int(zarr.open_group(str(path), mode="r")["finished"][:].sum())
    found = run_on_cluster(REQUEST, cluster, ClusterChoices(path))
    require_same(found, right)
    assert kept == 0 or f"{kept} of 300 vertices were read" in found.note
    assert zarr.open_group(str(path), mode="r")["finished"][:].all()


def test_a_worker_without_the_file_gets_it_or_is_named(
    cluster: Connection, right: AllSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bool] = []
    monkeypatch.setattr(all_sources_module, "place", lambda *_, **__: Placement(("here",), {}))
    remove_packs(cluster)

    def place_again(*arguments: Any, **options: Any) -> Placement:
        sent.append(True)
        return place(*arguments, **options)

    monkeypatch.setattr(chunks, "place", place_again)
    require_same(run_on_cluster(REQUEST, cluster, ClusterChoices(shared=False)), right)
    assert sent
    remove_packs(cluster)
    monkeypatch.setattr(chunks, "place", lambda *_, **__: None)
    with pytest.raises(GraphNotOnWorker, match=r"sent.pack, is missing"):
        run_on_cluster(REQUEST, cluster, ClusterChoices(shared=False))


def test_a_wrong_row_is_told(cluster: Connection) -> None:
    cluster.client.run(add_one)
    try:
        found = run_on_cluster(REQUEST, cluster)
    finally:
        cluster.client.run(restore_summarise)
    assert not found.verdict.verified
    assert "totals is" in found.verdict.text


def test_flows_are_those_of_one_process_also_resumed(
    cluster: Connection, small_chunks: None, tmp_path: Path
) -> None:
    masses = np.random.default_rng(1).random(REQUEST.graph.n)
    request = replace(REQUEST, has_flows=True, masses=masses, state=tmp_path / "state")
    right = run_all_sources(replace(request, state=None)).flows
    for _ in range(2):  # the second time everything is in the files
        found = run_on_cluster(request, cluster)
        assert found.verdict.verified
        assert "recomputed" in found.verdict.text
        np.testing.assert_allclose(found.flows.arcs, right.arcs, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.flows.vertices, right.vertices, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("direction", Direction)
def test_turns_are_those_of_one_process(
    cluster: Connection, tmp_path: Path, direction: Direction
) -> None:
    before, after = crossing_turns(GRAPH, np.arange(0, GRAPH.m, 3))
    turns = dict.fromkeys(zip(before.tolist(), after.tolist(), strict=True), 1)
    graph = GRAPH.with_turns(TurnRules.of(turns))
    request = replace(REQUEST, graph=graph, direction=direction, has_flows=direction is _OUT)
    right, path = run_all_sources(request), tmp_path / "rows.zarr"
    assert (right.summaries.totals != run_all_sources(REQUEST).summaries.totals).any()
    found = run_on_cluster(request, cluster, ClusterChoices(path))
    require_same(found, right)
    group = zarr.open_group(str(path), mode="r")
    assert group["distances"].shape == (GRAPH.n, GRAPH.n)
    rows = group["distances"][:].astype(np.int64)
    rows[rows >= GRAPH.distance_type.infinity] = 0
    np.testing.assert_array_equal(rows.sum(axis=1), right.summaries.totals)
    if right.flows is not None:
        np.testing.assert_allclose(found.flows.arcs, right.flows.arcs, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.flows.vertices, right.flows.vertices, rtol=1e-9, atol=1e-9)


def double_flows() -> None:
    """In a worker: the flows of a chunk are wrong, but balanced."""
    right = HierarchyFlows.flows
    HierarchyFlows.right_flows = right

    def wrong(self: Any, sources: Any, progress: Any) -> Any:
        totals = right(self, sources, progress)
        for array in totals.arrays:
            array *= 2.0
        return totals

    HierarchyFlows.flows = wrong


def restore_flows() -> None:
    HierarchyFlows.flows = HierarchyFlows.right_flows


def test_wrong_flows_of_a_worker_are_told(cluster: Connection) -> None:
    cluster.client.run(double_flows)
    try:
        found = run_on_cluster(replace(REQUEST, has_flows=True), cluster)
    finally:
        cluster.client.run(restore_flows)
    assert not found.verdict.verified
    assert "the flow of" in found.verdict.text


def test_the_command_computes_over_a_cluster(
    cluster: Connection,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, rows = tmp_path / "graph.gr", tmp_path / "rows.zarr"
    write_dimacs(graphs.at_random(90, 200, seed=6), file)
    arguments = [
        "all-sources",
        str(file),
        "--cluster",
        cluster.client.scheduler.address,
        "--rows-to",
        str(rows),
        "--targets",
        "1,2",
    ]
    monkeypatch.setattr(ChunkPacing, "slow_hosts", lambda self: {"snail": 12.4})
    with credentials_of(cluster, tmp_path):
        assert cli.main(arguments) == 0
    out = capsys.readouterr()
    assert "Host snail is 12 times slower than the median worker." in out.out
    assert "Computed on 1 host" in out.out
    assert f"wrote {rows}" in out.out
    assert not out.err
    assert zarr.open_group(str(rows), mode="r")["target"][:].tolist() == [1, 2]
    unknown = [*arguments[2:4], "--rows-to", str(tmp_path / "t.zarr"), "--targets", "x"]
    assert cli.main(["all-sources", str(file), *unknown]) == 2
