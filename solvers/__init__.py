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
from typing import TYPE_CHECKING

from solvers import displays
from solvers.version import __version__ as __version__

if TYPE_CHECKING:
    from solvers.core.result import Result, Verdict
    from solvers.core.variant import Variant
    from solvers.devices.device import Device
    from solvers.errors import *  # noqa: F403
    from solvers.graphs.graph import Graph
    from solvers.graphs.road_points import RoadPoint
    from solvers.library.all_sources import all_sources
    from solvers.library.distances import DistanceTable, Reached, Tree
    from solvers.library.graphs import from_networkx, generate, read, to_networkx
    from solvers.library.paths import Alternatives, Path, Paths
    from solvers.library.router import Router, prepare
    from solvers.library.router_proofs import Proofs
    from solvers.library.solving import ShortestPaths, Variants, list_devices, solve, variants
    from solvers.notebook.displays import Display
    from solvers.parameters import Parameter
    from solvers.running.all_sources.betweenness import Flows
    from solvers.running.all_sources.reductions import Histogram
    from solvers.running.all_sources.run import AllSources
    from solvers.running.answers.frames import Tabular
    from solvers.running.answers.isochrones import Isochrones, Outlines

__all__ = [
    "AllSources",
    "Alternatives",
    "AnswerRefused",
    "Cancelled",
    "ClusterUnavailable",
    "ColumnsUnknown",
    "Device",
    "DeviceUnavailable",
    "Display",
    "DistanceTable",
    "DownloadFailed",
    "ExerciseFileError",
    "FileFormatError",
    "FileMissing",
    "FileNotWritten",
    "Flows",
    "ForeignQuery",
    "Graph",
    "GraphFileWarning",
    "GraphNotOnWorker",
    "Histogram",
    "InputError",
    "Isochrones",
    "KernelBuildError",
    "KernelCrashed",
    "KernelMismatch",
    "KernelTimeLimit",
    "MpiUnavailable",
    "NegativeCycle",
    "NoRoadNear",
    "NoWorkers",
    "NotDispatched",
    "NotUndirected",
    "OptionNotApplicable",
    "OrderFailed",
    "OutOfMemory",
    "Outlines",
    "PackageMissing",
    "Parameter",
    "ParameterError",
    "Path",
    "Paths",
    "Proofs",
    "RankFailed",
    "Reached",
    "RehearsalFailed",
    "Result",
    "RoadPoint",
    "Router",
    "SchedulerUnreachable",
    "SeparatorsTooLarge",
    "SeveralMeant",
    "ShortestPaths",
    "Skipped",
    "StoreUnavailable",
    "Tabular",
    "TautpathError",
    "TautpathWarning",
    "TimedOut",
    "Tree",
    "TurnsLeftOut",
    "Unavailable",
    "UnknownArc",
    "UnknownName",
    "UnknownVertex",
    "UnsuitableGraph",
    "UserCodeFailed",
    "Variant",
    "VariantFileError",
    "Variants",
    "Verdict",
    "VerificationFailed",
    "VersionsDiffer",
    "WeightNotChanged",
    "WorkersLost",
    "WrongAnswer",
    "WrongChecksum",
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
    "Alternatives": "solvers.library.paths",
    "Device": "solvers.devices.device",
    "Display": "solvers.notebook.displays",
    "DistanceTable": "solvers.library.distances",
    "Flows": "solvers.running.all_sources.betweenness",
    "Graph": "solvers.graphs.graph",
    "Histogram": "solvers.running.all_sources.reductions",
    "Isochrones": "solvers.running.answers.isochrones",
    "Outlines": "solvers.running.answers.isochrones",
    "Parameter": "solvers.parameters",
    "Path": "solvers.library.paths",
    "Paths": "solvers.library.paths",
    "Proofs": "solvers.library.router_proofs",
    "Reached": "solvers.library.distances",
    "Result": "solvers.core.result",
    "RoadPoint": "solvers.graphs.road_points",
    "Router": "solvers.library.router",
    "ShortestPaths": "solvers.library.solving",
    "Tabular": "solvers.running.answers.frames",
    "Tree": "solvers.library.distances",
    "Variant": "solvers.core.variant",
    "Variants": "solvers.library.solving",
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
