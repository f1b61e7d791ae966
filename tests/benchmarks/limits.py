"""The least time that a chip could take for what each of our fast kernels must do at least, and what sets it.

``ms`` of a limit is the greatest of several, none of which can be beaten: bytes over the rate of memory or of the cache
that all multiprocessors share, operations over their rate, words over the rate of shared memory, and the chain of steps
each of which waits for the one before. A kernel that reaches 80 % of it has little left to win; one that reaches 10 %
is either held back by something that is not counted here, or does more than it must.

Only what *this* kernel cannot do without is counted: its own layout of the graph, each arc relaxed once (`Reach`), the
fewest hops, the fewest launches. How often arcs are relaxed in truth, stale entries, atomics that meet, waiting for
other threads: none of that, since it is what could be won. To count another kernel, add a function to `COUNTED`.
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
from tests.benchmarks.ceilings import Chip, measure
from tests.benchmarks.reach import Reach, fewest_steps, reach_of, reach_of_all

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
        From or to the shared cache, in whole rows; for data that lie in no multiprocessor.
    look_ups : float
        Single cells of it, here and there.
    relaxations_32, relaxations_16 : float
    shared_words : float
        Words of 4 bytes from shared memory, as a warp fetches them: one that all its lanes share counts as 1/32 each.
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

    A hop's chain: row bounds, head, atomic minimum, stamp, the queue's counter, then the block's barrier. The entry and
    the distances may come from the multiprocessor's own cache; a vertex's row and arcs come from the shared one at
    least once, and atomics always work there.
    """
    hop = 2 * chip.l2_read_us + 3 * chip.l2_atomic_us + chip.block_barrier_us
    return _relaxing(facts, arc_bytes=4 + facts.size, row_bytes=8, hop_us=hop)


def near_far_cluster(facts: Facts, chip: Chip) -> Work:
    """cluster.cu: an arc of 16 bytes carries its head's row, so a hop waits for the arc and the atomic minimum alone.

    Entry and push are in shared memory, as is the barrier of a block; the cluster's barrier, every 12 hops, is left
    out: its cost was not measured by itself.
    """
    hop = chip.l2_read_us + chip.l2_atomic_us + chip.shared_read_us + chip.shared_atomic_us + 2 * chip.block_barrier_us
    return _relaxing(facts, arc_bytes=16 if facts.size == 4 else 32, row_bytes=0, hop_us=hop)


def parts_in_shared(facts: Facts, chip: Chip) -> Work:
    """blocked.cu: hops inside a part wait for shared memory alone; from part to part the way leads through the cache.

    A hop's chain: entry, row, head and weight, distance, atomic minimum, stamp, counter, barrier. From part to part:
    the minimum on a head in another part, the word that names the part as waiting, its bounds, its distances. As many
    hops and as many steps from part to part as any order needs; both must be walked, so they add up.
    """
    graph = facts.graph
    hop = 4 * chip.shared_read_us + 3 * chip.shared_atomic_us + chip.block_barrier_us
    inside = _relaxing(facts, arc_bytes=2 + facts.size, row_bytes=4 + facts.size, hop_us=hop)
    parts = next((made for made in vars(graph).get("_derived", {}).values() if isinstance(made, Partition)), None)
    steps = 0
    if parts is not None and facts.source is not None:
        part_of = np.empty(graph.n, np.int32)
        part_of[parts.order] = np.repeat(np.arange(parts.count, dtype=np.int32), np.diff(parts.first))
        steps = fewest_steps(graph, facts.source, facts.distances, part_of)
    step = 3 * chip.l2_read_us + chip.l2_atomic_us
    return Work(
        memory_bytes=inside.memory_bytes,
        shared_words=(0.5 + 2 * facts.size / 4) * facts.reach.arcs,  # head (16 bits), weight, the head's distance
        chain_us=inside.chain_us + steps * step,
    )


def all_pairs_frontier(facts: Facts, chip: Chip) -> Work:
    """all_pairs.cu: each arc that can be reached is read from the cache for every source; the answer is written once.

    The graph is taken to be larger than a multiprocessor's own cache, most of which is in use as shared memory (at
    10,876 vertices a tenth of it would fit at most). Distances lie in shared memory: one look at the head's for every
    relaxation, and all n are set and read once a source. A block walks a source's hops one after another (row, arc,
    distance, atomic minimum, bit, counter, barrier), and one or two blocks share a multiprocessor.
    """
    n, size, reach = facts.graph.n, facts.size, facts.reach
    hop = 2 * chip.l2_read_us + chip.shared_read_us + 3 * chip.shared_atomic_us + chip.block_barrier_us
    resident = 2 if n * (size + 4.2) <= 80 * 1024 else 1
    return Work(
        memory_bytes=float(n) * n * size,
        cache_bytes=float(reach.arcs) * (4 + size),
        shared_words=(float(reach.arcs) + 2.0 * n * n) * size / 4,
        chain_us=reach.hops * hop / (chip.multiprocessors * resident),
    )


def floyd_warshall_blocked(facts: Facts, chip: Chip) -> Work:
    """blocked.cu: n^3 relaxations at the rate of the one instruction; the matrix is read and written once a step.

    Two launches a step, with the 128 steps inside the next pivot tile hidden behind the second.
    """
    graph = facts.graph
    n = float(graph.n)
    packed = graph.distance_type.is_integer and not graph.has_negative_weights and graph.path_bound < INT16.infinity
    steps = -(-graph.n // TILE)
    matrix = n * n * (2 if packed else facts.size)
    return Work(
        memory_bytes=_streamed(matrix, 2 * steps, chip),
        relaxations_16=n**3 if packed else 0.0,
        relaxations_32=0.0 if packed or facts.size != 4 else n**3,
        chain_us=2 * steps * (chip.launch_us or 0.0),
    )


def floyd_warshall_tiled_shared(facts: Facts, chip: Chip) -> Work:
    """tiled_shared.cu: a thread a cell, so every relaxation takes a word of its own from shared memory, in `above`.

    Four of the words in `left`, which a warp shares, can come in one fetch: a quarter of a fetch more.
    """
    n, steps = float(facts.graph.n), -(-facts.graph.n // _SHARED_TILE)
    return Work(
        memory_bytes=_streamed(n * n * facts.size, 2 * steps, chip),
        relaxations_32=n**3 if facts.size == 4 else 0.0,
        shared_words=1.25 * n**3 * facts.size / 4,
        chain_us=3 * steps * (chip.launch_us or 0.0),
    )


def bellman_ford_flags(facts: Facts, chip: Chip) -> Work:
    """strided_flag.cu: passes of two launches, one more than there are hops; each looks at all flags and distances."""
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
    return None if device is None or device.is_cpu else measure(device)  # type: ignore[arg-type]  # mypy takes a protocol for unhashable


def _relaxing(facts: Facts, arc_bytes: int, row_bytes: int, hop_us: float) -> Work:
    """What any relaxing kernel must do: read each reached row and arc, look at its head, write each distance once."""
    reach = facts.reach
    return Work(
        memory_bytes=float(reach.arcs) * arc_bytes + float(reach.vertices) * (row_bytes + facts.size),
        look_ups=float(reach.arcs),
        chain_us=reach.hops * hop_us,
    )


def _streamed(size: float, times: int, chip: Chip) -> float:
    """Bytes from memory for a set that is gone through so often: after the first time, what the cache cannot keep."""
    return size + (times - 1) * max(0.0, size - chip.l2_bytes)
