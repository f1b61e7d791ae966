"""The least time that a chip could take for what each of our fast kernels must do at
least, and what sets it.

``ms`` of a limit is the greatest of several, none of which can be beaten: bytes over
the rate of memory or of the cache that all multiprocessors share, operations over their
rate, words over the rate of shared memory, and the chain of steps each of which waits
for the one before. A kernel that reaches 80 % of it has little left to win; one that
reaches 10 % is either held back by something that is not counted here, or does more
than it must.

Only what *this* kernel cannot do without is counted: its own layout of the graph, each
arc relaxed once (`Reach`), the fewest hops, the fewest launches. How often arcs are
relaxed in truth, stale entries, atomics that meet, waiting for other threads: none of
that, since it is what could be won. To count another kernel, add a function to
`COUNTED`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.floyd_warshall.matrix import INT16, TILE
from solvers.algorithms.near_far.partition import Partition
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.jit import njit
from tests.benchmarks.ceilings import Chip, measure

_SAMPLE = 64  # sources whose hops are counted, of all pairs
_SEED = 0


@dataclass(frozen=True)
class Reach:
    """Counts for one source, or summed over all.

    Attributes
    ----------
    vertices : int
        Reached.
    arcs : int
        That leave them: each must be relaxed once at least.
    hops : int
        Of all shortest paths to a vertex the fewest arcs, for the vertex that has most:
        a distance passes from vertex to vertex, so no order of relaxing can do with
        fewer dependent steps. Of all pairs: the sum over sources, estimated from 64 of
        them.
    """

    vertices: int
    arcs: int
    hops: int


def reach_of(graph: Graph, source: int, distances: NDArray[Any]) -> Reach:
    """The counts for one source."""
    lengths = to_float(distances)
    reached = np.isfinite(lengths)
    hops = fewest_steps(graph, source, distances, np.arange(graph.n, dtype=np.int32))
    return Reach(int(reached.sum()), int(graph.out_degrees[reached].sum()), hops)


def reach_of_all(graph: Graph, matrix: NDArray[Any]) -> Reach:
    """The counts for all pairs."""
    n, vertices, arcs = graph.n, 0, 0
    for first in range(0, n, 256):
        reached = np.isfinite(to_float(matrix[first : first + 256]))
        vertices += int(reached.sum())
        arcs += int((reached.sum(axis=0) * graph.out_degrees).sum())
    sample = np.random.default_rng(_SEED).choice(n, min(n, _SAMPLE), replace=False)
    apart = np.arange(n, dtype=np.int32)
    hops = [fewest_steps(graph, int(source), matrix[source], apart) for source in sample]
    return Reach(vertices, arcs, round(float(np.mean(hops)) * n))


def fewest_steps(
    graph: Graph, source: int, distances: NDArray[Any], part_of: NDArray[np.int32]
) -> int:
    """Steps from part to part on the way to the vertex that needs most of them, by
    shortest paths with fewest.

    With every vertex a part of its own, these are hops.
    """
    lengths = to_float(distances)
    tolerance = 0.0 if np.issubdtype(distances.dtype, np.integer) else 1e-5
    return int(
        _fewest_steps(
            graph.indptr, graph.indices, graph.weights, lengths, source, part_of, tolerance
        )
    )


@njit
def _fewest_steps(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    lengths: NDArray[np.float64],
    source: int,
    part_of: NDArray[np.int32],
    tolerance: float,
) -> int:
    """Breadth first over tight arcs, where an arc inside a part takes no step."""
    n = len(lengths)
    steps = np.full(n, -1, np.int32)
    here, beyond = np.empty(n, np.int32), np.empty(n, np.int32)
    here[0], count, step, last = source, 1, 0, 0
    steps[source] = 0
    while count:
        at = waiting = 0
        while at < count:
            tail = here[at]
            at += 1
            last = step
            for arc in range(indptr[tail], indptr[tail + 1]):
                head = indices[arc]
                if 0 <= steps[head] <= step or lengths[tail] + weights[arc] > lengths[head] * (
                    1 + tolerance
                ):
                    continue
                if part_of[head] == part_of[tail]:
                    steps[head] = step
                    here[count] = head
                    count += 1
                elif steps[head] < 0:
                    # unless an arc inside a part turns out to reach it in this step
                    steps[head] = step + 1
                    beyond[waiting] = head
                    waiting += 1
        count, step = 0, step + 1
        for i in range(waiting):
            if steps[beyond[i]] == step:
                here[count] = beyond[i]
                count += 1
    return last


_SHARED_TILE = 32  # of fw-tiled-shared


@dataclass(frozen=True)
class Facts:
    """What the counting functions are told of one question."""

    graph: Graph
    source: int | None
    distances: NDArray[Any]

    @cached_property
    def reach(self) -> Reach:
        if self.source is None:
            return reach_of_all(self.graph, self.distances)
        return reach_of(self.graph, self.source, self.distances)

    @property
    def size(self) -> int:
        """Bytes of a distance."""
        return self.graph.distance_type.dtype.itemsize


@dataclass(frozen=True)
class Work:
    """What must be done at least.

    Attributes
    ----------
    memory_bytes : float
        Read from or written to device memory.
    cache_bytes : float
        From or to the shared cache, in whole rows; for data that lie in no
        multiprocessor.
    look_ups : float
        Single cells of it, here and there.
    shared_words : float
        Words of 4 bytes from shared memory, as a warp fetches them: one that all its
        lanes share counts as 1/32 each.
    chain_us : float
        Of steps that wait for one another.
    """

    memory_bytes: float = 0.0
    cache_bytes: float = 0.0
    look_ups: float = 0.0
    relaxations_32: float = 0.0
    relaxations_16: float = 0.0
    shared_words: float = 0.0
    chain_us: float = 0.0


@dataclass(frozen=True)
class Limit:
    """The least time in ms, what sets it, and that of every ceiling."""

    ms: float
    binds: str
    parts: Mapping[str, float]


def limit(work: Work, chip: Chip) -> Limit:
    """The greatest of all the least times; ceilings that are unknown are left out."""
    asked = (
        ("memory", work.memory_bytes, chip.copy_bytes_per_s),
        ("cache", work.cache_bytes, chip.l2_bytes_per_s),
        ("look-ups", work.look_ups, chip.look_ups_per_s),
        ("arithmetic", work.relaxations_32, chip.relaxations_32),
        ("arithmetic", work.relaxations_16, chip.relaxations_16),
        ("shared memory", work.shared_words, chip.shared_words_per_s),
        ("latency", work.chain_us, 1e6),
    )
    parts = {name: amount / rate * 1e3 for name, amount, rate in asked if amount and rate}
    binds = max(parts, key=lambda name: parts[name])
    return Limit(parts[binds], binds, parts)


def near_far(facts: Facts, chip: Chip) -> Work:
    """two_kernels.cu: rows of compressed arcs; queues, stamps and distances in device memory.

    A hop's chain: row bounds, head, atomic minimum, stamp, the queue's counter, then
    the block's barrier. The entry and the distances may come from the multiprocessor's
    own cache; a vertex's row and arcs come from the shared one at least once, and
    atomics always work there.
    """
    hop = 2 * chip.l2_read_us + 3 * chip.l2_atomic_us + chip.block_barrier_us
    return _relaxing(facts, arc_bytes=4 + facts.size, row_bytes=8, hop_us=hop)


def near_far_cluster(facts: Facts, chip: Chip) -> Work:
    """cluster.cu: an arc of 16 bytes carries its head's row, so a hop waits for the arc
    and the atomic minimum alone.

    Entry and push are in shared memory, as is the barrier of a block; the cluster's
    barrier, every 12 hops, is left out: its cost was not measured by itself.
    """
    hop = (
        chip.l2_read_us
        + chip.l2_atomic_us
        + chip.shared_read_us
        + chip.shared_atomic_us
        + 2 * chip.block_barrier_us
    )
    return _relaxing(facts, arc_bytes=16 if facts.size == 4 else 32, row_bytes=0, hop_us=hop)


def parts_in_shared(facts: Facts, chip: Chip) -> Work:
    """blocked.cu: hops inside a part wait for shared memory alone; from part to part
    the way leads through the cache.

    A hop's chain: entry, row, head and weight, distance, atomic minimum, stamp,
    counter, barrier. From part to part: the minimum on a head in another part, the word
    that names the part as waiting, its bounds, its distances. As many hops and as many
    steps from part to part as any order needs; both must be walked, so they add up.
    """
    graph = facts.graph
    hop = 4 * chip.shared_read_us + 3 * chip.shared_atomic_us + chip.block_barrier_us
    inside = _relaxing(facts, arc_bytes=2 + facts.size, row_bytes=4 + facts.size, hop_us=hop)
    parts = next(
        (made for made in vars(graph).get("_derived", {}).values() if isinstance(made, Partition)),
        None,
    )
    steps = 0
    if parts is not None and facts.source is not None:
        part_of = np.empty(graph.n, np.int32)
        part_of[parts.order] = np.repeat(
            np.arange(parts.count, dtype=np.int32), np.diff(parts.first)
        )
        steps = fewest_steps(graph, facts.source, facts.distances, part_of)
    step = 3 * chip.l2_read_us + chip.l2_atomic_us
    return Work(
        memory_bytes=inside.memory_bytes,
        # head (16 bits), weight, the head's distance
        shared_words=(0.5 + 2 * facts.size / 4) * facts.reach.arcs,
        chain_us=inside.chain_us + steps * step,
    )


def all_pairs_frontier(facts: Facts, chip: Chip) -> Work:
    """all_pairs.cu: each arc that can be reached is read from the cache for every
    source; the answer is written once.

    The graph is taken to be larger than a multiprocessor's own cache, most of which is
    in use as shared memory (at 10,876 vertices a tenth of it would fit at most).
    Distances lie in shared memory: one look at the head's for every relaxation, and all
    n are set and read once a source. A block walks a source's hops one after another
    (row, arc, distance, atomic minimum, bit, counter, barrier), and one or two blocks
    share a multiprocessor.
    """
    n, size, reach = facts.graph.n, facts.size, facts.reach
    hop = (
        2 * chip.l2_read_us
        + chip.shared_read_us
        + 3 * chip.shared_atomic_us
        + chip.block_barrier_us
    )
    resident = 2 if n * (size + 4.2) <= 80 * 1024 else 1
    return Work(
        memory_bytes=float(n) * n * size,
        cache_bytes=float(reach.arcs) * (4 + size),
        shared_words=(float(reach.arcs) + 2.0 * n * n) * size / 4,
        chain_us=reach.hops * hop / (chip.multiprocessors * resident),
    )


def floyd_warshall_blocked(facts: Facts, chip: Chip) -> Work:
    """blocked.cu: n^3 relaxations at the rate of the one instruction; the matrix is
    read and written once a step.

    Two launches a step, with the 128 steps inside the next pivot tile hidden behind the
    second.
    """
    graph = facts.graph
    n = float(graph.n)
    packed = (
        graph.distance_type.is_integer
        and not graph.has_negative_weights
        and graph.path_bound < INT16.infinity
    )
    steps = -(-graph.n // TILE)
    matrix = n * n * (2 if packed else facts.size)
    return Work(
        memory_bytes=_streamed(matrix, 2 * steps, chip),
        relaxations_16=n**3 if packed else 0.0,
        relaxations_32=0.0 if packed or facts.size != 4 else n**3,
        chain_us=2 * steps * (chip.launch_us or 0.0),
    )


def floyd_warshall_tiled_shared(facts: Facts, chip: Chip) -> Work:
    """tiled_shared.cu: a thread a cell, so every relaxation takes a word of its own
    from shared memory, in `above`.

    Four of the words in `left`, which a warp shares, can come in one fetch: a quarter
    of a fetch more.
    """
    n, steps = float(facts.graph.n), -(-facts.graph.n // _SHARED_TILE)
    return Work(
        memory_bytes=_streamed(n * n * facts.size, 2 * steps, chip),
        relaxations_32=n**3 if facts.size == 4 else 0.0,
        shared_words=1.25 * n**3 * facts.size / 4,
        chain_us=3 * steps * (chip.launch_us or 0.0),
    )


def bellman_ford_flags(facts: Facts, chip: Chip) -> Work:
    """strided_flag.cu: passes of two launches, one more than there are hops; each looks
    at all flags and distances.
    """
    n, size = facts.graph.n, facts.size
    passes = facts.reach.hops + 1
    once = _relaxing(facts, arc_bytes=4 + size, row_bytes=8, hop_us=0.0)
    swept = float(n) * (1 + 2 * size)
    return Work(
        memory_bytes=once.memory_bytes + _streamed(swept, passes, chip),
        cache_bytes=swept * passes,
        look_ups=once.look_ups,
        chain_us=2 * passes * (chip.launch_us or 0.0),
    )


COUNTED: dict[str, Callable[[Facts, Chip], Work]] = {
    "sssp-near-far": near_far,
    "sssp-near-far-cluster": near_far_cluster,
    "sssp-blocked": parts_in_shared,
    "apsp-frontier": all_pairs_frontier,
    "fw-blocked": floyd_warshall_blocked,
    "fw-tiled-shared": floyd_warshall_tiled_shared,
    "bf-strided-flag": bellman_ford_flags,
}


def limits_of(
    ids: Sequence[str], graph: Graph, source: int | None, distances: NDArray[Any], chip: Chip
) -> dict[str, Limit]:
    """Of those variants that are counted, given the (right) answer."""
    facts = Facts(graph, source, distances)
    return {name: limit(COUNTED[name](facts, chip), chip) for name in ids if name in COUNTED}


def chip_of(device: Device | None) -> Chip | None:
    """The device's ceilings; None where it is a processor, for which none are known."""
    if device is None or device.is_cpu:
        return None
    # mypy takes a protocol for unhashable
    return measure(device)  # type: ignore[arg-type]


def _relaxing(facts: Facts, arc_bytes: int, row_bytes: int, hop_us: float) -> Work:
    """What any relaxing kernel must do: read each reached row and arc, look at its
    head, write each distance once.
    """
    reach = facts.reach
    return Work(
        memory_bytes=float(reach.arcs) * arc_bytes
        + float(reach.vertices) * (row_bytes + facts.size),
        look_ups=float(reach.arcs),
        chain_us=reach.hops * hop_us,
    )


def _streamed(size: float, times: int, chip: Chip) -> float:
    """Bytes from memory for a set that is gone through so often: after the first time,
    what the cache cannot keep.
    """
    return size + (times - 1) * max(0.0, size - chip.l2_bytes)
