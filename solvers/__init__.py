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
computes eccentricity, closeness and reach of every vertex. These functions, the types of
what they return, and all of `solvers.errors` are ``__all__``. NetworkX itself can
solve with Tautpath: ``networkx.dijkstra_path(G, a, b, backend="tautpath")``, without any
import from here.

Nothing here imports Qt. Importing this package loads none of the numerical libraries:
they are loaded when a function is first used.
"""

from __future__ import annotations

import importlib
import logging
from functools import cache
from typing import TYPE_CHECKING

from solvers.version import __version__ as __version__

_HOME = {
    "Alternatives": "solvers.library.paths",
    "Device": "solvers.devices.device",
    "DistanceTable": "solvers.library.distances",
    "Graph": "solvers.graphs.graph",
    "Parameter": "solvers.parameters",
    "Path": "solvers.library.paths",
    "Paths": "solvers.library.paths",
    "Proofs": "solvers.verification.sample",
    "Reached": "solvers.library.distances",
    "Result": "solvers.core.result",
    "RoadPoint": "solvers.graphs.places",
    "ShortestPaths": "solvers.library.shortest_paths",
    "Tabular": "solvers.running.answers.frames",
    "Tree": "solvers.library.distances",
    "Variant": "solvers.core.variant",
    "Variants": "solvers.library.solving",
    "Verdict": "solvers.core.result",
    "from_networkx": "solvers.library.graphs",
    "generate": "solvers.library.graphs",
    "list_devices": "solvers.library.solving",
    "read": "solvers.library.graphs",
    "solve": "solvers.library.solving",
    "to_networkx": "solvers.library.graphs",
    "variants": "solvers.library.solving",
}

# whoever uses the package configures its log
logging.getLogger(__name__).addHandler(logging.NullHandler())


@cache
def _home() -> dict[str, str]:
    """The modules of all public names but errors, of the core and of features."""
    from solvers.system import feature  # with dataclasses and inspect, which take longest

    found = dict(_HOME)
    for one in feature.features().values():
        found |= one.names
    return found


@cache
def _names() -> list[str]:
    errors = importlib.import_module("solvers.errors")
    return sorted({*_home(), *errors.__all__})


def _attribute(name: str) -> object:
    if name not in _names() and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__all__":
        found: object = _names()
    else:
        found = getattr(importlib.import_module(_home().get(name, "solvers.errors")), name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # a module with it has every name for type checkers
    __getattr__ = _attribute


def __dir__() -> list[str]:
    return list(_names())
