"""What benchmarks of several graphs share: the machine and its load, a heading for each graph, and errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from solvers.commands.console import BAD_INPUT, Console
from solvers.errors import TautlineError
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.text import plural
from tests.benchmarks.graphs import graph_of


def machine_line(*more: str) -> str:
    """Processor, cores and the load of the last minute, and what else is given."""
    load = (f"load {os.getloadavg()[0]:.1f}",) if hasattr(os, "getloadavg") else ()
    return "; ".join((", ".join((machine.cpu_name(), plural(machine.cores(), "core"), *load)), *filter(None, more)))


def measure_each(specs: Iterable[str], console: Console, measure: Callable[[Graph], object]) -> int:
    """Call ``measure`` with each graph, below its heading; returns the exit status.

    Parameters
    ----------
    specs : iterable of str
        As for `graph_of`.
    console : Console
    measure : callable(Graph)
    """
    try:
        for spec in specs:
            graph = graph_of(spec)
            console.line("")
            console.line(f"{graph.name}: {plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}")
            measure(graph)
    except TautlineError as error:
        console.error_line(error)
        return BAD_INPUT
    return 0
