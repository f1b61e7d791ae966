"""Many to many: the distances from each of some vertices to each of some others, by climbs alone.

Every target climbs once against the arcs, and every source once. A pair's distance is
the least sum over the ancestors that both have in common. Targets are sorted by rank,
so those below one ancestor of a source lie side by side: the source's distance to that
ancestor is added to a range of numbers, which vector instructions do. Nothing of the
size of the graph is allocated.

This is not a variant: a variant answers for one source, one target or all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.hierarchy.metric import Metric, MetricArrays
from solvers.algorithms.hierarchy.supergraph import Hierarchy, HierarchyArrays
from solvers.algorithms.hierarchy.sweep import climb
from solvers.graphs.csr import first_not_less
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.threads import ThreadTeam, split_evenly

_PAIRS_A_LOOK = 1 << 22  # between two cancellation checks
_PAIRS_A_THREAD = 1 << 14  # for fewer, starting a thread takes longer

_FEW = 64  # climbs, for which starting a thread takes longer


@dataclass(frozen=True)
class Targets:
    """Climbs from targets against the arcs, to be joined with those of any sources."""

    ranks: Int32s  # (k,), ascending
    position: Int64s  # (k,), of each in the list that was given
    # (height, k) distances from the ancestor at each depth; infinity below the target
    behind: AnyArray


def climbs_of_targets(
    hierarchy: Hierarchy, metric: Metric, kind: WeightType, targets: AnyArray, team: ThreadTeam
) -> Targets:
    """Climb from each target, (k,) vertices of the graph; repeated ones are allowed."""
    ranks = hierarchy.tree.rank[targets]
    position = np.argsort(ranks, kind="stable")
    ranks = ranks[position]
    behind = np.empty((hierarchy.tree.height, len(ranks)), kind.dtype)
    infinity = kind.dtype.type(kind.infinity)
    arrays, weights = hierarchy.arrays, metric.down
    parts = split_evenly(len(ranks), team.threads if len(ranks) > _FEW else 1)
    team.run(
        partial(_climb_back, ranks, first, last, arrays, weights, infinity, behind)
        for first, last in parts
    )
    return Targets(ranks, position, behind)


def fill_table(
    hierarchy: Hierarchy,
    metric: Metric,
    kind: WeightType,
    sources: AnyArray,  # (k,) vertices of the graph
    targets: Targets,
    table: AnyArray,  # (k, l) pairs without a path get the infinity of its type
    team: ThreadTeam,
    progress: Progress = SILENT,
) -> None:
    """Fill ``table``, (k, l), with the distances from each source to each target;
    raises Cancelled.
    """
    if not table.size:
        return
    ranks, size = hierarchy.tree.rank[sources], hierarchy.tree.size
    order = np.argsort(ranks, kind="stable")  # neighbours in the tree share most of what they read
    as_floats = table.dtype.kind == "f"
    infinity = kind.dtype.type(kind.infinity)
    absent = table.dtype.type(np.inf if as_floats else kind.infinity)
    fixed = (hierarchy.arrays, size, metric.arrays, targets.ranks, targets.position, targets.behind)
    step = max(1, _PAIRS_A_LOOK // table.shape[1])
    for begin in range(0, len(order), step):
        progress.checkpoint(begin, len(order))
        chosen = order[begin : begin + step]
        threads = team.threads if len(chosen) * table.shape[1] > _PAIRS_A_THREAD else 1
        team.run(
            partial(_join, ranks, chosen[first:last], *fixed, infinity, absent, table)
            for first, last in split_evenly(len(chosen), 4 * threads if threads > 1 else 1)
        )


@njit
def _climb_back(
    ranks: Int32s,
    first: int,
    last: int,
    arrays: HierarchyArrays,
    weights: AnyArray,
    infinity: Any,
    behind: AnyArray,
) -> None:
    """Columns ``first`` to ``last`` of `Targets.behind`."""
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    height = len(behind)
    path, reached = np.empty(height, np.int32), np.empty(height, weights.dtype)
    for j in range(first, last):
        if j > first and ranks[j] == ranks[j - 1]:
            for k in range(height):
                behind[k, j] = behind[k, j - 1]
            continue
        climb(ranks[j], parent, depth, up_first, up_depth, weights, infinity, path, reached)
        for k in range(height):
            behind[k, j] = reached[k]


@njit
def _join(
    ranks: Int32s,
    rows: Int64s,
    arrays: HierarchyArrays,
    size: Int32s,
    metric: MetricArrays,
    target_ranks: Int32s,
    position: Int64s,
    behind: AnyArray,
    infinity: Any,
    absent: Any,
    table: AnyArray,
) -> None:
    """Fill the given rows of the table."""
    parent = arrays.parent
    depth = arrays.depth
    up_first = arrays.up_first
    up_depth = arrays.up_depth
    height, count = behind.shape
    path = np.empty(height, np.int32)
    reached = np.empty(height, behind.dtype)
    best = np.empty(count, behind.dtype)
    for i in rows:
        start = ranks[i]
        climb(start, parent, depth, up_first, up_depth, metric.up, infinity, path, reached)
        best[:] = infinity
        low, high = 0, count
        for k in range(depth[start] + 1):
            v = path[k]
            low = first_not_less(target_ranks, low, high, v - size[v] + 1)
            high = first_not_less(target_ranks, low, high, v + 1)
            if low == high:
                break
            ahead = reached[k]
            if ahead < infinity:
                if metric.guarded:
                    _offer_guarded(ahead, behind[k, low:high], infinity, best[low:high])
                else:
                    _offer(ahead, behind[k, low:high], best[low:high])
        row = table[i]
        for j in range(count):
            row[position[j]] = best[j] if best[j] < infinity else absent


@njit
def _offer(ahead: Any, behind: AnyArray, best: AnyArray) -> None:
    for j in range(len(best)):
        through = ahead + behind[j]
        best[j] = through if through < best[j] else best[j]


@njit
def _offer_guarded(ahead: Any, behind: AnyArray, infinity: Any, best: AnyArray) -> None:
    """As `_offer`, where infinity plus a negative number would be less than infinity."""
    for j in range(len(best)):
        if behind[j] < infinity:
            best[j] = min(best[j], ahead + behind[j])
