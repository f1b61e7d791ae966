"""One source to all vertices by a hierarchy on a device; explained in ``device_tree.cu``."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.elimination_tree import EliminationTree
from solvers.algorithms.hierarchy.labels import (
    DeviceLayout,
    ancestor_labels,
    compile_labels,
    device_layout,
    labels_on_device,
)
from solvers.algorithms.hierarchy.ordering import time_since
from solvers.algorithms.hierarchy.path_sums import add_up_again
from solvers.algorithms.hierarchy.preparation import (
    CUSTOMISE,
    Prepared,
    device_for_customising,
    hierarchy_variant,
    prepare,
    prepared,
)
from solvers.algorithms.hierarchy.sweep import climb_from
from solvers.algorithms.hierarchy.traced_sweep import watch_climb, watch_sweep
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Answers, Preparation, RunsOn, WorkMapping
from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import distance_defines
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray, Int32s

_ID = "cch-tree-device"
_BLOCK = Parameter("block", 128, "threads in a block", choices=(32, 64, 128, 256))
_LANES = 8  # of the kernel
_BLOCKS_A_MULTIPROCESSOR = 16


def memory(graph: Graph) -> int:
    """Device bytes for a road network: arcs up, labels, distances twice, order and rows."""
    size = graph.distance_type.dtype.itemsize
    return 5 * graph.m // 2 * (4 + size) + graph.n * (20 + 18 * size) + size * (1 << 22)


def _key(kind: WeightType) -> Hashable:
    return "hierarchy for devices", kind.name


def prepared_here(graph: Graph, device: Device | None) -> Preparation | None:
    """The hierarchy, its metric, and what this variant adds to them."""
    return prepared(graph, _key(graph.distance_type))


@hierarchy_variant(
    id=_ID,
    title="hierarchy, one to all, labels and subtrees",
    short_title="hierarchy, subtrees",
    answers=Answers.SSSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.BLOCK_PER_SUBTREES,
    idea=(
        "The network is prepared once, as for the hierarchy on the processor. A sweep level by "
        "level would leave a device idle near the top, where levels are narrow. So vertices near "
        "the top have labels, which hold their distances from all ancestors, and are all settled "
        "at once. Below, each block of threads settles a small subtree level by level, without "
        "waiting for other blocks. A source takes two launches."
    ),
    watch=(
        "The same climb and the same levels as for the hierarchy on the processor; a timed run "
        "takes the levels near the top in one step, and those below in another."
    ),
    cost=(
        "Up to one relaxation for each entry of a label and one for each arc "
        "of the hierarchy below the cut; two launches for graphs of any size. "
        "Labels take up to sixteen words for each vertex."
    ),
    caveat=(
        "Labels are part of the preparation, which is done once for given weights. "
        "The climb, the sums of floating-point distances, and the levels of a watched run "
        "are computed on the processor."
    ),
    parameters=(_BLOCK, CUSTOMISE),
    kernel="device_tree.cu",
    memory=memory,
    prepared=prepared_here,
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,).

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable,
    DeviceUnavailable, KernelBuildError, Cancelled.
    """
    device = problem.given_device
    graph, kind, progress = problem.graph, problem.distance_type, problem.progress
    source = problem.given_source
    phases = Phases()
    customiser = device_for_customising(problem)
    if customiser is not None:
        compile_labels(customiser, kind, guarded=graph.has_negative_weights)
    with phases.measure("prepare"):
        ready = prepare(problem.graph, problem.source, _ID, problem.progress, device=customiser)
        hierarchy, metric, tree = ready.hierarchy, ready.metric, ready.hierarchy.tree
        layout, labelled = _layout(problem, ready, customiser)
        start = int(tree.rank[source])
    block = int(problem.parameters["block"])
    program = device.compile(_source(kind, block, metric.guarded and kind.is_integer))
    progress.checkpoint()
    with phases.measure("solve"):
        path, reached, climbed, relaxed = climb_from(hierarchy, metric, kind, source)
    climbing = phases.solve
    with device.session() as session:
        with phases.measure("prepare"):
            known, distance = (session.empty(graph.n, kind.dtype) for _ in range(2))
        with phases.measure("h2d"):
            arrays = problem.graph_on(session, "hierarchy", partial(_upload, layout))
            start_arrays = _Start.of(
                layout, tree, path, reached, int(tree.depth[start]) + 1, session
            )
            session.synchronize()
        with session.timer() as timer:
            _launch(program, device, block, layout, arrays, start_arrays, known, distance)
        phases.solve += timer.ms
        progress.checkpoint()
        with phases.measure("d2h"):
            distances = session.download(distance)
        peak = session.peak_bytes
    if problem.recorder is not None:
        levels = watch_climb(problem, problem.recorder, hierarchy, metric.up, start, path, climbing)
        watch_sweep(problem, problem.recorder, hierarchy, metric, levels)
    if not kind.is_integer:
        with phases.measure("solve"):
            distances = add_up_again(graph, source, problem.weights(), distances, progress)
    counts = (climbed + tree.height, phases, relaxed + hierarchy.arcs)
    return Solution(distances, *counts, peak_device_bytes=peak, note=f"{ready.note}; {labelled}.")


def _layout(problem: Problem, ready: Prepared, labeller: Device | None) -> tuple[DeviceLayout, str]:
    """The cut hierarchy, and a few words; kept with the graph unless its metric serves
    this source only.
    """
    graph, kind = problem.graph, problem.distance_type

    def make() -> tuple[DeviceLayout, str]:
        began = time.perf_counter()
        if labeller is None:
            labels = ancestor_labels(ready.hierarchy, ready.metric, kind, problem.progress)
        else:
            labels = labels_on_device(
                ready.hierarchy, ready.metric, kind, labeller, problem.progress
            )
        layout = device_layout(ready.hierarchy, ready.metric, labels)
        return layout, f"labels took {time_since(began)}"

    return graph.cached(_key(kind), make) if ready.serves_all_sources else make()


def _source(kind: WeightType, block: int, guarded: bool) -> KernelSource:
    defines = distance_defines(kind) | {"BLOCK": block} | ({"GUARDED": 1} if guarded else {})
    return KernelSource.beside(__file__, "device_tree.cu", **defines)


def _upload(layout: DeviceLayout, session: DeviceSession) -> tuple[Any, ...]:
    return tuple(session.upload(array) for array in _arrays(layout))


def _arrays(layout: DeviceLayout) -> tuple[AnyArray, ...]:
    """What is on the device whatever the source; none is empty, since OpenCL has no
    empty buffers.
    """
    labels = layout.labels
    arrays = (
        labels.above,
        labels.first,
        labels.labels,
        layout.bundle_levels,
        layout.level_first,
        layout.row_first,
        layout.heads,
        layout.down,
        layout.order,
    )
    return tuple(array if len(array) else np.zeros(1, array.dtype) for array in arrays)


@dataclass(frozen=True)
class _Start:
    """The climb on the device: all of it by rank and depth, and the part below the cut by place."""

    depth: int
    path: Any
    lowest: Any
    reached: Any
    bundle: int
    count_inside: int
    inside: Any
    inside_reached: Any

    @classmethod
    def of(
        cls,
        layout: DeviceLayout,
        tree: EliminationTree,
        path: Int32s,
        reached: AnyArray,
        depth: int,
        session: DeviceSession,
    ) -> _Start:
        path, reached = path[:depth].copy(), reached[:depth].copy()
        places = layout.place[path]
        inside = places >= layout.above
        bundle = layout.bundle_of(int(places[-1])) if inside.any() else -1
        lowest = path + 1 - tree.size[path]
        count = int(inside.sum())
        ends = (places[inside], reached[inside]) if count else (places[:1], reached[:1])
        return cls(
            depth=depth,
            path=session.upload(path),
            lowest=session.upload(lowest),
            reached=session.upload(reached),
            bundle=bundle,
            count_inside=count,
            inside=session.upload(ends[0]),
            inside_reached=session.upload(ends[1]),
        )


def _launch(
    program: Program,
    device: Device,
    block: int,
    layout: DeviceLayout,
    arrays: tuple[Any, ...],
    start: _Start,
    known: Any,
    distance: Any,
) -> None:
    """Settle the vertices above the cut, then those below."""
    rank, first, labels, bundle_levels, level_first, row_first, heads, down, order = arrays
    most = device.compute_units * (4 if device.is_cpu else _BLOCKS_A_MULTIPROCESSOR)
    program.launch(
        "settle_above",
        (min(most, -(-layout.above * _LANES // block)),),
        (block,),
        layout.above,
        start.depth,
        start.path,
        start.lowest,
        start.reached,
        rank,
        first,
        labels,
        order,
        known,
        distance,
    )
    program.launch(
        "settle_below",
        (min(most, layout.bundles),),
        (block,),
        layout.bundles,
        bundle_levels,
        level_first,
        row_first,
        heads,
        down,
        layout.above,
        start.bundle,
        start.count_inside,
        start.inside,
        start.inside_reached,
        order,
        known,
        distance,
    )
