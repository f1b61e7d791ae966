"""One source to all vertices by a hierarchy on a device; explained in ``device_tree.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.ancestor_labels import AncestorLabels, ancestor_labels
from solvers.algorithms.hierarchy.climb import climb
from solvers.algorithms.hierarchy.path_sums import add_up_again
from solvers.algorithms.hierarchy.preparation import Prepared, prepare
from solvers.algorithms.hierarchy.supergraph import up_heads
from solvers.algorithms.hierarchy.watched_levels import watch_climb, watch_sweep
from solvers.algorithms.requirements import required_device, required_source
from solvers.contracts.catalog import Algorithm, Answers, Citation, RunsOn, variant
from solvers.contracts.mapping import WorkMapping
from solvers.contracts.problem import Problem, Solution
from solvers.devices.base import KernelSource, Program
from solvers.devices.dialect import distance_defines
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.host.timing import Phases
from solvers.parameters import Parameter

_ID = "cch-tree-device"
_BLOCK = Parameter("block", 64, "threads in a block", choices=(32, 64, 128, 256))


def memory(graph: Graph) -> int:
    """Device bytes for a road network: arcs up, labels, distances twice, order and rows."""
    size = graph.distance_type.dtype.itemsize
    return 5 * graph.m // 2 * (4 + size) + graph.n * (20 + 10 * size) + size * (1 << 22)


@variant(
    id=_ID,
    title="hierarchy, one to all, labels and subtrees",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREAD_PER_SUBTREE,
    papers=(Citation("beyond the papers", "after Dibbelt, Strasser and Wagner 2016, CCH; Delling et al. 2011, PHAST"),),
    packages=("pymetis",),
    idea=(
        "The network is prepared once, as for the hierarchy on the processor. A sweep level by level would leave a "
        "device idle near the top, where levels are narrow. So the vertices near the top have labels, their distances "
        "from all ancestors, and are settled all at once; below, thousands of threads settle one small subtree each. "
        "Two launches answer a source."
    ),
    watch=(
        "The same climb and the same levels as for the hierarchy on the processor; a timed run takes the levels near "
        "the top in one step, and those below in another."
    ),
    cost=(
        "Up to one relaxation for each entry of a label and one for each arc of the hierarchy below the cut; two "
        "launches whatever the size of the graph. Labels take up to eight words for each vertex."
    ),
    caveat=(
        "Labels are part of the preparation, made once for given weights. The climb, and the sums of floating-point "
        "distances, are made on the processor, and so are the levels of a watched run."
    ),
    parameters=(_BLOCK,),
    kernel="device_tree.cu",
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,).

    Raises
    ------
    NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable, DeviceUnavailable, KernelBuildError, Cancelled
    """
    device = required_device(problem, _ID)
    graph, kind, observer = problem.graph, problem.distance_type, problem.observer
    source, infinity = required_source(problem, _ID), kind.dtype.type(kind.infinity)
    phases = Phases()
    with phases.measure("prepare"):
        ready = prepare(problem, _ID)
        hierarchy, metric, tree = ready.hierarchy, ready.metric, ready.hierarchy.tree
        labels, heads = _labels(problem, ready), _heads(graph, ready)
        path, reached = np.empty(tree.height, np.int32), np.empty(tree.height, kind.dtype)
        ways = (tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, metric.up)
        start = int(tree.rank[source])
    program = device.compile(_source(kind, metric.guarded and kind.is_integer))
    observer.checkpoint()
    with phases.measure("solve"):
        climbed, relaxed = climb(start, *ways, infinity, path, reached)
    climbing = phases.solve
    with device.session() as session:
        with phases.measure("prepare"):
            known, distance = (session.empty(graph.n, kind.dtype) for _ in range(2))
        with phases.measure("h2d"):
            depth = int(tree.depth[start]) + 1
            lowest = path[:depth] + 1 - tree.size[path[:depth]]
            on_path = tuple(session.upload(array) for array in (path[:depth].copy(), lowest, reached[:depth].copy()))
            arrays = tuple(session.upload(array) for array in _arrays(ready, labels, heads))
            session.synchronize()
        with session.timer() as timer:
            _launch(program, int(problem.parameters["block"]), labels, depth, arrays, on_path, known, distance)
        phases.solve += timer.ms
        observer.checkpoint()
        with phases.measure("d2h"):
            distances = session.download(distance)
        peak = session.peak_bytes
    if observer.watching:
        levels = watch_climb(problem, hierarchy, metric.up, start, path, climbing)
        watch_sweep(problem, hierarchy, metric, levels)
    if not kind.is_integer:
        with phases.measure("solve"):
            distances = add_up_again(graph, source, problem.weights(), distances, observer)
    counts = (climbed + tree.height, phases, relaxed + hierarchy.arcs)
    return Solution(distances, *counts, peak_device_bytes=peak, note=ready.note)


def _labels(problem: Problem, ready: Prepared) -> AncestorLabels:
    """The labels of the metric; kept with the graph unless the metric serves this source only."""
    graph, kind = problem.graph, problem.distance_type

    def make() -> AncestorLabels:
        return ancestor_labels(ready.hierarchy, ready.metric, kind, problem.observer)

    return graph.derived(("labels of the hierarchy", kind.name), make) if ready.serves_all_sources else make()


def _heads(graph: Graph, ready: Prepared) -> NDArray[np.int32]:
    """The rank of the upper end of every up arc, kept with the graph."""
    return graph.derived("upper ends of the hierarchy", lambda: up_heads(ready.hierarchy))


def _source(kind: WeightType, guarded: bool) -> KernelSource:
    defines = distance_defines(kind) | ({"GUARDED": 1} if guarded else {})
    return KernelSource.beside(__file__, "device_tree.cu", **defines)


def _arrays(ready: Prepared, labels: AncestorLabels, heads: NDArray[np.int32]) -> tuple[NDArray[Any], ...]:
    """What is on the device whatever the source; none is empty, since OpenCL has no empty buffers."""
    arrays = (
        labels.above, labels.first, labels.labels, ready.hierarchy.tree.order, labels.pieces, labels.sizes,
        ready.hierarchy.up_first, heads, ready.metric.down,
    )  # fmt: skip
    return tuple(array if len(array) else np.zeros(1, array.dtype) for array in arrays)


def _launch(
    program: Program,
    block: int,
    labels: AncestorLabels,
    depth: int,
    arrays: tuple[Any, ...],
    on_path: tuple[Any, ...],
    known: Any,
    distance: Any,
) -> None:
    """Settle the vertices above the cut, then those below."""
    above, first, entries, order, pieces, sizes, up_first, heads, down = arrays
    path, lowest, reached = on_path
    count = len(labels.above)
    program.launch(
        "settle_above", (-(-count // block),), (block,), np.int32(count), np.int32(depth), above, first, entries, path,
        lowest, reached, order, known, distance,
    )  # fmt: skip
    count = len(labels.pieces)
    program.launch(
        "settle_below", (-(-count // block),), (block,), np.int32(count), np.int32(depth), pieces, sizes, up_first,
        heads, down, path, reached, order, known, distance,
    )  # fmt: skip
