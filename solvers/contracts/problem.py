"""Input and output of a variant: the problem and its solution."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from solvers.errors import TautlineError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.host.observer import SILENT, Observer
from solvers.host.timing import Phases
from solvers.text import plural

if TYPE_CHECKING:
    from solvers.contracts.trial_scope import TrialScope
    from solvers.devices.base import Device, DeviceSession
    from solvers.devices.warm_graph import WarmGraph

OnDevice = TypeVar("OnDevice")


@dataclass(frozen=True)
class Problem:
    """A shortest-path problem for one variant.

    Attributes
    ----------
    graph : Graph
    source : int or None
        Vertex index; None for all pairs.
    target : int or None
        Vertex index; single-source and all-pairs variants ignore it.
    parameters : mapping
        The variant's own, settled (`Variant.settle`).
    device : Device or None
        Device that runs kernels; None for CPU variants.
    observer : Observer
        Receives progress and, in traced runs, every iteration; checked for cancellation.
    warm_graph : WarmGraph or None
        Keeps the graph on the device between trials; None: every trial uploads it.
    scope : TrialScope or None
        Keeps the MPI ranks between trials; None: every trial starts its own.
    """

    graph: Graph
    source: int | None
    target: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    device: Device | None = None
    observer: Observer = SILENT
    warm_graph: WarmGraph | None = None
    scope: TrialScope | None = None

    @cached_property
    def distance_type(self) -> WeightType:
        """The type to solve in: the graph's weight type, or the next wider if path lengths could overflow it."""
        return self.graph.distance_type

    def weights(self) -> NDArray[Any]:
        """The graph's weights in `distance_type`; not copied if they have that type."""
        return self.graph.weights.astype(self.distance_type.dtype, copy=False)

    def graph_on(self, session: DeviceSession, key: Hashable, build: Callable[[DeviceSession], OnDevice]) -> OnDevice:
        """Buffers that depend on the graph alone and that no kernel changes.

        Parameters
        ----------
        session : DeviceSession
            That of the trial, in which they are built unless the graph stays on the device.
        key : hashable
            Tells them from others of the same variant.
        build : callable
            Allocates and fills them in the session that it is given.

        Raises
        ------
        OutOfMemory
        """
        return build(session) if self.warm_graph is None else self.warm_graph.keep(key, build)


@dataclass(frozen=True)
class Solution:
    """A variant's answer, in host memory.

    Attributes
    ----------
    distances : (n,) or (n, n) array of the distance type
        Infinity of that type for unreachable vertices.
    iterations : int
        Passes, rounds or steps, as the variant counts them.
    phases : Phases
    relaxations : int or None
        Arcs relaxed (matrix cells for Floyd-Warshall); None if only a traced run can count them.
    predecessors : (n,) or (n, n) int32, or None
        Predecessor of each vertex on its shortest path, -1 for the source and unreachable vertices; None if they are
        to be recovered from the distances (``proof/paths.py``).
    peak_device_bytes : int
    note : str
        A sentence for the user on the choice that an automatic variant made; "" for others.
    """

    distances: NDArray[Any]
    iterations: int
    phases: Phases
    relaxations: int | None = None
    predecessors: NDArray[Any] | None = None
    peak_device_bytes: int = 0
    note: str = ""


class NegativeCycle(TautlineError):
    """A negative cycle is reachable from the source, so shortest paths do not exist.

    This is an outcome, not a failure: the runner converts it to a result with status ``negative_cycle``.

    Attributes
    ----------
    vertices : tuple of int
        Vertex indices in order along the cycle, the first not repeated.
    ids : tuple
        The same vertices by the ids of the file.
    weight : float
        Sum of the cycle's weights, with the lightest of parallel arcs; below zero.
    iterations : int
        Passes until it was found.
    """

    def __init__(self, graph: Graph, vertices: tuple[int, ...], weight: float, iterations: int = 0):
        self.vertices = vertices
        self.ids = tuple(graph.vertex_id(v) for v in vertices)
        self.weight = weight
        self.iterations = iterations
        shown = [*map(str, self.ids[:12]), *(["…"] if len(vertices) > 12 else []), str(self.ids[0])]
        size = plural(len(vertices), "vertex", "vertices")
        super().__init__(f"Negative cycle of {size}, length {weight:g}: {' → '.join(shown)}.")
