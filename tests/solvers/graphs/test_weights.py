"""Four weight types, and the one a graph must be solved in."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import UnsuitableGraph
from solvers.graphs.weights import (  # fmt: skip
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    WEIGHT_TYPES,
    WeightType,
    to_float,
    weight_type,
)
from tests import graphs


@pytest.mark.parametrize("kind", WEIGHT_TYPES.values(), ids=WEIGHT_TYPES)
def test_infinity_plus_infinity_does_not_wrap(kind: WeightType) -> None:
    infinity = kind.dtype.type(kind.infinity)

    with np.errstate(over="raise"):
        assert infinity + infinity > infinity or np.isinf(infinity)
    assert infinity == kind.infinity  # exact in its own type


def test_types_are_known_by_their_dtype() -> None:
    assert [weight_type(name) for name in ("int32", np.int64, np.dtype("f4"), float)] == [
        INT32,
        INT64,
        FLOAT32,
        FLOAT64,
    ]
    assert [kind.is_integer for kind in (INT32, INT64, FLOAT32, FLOAT64)] == [True, True, False, False]
    with pytest.raises(KeyError):
        weight_type(np.int16)


def test_a_path_enters_each_vertex_at_most_once() -> None:
    graph = graphs.from_list(3, [(0, 1, 5), (2, 1, 9), (1, 2, -7), (0, 2, 1)])

    assert graph.path_bound == 9 + 7
    assert graphs.from_list(3, [(0, 1, 0)]).path_bound == 0


def chain(weight: float, dtype: str, length: int = 3) -> WeightType:
    return graphs.from_list(length + 1, [(v, v + 1, weight) for v in range(length)], dtype).distance_type


def test_sums_that_pass_32_bits_are_solved_in_64() -> None:
    assert chain(INT32.infinity // 3 - 1, "int32") is INT32
    assert chain(INT32.infinity // 3 + 1, "int32") is INT64
    assert chain(-(INT32.infinity // 3) - 1, "int32") is INT64  # a sum can run below, too


def test_no_type_is_narrowed() -> None:
    assert chain(1, "int64") is INT64
    assert chain(1, "float32") is FLOAT32
    assert chain(1e30, "float64") is FLOAT64


def test_sums_that_pass_64_bits_are_refused_with_the_remedy() -> None:
    with pytest.raises(UnsuitableGraph, match="load them as float64"):
        chain(2**61, "int64")


def test_unreachable_is_infinite_in_floats() -> None:
    assert to_float(np.array([0, 7, INT32.infinity], dtype=np.int32)).tolist() == [0, 7, np.inf]
    assert to_float(np.array([0, INT64.infinity], dtype=np.int64)).tolist() == [0, np.inf]
    assert to_float(np.array([0.5, np.inf], dtype=np.float32)).tolist() == [0.5, np.inf]
    assert to_float(np.array([1], dtype=np.int32)).dtype == np.float64
