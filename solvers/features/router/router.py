"""`prepare`: a `Router` that answers many questions about one network, from any number
of threads.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import reduce
from itertools import chain
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from solvers.algorithms.hierarchy.kept_climbs import COMPILED, KeptClimbs, kept_climbs
from solvers.displays import display
from solvers.errors import ParameterError
from solvers.features.router.weights import (
    Order,
    Weights,
    arcs_between,
    own_weights,
    present_weights,
)
from solvers.features.router.zarr_table import zarr_table
from solvers.graphs.graph import Graph
from solvers.graphs.hours import AtHour, HourTable, hour_of, read_hours
from solvers.graphs.labelled import ROUTER_NAME, VertexIds, has_tuples, pairs_have_tuples
from solvers.graphs.places import is_place, place_ends
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.rows import remember_rows, rows_of
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import as_float
from solvers.library.distances import DistanceTable, Reached, Tree, ids_of
from solvers.library.graphs import read
from solvers.library.paths import Alternatives, Path, Paths
from solvers.library.progress import Report, watched
from solvers.parameters import require_whole
from solvers.picture.scene.activity import Activity
from solvers.running.prepared_network import searched_network
from solvers.running.ways import MOST_ALTERNATIVES
from solvers.system import machine
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.ranges import offsets_of
from solvers.text import plural
from solvers.units import to_internal_unit, to_internal_units, to_public_unit
from solvers.verification.prover import NetworkProver
from solvers.verification.sample import Proofs, Verify, proof_plan

if TYPE_CHECKING:
    from solvers.devices.device import Device
    from solvers.features.ends_on_roads.road_ends import PlaceAnswers, RoadQuestion
    from solvers.features.isochrone.answers import Isochrones
    from solvers.features.router.packed_network import PackedNetwork
    from solvers.graphs.places import RoadPoint
    from solvers.running.prepared_network import PreparedNetwork

# by NumPy from what is kept; for more, compiled queries are loaded, a hundred times as fast
_KEPT_ANSWERS = 20
_NO_TREE = (
    "Turns matter here: a path to a vertex need not be that to its predecessor and one arc more. "
    "Ask path() for paths."
)


def prepare(
    graph: object,
    weights: Weights | None = None,
    device: str | None = "auto",
    verify: bool | Verify = "sample",
    *,
    order: Order = "arcs",
    progress: bool | Report | None = None,
) -> Router:
    """Prepare a network for many questions.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    weights : (m,) numbers or mapping of pairs of ids, optional
        Other weights than those of the graph, as in `Router.update`; none is inf.
    device : str or None
        For tables of four million distances or more: "auto" takes an NVIDIA GPU if
        there is one, None the processor; or a kind or key, as in `solve`.
    verify : str or bool
        "sample" proves a seeded share of the rows of tables and bulks, "all" or True
        every row or pair that an answer is part of, also of single questions, "none" or
        False nothing.
    order : str
        Of an array of weights: "arcs" or "rows", as in `Router.update`.
    progress : bool or callable
        True shows a bar on stderr; a function is called with the share that is done, 0
        to 1, and the name of the stage, in the thread that computes.

    Returns
    -------
    Router

    Raises
    ------
    ParameterError
        For weights of another length, or that are not finite numbers, and as in `read`.
    NegativeCycle
    UnsuitableGraph
        For negative weights where separators are large.
    DeviceUnavailable

    Examples
    --------
    >>> from solvers import prepare
    >>> router = prepare(([0, 2, 3, 3], [1, 2, 2], [4, 9, 3]))
    >>> router.distance(0, 2), router.path(0, 2)
    (7, [0, 1, 2])
    >>> router.table([0, 1], [1, 2])
    array([[4., 7.],
           [0., 3.]])
    """
    plan = proof_plan(verify, "prepare")
    network = read(graph)
    if weights is not None:
        rows, own = rows_of(network), own_weights(network, weights, order, network.weights)
        network = changed_graph(network, own)  # a copy, with the same arcs
        remember_rows(network, rows)
    if (
        sys.modules.get(COMPILED) is None
        and plan != "all"
        and device in (None, "auto")
        and network.base is None
        and searched_graph(network).searched is network
    ):
        kept = kept_climbs(network)
        if kept is not None:
            return Router(network, None, device, plan, kept)
    with watched(progress, "prepare") as watch:
        return Router(network, *_first_state(network, device, watch("preparing")), plan)


class Router:
    """Answers questions about one network; made by `prepare`.

    Vertices are named by the ids of the file, or by the nodes of a NetworkX graph.
    Lengths are in the unit of the weights, in metres or seconds for a road network of
    OpenStreetMap; `distance` is exact, arrays are float64 with inf where there is no
    path. Sums of floating-point weights are within the rounding of their own path.

    Any number of threads may ask at once. `update` and `close` exchange the weights:
    questions that have begun are answered with the former ones, those that begin after
    the return with the new ones.

    A pickle names a file in the user's cache folder, with the network and its
    hierarchy; processes of one machine that load it share the memory. Coordinates are
    left out.
    """

    def __init__(
        self,
        network: Graph,
        # None if it is to be made when more is asked than what is kept answers
        state: PreparedNetwork | None,
        device: Device | str | None,
        verify: Verify,
        kept: KeptClimbs | None = None,
    ):
        self._network, self._made, self._device = network, state, device
        self._kept, self._kept_answers = kept, _KEPT_ANSWERS
        self._changing = threading.RLock()
        self._prover = NetworkProver(network, verify)
        self._vertices = VertexIds(network)

    @property
    def graph(self) -> Graph:
        """The network with its present weights; closed arcs are left out."""
        return self._network if self._made is None else self._made.graph

    @property
    def ids(self) -> Sequence[Hashable] | Int64s:
        """The vertex ids, to whose order arrays refer."""
        return ids_of(self._network)

    @property
    def note(self) -> str:
        """What answers: the hierarchy and how long it took, or searches and why."""
        kept = self._kept
        return self._state.note if kept is None else kept.note

    @property
    def proofs(self) -> Proofs:
        """How many rows were answered in bulk, and how many rows were proved."""
        return self._prover.count.proofs

    def __repr__(self) -> str:
        method = self.note.split(":", 1)[0].split(",", 1)[0].lower()
        return f"Router({self._network.name!r}, n={self._network.n}, m={self._network.m}, {method})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.map()._repr_mimebundle_(include, exclude)

    def map(
        self, source: Hashable = None, within: float | str | None = None, ax: Any = None
    ) -> Any:
        """Draw the network, coloured by the distances from ``source`` up to ``within``.

        Returns
        -------
        Display
            As of `Graph.plot`.

        Raises
        ------
        UnknownVertex
        ParameterError
            For a budget that is no number, or without a source.
        """
        graph, words = self.graph, [self.note]
        if source is None:
            if within is not None:
                raise ParameterError("Router", "within", within, "it needs a source")
            return display("picture_of", graph, repr(self), words, ax)
        unit, vertex = graph.weight_unit, None if is_place(graph, source) else graph.vertex(source)
        # `Activity` takes distances in the unit of the weights
        row, budget = self.distances(source) * to_internal_unit(1.0, unit), None
        if within is not None:
            inside, _ = self.within(source, within)
            budget = float(to_internal_unit(within, unit))
            count = plural(len(inside), "vertex", "vertices")
            words.insert(0, f"{count} within {within} of {source}.")
        activity = Activity(graph.n, row, None, unit, budget)
        return display("picture_of", graph, repr(self), words, ax, activity=activity, source=vertex)

    def distance(self, source: Hashable, target: Hashable) -> int | float:
        """Length of a shortest path: exact, inf if there is none.

        Ends are ids or, in a network with longitudes and latitudes, places: (latitude,
        longitude) stands for the nearest point of a road that is not closed. Raises
        UnknownVertex, NoRoadNear.

        Examples
        --------
        >>> from solvers import prepare
        >>> from solvers.graphs.graph import Coordinates, Graph
        >>> places = Coordinates(np.array([[9.5, 47.1], [9.6, 47.1]]), geographic=True)
        >>> road = Graph.from_arcs(2, [0], [1], np.array([1000]), coordinates=places)
        >>> prepare(road).distance((47.1, 9.525), 1)
        750
        """
        question = self._place_question(source, target)
        if question is not None:
            return question.length
        kept, self._kept_answers = self._kept, self._kept_answers - 1
        state = self._state if kept is None or self._kept_answers < 0 else kept
        a, b = self._vertices.index(source), self._vertices.index(target)
        length = state.length(a, b)
        if self._prover.proves_all and not isinstance(state, KeptClimbs):
            goal, claimed = state.translation.end(b), float(as_float(length, state.kind))
            state.require(self._proving(state).pair(a, goal, claimed))
        if length >= state.kind.infinity:
            return float("inf")
        exact: int | float = to_public_unit(
            length if isinstance(length, (int, float)) else length.item(), self._unit
        )
        return exact

    def path(self, source: Hashable, target: Hashable) -> Path | None:
        """Ids on a shortest path, both ends included, with what is known of the arcs;
        None if there is none. Ends and errors are as of `distance`; a point of a road is a
        vertex with an id of its own, and among the path's ``points``.
        """
        question = self._place_question(source, target)
        if question is not None:
            return question.path()
        state, a, b = self._state, self._vertices.index(source), self._vertices.index(target)
        if self._prover.proves_all:
            ends = np.array([a]), np.array([b])
            found = state.paths(*ends)
            state.require(self._proving(state).paths(ends, found))
            vertices = found[0]
        else:
            vertices = state.path(a, b)
            if len(vertices):
                state.require(self._proving(state).path(vertices))
        return self._path(state, vertices) if len(vertices) else None

    def snap(self, places: ArrayLike) -> tuple[RoadPoint, ...]:
        """The points of roads nearest to many places, (k, 2) latitudes and longitudes.

        Each has its distance in ``metres``, the ends of its road, and its share of the road.
        Closed roads have none. Raises UnsuitableGraph without longitudes and latitudes,
        ParameterError, and NoRoadNear for the first that is more than 10 km away.
        """
        from solvers.features.ends_on_roads.road_ends import points_near

        return points_near(self._state, places)

    def distances(self, source: Hashable) -> Float64s:
        """Distances from a vertex or place to all vertices, (n,) in the order of `ids`.

        Ends and errors are as of `distance`, also of the questions below.
        """
        state, starts = self._starts(source)
        rows = (as_float(self._row(state, v), state.kind) + more for v, more in starts)
        return to_public_unit(reduce(np.minimum, rows), self._unit)

    def tree(self, source: Hashable) -> Tree:
        """A tree of shortest paths from a vertex or place to all vertices.

        Where turns matter, the shortest path to a vertex need not go on from that to its
        predecessor: distances do not add up along predecessors, and ``note`` says so.
        """
        state, starts = self._starts(source)
        distances, before = np.full(self._network.n, np.inf), np.empty(0, np.int32)
        for start, more in starts:
            row = self._row(state, start)
            found = state.predecessors(start, row)
            row = as_float(row, state.kind) + more
            before = np.where(row < distances, found, before) if len(before) else found
            distances = np.minimum(distances, row)
        note = "" if state.searched is state else _NO_TREE
        distances = to_public_unit(distances, self._unit)
        return Tree(source, distances, before, note, state.graph)

    def within(self, source: Hashable, budget: float | str) -> Reached:
        """Ids of the vertices at a distance of at most ``budget``, nearest first, and
        their distances: ``ids, distances = router.within(...)``.

        The budget is in the unit of the weights, or has a unit, such as "5min" or
        "2km". Raises UnknownVertex, and ParameterError for a budget that is no number.
        """
        try:
            limit = to_public_unit(to_internal_unit(budget, self._unit), self._unit)
        except ValueError as error:
            raise ParameterError(ROUTER_NAME, "budget", budget, str(error)) from None
        distances = self.distances(source)
        inside = np.flatnonzero((distances <= limit) & (distances < np.inf))
        inside = inside[np.argsort(distances[inside], kind="stable")]
        return Reached(self._vertices.ids(inside), distances[inside], self.graph, source)

    def isochrone(
        self, source: Hashable, budgets: float | str | Sequence[float | str]
    ) -> Isochrones:
        """The roads within one or several budgets of a vertex or place, cut where a budget
        ends, and their outlines.

        Budgets are as of `within`; a text may have several: "5, 10, 15 min". Raises
        UnknownVertex, NoRoadNear, ParameterError.

        Examples
        --------
        >>> from solvers import prepare
        >>> roads = prepare([("a", "b", 4), ("b", "c", 4)]).isochrone("a", [6, 2])
        >>> roads.budgets, roads.vertices, roads.lengths
        ((2.0, 6.0), (1, 2), (2.0, 6.0))
        """
        from solvers.features.isochrone.answers import isochrones_of

        listed = [budgets] if isinstance(budgets, (str, float, int)) else [*budgets]
        try:
            found = (to_internal_units(str(budget), self._unit) for budget in listed)
            limits = sorted({limit for limits in found for limit in limits})
        except ValueError as error:
            raise ParameterError(ROUTER_NAME, "budget", budgets, str(error)) from None
        if not limits:
            raise ParameterError(ROUTER_NAME, "budget", budgets, "there is none")
        state = self._state
        if is_place(self._network, source):
            points = place_ends().nearest(state.graph, np.array([source]))
            cut, (vertex,) = place_ends().cut(state.graph, points)
            state = searched_network(cut)
        else:
            vertex = self._vertices.index(source)
        row, starts = state.row_and_starts(vertex)
        if self._prover.proves_all:
            state.require(self._proving(state).own_row(vertex, row))
        distances, name = as_float(row, state.kind), str(source)
        return isochrones_of(state.graph, name, distances, limits, ROUTER_NAME, starts)

    def nearest(
        self, source: Hashable, targets: Sequence[Hashable] | AnyArray, k: int = 1
    ) -> Reached:
        """Ids of the ``k`` nearest of ``targets``, nearest first, and their distances;
        fewer if fewer are reached. Places among the targets are returned as they are.

        Of equally near ones those that come first among ``targets`` are taken. Raises
        UnknownVertex, NoRoadNear, ParameterError.
        """
        require_whole(ROUTER_NAME, "k", k, 1)
        row = self.table([source], targets)[0]
        order = np.argsort(row, kind="stable")[:k]
        order = order[np.isfinite(row[order])]
        if has_tuples(targets):
            ends = np.fromiter(map(_plain, targets), object, len(targets))[order]
        else:
            ends = self._vertices.ids(self._vertices.indices(targets, "targets")[order])
        return Reached(ends, row[order], self.graph, source)

    def eccentricity(self, source: Hashable) -> float:
        """The greatest distance from a vertex or place to any vertex that it reaches."""
        distances = self.distances(source)
        return float(distances[np.isfinite(distances)].max())

    @overload
    def table(
        self,
        sources: Sequence[Hashable] | AnyArray,
        targets: Sequence[Hashable] | AnyArray | None = None,
    ) -> DistanceTable: ...
    @overload
    def table(
        self,
        sources: Sequence[Hashable] | AnyArray,
        targets: Sequence[Hashable] | AnyArray | None = None,
        *,
        to: str | FilePath | None,
    ) -> Any: ...
    def table(
        self,
        sources: Sequence[Hashable] | AnyArray,
        targets: Sequence[Hashable] | AnyArray | None = None,
        *,
        to: str | FilePath | None = None,
    ) -> Any:
        """Distances from each source to each target, (k, l) float64: a `DistanceTable`.

        Parameters
        ----------
        sources, targets : vertex ids, or places as of `distance`
            Repeated ones are allowed; all vertices if no targets are given. An array of
            places is (k, 2).
        to : str or Path, optional
            Folder of a Zarr array to be made, for a table that does not fit into the
            memory; it is returned.

        Raises
        ------
        UnknownVertex
            With the position in the list.
        OutOfMemory
            If the table does not fit; nothing is allocated.
        PackageMissing, FileNotWritten
            For a Zarr array.
        VerificationFailed
        """
        if isinstance(sources, Iterator):
            sources = list(sources)
        if isinstance(targets, Iterator):
            targets = list(targets)
        table = self._table_of(sources, targets)
        shape = len(sources), self._network.n if targets is None else len(targets)
        if to is None:
            remedy = 'Give the folder of a Zarr array: table(..., to="distances.zarr").'
            machine.require_memory("The table", 8 * shape[0] * shape[1], remedy=remedy)
            goals = self.ids if targets is None else targets
            return DistanceTable.of(table(slice(None)), sources, goals, self.graph)
        return zarr_table(FilePath(to), shape, table)

    def rows_on_device(self, sources: Sequence[Hashable] | AnyArray | None = None) -> Any:
        """Distances from each source, from all vertices by default, to all; they stay on the GPU.

        Returns
        -------
        cupy.ndarray
            (k, n) of the type ``graph.distance_type``, with its infinity where there is
            no path, in the unit of ``graph.weights``.

        Raises
        ------
        DeviceUnavailable
            Without an NVIDIA GPU, or where searches answer.
        OutOfMemory, UnknownVertex, VerificationFailed
        ParameterError
            For places.
        """
        self._require_ids("rows_on_device", sources if has_tuples(sources) else ())
        state = self._state
        starts = (
            np.arange(self._network.n)
            if sources is None
            else self._vertices.indices(sources, "sources")
        )
        rows = state.rows_on_device(starts)
        prover = self._proving(state)
        state.require(prover.rows_on_device(self._device, starts, rows))
        return rows

    def lengths(self, pairs: ArrayLike | Sequence[tuple[Hashable, Hashable]]) -> Float64s:
        """Lengths of shortest paths of pairs of ids, (k,), given as an array (k, 2) or
        a sequence of pairs.

        Ends may be places, as of `distance`; of an array, (k, 2, 2), all are. Raises
        UnknownVertex with the position of the pair, ParameterError, NoRoadNear and
        VerificationFailed.
        """
        if pairs_have_tuples(pairs):
            return self._on_roads.lengths(list(pairs))  # type: ignore[arg-type]
        state, (starts, ends) = self._state, self._vertices.ends(pairs)
        found = as_float(state.lengths(starts, ends), state.kind)
        goals = state.translation.ends(ends)
        state.require(self._proving(state).pairs(starts, goals, found))
        return to_public_unit(found, self._unit)

    def paths(self, pairs: ArrayLike | Sequence[tuple[Hashable, Hashable]]) -> Paths:
        """Shortest paths of pairs of ids, not places; otherwise as of `lengths`."""
        if pairs_have_tuples(pairs):
            listed: Any = pairs
            self._require_ids("paths", chain.from_iterable(listed))
        state, (starts, ends) = self._state, self._vertices.ends(pairs)
        vertices, first, lengths = state.paths(starts, ends)
        found = vertices, first, lengths
        state.require(self._proving(state).paths((starts, ends), found))
        lengths = to_public_unit(as_float(lengths, state.kind), self._unit)
        return Paths(vertices, first, lengths, (starts, ends), state.graph)

    def shortest_simple_paths(self, source: Hashable, target: Hashable, k: int) -> Paths:
        """The ``k`` shortest paths that meet no vertex twice, the shortest first.

        Fewer if there are fewer, none where the target cannot be reached. Paths differ in
        their vertices; of parallel arcs the lightest is taken. Of paths of one length any
        may come first; sums of floating-point weights that differ by their rounding only
        may change places. Raises UnknownVertex, and ParameterError, also for places;
        UnsuitableGraph where forbidden turns leave too many ways to be looked at.

        Examples
        --------
        >>> from solvers import prepare
        >>> router = prepare([("a", "b", 1), ("b", "c", 1), ("a", "c", 3), ("a", "b", 2)])
        >>> paths = router.shortest_simple_paths("a", "c", 5)
        >>> list(paths), paths.distances
        ([['a', 'b', 'c'], ['a', 'c']], array([2., 3.]))
        """
        require_whole(ROUTER_NAME, "k", k, 1)
        self._require_ids("shortest_simple_paths", [source, target])
        state, a, b = self._state, self._vertices.index(source), self._vertices.index(target)
        from solvers.features.alternatives.simple_paths import shortest_simple_paths

        found = shortest_simple_paths(state, a, b, k)
        vertices = np.array([v for one in found for v in one.junctions], np.int32)
        first = offsets_of([len(one.junctions) for one in found])
        lengths = np.array([one.length for one in found], state.kind.dtype)
        if self._prover.proves_all:
            prover = self._proving(state)
            for i, length in enumerate(lengths.tolist()):
                state.require(prover.path(vertices[first[i] : first[i + 1]], length))
            if state.searched is state:  # else the shortest of all may meet a vertex twice
                shortest = vertices[: first[min(1, len(found))]]
                self._require_shortest(state, (a, b), shortest, lengths)
        ends = np.full(len(found), a), np.full(len(found), b)
        lengths = to_public_unit(as_float(lengths, state.kind), self._unit)
        return Paths(vertices, first, lengths, ends, state.graph)

    def alternatives(self, source: Hashable, target: Hashable, k: int = 3) -> Alternatives:
        """The shortest path and up to ``k`` alternatives, at most five, the best first.

        Where a hierarchy answers, an alternative is at most a quarter longer than what it
        replaces of the shortest path, and meets no junction twice. What it shares with the
        paths before it is at most 80 per cent of the length of the shortest path, and each
        of its parts of a quarter of that length is a shortest path [1]_. Elsewhere, and
        with negative weights, these are `shortest_simple_paths`. Fewer are no error:
        ``note`` says why. Ends may be places, as of `path`. Raises UnknownVertex,
        NoRoadNear, ParameterError.

        References
        ----------
        .. [1] Abraham, Delling, Goldberg and Werneck, "Alternative routes in road
           networks", SEA 2010.

        Examples
        --------
        >>> from solvers import generate, prepare
        >>> router = prepare(generate("road", vertices=400, seed=1))
        >>> ways = router.alternatives(1, 399, 2)
        >>> ways[0] == router.path(1, 399), all(share <= 0.8 for share in ways.shared)
        (True, True)
        """
        require_whole(ROUTER_NAME, "k", k, 1, MOST_ALTERNATIVES)
        question = self._place_question(source, target)
        if question is not None:
            from solvers.features.alternatives.road_alternatives import alternatives_of

            return alternatives_of(question, (source, target), k)
        state, a, b = self._state, self._vertices.index(source), self._vertices.index(target)
        from solvers.features.alternatives.ways import find_ways

        found = find_ways(state, a, b, k)
        if self._prover.proves_all and (found.ways or state.searched is state):
            lengths = np.array([way.length for way in found.ways])
            first = found.ways[0].vertices if found.ways else np.empty(0, np.int32)
            self._require_shortest(state, (a, b), first, lengths)
        paths = tuple(self._path(state, way.vertices) for way in found.ways)
        return Alternatives(paths, tuple(way.shared for way in found.ways), found.note)

    def update(self, weights: Weights, *, order: Order = "arcs") -> None:
        """Exchange the weights; only what depends on those that differ is customised.

        Parameters
        ----------
        weights : (m,) numbers, or mapping of pairs of ids
            Of all arcs that the network had when it was prepared; inf closes an arc,
            and arcs that were closed are open again. A mapping ``{(u, v): weight}``
            exchanges the weights of the arcs from u to v, parallel ones together and,
            in an undirected graph, with the opposite ones; others stay as they are.
        order : str
            Of an array: "arcs", as in ``Graph.weights``, by tail and then by head; or
            "rows", as in the table or list of edges, also of a file, or the matrix from
            which the network was read, where a row of an undirected graph has both of its
            arcs.

        Raises
        ------
        ParameterError
            For weights of another length, or that are no numbers, and for "rows" where
            the network was not read from rows; the former weights stay.
        UnknownVertex, UnknownArc
            For a pair in a mapping.
        NegativeCycle, UnsuitableGraph

        Examples
        --------
        >>> from solvers import prepare
        >>> router = prepare([("b", "c", 3), ("a", "b", 4)])
        >>> router.update([30, 4], order="rows")
        >>> router.distance("a", "c")
        34
        >>> router.update({("a", "b"): 5})
        >>> router.distance("a", "c")
        35
        """
        with self._changing:
            state = self._state
            own = own_weights(self._network, weights, order, present_weights(state), closing=True)
            self._state = state.with_weights(own)

    def at(self, hour: str, table: HourTable | str | FilePath) -> Router:
        """A router for the weights of an hour, such as "08:00", over the same hierarchy.

        Of the weights that the network was read with; what `update` and `close` did does
        not count. All of a path is weighed as at that hour: this is no time-dependent
        search.

        Parameters
        ----------
        hour : str
        table : HourTable, str or Path
            Factors by class of road, or speeds of arcs; a file as `read_hours` reads it.

        Raises
        ------
        ParameterError
            For an hour that the table does not have.
        FileFormatError, PackageMissing, UnsuitableGraph, UnknownVertex
        """
        hours = table if isinstance(table, HourTable) else read_hours(table)
        weights = hours.weights_at(self._network, hour)
        state = self._state.with_weights(weights, AtHour(hours, hour_of(hour)))
        return Router(self._network, state, self._device, self._prover.plan)

    def close(
        self,
        arcs: ArrayLike | Sequence[tuple[Hashable, Hashable]],
        *,
        both_ways: bool | None = None,
    ) -> None:
        """Close arcs, parallel ones together, until the next `update`.

        Where rules forbid U-turns, they allow them at dead ends, also at those that closed
        roads make: so a path may be shorter than before.

        Parameters
        ----------
        arcs : (k, 2) ids
            Tails and heads.
        both_ways : bool, optional
            Close the opposite arcs, too, where there are any; by default in undirected
            graphs only.

        Raises
        ------
        UnknownVertex, UnknownArc
            If there is no such arc; nothing is closed.
        """
        graph = self._network
        back = not graph.directed if both_ways is None else both_ways
        closed = [
            arcs_between(graph, tail, head, both_ways=back)
            for tail, head in zip(
                *(ends.tolist() for ends in self._vertices.ends(arcs)), strict=True
            )
        ]
        with self._changing:
            state = self._state
            weights = present_weights(state).copy()
            weights[np.concatenate([np.empty(0, np.int64), *closed])] = state.kind.infinity
            self._state = state.with_weights(weights)

    def __reduce__(self) -> tuple[Any, ...]:
        from solvers.features.router.packed_network import PackedNetwork

        network, state = self._network, self._state
        changed = None if state.graph is network else state.weights
        device = getattr(self._device, "key", None)
        return _restored, (PackedNetwork.of(network, state), changed, self._prover.plan, device)

    @property
    def _state(self) -> PreparedNetwork:
        """What answers now; made at the first question that needs it, after the start
        from what is kept.
        """
        if self._made is None:
            with self._changing:
                if self._made is None:
                    self._made, self._device = _first_state(self._network, self._device)
                    self._kept = None
        return self._made

    @_state.setter
    def _state(self, state: PreparedNetwork) -> None:
        self._made = state

    def _proving(self, state: PreparedNetwork) -> NetworkProver:
        """What proves answers of a state, which is kept while this answers."""
        prover = self._prover.of(state)
        if state is self._made:
            self._prover = prover
        return prover

    def _require_shortest(
        self, state: PreparedNetwork, pair: tuple[int, int], path: Int32s, lengths: AnyArray
    ) -> None:
        """Prove that a path is shortest, with the first of the lengths; or that there is none."""
        ends, bounds = np.reshape(pair, (2, 1)), np.array([0, len(path)])
        claimed = np.append(lengths, state.kind.infinity)[:1].astype(state.kind.dtype)
        claim = path, bounds, claimed
        state.require(self._proving(state).paths((ends[0], ends[1]), claim))

    @property
    def _unit(self) -> str:
        return self._network.weight_unit

    @property
    def _on_roads(self) -> PlaceAnswers:
        from solvers.features.ends_on_roads.road_ends import PlaceAnswers

        state = self._state
        return PlaceAnswers(state, self._vertices, self._proving(state))

    def _place_question(self, source: Hashable, target: Hashable) -> RoadQuestion | None:
        """The question where an end is a place; None where both are vertices."""
        may_be = type(source) is tuple or type(target) is tuple
        return self._on_roads.question(source, target) if may_be else None

    def _path(self, state: PreparedNetwork, vertices: Int32s) -> Path:
        ids = self._vertices.listed(vertices)
        return Path(ids, self._network, vertices, state.graph, state.weights)

    def _row(self, state: PreparedNetwork, start: int) -> AnyArray:
        """Distances from a vertex of what is searched, in their own type."""
        row = state.row(start)
        if self._prover.proves_all:
            state.require(self._proving(state).own_row(start, row))
        return row

    def _starts(self, source: Hashable) -> tuple[PreparedNetwork, list[tuple[int, Any]]]:
        """The vertices of what is searched that a path from an end may begin with, and the
        lengths up to them.
        """
        if type(source) is tuple:
            answers = self._on_roads
            return answers.state, answers.starts(source)
        return self._state, [(self._vertices.index(source), 0)]

    def _table_of(self, sources: Any, targets: Any) -> Callable[[slice], Float64s]:
        """The rows of some of the sources of a table."""
        if has_tuples(sources) or has_tuples(targets):
            answers = self._on_roads
            ends = None if targets is None else answers.ends(targets, "targets")
            begins = answers.ends(sources, "sources")
            return lambda part: answers.table(begins[part], ends)
        state, starts = self._state, self._vertices.indices(sources, "sources")
        goals = None if targets is None else self._vertices.indices(targets, "targets")

        def rows(part: slice) -> Float64s:
            table = state.table(starts[part], goals)
            asked = starts[part], state.translation.ends(goals)
            state.require(self._proving(state).table(*asked, table.__getitem__))
            return to_public_unit(table, self._unit)

        return rows

    def _require_ids(self, question: str, ends: Any) -> None:
        place = next((end for end in map(_plain, ends) if is_place(self._network, end)), None)
        if place is not None:
            reason = f"{question} takes ids of vertices; distance, path, lengths, table, nearest "
            reason += "and alternatives also take places"
            raise ParameterError(ROUTER_NAME, "end", place, reason)


def _plain(end: Any) -> Any:
    """An end as it is, a row of an array as a tuple."""
    return tuple(end.tolist()) if isinstance(end, np.ndarray) else end


def _first_state(
    network: Graph, device: Any, progress: Progress = SILENT
) -> tuple[PreparedNetwork, Device | None]:
    """What answers first, and the device of a name, as in `prepare`, or itself."""
    from solvers.devices import find_sweep_device
    from solvers.running.prepared_network import ordered_ahead, prepared_network

    with ordered_ahead(network, progress):
        chosen = find_sweep_device(device)
        state = prepared_network(network, chosen, progress)
    state.keep_climbs()
    return state, chosen


def _restored(
    packed: PackedNetwork, changed: AnyArray | None, verify: Verify, device: str | None
) -> Router:
    network = packed.open()
    router = Router(network, *_first_state(network, device), verify)
    if changed is not None:
        router._state = router._state.with_weights(changed)
    return router
