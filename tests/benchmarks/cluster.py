"""All sources over worker processes: ``python -m tests.benchmarks.cluster GRAPH...
[--workers 1,2] [--device cuda]``.

For each number of workers: time by the wall, processor time of the workers and of the
client, chunks and their length, what a host is sent (file of the graph, tasks,
results), and the memory of a worker, its own and shared. The speed-up compares with the
first number of workers. A graph is a file or ``road:100000``.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psutil

from solvers.algorithms.distance_rows import RowSummaries, sum_type_of
from solvers.commands.console import Console
from solvers.core.result import Verdict
from solvers.features.all_sources.on_cluster.run import ClusterChoices, run_on_cluster
from solvers.features.all_sources.on_cluster.worker import (
    CHOICES,
    ChunkPlan,
    ChunkResult,
    forget_graphs,
)
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.clusters.connection import Connection, connected
from solvers.features.clusters.workers import worker_facts, worker_tally
from solvers.graphs.graph import Graph
from solvers.running.network_pack import PackName, packs_folder
from solvers.running.prepared_network import prepared_network
from solvers.system.openmp import team
from solvers.text import format_bytes, format_duration
from tests.benchmarks.graphs import SPECS, graph_of, machine_line, measure_each


@dataclass(frozen=True)
class ClusterCost:
    """What one run has cost: seconds, chunks, and bytes of a worker's memory."""

    wall_s: float
    workers_cpu_s: float
    client_cpu_s: float
    chunks: int
    busy_s: float
    own_bytes: int
    shared_bytes: int


def main(argv: Sequence[str]) -> int:
    """Print one table a graph; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.cluster", description=__doc__)
    parser.add_argument("graphs", nargs="+", metavar=SPECS)
    parser.add_argument("--workers", default="1,2", metavar="N[,N...]")
    parser.add_argument(
        "--device", default="none", choices=CHOICES, help="cuda: one worker a GPU (default: none)"
    )
    arguments = parser.parse_args(argv)
    console = Console()
    console.line(machine_line())

    def measure(graph: Graph) -> None:
        with team(0, "benchmark") as threads:
            # prepares the graph, once for all numbers of workers
            prepared_network(graph, threads=threads)
        counts = map(int, arguments.workers.split(","))
        _print(
            graph, {count: _measure(graph, count, arguments.device) for count in counts}, console
        )

    return measure_each(arguments.graphs, console, measure)


def _measure(graph: Graph, count: int, device: str) -> ClusterCost:
    """A run on ``count`` workers, after one on the same workers in which all is loaded
    and compiled.
    """
    with connected(f"local:{count}") as connection:
        connection.client.run(forget_graphs)
        for file in packs_folder().glob("*.sent.pack"):
            file.unlink()
        small = graph_of("road:2000")
        run_on_cluster(AllSourcesRequest(small), connection, ClusterChoices(device=device))
        processes = [
            psutil.Process(facts.pid) for facts in connection.client.run(worker_facts).values()
        ]
        own = psutil.Process()
        before = _used(processes), _used([own]), _chunks(connection)
        began = time.perf_counter()
        run_on_cluster(
            AllSourcesRequest(graph), connection, ClusterChoices(device=device, shared=False)
        )
        wall = time.perf_counter() - began
        chunks = _chunks(connection)
        memory = processes[0].memory_full_info()
        return ClusterCost(
            wall,
            _used(processes) - before[0],
            _used([own]) - before[1],
            int(chunks[0] - before[2][0]),
            chunks[1] - before[2][1],
            memory.uss,
            memory.rss - memory.uss,
        )


def _used(processes: Sequence[psutil.Process]) -> float:
    """Processor seconds."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _chunks(connection: Connection) -> tuple[float, float]:
    """Finished chunks of all workers, and the seconds they took together."""
    tallies = connection.client.run(worker_tally).values()
    return sum(tally.tasks for tally in tallies), sum(tally.busy_s for tally in tallies)


def _print(graph: Graph, costs: dict[int, ClusterCost], console: Console) -> None:
    first = next(iter(costs.values()))
    rows = [
        (
            str(count),
            format_duration(cost.wall_s * 1e3),
            f"{first.wall_s / cost.wall_s:.2f}",
            format_duration(cost.workers_cpu_s * 1e3),
            format_duration(cost.client_cpu_s * 1e3),
            str(cost.chunks),
            format_duration(cost.busy_s / max(1, cost.chunks) * 1e3),
            format_bytes(cost.own_bytes),
            format_bytes(cost.shared_bytes),
        )
        for count, cost in costs.items()
    ]
    header = (
        "workers",
        "wall",
        "speed-up",
        "workers' CPU",
        "client's CPU",
        "chunks",
        "each",
        "own memory",
        "shared",
    )
    console.table(header, rows, right="rrrrrrrrr")
    sent = max((file.stat().st_size for file in packs_folder().glob("*.sent.pack")), default=0)
    task, result = _message_bytes(graph)
    console.line(
        f"file of the graph, once a host: {format_bytes(sent)}, {sent / max(1, graph.m):.1f} bytes "
        f"an arc; a task: {format_bytes(task)}; the result of a source: {result:.1f} bytes"
    )


def _message_bytes(graph: Graph) -> tuple[int, float]:
    """Bytes of a task, and of a result for each of 1000 sources."""
    plan = ChunkPlan(
        "0" * 12,
        PackName("0" * 32, "0" * 64, 1, "/some/folder/of/the/client.pack"),
        True,
        "auto",
        None,
        None,
    )
    summaries = RowSummaries.empty(1000, graph.distance_type, sum_type_of(graph))
    result = ChunkResult(
        0,
        1000,
        summaries,
        np.zeros(0, np.int64),
        Verdict(True, 0, "1 row of 1000 proved.", (1,)),
        1.0,
        "host",
    )
    return len(pickle.dumps((plan, 0, 1000))), len(pickle.dumps(result)) / 1000


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
