"""Shortest paths on graphs of any size, by some fifty algorithm variants on processors and GPUs.

A path in three lines::

    from solvers import read, solve

    answer = solve(read("NY.gr.gz"), source=1, target=5)
    print(answer.distance, answer.path)

`read` opens a file or takes a list of edges, a dict, a table of pandas or Arrow, a
SciPy sparse matrix, CSR arrays or a graph of NetworkX, OSMnx, igraph or rustworkx;
`generate` makes a graph; `from_networkx` and `to_networkx` convert; `variants` lists
what can solve, `list_devices` what runs kernels; `solve` solves, times and proves;
`prepare` returns a router that answers many questions about one graph; `all_sources`
computes eccentricity, closeness and reach of every vertex. These functions are
``__all__``; the types of what they return can be imported, too. NetworkX itself can
solve with Tautpath: ``networkx.dijkstra_path(G, a, b, backend="tautpath")``, without any
import from here. Every error and warning of `solvers.errors` is found here as well:
``solvers.NegativeCycle``.

Nothing here imports Qt. Importing this package loads none of the numerical libraries:
they are loaded when a function is first used.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from solvers import displays
from solvers.version import __version__ as __version__

if TYPE_CHECKING:
    from solvers.core.result import Verdict as Verdict
    from solvers.core.variant import Variant as Variant
    from solvers.devices.device import Device as Device
    from solvers.errors import *  # noqa: F403
    from solvers.graphs.graph import Graph as Graph
    from solvers.library.all_sources import all_sources
    from solvers.library.graphs import from_networkx, generate, read, to_networkx
    from solvers.library.paths import Paths as Paths
    from solvers.library.paths import Tree as Tree
    from solvers.library.router import Router as Router
    from solvers.library.router import prepare
    from solvers.library.router_proofs import Proofs as Proofs
    from solvers.library.solving import ShortestPaths as ShortestPaths
    from solvers.library.solving import list_devices, solve, variants
    from solvers.running.all_sources.betweenness import Flows as Flows
    from solvers.running.all_sources.reductions import Histogram as Histogram
    from solvers.running.all_sources.run import AllSources as AllSources

__all__ = [
    "all_sources",
    "from_networkx",
    "generate",
    "list_devices",
    "prepare",
    "read",
    "solve",
    "to_networkx",
    "variants",
]

_HOME = {
    "AllSources": "solvers.running.all_sources.run",
    "Device": "solvers.devices.device",
    "Flows": "solvers.running.all_sources.betweenness",
    "Graph": "solvers.graphs.graph",
    "Histogram": "solvers.running.all_sources.reductions",
    "Paths": "solvers.library.paths",
    "Proofs": "solvers.library.router_proofs",
    "Router": "solvers.library.router",
    "ShortestPaths": "solvers.library.solving",
    "Tree": "solvers.library.paths",
    "Variant": "solvers.core.variant",
    "Verdict": "solvers.core.result",
    "all_sources": "solvers.library.all_sources",
    "from_networkx": "solvers.library.graphs",
    "generate": "solvers.library.graphs",
    "list_devices": "solvers.library.solving",
    "prepare": "solvers.library.router",
    "read": "solvers.library.graphs",
    "solve": "solvers.library.solving",
    "to_networkx": "solvers.library.graphs",
    "variants": "solvers.library.solving",
}

displays.provide(lambda: importlib.import_module("solvers.notebook.displays"))

# whoever uses the package configures its log
logging.getLogger(__name__).addHandler(logging.NullHandler())


def _attribute(name: str) -> object:
    home = importlib.import_module(_HOME.get(name, "solvers.errors"))
    if name not in _HOME and name not in home.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(home, name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # a module with it has every name for type checkers
    __getattr__ = _attribute


def __dir__() -> list[str]:
    return list(__all__)
