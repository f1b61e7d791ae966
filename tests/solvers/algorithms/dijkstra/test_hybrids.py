"""What crosses between host and device in the hybrids: every byte of it, and that the phases show it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from solvers.core.problem import Problem, Solution
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from tests import graphs

GRAPH = graphs.at_random(500, 2500, seed=9)
ARCS = GRAPH.indptr.nbytes + GRAPH.indices.nbytes + GRAPH.weights.nbytes
DISTANCES, FLAGS = 4 * GRAPH.n, GRAPH.n


class CountedSession:
    """A device session that adds up what is copied."""

    def __init__(self, inner: Any, counted: CountedDevice):
        self._inner = inner
        self._counted = counted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, buffer: Any, array: Any) -> None:
        self._counted.sent += array.nbytes
        self._inner.write(buffer, array)

    def download(self, buffer: Any, into: Any = None) -> Any:
        array = self._inner.download(buffer, into)
        self._counted.received += array.nbytes
        return array


class CountedDevice:
    """A device whose sessions count; all else is the device's own."""

    def __init__(self, inner: Device):
        self._inner = inner
        self.sent = 0
        self.received = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def session(self) -> Iterator[CountedSession]:
        with self._inner.session() as session:
            yield CountedSession(session, self)


def crossed(variant_id: str, device: Device) -> tuple[Solution, CountedDevice]:
    counted = CountedDevice(device)
    entry = find_variant(variant_id)
    solution = entry.solve(Problem(GRAPH, 0, None, entry.settle({}), counted))  # type: ignore[arg-type]
    return solution, counted


def test_uh1_sends_distances_and_gets_both_flags(device: Device) -> None:
    solution, counted = crossed("da2cf-uh1", device)
    updates = solution.iterations - 1  # the last iteration finds nothing left to settle
    assert counted.sent == DISTANCES + 2 * FLAGS + updates * DISTANCES
    assert counted.received == updates * 2 * FLAGS


def test_uh2_sends_both_flags_and_gets_distances(device: Device) -> None:
    solution, counted = crossed("da2cf-uh2", device)
    updates = solution.iterations - 1
    assert counted.sent == ARCS + DISTANCES + 2 * FLAGS + updates * 2 * FLAGS
    assert counted.received == solution.iterations * DISTANCES


def test_uh3_sends_nothing_more_and_gets_distances_and_one_flag(device: Device) -> None:
    solution, counted = crossed("da2cf-uh3", device)
    assert counted.sent == ARCS + DISTANCES + 2 * FLAGS
    assert counted.received == solution.iterations * DISTANCES + (solution.iterations - 1) * FLAGS


def test_the_gpu_version_reads_only_the_minimums(device: Device) -> None:
    solution, counted = crossed("da2cf-u-gpu", device)
    assert counted.sent == ARCS
    assert counted.received == solution.iterations * 4 + DISTANCES  # 500 vertices leave one minimum of 512


@pytest.mark.parametrize("variant_id", ["da2cf-uh1", "da2cf-uh2", "da2cf-uh3"])
def test_every_phase_is_timed(variant_id: str, device: Device) -> None:
    solution, _ = crossed(variant_id, device)
    assert solution.phases.solve > 0
    assert solution.phases.h2d > 0
    assert solution.phases.d2h > 0
