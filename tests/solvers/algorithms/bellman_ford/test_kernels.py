"""Each kernel by itself: one launch on arrays made for it shows what a whole run could hide (work done for nothing).

The graph: 0 --2--> 1 --3--> 2, and 3 --1--> 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solvers.algorithms.bellman_ford
from solvers.devices.device import Device, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.graphs.weights import INT32

Array = np.ndarray
INF = INT32.infinity
FOLDER = Path(solvers.algorithms.bellman_ford.__file__).parent
FLOOR = np.int32(-100)


class Bench:
    """One kernel file and the graph on a device; launches take and give host arrays."""

    def __init__(self, device: Device, session: Any, name: str, early_exit: int = 1):
        defines = {**distance_defines(INT32), "EARLY_EXIT": early_exit}
        self._program = device.compile(KernelSource.beside(str(FOLDER / name), name, **defines))
        self._session = session
        self.indptr, self.heads = np.array([0, 1, 2, 2, 3]), np.array([1, 2, 2], np.int32)
        self.tails, self.weights = np.array([0, 1, 3], np.int32), np.array([2, 3, 1], np.int32)

    def __call__(self, kernel: str, *arguments: Any) -> list[list[int]]:
        """Launch 64 threads; the arrays among the arguments as they are afterwards."""
        held = [self._session.upload(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self._program.launch(kernel, (2,), (32,), *held)
        return [self._session.download(h).tolist() for a, h in zip(arguments, held, strict=True) if h is not a]


@pytest.fixture
def session(device: Device) -> Iterator[Any]:
    with device.session() as session:
        yield session


def array(*values: int) -> Array:
    return np.array(values, np.int32)


def flags(*values: int) -> Array:
    return np.array(values, np.uint8)


def relax_rows(
    bench: Bench, previous: np.ndarray, *flag: np.ndarray, state: np.ndarray, number: int
) -> list[list[int]]:
    """Distance, flags where given, and state after one ``relax`` over rows."""
    arguments = (bench.indptr, bench.heads, bench.weights, previous, previous.copy(), *flag)
    return bench("relax", np.int32(4), *arguments, FLOOR, state, np.int32(number))[4:]


def relax_arcs(
    bench: Bench, distance: np.ndarray, *flag: np.ndarray, state: np.ndarray, number: int
) -> list[list[int]]:
    """Distance, flags where given, and state after one ``relax`` over arcs."""
    arguments = (bench.tails, bench.heads, bench.weights, distance, *flag)
    return bench("relax", np.int64(3), *arguments, FLOOR, state, np.int32(number))[3:]


ROW_KERNELS = ["vertex.cu", "strided.cu"]
FLAG_KERNELS = ["edge_flags.cu", "edge_flags_shared.cu"]


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_rows_read_the_pass_before_only(name: str, device: Device, session: Any) -> None:
    """Vertex 1 is reached in this pass, so 2 cannot be yet."""
    after = relax_rows(Bench(device, session, name), array(0, INF, INF, INF), state=array(0, 0), number=1)
    assert after == [[0, 2, INF, INF], [1, 0]]


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_a_pass_that_improves_nothing_reports_nothing(name: str, device: Device, session: Any) -> None:
    after = relax_rows(Bench(device, session, name), array(0, 2, 5, INF), state=array(4, 0), number=5)
    assert after == [[0, 2, 5, INF], [4, 0]]


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_a_queued_pass_past_the_end_does_nothing(name: str, device: Device, session: Any) -> None:
    unfinished = array(0, INF, INF, INF)
    after = relax_rows(Bench(device, session, name), unfinished, state=array(3, 0), number=5)
    assert after == [unfinished.tolist(), [3, 0]]
    after = relax_rows(Bench(device, session, name, early_exit=0), unfinished, state=array(3, 0), number=5)
    assert after == [[0, 2, INF, INF], [5, 0]], "without early exit every pass works"


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_what_falls_through_the_floor_is_reported_once_and_not_stored(name: str, device: Device, session: Any) -> None:
    bench, low = Bench(device, session, name), array(-110, INF, INF, INF)
    assert relax_rows(bench, low, state=array(6, 0), number=7) == [low.tolist(), [6, 7]]
    assert relax_rows(bench, low, state=array(6, 5), number=7) == [low.tolist(), [6, 5]]


def test_flagged_rows_alone_work_and_take_their_flags_down(device: Device, session: Any) -> None:
    bench = Bench(device, session, "strided_flag.cu")
    distance, flag, state = relax_rows(bench, array(0, 9, INF, 0), flags(0, 1, 0, 0), state=array(2, 0), number=3)
    assert distance == [0, 9, 12, 0], "0 and 3 had better offers, but no flag"
    assert flag == [0, 0, 0, 0]
    assert state == [3, 0]


def test_keep_flags_exactly_those_that_fell(device: Device, session: Any) -> None:
    """Vertex 1 had its turn in this pass and fell all the same: it is flagged for the next."""
    bench = Bench(device, session, "strided_flag.cu")
    previous = array(0, 9, INF, 4)
    distance, previous_after, flag, _ = bench(
        "keep", np.int32(4), array(0, 2, 12, 4), previous, flags(0, 0, 0, 0), array(3, 0), np.int32(3)
    )
    assert previous_after == distance == [0, 2, 12, 4]
    assert flag == [0, 1, 1, 0]


def test_arcs_lower_distances_in_place(device: Device, session: Any) -> None:
    distance, state = relax_arcs(Bench(device, session, "edge.cu"), array(0, 2, INF, INF), state=array(1, 0), number=2)
    assert distance == [0, 2, 5, INF]
    assert state == [2, 0]


@pytest.mark.parametrize("name", FLAG_KERNELS)
def test_flagged_arcs_alone_work_and_flag_whom_they_lower(name: str, device: Device, session: Any) -> None:
    distance, active, following, state = relax_arcs(
        Bench(device, session, name),
        array(0, 9, INF, 0),
        flags(0, 1, 0, 0),
        flags(0, 0, 0, 0),
        state=array(2, 0),
        number=3,
    )
    assert distance == [0, 9, 12, 0], "0 and 3 had better offers, but no flag"
    assert active == [0, 1, 0, 0]
    assert following == [0, 0, 1, 0]
    assert state == [3, 0]


@pytest.mark.parametrize("name", FLAG_KERNELS)
def test_an_offer_that_is_no_better_flags_nobody(name: str, device: Device, session: Any) -> None:
    _, _, following, state = relax_arcs(
        Bench(device, session, name),
        array(0, 2, 5, INF),
        flags(1, 1, 0, 0),
        flags(0, 0, 0, 0),
        state=array(2, 0),
        number=3,
    )
    assert following == [0, 0, 0, 0]
    assert state == [2, 0]


@pytest.mark.parametrize("name", FLAG_KERNELS)
def test_copied_flags_start_the_next_pass_and_the_second_array_is_cleared(
    name: str, device: Device, session: Any
) -> None:
    bench = Bench(device, session, name)
    active, following, _ = bench(
        "copy_flags", np.int32(4), flags(1, 1, 0, 0), flags(0, 1, 1, 0), array(3, 0), np.int32(3)
    )
    assert active == [0, 1, 1, 0]
    assert following == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["vertex.cu", "strided_flag.cu", *FLAG_KERNELS])
def test_starting_values(name: str, device: Device, session: Any) -> None:
    bench = Bench(device, session, name)
    assert bench("start_distances", np.int32(4), np.int32(2), array(9, 9, 9, 9)) == [[INF, INF, 0, INF]]
    assert bench("start_flags", np.int32(4), np.int32(2), flags(9, 9, 9, 9)) == [[0, 0, 1, 0]]
    assert bench("start_flags", np.int32(4), np.int32(-1), flags(9, 9, 9, 9)) == [[0, 0, 0, 0]]
