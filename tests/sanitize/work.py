"""The checked process: solves small graphs with every CUDA variant, and says on stdout
which one comes next.

A variant's name is printed before it starts, and its work is complete before the next
name is printed, so that what compute-sanitizer prints in between belongs to it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import Answers, Variant, all_variants
from solvers.devices import pick
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.verification.verify import verify_apsp, verify_sssp
from tests.graphs import at_random, by_hand
from tests.sanitize.log import END, WRONG, marker

_SETTLE_S = 0.1  # compute-sanitizer prints from a process of its own


def checked_variants(only: Sequence[str] = ()) -> list[Variant]:
    """The variants that launch kernels, but for those with a data race by design."""
    return [
        v
        for v in all_variants()
        if v.runs_on.needs_device and not v.racy and (not only or v.id in only)
    ]


def small_graphs(dtypes: Sequence[str]) -> Iterator[Graph]:
    """Two graphs of each weight type: sizes that are no multiple of a block or tile,
    and several blocks in one.
    """
    for dtype in dtypes:
        yield by_hand("a grid", np.dtype(dtype))
        yield at_random(293, 1500, 7, np.dtype(dtype), directed=dtype != "float64", low=1)


def check(entry: Variant, graph: Graph, device: Device) -> None:
    """Solve and verify one graph; a wrong answer, an error and an unavailable variant
    are each printed as a line.
    """
    here = availability(entry, graph, device)
    if not here.available:
        _say(f"{graph.name}: {here.reason}")
        return
    source = None if entry.answers is Answers.APSP else 0
    try:
        solution = entry.solve(Problem(graph, source, None, entry.settle({}), device))
    except Exception as error:  # the next variant is checked all the same
        _say(
            f"{WRONG}{graph.name} ({graph.weight_type.name}): {type(error).__name__}: "
            f"{' '.join(str(error).split())}"
        )
        return
    verdict = (
        verify_apsp(graph, solution.distances)
        if source is None
        else verify_sssp(graph, source, solution.distances)
    )
    if not verdict.verified:
        _say(f"{WRONG}{graph.name} ({graph.weight_type.name}): {verdict.text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    device = pick("cuda")
    examples = list(small_graphs(arguments.types.split(",")))
    for entry in checked_variants([name for name in arguments.only.split(",") if name]):
        _say(marker(entry.id))
        for graph in examples:
            check(entry, graph, device)
        with device.session() as session:
            session.synchronize()
        time.sleep(_SETTLE_S)
    _say(END)
    return 0


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
