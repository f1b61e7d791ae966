"""Labels: tentative distances under a strict order, which the algorithm needs and
lengths alone do not give.

The paper assumes that no two paths have the same length, and replaces lengths by tuples
to make that true. The label of a vertex v is ``(length, zeros, v, predecessor)``,
compared in this order. ``zeros`` counts the last arcs of the path that added nothing to
its length: arcs of weight 0, or so light that the sum was rounded back. Hence

* an arc's extension of a label is always greater than the label, also along arcs of
weight 0;
* a lesser label of u never gives a greater one to its neighbour, also where sums are
  rounded (the paper's tuple, which counts every arc, would: a longer path of fewer arcs
  may be rounded to the same sum);
* the labels of two vertices differ, and so do those that two predecessors give to one
vertex.

So each vertex has one least label, and the predecessors in the least labels form one
tree: *the* shortest paths. A vertex is *complete* once its label and those of its
ancestors in that tree are the least ones. Equal labels of one vertex by way of one
predecessor count as an improvement (see `improves`), so that completeness is passed on.

Bounds are compared by the first three parts: a bound is the label of some vertex, and
whether two predecessors tie for it makes no difference to the vertices below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from solvers.system.array_types import AnyArray
from solvers.system.jit import njit

NONE = -1


def vertex_record(length: DTypeLike) -> np.dtype[Any]:
    """The record of a vertex: its label, and what the parts of the algorithm note about it.

    * ``length``, ``zeros``, ``predecessor``: the label; infinity, 0 and -1 before the
    vertex is reached.
    * ``entry``: the first of the vertex's entries in block queues; -1 if it has none.
    * ``round``, ``reached``: the last round and the last call of FindPivots that
    reached the vertex.
    * ``root``, ``descendants``: root of its tree in FindPivots, and the number of
    vertices in the tree of a root.
    * ``place``: its index in the heap of the base case; -1 if it is not there.
    * ``complete``: 1 once a call has returned it.
    """
    fields = ["zeros", "predecessor", "entry", "round", "reached", "root", "descendants", "place"]
    return np.dtype(
        [("length", length), *((name, np.int32) for name in fields), ("complete", np.uint8)],
        align=True,
    )


def labelled(
    length: DTypeLike, numbers: Sequence[str] = (), counts: Sequence[str] = ()
) -> np.dtype[Any]:
    """A record of a label less its predecessor, or of a bound: ``length``, ``zeros``,
    ``vertex``; with 32-bit ``numbers`` and 64-bit ``counts``.
    """
    narrow = ((name, np.int32) for name in ("zeros", "vertex", *numbers))
    return np.dtype(
        [("length", length), *narrow, *((name, np.int64) for name in counts)], align=True
    )


def unreached(n: int, length: DTypeLike, infinity: float) -> AnyArray:
    """(n,) records of vertices that no path has reached."""
    vertices = np.zeros(n, vertex_record(length))
    vertices["length"] = infinity
    for name in ("predecessor", "entry", "root", "place"):
        vertices[name] = NONE
    return vertices


@njit(inline="always")
def precedes(
    length: Any, zeros: int, vertex: int, than_length: Any, than_zeros: int, than_vertex: int
) -> bool:
    """Whether a label, or a bound, is less than another; predecessors are not compared."""
    if length != than_length:
        return length < than_length
    if zeros != than_zeros:
        return zeros < than_zeros
    return vertex < than_vertex


@njit(inline="always")
def is_less(label: Any, than: Any) -> bool:
    """The same of two records of labels or bounds."""
    return precedes(label.length, label.zeros, label.vertex, than.length, than.zeros, than.vertex)


@njit(inline="always")
def is_below(vertices: AnyArray, v: int, bound: Any) -> bool:
    """Whether the label of ``v`` is less than a bound, or another record of a label."""
    return precedes(
        vertices[v].length, vertices[v].zeros, v, bound.length, bound.zeros, bound.vertex
    )


@njit(inline="always")
def copy_label(to: Any, label: Any) -> None:
    to.length = label.length
    to.zeros = label.zeros
    to.vertex = label.vertex


@njit(inline="always")
def improves(vertices: AnyArray, v: int, length: Any, zeros: int, predecessor: int) -> bool:
    """Whether a label is at most that of ``v``: less, or the same by way of the same
    predecessor.
    """
    if length != vertices[v].length:
        return length < vertices[v].length
    if zeros != vertices[v].zeros:
        return zeros < vertices[v].zeros
    return predecessor <= vertices[v].predecessor


def inlined(function: Callable[..., Any]) -> Any:
    """Compile as part of its only caller, which takes a third less time than to compile both."""
    return njit(cache=False, inline="always")(function)
