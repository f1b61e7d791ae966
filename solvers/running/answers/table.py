"""What an answer is as a table: rows with their ids, columns and geometry, which files
(`solvers.running.answers.write`) and frames (`solvers.running.answers.frames`) take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.labelled import VertexIds
from solvers.graphs.places import is_place
from solvers.graphs.route import path_polyline
from solvers.graphs.rows import arc_keys
from solvers.running.answers.answer import (
    DistancesAnswer,
    PathAnswer,
    bracketed,
    facts_of,
    line_texts,
    number_texts,
    path_of,
)
from solvers.running.answers.columns import (
    TableColumn,
    distance_column,
    id_column,
    place_columns,
    point_columns,
    roads_column,
    vertex_column,
    with_unit,
)
from solvers.system.array_types import AnyArray, Bools, Float64s
from solvers.text import printable
from solvers.units import public_unit, to_public_unit

PATH_KINDS = (".geojson", ".gpx", ".csv", ".parquet")
MAP_KINDS = (".csv", ".parquet", ".geojson")
TABLE_KINDS = (".csv", ".parquet")

_SHAPE = re.compile(r'\{"type": ?"(?P<kind>\w+)", ?"coordinates": ?(?P<numbers>\[.*\])\}')
_PAIR = re.compile(r"\[([^][,]+), ?([^][,]+)\]")
_ROUND = str.maketrans("[]", "()")

Shapes = Callable[[AnyArray], list[str]]
"""The geometry of some rows as GeoJSON; "" of a row without one."""


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """The rows of an answer."""

    graph: Graph
    title: str  # "distances from 1"
    found_by: str
    columns: Sequence[TableColumn]
    keys: tuple[str, ...]  # the columns that name a row: the index of frames
    values: str  # the column that is asked for as a series
    kinds: tuple[str, ...] = TABLE_KINDS  # endings of the files that can be written
    shapes: Shapes | None = None  # None without coordinates
    has_lines: bool = False  # which tables have as Well-Known Text; points as two numbers
    drawn: AnyArray | None = None  # the rows that GeoJSON has; None for all
    paths: Sequence[PathAnswer] = ()  # which GeoJSON and GPX have whole
    state: str = ""  # of which network and roads the answer is

    @property
    def count(self) -> int:
        return len(self.columns[0].values)

    @property
    def facts(self) -> dict[str, str]:
        """The origin of the answer, for formats that can hold it."""
        state = {"state": printable(self.state)} if self.state else {}
        return facts_of(self.graph, self.found_by) | state

    @property
    def lines(self) -> list[TableColumn]:
        """The lines of the rows as Well-Known Text; none where rows are points."""
        if self.shapes is None or not self.has_lines:
            return []
        texts = [well_known(shape) for shape in self.shapes(np.arange(self.count))]
        known = np.array([text != "" for text in texts], np.bool_)
        return [TableColumn("wkt", texts, None if known.all() else known)]


def well_known(shape: str) -> str:
    """A geometry of GeoJSON as Well-Known Text; "" of none."""
    found = _SHAPE.fullmatch(shape)
    if found is None:
        return ""
    kind, numbers = found["kind"].upper(), _PAIR.sub(r"\1 \2", found["numbers"])
    if not numbers.startswith("["):
        return f"{kind} ({numbers})"
    return f"{kind} {numbers.translate(_ROUND)}"


def path_table(answers: Sequence[PathAnswer]) -> AnswerTable:
    """One row for each vertex of a path, in its order; of several one behind the other.

    Columns: way, from 1, where there are several; step, from 0; vertex; longitude and
    latitude, or x and y; distance along the path, with its unit in the name; key, and
    road, metres, seconds and all other attributes of the arc that leads to the vertex, if
    the graph has them. The shape of a row is the line of that arc along its curves.
    """
    first = answers[0]
    columns = [stacked(parts) for parts in zip(*map(_path_columns, answers), strict=True)]
    return AnswerTable(
        first.graph,
        path_title(first),
        first.found_by,
        columns,
        ("way", "vertex") if first.way else ("vertex",),
        with_unit("distance", first.graph),
        PATH_KINDS,
        _path_shapes(answers),
        has_lines=True,
        paths=answers,
        state=str(first.state),
    )


def path_arcs_table(answers: Sequence[PathAnswer]) -> AnswerTable:
    """One row for each arc of a path, with the columns of the vertex that it leads to."""
    first = answers[0]
    vertices, arcs = path_table(answers), np.concatenate([each.arcs for each in answers])
    is_head = np.concatenate([_after_first(len(path_of(each))) for each in answers])
    rows = np.flatnonzero(is_head)
    shapes = vertices.shapes
    columns = [
        vertex_column(first.graph, first.graph.tails[arcs], "tail"),
        vertex_column(first.graph, first.graph.indices[arcs], "head"),
        id_column("key", arc_keys(first.graph, arcs)),
        *(
            column.take(rows)
            for column in vertices.columns
            if column.name not in ("vertex", "arc_key") and not column.is_place
        ),
    ]
    keys = ("tail", "head", "key")
    return AnswerTable(
        first.graph,
        vertices.title,
        first.found_by,
        columns,
        ("way", *keys) if first.way else keys,
        vertices.values,
        MAP_KINDS,
        None if shapes is None else lambda chosen: shapes(rows[chosen]),
        has_lines=True,
        state=vertices.state,
    )


def distances_table(answer: DistancesAnswer) -> AnswerTable:
    """One row for each vertex, in the order of ids.

    Columns: vertex; longitude and latitude, or x and y; in a road network the roads that
    begin there; distance, with its unit in the name, empty if unreachable; predecessor, the
    vertex before it on a shortest path, if known.
    """
    graph, before = answer.graph, answer.predecessors
    if before is not None:
        before = np.where(before == np.arange(graph.n), -1, before)
    sources = ", ".join(str(graph.vertex_id(vertex)) for vertex in answer.sources)
    column = distance_column(graph, answer.distances)
    return vertices_table(graph, sources, column, before, answer.found_by)


def vertices_table(
    graph: Graph,
    sources: str,
    distances: TableColumn,
    predecessors: AnyArray | None,
    found_by: str,
) -> AnswerTable:
    """As `distances_table`; predecessors, (n,) indices, are -1 where there is none."""
    vertices = np.arange(graph.n)
    columns = [
        vertex_column(graph),
        *place_columns(graph),
        *roads_column(graph, vertices),
        distances,
    ]
    if predecessors is not None:
        columns.append(vertex_column(graph, predecessors, "predecessor"))
    return AnswerTable(
        graph,
        f"distances from {sources}",
        found_by,
        columns,
        ("vertex",),
        distances.name,
        MAP_KINDS,
        point_shapes(graph),
    )


def reached_table(
    graph: Graph, source: str, ids: AnyArray, distances: TableColumn, found_by: str
) -> AnswerTable:
    """One row for each of some vertices and places, in their order; the ids of places are
    they themselves, latitude and longitude.

    Columns are those of `distances_table`.
    """
    named = ids.tolist()
    places = [i for i, one in enumerate(named) if is_place(graph, one)]
    inner = np.delete(np.arange(len(ids)), places)
    vertices = np.full(len(ids), -1, np.int64)
    vertices[inner] = VertexIds(graph).indices(ids[inner])
    own = vertex_column(graph, vertices)
    columns, shapes = [id_column("vertex", named) if places else own], None
    if graph.coordinates is not None:
        xy = graph.coordinates.xy[vertices]
        for i in places:
            xy[i] = named[i][::-1]
        columns += point_columns(xy, geographic=graph.coordinates.geographic)
        shapes = _shapes_of(graph, xy)
    columns += [replace(one, known=own.known) for one in roads_column(graph, vertices)]
    title, columns = f"distances from {source}", [*columns, distances]
    keys = ("vertex",)
    return AnswerTable(graph, title, found_by, columns, keys, distances.name, MAP_KINDS, shapes)


def path_title(answer: PathAnswer) -> str:
    """``"path 1 to 40"``."""
    ends = (answer.graph.written_id(vertex) for vertex in (answer.source, answer.target))
    return "path {} to {}".format(*ends)


def point_shapes(graph: Graph, vertices: AnyArray | None = None) -> Shapes | None:
    """The points of vertices, all by default; None without coordinates."""
    coordinates = graph.coordinates
    if coordinates is None:
        return None
    return _shapes_of(graph, coordinates.xy if vertices is None else coordinates.xy[vertices])


def _shapes_of(graph: Graph, xy: Float64s) -> Shapes:
    return lambda rows: [point_shape(pair) for pair in number_texts(graph, xy[rows])]


def arc_shapes(graph: Graph, arcs: AnyArray | None = None) -> Shapes | None:
    """The lines of arcs along their curves, of all by default; None without coordinates."""
    if graph.coordinates is None:
        return None

    def shapes(rows: AnyArray) -> list[str]:
        chosen = rows if arcs is None else arcs[rows]
        return [line_shape(graph, path_polyline(graph, chosen[[i]])) for i in range(len(chosen))]

    return shapes


def line_shape(graph: Graph, line: Float64s) -> str:
    """A line, (p, 2), as GeoJSON: a point for one point, parts at the antimeridian."""
    parts = line_texts(graph, line)
    if len(parts) > 1:
        shown = ", ".join(f"[{bracketed(part)}]" for part in parts)
        return f'{{"type": "MultiLineString", "coordinates": [{shown}]}}'
    if len(parts[0]) == 1:
        return point_shape(parts[0][0])
    return f'{{"type": "LineString", "coordinates": [{bracketed(parts[0])}]}}'


def point_shape(pair: tuple[str, str]) -> str:
    return f'{{"type": "Point", "coordinates": {bracketed([pair])}}}'


def _path_shapes(answers: Sequence[PathAnswer]) -> Shapes | None:
    """The line of the arc that leads to each vertex of paths; none of their first."""
    shapes = arc_shapes(answers[0].graph, np.concatenate([each.arcs for each in answers]))
    if shapes is None:
        return None
    has_arc = np.concatenate([_after_first(len(path_of(each))) for each in answers])
    numbers = np.cumsum(has_arc) - 1

    def of_rows(rows: AnyArray) -> list[str]:
        found = iter(shapes(numbers[rows][has_arc[rows]]))
        return [next(found) if has else "" for has in has_arc[rows].tolist()]

    return of_rows


def stacked(parts: Sequence[TableColumn]) -> TableColumn:
    """Columns of one name, one behind the other."""
    if len(parts) == 1:
        return parts[0]
    masks = [np.ones(len(p.values), np.bool_) if p.known is None else p.known for p in parts]
    known = np.concatenate(masks)
    arrays = [part.values for part in parts if isinstance(part.values, np.ndarray)]
    values = np.concatenate(arrays) if arrays else [v for part in parts for v in part.values]
    objects = [one for part in parts for one in part.objects or ()] or None
    some = None if known.all() else known
    return TableColumn(parts[0].name, values, some, objects, parts[0].is_place)


def _path_columns(answer: PathAnswer) -> list[TableColumn]:
    graph, vertices = answer.graph, path_of(answer)
    return [
        *([TableColumn("way", [answer.way] * len(vertices))] if answer.way else []),
        TableColumn("step", np.arange(len(vertices))),
        vertex_column(graph, vertices),
        *place_columns(graph, vertices),
        TableColumn(
            with_unit("distance", graph), to_public_unit(answer.lengths, graph.weight_unit)
        ),
        *_arc_columns(answer),
    ]


def _arc_columns(answer: PathAnswer) -> list[TableColumn]:
    """What is known of the arc that leads to each vertex but the first."""
    graph, weights = answer.graph, answer.graph.roads.weights if answer.graph.roads else ()
    names = {"road": "road"}
    for column in weights:
        names[column.name] = f"arc_{public_unit(column.unit)}"
        names[f"{column.name}_file"] = f"{names[column.name]}_file"
    keys = [None, *arc_keys(graph, answer.arcs)]
    columns = [id_column("arc_key", keys, _after_first(len(keys)))]
    for column in answer.columns:
        values = np.concatenate((np.zeros(1, column.values.dtype), column.values))
        known = values == values if not column.is_text else values != None  # noqa: E711
        texts = ["" if value is None else value for value in values.tolist()]
        columns.append(
            TableColumn(
                names.get(column.name, f"arc_{column.name}"),
                texts if column.is_text else to_public_unit(values, column.unit),
                known & _after_first(len(values)),
            )
        )
    return columns


def _after_first(count: int) -> Bools:
    """Every row but the first, the source, to which no arc leads."""
    return np.arange(count) > 0
