"""Floyd-Warshall on one GPU, over several, and streamed through one: ``python -m
tests.benchmarks.large_matrices [N]``.

The contenders solve the same random graph in turn, ``--trials`` times after a warm-up;
answers are compared, and the first is verified. ``--beyond N --device-gb GB`` solves a
larger matrix with that much memory of each GPU.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.commands.console import Console
from solvers.core.problem import Problem, Solution
from solvers.core.variant import find_variant
from solvers.devices import pick
from solvers.devices.gpu_group import number_of_gpus
from solvers.graphs.generators import find as find_generator
from solvers.graphs.graph import Graph
from solvers.text import format_duration
from solvers.verification.verify import verify_apsp
from tests.benchmarks.timing import cells

_HEADER = (
    "variant",
    "prepare",
    "to the GPU",
    "solve (least – greatest)",
    "back",
    "total",
    "in-core ÷ this, solve",
)


@dataclass
class Contender:
    """A variant with its parameters, and its solutions' times in ms."""

    title: str
    variant_id: str
    parameters: dict[str, Any]
    phases: list[Any] = field(default_factory=list)

    def solve(self, graph: Graph) -> Solution:
        return find_variant(self.variant_id).solve(
            Problem(graph, None, None, self.parameters, pick("cuda"))
        )

    def median(self, name: str) -> float:
        return float(statistics.median(getattr(one, name) for one in self.phases))

    def row(self, baseline: Contender) -> tuple[str, ...]:
        _, spread = cells([one.solve for one in self.phases])
        times = [
            format_duration(self.median(name))
            for name in ("prepare", "h2d", "solve", "d2h", "total")
        ]
        ratio = f"{baseline.median('solve') / self.median('solve'):.3f}"
        return (self.title, times[0], times[1], f"{times[2]} ({spread})", times[3], times[4], ratio)


def contenders(gpus: int, device_gb: float = 0.0, *, in_core: bool = True) -> list[Contender]:
    shared = {"bits": "full"}
    limit = {**shared, "device_gb": device_gb}
    found = [Contender("in-core", "fw-blocked", shared)] if in_core else []
    found += [
        Contender(f"{count} GPU(s), panels", "fw-blocked-gpus", {**limit, "gpus": count})
        for count in range(1 if in_core else gpus, gpus + 1)
    ]
    return [*found, Contender("streamed", "fw-blocked-streamed", limit)]


def measure(graph: Graph, found: list[Contender], trials: int, console: Console) -> None:
    """Warm-up and trials of all contenders in turn; the table."""
    expected: NDArray[Any] | None = None
    for trial in range(trials + 1):
        for one in found:
            solution = one.solve(graph)
            if expected is None:
                expected = solution.distances
                console.line(f"first answer: {verify_apsp(graph, expected).text or 'proved'}")
            elif trial == 0:
                console.line(
                    f"{one.title}: "
                    f"{'equal' if np.array_equal(expected, solution.distances) else 'WRONG'}"
                )
            if trial:
                one.phases.append(solution.phases)
            del solution
    console.table(_HEADER, [one.row(found[0]) for one in found])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vertices", type=int, nargs="?", default=32_768)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument(
        "--beyond", type=int, default=0, metavar="N", help="vertices of the larger matrix"
    )
    parser.add_argument("--device-gb", type=float, default=8.0)
    given = parser.parse_args(arguments)
    console, gpus = Console(), number_of_gpus()
    measure(_random(given.vertices), contenders(gpus), given.trials, console)
    if given.beyond:
        measure(_random(given.beyond), contenders(gpus, given.device_gb, in_core=False), 1, console)
    return 0


def _random(vertices: int) -> Graph:
    return find_generator("random").generate({"vertices": vertices, "degree": 8})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
