"""What a trial over MPI ranks costs beside its solve time: ``python -m
tests.benchmarks.rank_start [--ranks N ...]``.

Measured, not asserted. One warm-up, the trials and a traced run of each variant, as the
window makes them. Total time of the warm-up, median (min – max) of total and solve
times of the trials, and the processor time of keeper, mpiexec and ranks over the whole
series.
"""

from __future__ import annotations

import argparse
import resource
import statistics

from solvers.core.variant import find_variant
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.benchmarks.graphs import machine_line
from tests.graphs import at_random


def children_s() -> float:
    """Processor time of the processes that this one has started, and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def shown(times: list[float]) -> str:
    return f"{statistics.median(times):.4g} ({min(times):.4g} – {max(times):.4g})"


def measure(variant_id: str, vertices: int, ranks: int, trials: int) -> None:
    graph = at_random(vertices, 3 * vertices, seed=1)
    choice, plan = (
        Choice(find_variant(variant_id), {"ranks": ranks}),
        MeasurementPlan(warmups=1, trials=trials),
    )
    before = children_s()
    (result,) = run(RunRequest(graph, 0, vertices - 1, (choice,), plan=plan, trace=True))
    assert result.ok, result.error
    warm_up = result.trials[0].phases.total
    total, solve = (shown(result.times(phase)) for phase in ("total", "solve"))
    print(
        f"| {variant_id} | {ranks} | {warm_up:.0f} | {total} | {solve} "
        f"| {children_s() - before:.2f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--vertices", type=int, default=200)
    parser.add_argument("--trials", type=int, default=5)
    arguments = parser.parse_args()
    print(machine_line(f"{arguments.vertices} vertices, {arguments.trials} trials\n"))
    print(
        "| variant | ranks | warm-up, ms | trial, ms | solve, ms | processor time, s |\n"
        "|---|---|---|---|---|---|"
    )
    for variant_id in ("dijkstra-mpi", "fw-mpi"):
        for ranks in arguments.ranks:
            measure(variant_id, arguments.vertices, ranks, arguments.trials)


if __name__ == "__main__":
    main()
