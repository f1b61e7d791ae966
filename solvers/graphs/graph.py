"""The graph: compressed sparse rows (CSR), optional coordinates, and the vertex ids of its file."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from solvers.displays import display, mime_bundle
from solvers.errors import (
    NotUndirected,
    ParameterError,
    UnknownName,
    UnknownVertex,
    UnsuitableGraph,
)
from solvers.graphs.csr import rows_of_arcs, unpaired_arc
from solvers.graphs.derived import (
    DerivedValues,
    hash_of_changes,
    hash_of_content,
    hash_of_structure,
    sketch_of_structure,
)
from solvers.graphs.interpretation import Interpretation
from solvers.graphs.path_bounds import path_bound, simple_path_bound
from solvers.graphs.road_data import ArcColumn, RoadData
from solvers.graphs.weights import (
    WEIGHT_TYPES,
    WeightType,
    is_weight_type,
    narrowest_type,
    type_of_sums,
    weight_type,
)
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s, read_only
from solvers.text import printable
from solvers.units import public_unit

if TYPE_CHECKING:
    from solvers.graphs.turn_rules import TurnRules

Derived = TypeVar("Derived")
_LABEL_LETTERS = 28

WGS84 = "epsg:4326"
"""Longitude and latitude, as OSMnx and GeoPandas name them."""


@dataclass(frozen=True)
class Coordinates:
    """Coordinates of the vertices, (n, 2); longitude and latitude in degrees if
    ``geographic``, else without unit, or in that of the reference system ``crs``, where the
    data name one.
    """

    xy: Float64s
    geographic: bool = False
    crs: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "xy", read_only(self.xy))

    @property
    def reference_system(self) -> str:
        """Its name as OSMnx and GeoPandas have it; "" where it is not known."""
        return WGS84 if self.geographic else self.crs


@dataclass(frozen=True, eq=False)
class RoadPatch:
    """The graph that another one was made from by changes to its roads, and the arcs that differ.

    What depends on the structure alone, such as an order of contraction, serves both,
    and hash and bounds of the changed graph follow from those of this one.

    Attributes
    ----------
    closed : (c,) int64
        Positions in ``graph`` of the arcs that are left out, ascending.
    slowed : (s,) int64
        Positions of the arcs with another weight, ascending; none of them is closed.
    weights : (s,) array of the graph's weight type
        Their weights.
    """

    graph: Graph
    closed: Int64s
    slowed: Int64s
    weights: AnyArray

    @property
    def of_network(self) -> RoadPatch:
        """The same changes, and those before them, to the network with all roads."""
        before = self.graph.base
        if before is None:
            return self
        closed = np.union1d(before.closed, before.arcs[self.closed])
        weights = self.graph.weights.copy()
        weights[self.slowed] = self.weights
        slowed = np.setdiff1d(np.union1d(before.slowed, before.arcs[self.slowed]), closed)
        weights = weights[np.searchsorted(before.arcs, slowed)]
        return RoadPatch(before.graph, closed, slowed, weights).of_network

    @cached_property
    def arcs(self) -> Int64s:
        """For each arc of the changed graph, its position in ``graph``, (m,); ascending."""
        kept = np.ones(self.graph.m, np.bool_)
        kept[self.closed] = False
        return np.flatnonzero(kept)

    @cached_property
    def changed(self) -> Int64s:
        """Positions in ``graph`` of all arcs that differ, ascending."""
        return np.sort(np.concatenate((self.closed, self.slowed)))

    def weights_of_all(self, kind: WeightType) -> AnyArray:
        """The changed weights of all arcs of ``graph``, (its m,) in ``kind``: infinity
        for closed ones.
        """
        weights = self.graph.weights.astype(kind.dtype)  # a copy, also in the same type
        weights[self.closed] = kind.infinity
        weights[self.slowed] = self.weights
        return weights

    @cached_property
    def sha256(self) -> str:
        """`Graph.sha256` of the changed graph: a hash of that of ``graph`` and the arcs
        that differ.
        """
        if not len(self.changed):
            return self.graph.sha256
        return hash_of_changes(self.graph.sha256, (self.closed, self.slowed, self.weights))

    @cached_property
    def path_bound(self) -> int | float | None:
        """A `Graph.path_bound` of the changed graph, derived from that of ``graph``;
        None if it must be computed.

        No path grows by more than all arcs together. The bound by a tree does not hold
        without an arc of the tree, and a bound that needs a wider type may be too high.
        """
        graph = self.graph
        if len(self.closed) and graph.path_bound < graph.simple_path_bound:
            return None
        pairs = zip(self.weights.tolist(), graph.weights[self.slowed].tolist(), strict=True)
        more = [max(0, after - before) for after, before in pairs]
        bound = graph.path_bound + (sum(more) if graph.weight_type.is_integer else math.fsum(more))
        if not graph.weight_type.is_integer:
            bound *= 1 + 2.0**-40  # more than rounding can take off the two sums
        try:
            return bound if bound < graph.distance_type.longest else None
        except UnsuitableGraph:
            return None


@dataclass(frozen=True, eq=False)
class RoadCut:
    """The graph whose roads were cut at points, which are the last vertices of the new one.

    Attributes
    ----------
    graph : Graph
        Its vertices and their indices are those of the new graph without the points.
    names : tuple of str
        What each point is called in displays.
    arcs : (m,) int64
        For each arc of the new graph, the one of ``graph`` that it is, or is a part of.
    """

    graph: Graph
    names: tuple[str, ...]
    arcs: Int64s


class Said(Protocol):
    """What was said of a network, equal by value, with its words: closed and slowed roads, or an
    hour (`RoadChanges`, `AtHour`), the weights of all arcs (`GivenWeights`), points at which
    roads are cut (`RoadPoints`).
    """

    @property
    def at(self) -> str:
        """The hour by which it weighs roads, such as "08:00"; "" if it does not."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Overlay:
    """What was said of a network since it was read, which is what counts when overlays are
    compared, and how that was translated into the arcs and weights of a graph.

    Attributes
    ----------
    said : tuple of Said
        In order. Proofs derive from it, and from nothing else here, what the graph must be.
    turns : TurnRules or None
        Forbidden turns, which paths obey (`solvers.graphs.searched`); of the arcs of the
        network with all roads. Closed roads make others of those that were read.
    base : RoadPatch or None
        The graph that the graph was made from by changes to its roads.
    cut : RoadCut or None
        The graph that it was made from by cutting its roads at points.
    """

    said: tuple[Said, ...] = ()
    turns: TurnRules | None = field(default=None, compare=False)
    base: RoadPatch | None = field(default=None, compare=False)
    cut: RoadCut | None = field(default=None, compare=False)

    @property
    def hour(self) -> str:
        """The hour by which the roads are weighed; "" for their own weights."""
        return next((one.at for one in reversed(self.said) if one.at), "")

    @property
    def at_hour(self) -> str:
        """``" at 08:00"``, behind the name of what is weighed so; "" without an hour."""
        return f" at {self.hour}" if self.hour else ""

    def __str__(self) -> str:
        return ", ".join(filter(None, map(str, self.said)))


AS_READ = Overlay()


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A directed, weighted multigraph in CSR form. Immutable: its arrays are read-only.

    Parallel arcs and self-loops are allowed. With ``directed=False``, every arc must
    have an opposite of the same weight.

    The graph holds read-only views of the given arrays: nothing is copied, and the
    caller's arrays stay writeable. Writing to them later changes the graph but not
    values already computed from it; pass copies if they may change.

    Attributes
    ----------
    indptr : (n + 1,) int64
        Vertex ``v``'s arcs are ``indptr[v]`` to ``indptr[v + 1]``.
    indices : (m,) int32
        Head of each arc; ascending within a row.
    weights : (m,) int32, int64, float32 or float64
    ids : (n,) int64
        The vertex ids of the file, ascending; all displays use them.
    weight_unit : str
        Unit of weights and distances ("m", "s"), or "" if unknown.
    overlay : Overlay
        Its turns, and what was said of it since it was read.
    roads : RoadData or None
    interpretation : Interpretation or None
        How the graph was read; None of a graph that was not read.
    attributes : tuple of ArcColumn
        What else is known of the arcs, by the attributes of edges or columns of a table.

    Other Parameters
    ----------------
    assume_symmetric : bool
        Skip the check of an undirected graph, for code that has inserted both arcs of
        every edge itself.

    Raises
    ------
    ParameterError
        If arrays do not fit together.
    NotUndirected
        If an undirected graph has an arc without an opposite.
    """

    indptr: Int64s
    indices: Int32s
    weights: AnyArray
    coordinates: Coordinates | None = None
    ids: Int64s = field(default=None)  # type: ignore[arg-type]
    name: str = "graph"
    directed: bool = True
    weight_unit: str = ""
    overlay: Overlay = AS_READ
    roads: RoadData | None = None
    interpretation: Interpretation | None = None
    attributes: tuple[ArcColumn, ...] = ()
    assume_symmetric: InitVar[bool] = False
    _derived: DerivedValues = field(default_factory=DerivedValues, init=False)

    def __post_init__(self, assume_symmetric: bool) -> None:
        n = len(self.indptr) - 1
        if self.ids is None:
            object.__setattr__(self, "ids", np.arange(n, dtype=np.int64))
        if n > np.iinfo(np.int32).max:
            raise ParameterError("Graph", "n", n, "too many vertices for 32-bit indices")
        if not is_weight_type(self.weights.dtype):
            raise ParameterError(
                "Graph", "weights", self.weights.dtype, f"must be one of {', '.join(WEIGHT_TYPES)}"
            )
        if not (len(self.indices) == len(self.weights) == self.indptr[-1] and len(self.ids) == n):
            raise ParameterError("Graph", "indptr", int(self.indptr[-1]), "array lengths disagree")
        if self.coordinates is not None and self.coordinates.xy.shape != (n, 2):
            raise ParameterError(
                "Graph", "coordinates", self.coordinates.xy.shape, f"must have shape ({n}, 2)"
            )
        if self.roads is not None:
            self.roads.require_arcs(len(self.indices))
        for column in self.attributes:
            if len(column.values) != len(self.indices):
                raise ParameterError("Graph", column.name, len(column.values), "not one an arc")
        for name in ("indptr", "indices", "weights", "ids"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        if not (self.directed or assume_symmetric):
            self._require_opposite_arcs()

    def __len__(self) -> int:
        """The number of vertices."""
        return self.n

    def __bool__(self) -> bool:
        return True  # also without vertices: ``graph or other`` asks whether there is a graph

    def __repr__(self) -> str:
        kind = self.weights.dtype.name
        return (
            f"{type(self).__name__}({self.name!r}, n={self.n}, m={self.m}, {kind}, "
            f"directed={self.directed})"
        )

    _repr_mimebundle_ = mime_bundle

    def plot(self, values: object = None, title: str = "value", ax: Any = None) -> Any:
        """Draw the graph, its vertices coloured by ``values``.

        Parameters
        ----------
        values : (n,) array-like, optional
            In the order of ``ids``; vertices with nan or inf have no colour.
        title : str
            What the values are, for the legend.
        ax : matplotlib.axes.Axes, optional
            Draw there, too.

        Returns
        -------
        Display
            Shown by notebooks, and written by its ``save("x.html")``, ``.png`` or
            ``.svg``.

        Raises
        ------
        ParameterError
            For values of another number.
        """
        return display("plot_graph", self, values, title, ax)

    @classmethod
    def from_arcs(
        cls,
        n: int,
        tails: AnyArray,
        heads: AnyArray,
        weights: AnyArray,
        **attributes: Any,
    ) -> Graph:
        """Build a graph from an arc list in any order.

        Parameters
        ----------
        n : int
            Number of vertices; arcs refer to them as ``0 .. n - 1``.
        tails, heads : (m,) integers
        weights : (m,) of a weight type
        **attributes
            ``coordinates``, ``ids``, ``name``, ``directed``, ``weight_unit``,
            ``assume_symmetric``.
        """
        indptr, indices, ordered = rows_of_arcs(
            n,
            np.ascontiguousarray(tails, dtype=np.int32),
            np.ascontiguousarray(heads, dtype=np.int32),
            np.ascontiguousarray(weights),
        )
        return cls(indptr, indices, ordered, **attributes)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of arcs."""
        return len(self.indices)

    @property
    def base(self) -> RoadPatch | None:
        return self.overlay.base

    @property
    def cut(self) -> RoadCut | None:
        return self.overlay.cut

    @property
    def turns(self) -> TurnRules | None:
        return self.overlay.turns

    @property
    def uncut(self) -> Graph:
        """The graph before its roads were cut; itself if they were not."""
        return self if self.cut is None else self.cut.graph

    @property
    def network(self) -> Graph:
        """The graph with all its roads that this one was made from by changes to them; itself
        without changes.
        """
        return self if self.base is None else self.base.graph

    @property
    def as_read(self) -> Graph:
        """The network before roads were cut, and with all of them."""
        return self.uncut.network

    def count(self, chosen: Bools) -> int:
        """The number of vertices among all, (n,), that are chosen; as `len`, of junctions."""
        return int(np.count_nonzero(chosen))

    @property
    def has_turns(self) -> bool:
        """Whether turns are forbidden, or cost something."""
        return self.turns is not None and self.turns.has_effect

    @property
    def weight_type(self) -> WeightType:
        return weight_type(self.weights.dtype)

    def weights_in(self, dtype: Any) -> AnyArray:
        """The weights in a type, (m,). Read-only."""
        return read_only(self.weights.astype(dtype, copy=False))

    @cached_property
    def tails(self) -> Int32s:
        """Tail of each arc, (m,); together with ``indices`` and ``weights`` the edge list (COO)."""
        if self.base is not None and not len(self.base.closed):
            return self.base.graph.tails
        tails = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))
        tails.flags.writeable = False
        return tails

    @cached_property
    def out_degrees(self) -> Int64s:
        degrees = np.diff(self.indptr)
        degrees.flags.writeable = False
        return degrees

    @cached_property
    def greatest_degree(self) -> int:
        """Of arcs that leave a vertex."""
        return int(self.out_degrees.max(initial=0))

    @cached_property
    def reverse(self) -> Graph:
        """The graph with every arc reversed; its rows are this graph's columns (CSC)."""
        return Graph.from_arcs(
            self.n,
            self.indices,
            self.tails,
            self.weights,
            coordinates=self.coordinates,
            ids=self.ids,
            name=self.name,
            directed=self.directed,
            weight_unit=self.weight_unit,
            assume_symmetric=True,
        )

    @cached_property
    def least_weight(self) -> int | float:
        return self.weights.min().item() if self.m else 0

    @cached_property
    def greatest_weight(self) -> int | float:
        return self.weights.max().item() if self.m else 0

    @cached_property
    def mean_weight(self) -> float:
        if not self.m:
            return 0.0
        with np.errstate(over="ignore"):
            mean = float(self.weights.mean(dtype=np.float64))
        return mean if np.isfinite(mean) else float((self.weights / self.m).sum())

    @property
    def has_negative_weights(self) -> bool:
        return self.least_weight < 0

    @cached_property
    def path_bound(self) -> int | float:
        """Upper bound on the length of any shortest path and on any weight, which the
        distance type must represent.
        """
        known = None if self.base is None else self.base.path_bound
        if known is not None:
            return known
        return path_bound(self.indptr, self.indices, self.weights)

    @cached_property
    def simple_path_bound(self) -> int | float:
        """Upper bound on the length of any path that meets no vertex twice; leaving out
        arcs does not raise it.
        """
        return simple_path_bound(self.n, self.indices, self.weights)

    @cached_property
    def distance_type(self) -> WeightType:
        """The type to solve in: the weight type, or the next wider; `UnsuitableGraph`
        if even that could overflow.
        """
        own, heaviest = self.weight_type, max(abs(self.least_weight), abs(self.greatest_weight))
        sums = type_of_sums(own)
        if self.base is None and self.n * heaviest < sums.longest:
            return sums  # as `path_bound` would say, which takes longer
        return narrowest_type(own, self.path_bound)

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of structure, weights, ids and turns; `RoadPatch`'s after changes."""
        if self.base is not None:
            return self.base.sha256
        turns = () if self.turns is None else self.turns.arrays
        return hash_of_content((self.indptr, self.indices, self.weights, self.ids, *turns))

    @cached_property
    def structure_sha256(self) -> str:
        """SHA-256 of the numbers of vertices and arcs and of where arcs lead; the same
        for other weights and ids.
        """
        if self.base is not None and not len(self.base.closed):
            return self.base.graph.structure_sha256
        return hash_of_structure(self.indptr, self.indices)

    @cached_property
    def structure_sketch(self) -> str:
        """Hexadecimal hash of a part of what `structure_sha256` is a hash of."""
        if self.base is not None and not len(self.base.closed):
            return self.base.graph.structure_sketch
        return sketch_of_structure(self.indptr, self.indices)

    def with_weights(self, name: str) -> Graph:
        """The same network with another of its weights, "metres" or "seconds" of an
        OpenStreetMap extract.

        Everything else is shared. It becomes directed if those weights differ between
        the two directions of a road. Raises `UnknownName` if it has no weights of that
        name.
        """
        if self.roads is None:
            raise UnknownName("column of weights", name, ())
        column = self.roads.column(name)
        directed = self.directed or unpaired_arc(self.indptr, self.indices, column.values) >= 0
        interpretation = self.interpretation
        if interpretation is not None:
            interpretation = replace(
                interpretation.weighted_by(name, public_unit(column.unit)),
                turns="" if self.turns is None else self.turns.in_words(column.unit),
            )
        return replace(
            self,
            weights=column.values,
            weight_unit=column.unit,
            overlay=Overlay(turns=self.turns),
            directed=directed,
            interpretation=interpretation,
            assume_symmetric=True,
        )

    def with_turns(self, rules: TurnRules | None, **fields: Any) -> Graph:
        """A graph as it was read, with rules for turns that name its arcs, and further
        ``fields`` of its own.
        """
        return self.with_overlay(Overlay(turns=rules), **fields)

    def with_overlay(self, overlay: Overlay, **fields: Any) -> Graph:
        """The graph with another overlay, and what follows from it; itself if it has that."""
        if not fields and overlay == self.overlay and overlay.turns is self.turns:
            return self
        return replace(self, overlay=overlay, assume_symmetric=True, **fields)

    def cached(self, key: Hashable, make: Callable[[], Derived]) -> Derived:
        """A value derived from the graph by ``make``, computed once per ``key`` and
        cached: see `DerivedValues.get`.
        """
        return self._derived.get(key, make)

    def peek_cached(self, key: Hashable) -> object | None:
        """The value that `cached` has kept for ``key``; None if it has not been computed."""
        return self._derived.peek_cached(key)

    def matrix(self, kind: WeightType | None = None) -> AnyArray:
        """The initial dense distance matrix of Floyd-Warshall.

        Returns
        -------
        (n, n) array of the weight type
            Least parallel arc; 0 on the diagonal unless a self-loop is negative;
            infinity elsewhere.
        """
        kind = kind or self.weight_type
        matrix = np.full((self.n, self.n), kind.infinity, dtype=kind.dtype)
        np.fill_diagonal(matrix, 0)
        np.minimum.at(matrix, (self.tails, self.indices), self.weights.astype(kind.dtype))
        return matrix

    def vertex(self, vertex_id: Hashable) -> int:
        """Index of the vertex whose id in the file is ``vertex_id``; `UnknownVertex`,
        with the nearest, without one.
        """
        if not isinstance(vertex_id, (int, np.integer)):
            text = str(vertex_id).removesuffix(".0")
            meant = [int(text)] if text.isdecimal() and (self.ids == int(text)).any() else []
            raise UnknownVertex(vertex_id, meant)
        position = int(np.searchsorted(self.ids, vertex_id))
        if position < self.n and self.ids[position] == vertex_id:
            return position
        nearest = [int(v) for v in self.ids[max(0, position - 1) : position + 1]]
        in_roads = self.roads is not None and self.roads.class_of is not None
        raise UnknownVertex(vertex_id, nearest, in_roads=in_roads)

    def vertices(self, vertex_ids: Sequence[Hashable]) -> Int64s:
        """Indices of several vertices, (k,); as `vertex`, with all ids looked up
        together. Raises `UnknownVertex`.
        """
        wanted = np.array(vertex_ids) if len(vertex_ids) else np.empty(0, np.int64)
        if wanted.dtype.kind in "iu" and self.n:
            positions = np.searchsorted(self.ids, wanted)
            if (self.ids[np.minimum(positions, self.n - 1)] == wanted).all():
                return positions
        # finds the unknown one
        return np.array([self.vertex(vertex_id) for vertex_id in vertex_ids], np.int64)

    def vertex_id(self, vertex: int) -> Hashable:
        """Id in the file of the vertex with that index: the inverse of `vertex`."""
        return int(self.ids[vertex])

    @property
    def has_labels(self) -> bool:
        """Whether vertices have names other than integers."""
        return False

    def written_id(self, vertex: int) -> Hashable:
        """`vertex_id` as answers are written; of a point where a road was cut its name."""
        if self.cut is not None and vertex >= self.cut.graph.n:
            return self.cut.names[vertex - self.cut.graph.n]
        return self.vertex_id(vertex)

    def vertex_text(self, vertex: int) -> str:
        """`written_id` as text that is safe to show."""
        return printable(str(self.written_id(vertex)))

    def vertex_label(self, vertex: int) -> str:
        """`vertex_text`, cut to a length for labels in pictures and tables, but for the name
        of a point where a road was cut.
        """
        text = self.vertex_text(vertex)
        is_point = self.cut is not None and vertex >= self.cut.graph.n
        is_short = is_point or len(text) <= _LABEL_LETTERS
        return text if is_short else text[: _LABEL_LETTERS - 1] + "…"

    def row(self, vertex: int) -> slice:
        """The arcs that leave ``vertex``, as a slice into ``indices`` and ``weights``."""
        return slice(int(self.indptr[vertex]), int(self.indptr[vertex + 1]))

    def _require_opposite_arcs(self) -> None:
        if (arc := unpaired_arc(self.indptr, self.indices, self.weights)) >= 0:
            tail = int(np.searchsorted(self.indptr, arc, side="right")) - 1
            ends = self.vertex_id(tail), self.vertex_id(int(self.indices[arc]))
            raise NotUndirected(self.name, *ends, self.weights[arc].item())
