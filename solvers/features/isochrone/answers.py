"""Isochrones as an answer: the roads within several budgets of a source, cut where a budget
ends, and their outlines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from solvers.features.isochrone.pieces import RoadPieces, pieces_of
from solvers.graphs.graph import Graph
from solvers.graphs.isochrone import isochrone_of
from solvers.graphs.route import part_of_arc
from solvers.graphs.rows import arc_keys
from solvers.graphs.weights import to_float
from solvers.running.answers.answer import DEGREE_DIGITS, DistancesAnswer, no_places, within_180
from solvers.running.answers.columns import TableColumn, id_column, vertex_column, with_unit
from solvers.running.answers.frames import Tabular, table_of
from solvers.running.answers.table import MAP_KINDS, AnswerTable, line_shape, stacked
from solvers.running.prepared_network import starts_by_search
from solvers.system.array_types import AnyArray, Float64s
from solvers.system.optional_packages import optional_package
from solvers.system.threads import thread_team
from solvers.units import to_public_unit

_GEOJSON = ".geojson"
# of `shapely.concave_hull`, from 0, as tight as can be, to 1, convex
_RATIO = 0.1
_SAMPLES = 200  # points along the longer side of an outline, at least


def isochrones_of(
    graph: Graph,
    source: str,
    distances: Float64s,
    budgets: Sequence[float],
    found_by: str,
    starts: Float64s | None = None,
) -> Isochrones:
    """The isochrones of ascending budgets, in the unit of ``distances``; the parameters as of
    `solvers.graphs.isochrone.isochrone_of`.
    """
    with thread_team() as team:
        found = [
            isochrone_of(graph, distances, budget, team, starts, for_pieces=True)
            for budget in budgets
        ]
        pieces = pieces_of(graph, found, team)
    public = tuple(float(to_public_unit(budget, graph.weight_unit)) for budget in budgets)
    vertices = tuple(one.vertices for one in found)
    return Isochrones(source, public, vertices, found_by, graph, pieces)


def isochrones_of_answer(answer: DistancesAnswer, budgets: Sequence[float]) -> Isochrones:
    """The isochrones by the distances that a variant or live mode has found.

    Where turns matter, a search from a single source tells when roads can be entered.
    """
    graph, sources = answer.graph, answer.sources
    starts = starts_by_search(graph, sources[0]) if len(sources) == 1 else None
    source = ", ".join(str(graph.vertex_id(vertex)) for vertex in sources)
    distances = to_float(answer.distances)
    return isochrones_of(graph, source, distances, budgets, answer.found_by, starts)


def has_outlines() -> bool:
    """Whether the package is installed that makes them."""
    return find_spec("shapely") is not None


def table_for(found: Isochrones, path: Path, *, outline: bool | None = None) -> AnswerTable:
    """The rows that a file of that name has, as of `Isochrones.save`."""
    is_map = path.suffix.lower() == _GEOJSON
    if is_map if outline is None else outline:
        return _joined(table_of(found.outline), table_of(found))
    return table_of(found)


@dataclass(frozen=True, eq=False)
class Isochrones(Tabular):
    """The roads within one or several budgets of a source.

    Rows are pieces of roads, cut where a budget ends, each with the least budget that it is
    within: within ten minutes are the pieces of five and of ten.

    Attributes
    ----------
    source : str
    budgets : tuple of float
        Ascending, in the public unit of the weights.
    vertices : tuple of int
        How many are within each budget.
    """

    source: str
    budgets: tuple[float, ...]
    vertices: tuple[int, ...]
    found_by: str = field(repr=False)
    graph: Graph = field(repr=False)  # what was searched
    pieces: RoadPieces = field(repr=False)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Of the roads within each budget, each road counted once: in metres, or in the unit
        of the weights where no lengths are known.
        """
        of_bands = np.bincount(self.pieces.bands, self.pieces.lengths, len(self.budgets))
        return tuple(np.cumsum(of_bands).tolist())

    @cached_property
    def outline(self) -> Outlines:
        """The outline of the roads within each budget, their concave hull.

        Raises PackageMissing without shapely, UnsuitableGraph without coordinates.
        """
        return Outlines(self)

    def save(
        self, path: str | PathLike[str], *, plain: bool = False, outline: bool | None = None
    ) -> Path:
        """Write the pieces as `Tabular.save` does. GeoJSON has the outlines before them, which
        need shapely, unless ``outline`` is False.
        """
        from solvers.running.answers.write import write_answer

        return write_answer(table_for(self, Path(path), outline=outline), Path(path), plain=plain)

    def _table(self) -> AnswerTable:
        graph, pieces = self.pieces.network, self.pieces
        within, length = with_unit("within", graph), self._length_name
        columns = [
            TableColumn(within, np.array(self.budgets)[pieces.bands]),
            vertex_column(graph, graph.tails[pieces.arcs], "tail"),
            vertex_column(graph, graph.indices[pieces.arcs], "head"),
            id_column("key", arc_keys(graph, pieces.arcs)),
            TableColumn("begin", pieces.begins),
            TableColumn("end", pieces.ends),
            TableColumn(length, pieces.lengths),
        ]
        if graph.roads is not None:
            names = [graph.roads.name(arc) for arc in pieces.arcs.tolist()]
            columns.append(TableColumn("road", names))
        return AnswerTable(
            graph,
            self._title,
            self.found_by,
            columns,
            (within, "tail", "head", "key"),
            length,
            MAP_KINDS,
            None if graph.coordinates is None else self._shapes,
            has_lines=True,
        )

    @property
    def _title(self) -> str:
        return f"isochrones from {self.source}"

    @property
    def _length_name(self) -> str:
        return f"length_{self.pieces.unit}" if self.pieces.unit else "length"

    def _shapes(self, rows: AnyArray) -> list[str]:
        return [line_shape(self.pieces.network, self.line(row)) for row in rows.tolist()]

    def line(self, piece: int) -> Float64s:
        """The line of a piece, (p, 2), in the coordinates of the graph."""
        of = self.pieces
        share = float(of.begins[piece]), float(of.ends[piece])
        return part_of_arc(of.network, int(of.arcs[piece]), *share)


@dataclass(frozen=True, eq=False)
class Outlines(Tabular):
    """The outlines of `Isochrones`, a row each, the greatest budget first, so that a map draws
    the others over it.
    """

    isochrones: Isochrones

    @cached_property
    def geometries(self) -> list[Any]:
        """Of shapely, in the order of ``isochrones.budgets``; each has those before it."""
        return _hulls(self.isochrones)

    def _table(self) -> AnswerTable:
        of, shapely = self.isochrones, _shapely()
        shapes = [
            "" if geometry.is_empty else shapely.to_geojson(geometry)
            for geometry in self.geometries[::-1]
        ]
        graph = of.pieces.network
        within = with_unit("within", graph)
        return AnswerTable(
            graph,
            f"outlines of {of._title}",
            of.found_by,
            [
                TableColumn(within, np.array(of.budgets[::-1])),
                TableColumn("vertices", np.array(of.vertices[::-1])),
                TableColumn(of._length_name, np.array(of.lengths[::-1])),
            ],
            (within,),
            of._length_name,
            MAP_KINDS,
            lambda rows: [shapes[row] for row in rows.tolist()],
            has_lines=True,
        )


def _shapely() -> Any:
    return optional_package("shapely", "An outline", "frames")


def _hulls(of: Isochrones) -> list[Any]:
    """The hull of the pieces within each budget."""
    shapely, pieces = _shapely(), of.pieces
    graph = pieces.network
    if graph.coordinates is None:
        raise no_places(graph, "An outline")
    lines = [of.line(piece) for piece in range(len(pieces.arcs))]
    placed = np.array([bool(np.isfinite(line).all()) for line in lines], np.bool_)
    points = np.concatenate([np.empty((0, 2)), *(lines[i] for i in np.flatnonzero(placed))])
    scale = np.ones(2)
    if graph.coordinates.geographic and len(points):
        scale[0] = max(np.cos(np.radians(points[:, 1].mean())), 1e-3)
    sizes = [len(lines[i]) for i in np.flatnonzero(placed)]
    made = shapely.linestrings(points * scale, indices=np.repeat(np.arange(len(sizes)), sizes))
    if len(points):
        made = shapely.segmentize(made, max(np.ptp(points * scale, 0).max() / _SAMPLES, 1e-12))
    found, bands = list[Any](), pieces.bands[placed]
    for band in range(len(of.budgets)):
        hull = shapely.concave_hull(shapely.multilinestrings(made[bands <= band]), ratio=_RATIO)
        found.append(shapely.union(hull, found[-1]) if found else hull)

    def placed_back(xy: Float64s) -> Float64s:
        own = xy / scale
        assert graph.coordinates is not None
        return within_180(own).round(DEGREE_DIGITS) if graph.coordinates.geographic else own

    return [shapely.transform(hull, placed_back) for hull in found]


def _joined(outlines: AnswerTable, roads: AnswerTable) -> AnswerTable:
    """The rows of both, with empty cells where one lacks a column."""
    tables = {"outline": outlines, "road": roads}
    columns = [stacked([TableColumn("kind", [kind] * tables[kind].count) for kind in tables])]
    for name in dict.fromkeys(column.name for one in (roads, outlines) for column in one.columns):
        of_tables = [
            [one for one in table.columns if one.name == name] for table in tables.values()
        ]
        known = next(filter(None, of_tables))[0]
        parts = [
            own[0] if own else _empty(known, table.count)
            for own, table in zip(of_tables, tables.values(), strict=True)
        ]
        columns.append(stacked(parts))

    def shapes(rows: AnyArray) -> list[str]:
        assert outlines.shapes is not None
        assert roads.shapes is not None  # an outline is of places
        first = outlines.shapes(rows[rows < outlines.count])
        return [*first, *roads.shapes(rows[rows >= outlines.count] - outlines.count)]

    return replace(roads, columns=columns, shapes=shapes)


def _empty(like: TableColumn, count: int) -> TableColumn:
    """Empty cells of the kind of a column."""
    objects = None if like.objects is None else [None] * count
    known, values = np.zeros(count, np.bool_), like.values
    if isinstance(values, np.ndarray):
        return TableColumn(like.name, np.zeros(count, values.dtype), known, objects)
    return TableColumn(like.name, [""] * count, known, objects)
