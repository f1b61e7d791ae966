"""What variants took on a network, on this machine, which beats an estimate.

Idea
    Times are kept with the network, whatever roads are closed, from this process and from
    kept runs. The first of a variant does not count: it may compile, prepare and copy. Of
    the others the least does, to which other programs only add. One time also tells how
    fast the machine is, by which all estimates are multiplied. Where an estimate is within
    a factor of `WITHIN` of the best time, the variant is tried by the next questions: once
    for the first time, and once for the time that counts; once more if by the estimates it is
    the faster one all the same, since another program may have disturbed that one time.

Why it is correct
    Any choice gives the right answer. From a source that reaches few vertices nothing is
    kept, since it says nothing of others.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from solvers.algorithms.auto.costs import COSTS, SourceQuestion
from solvers.core.variant import Variant
from solvers.devices.device import Device
from solvers.graphs.graph import Graph
from solvers.system.array_types import AnyArray

WITHIN = 2.0
_PACE = 3.0  # the most that a machine is taken to be slower or faster than those of the estimates
_KEPT = "what variants took"
_SAMPLE, _LEAST_REACHED = 256, 0.1

Key = tuple[str, str, bool]  # of a variant, a device, and whether the graph stays on it


@dataclass
class Took:
    """Times of a variant in ms: how many, and the least of all but the first."""

    runs: int = 0
    ms: float = math.inf

    def add(self, ms: float) -> None:
        self.runs += 1
        if self.runs > 1:
            self.ms = min(self.ms, ms)


def taken(graph: Graph) -> dict[Key, Took]:
    """What is known of a network."""
    return graph.network.cached(_KEPT, dict)


def known_times(
    graph: Graph, device: Device | None, stays: bool, fewest: int = 1
) -> dict[str, float]:
    """ms that variants took on a network, by id, the fastest first: of those that have so many
    times that count.
    """
    places = ("", False), ("" if device is None else device.key, stays)
    known = list(taken(graph).items())  # to which another thread may add meanwhile
    found = [(key[0], took.ms) for key, took in known if key[1:] in places and took.runs > fewest]
    return dict(sorted(found, key=itemgetter(1)))


def key_of(variant: Variant, device: Device | None, stays: bool) -> Key:
    """Under which times of a variant are kept; on the processor, nothing is copied."""
    if device is None or not variant.runs_on.takes_device:
        return variant.id, "", False
    return variant.id, device.key, stays


def reaches_much(graph: Graph, distances: AnyArray) -> bool:
    """Whether a tenth of the vertices is reached, by a sample of them."""
    sample = distances[:: max(1, graph.n // _SAMPLE)]
    reached = np.count_nonzero(sample < graph.distance_type.infinity)
    return bool(_LEAST_REACHED * len(sample) <= reached)


def note_time(graph: Graph, key: Key, ms: float) -> None:
    """Keep a time of a variant on its defaults, from a source that reaches much."""
    taken(graph).setdefault(key, Took()).add(ms)


def note_run(
    variant: Variant, graph: Graph, source: int | None, key: Key, times: Iterable[float]
) -> None:
    """Keep all times of a run of a variant that a user chose, in their order."""
    if variant.id not in COSTS or source is None:
        return
    if not SourceQuestion(graph, source, cores=1).reaches_few:
        for ms in times:
            note_time(graph, key, ms)


def pace(known: Iterable[tuple[float, float]]) -> float:
    """By how much this machine is slower than estimates, from pairs of a time and an
    estimate; 1 without any.
    """
    ratios = [math.log(ms / estimate) for ms, estimate in known if ms > 0]
    mean = statistics.fmean(ratios) if ratios else 0.0
    return min(max(math.exp(mean), 1 / _PACE), _PACE)
