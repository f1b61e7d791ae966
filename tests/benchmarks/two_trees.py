"""What became slower or faster since another version: both trees measured in turn.

::

    python -m tests.benchmarks.two_trees BEFORE GRAPH [--rounds N] [--device auto|none]

BEFORE is the folder of another version's sources, GRAPH a road network. In every round
each tree runs the same program in a process of its own, the order alternating; a row is
the median over rounds of each process's median, and the median of the rounds' ratios
(least to greatest). Both trees compile before the first round that counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.graphs import machine_line

ROOT = Path(__file__).resolve().parents[2]

_PROGRAM = """
import sys, time
began = time.perf_counter()
from solvers import solve
imported = time.perf_counter() - began
import json, statistics
import numpy as np
from solvers import generate, prepare, read, list_devices

path, device = sys.argv[1], sys.argv[2]
found = {"from solvers import solve": imported}

def measure(name, ask, calls):
    times = []
    for k in range(calls + 3):
        began = time.perf_counter()
        try:
            ask(k)
        except Exception as error:
            print(name, type(error).__name__, error, file=sys.stderr)
            return
        times.append(time.perf_counter() - began)
    found[name] = statistics.median(times[3:])

began = time.perf_counter()
graph = read(path)
found["read the graph"] = time.perf_counter() - began
ids = graph.ids.tolist()
start = [ids[k * 7919 % len(ids)] for k in range(1, 2000)]
end = [ids[k * 104729 % len(ids)] for k in range(1, 2000)]
kinds = {} if device == "none" else {d.kind for d in list_devices()}
variants = {"cch-tree": 30, "dijkstra-heap": 10, "sssp-delta-omp": 20}
if kinds:
    variants |= {"cch-tree-device": 30, "sssp-blocked": 20, "sssp-near-far": 20}
for variant, trials in variants.items():
    try:
        answer = solve(graph, variant, source=ids[0], trials=trials, warmup=3)
        found[variant] = statistics.median(answer.times)
    except Exception as error:
        print(variant, type(error).__name__, error, file=sys.stderr)
dense = generate("random", vertices=2000, degree=400, seed=1)
for variant in ("fw-blocked",) if kinds else ("fw-omp-tiled",):
    try:
        answer = solve(dense, variant, trials=7, warmup=2)
        found[variant + ", 2,000 vertices"] = statistics.median(answer.times)
    except Exception as error:
        print(variant, type(error).__name__, error, file=sys.stderr)
router = prepare(graph, device=None)
measure("router, a pair", lambda k: router.distance(start[k], end[k]), 300)
measure("router, a path", lambda k: router.path(start[k], end[k]), 200)
measure("router, from one to all", lambda k: router.distances(start[k]), 50)
measure("router, table of 300 x 300",
        lambda k: router.table(start[k * 3 : k * 3 + 300], end[k * 3 : k * 3 + 300]), 7)
measure("solve, one source", lambda k: solve(graph, source=start[k]), 15)
measure("solve, one pair", lambda k: solve(graph, source=start[k], target=end[k]), 15)
json.dump(found, sys.stdout)
"""


def main(given: Sequence[str] | None = None) -> int:
    """Print one row for each figure; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.two_trees", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("graph", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", choices=("auto", "none"), default="auto")
    arguments = parser.parse_args(given)
    trees = (arguments.before.resolve(), ROOT)
    rounds: list[list[dict[str, float]]] = []
    for number in range(arguments.rounds + 1):
        order = trees if number % 2 else trees[::-1]
        found = {tree: _once(tree, arguments.graph.resolve(), arguments.device) for tree in order}
        if number:
            rounds.append([found[tree] for tree in trees])
    print(f"{machine_line()}\n\n| | before | after | after / before |\n|---|---|---|---|")
    for name in rounds[0][1]:
        print(_row(name, [pair for pair in rounds if all(name in one for one in pair)]))
    print(f"\nMilliseconds, {arguments.rounds} rounds.")
    return 0


def _once(tree: Path, graph: Path, device: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(graph), device],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(tree), *sys.path[1:]))},
        stdout=subprocess.PIPE,
        check=True,
    )
    times: dict[str, float] = json.loads(done.stdout)
    return times


def _row(name: str, rounds: Sequence[Sequence[dict[str, float]]]) -> str:
    before, after = ([1e3 * pair[which][name] for pair in rounds] for which in (0, 1))
    if not rounds:
        return f"| {name} | - | - | - |"
    ratios = [b / a for a, b in zip(before, after, strict=True)]
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    cells = f"{statistics.median(before):.3g} | {statistics.median(after):.3g}"
    return f"| {name} | {cells} | {statistics.median(ratios):.2f} ({spread}) |"


if __name__ == "__main__":
    sys.exit(main())
