"""How far a single trial lies from the median of many: the factor within which 95 of 100 do.

``python -m tests.benchmarks.single_trials`` prints a row for each variant and size. The
largest factors of a quiet machine are the variations of `solvers.core.result_view`, by
which fewer than five trials are compared.
"""

from __future__ import annotations

import numpy as np

from solvers import generate, list_devices, solve
from solvers.text import format_duration
from tests.benchmarks.graphs import machine_line

SIZES = (2_000, 20_000, 200_000)
TRIALS = 150
_ON_PROCESSOR = ("dijkstra-heap", "sssp-delta-omp")
_ON_GPU = ("bf-edge-flags", "sssp-near-far", "sssp-blocked")


def main() -> None:
    has_gpu = any(device.kind == "cuda" for device in list_devices())
    print(machine_line())
    print("| variant | vertices | median | 95 of 100 within a factor | load, cores |")
    print("|---|---|---|---|---|")
    for size in SIZES:
        graph = generate("road", vertices=size)
        for variant in (*_ON_PROCESSOR, *(_ON_GPU if has_gpu else ())):
            result = solve(
                graph, variant, source=graph.vertex_id(0), trials=TRIALS, warmup=2
            ).result
            times = np.array(result.times())
            low, high = np.quantile(times, (0.025, 0.975)) / np.median(times)
            load = "unknown" if result.load is None else f"{result.load:.2f}"
            print(
                f"| {variant} | {graph.n} | {format_duration(float(np.median(times)))} "
                f"| {max(1 / low, high):.2f} | {load} |"
            )


if __name__ == "__main__":
    main()
