"""Writing of paths and distances in the format that the name of the file implies.

GeoJSON (RFC 7946) has longitude and latitude of WGS 84, in this order. The standard
cannot name the unknown reference system of plane coordinates, so a file with them says
it: its ``crs`` is a local system, which GDAL and QGIS open, and its ``note`` is for
readers. A GPX 1.1 file has a track along the roads and, in a road network, its route.
Tables are for spreadsheets, and for QGIS as layers of delimited text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnsuitableGraph
from solvers.graphs.arc_columns import sums_of
from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.graphs.route import itinerary, path_polyline
from solvers.graphs.rows import arc_keys
from solvers.running.answers.answer import (
    DistancesAnswer,
    PathAnswer,
    bracketed,
    credit_of,
    facts_of,
    line_text,
    line_texts,
    no_places,
    number_texts,
    path_of,
)
from solvers.running.answers.columns import (
    TableColumn,
    credit_column,
    distance_column,
    place_columns,
    vertex_column,
    with_unit,
    write_columns,
)
from solvers.system.array_types import Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.system.optional_packages import require_parquet
from solvers.text import printable
from solvers.units import public_unit, to_public_unit

PATH_KINDS = (".geojson", ".gpx", ".csv", ".parquet")
DISTANCES_KINDS = (".csv", ".parquet", ".geojson")
PLANE_NOTE = (
    "Plane coordinates of the graph's file, not longitude and latitude; "
    "their reference system is unknown."
)
LOCAL_CRS = {
    "type": "name",
    "properties": {"name": 'LOCAL_CS["Plane coordinates of unknown unit",UNIT["unknown",1]]'},
}
_SLICE = 2**13  # features written between two checks for cancellation
_GEOJSON = "GeoJSON"
_GPX = "GPX"
_SCHEMA = "http://www.topografix.com/GPX/1/1"


def write_path(
    answer: PathAnswer | Sequence[PathAnswer],
    path: Path | str,
    progress: Progress = SILENT,
    *,
    plain: bool = False,
) -> Path:
    """Write a path, or several of one graph, as GeoJSON, GPX, CSV or Parquet, by the
    ending of the name.

    Raises ParameterError for another ending; UnsuitableGraph if the format needs
    coordinates that the graph does not have; PackageMissing, FileNotWritten, Cancelled.
    """
    path = Path(path)
    _require_kind(path, PATH_KINDS)
    answers = [answer] if isinstance(answer, PathAnswer) else list(answer)
    if path.suffix.lower() == ".geojson":
        _write_path_geojson(answers, path, progress)
    elif path.suffix.lower() == ".gpx":
        _write_path_gpx(answers, path, progress)
    else:
        _write_path_table(answers, path, progress, plain)
    return path


def write_distances(
    answer: DistancesAnswer, path: Path | str, progress: Progress = SILENT, *, plain: bool = False
) -> Path:
    """Write the distances of all vertices as CSV, Parquet or GeoJSON, by the ending of the name.

    Raises as `write_path`.
    """
    path = Path(path)
    _require_kind(path, DISTANCES_KINDS)
    if path.suffix.lower() == ".geojson":
        _write_distances_geojson(answer, path, progress)
    else:
        _write_distances_table(answer, path, progress, plain)
    return path


def require_writable_kind(path: Path, kinds: tuple[str, ...]) -> None:
    """Check, before a long computation, that a file of that name can be written here.

    Raises ParameterError, PackageMissing.
    """
    _require_kind(path, kinds)
    require_parquet(path.name)


def require_places(graph: Graph, path: Path) -> None:
    """Check, before a long computation, that the graph has the coordinates that a file
    of that name needs.

    Raises UnsuitableGraph.
    """
    if path.suffix.lower() == ".gpx":
        _require_degrees(graph)
    elif path.suffix.lower() == ".geojson" and graph.coordinates is None:
        raise no_places(graph, _GEOJSON)


def _require_kind(path: Path, kinds: tuple[str, ...]) -> None:
    if path.suffix.lower() not in kinds:
        raise ParameterError(
            "Export", "file name", path.name, f"it must end in {' or '.join(kinds)}"
        )


def _write_path_table(
    answers: Sequence[PathAnswer], path: Path, progress: Progress, plain: bool
) -> None:
    """Write one row for each vertex of a path, in its order.

    Columns: way, from 1, where there are several; step, from 0; vertex; longitude and
    latitude, or x and y; distance along the path, with its unit in the name; key, and
    road, metres, seconds and all other attributes of the arc that leads to the vertex, if
    the graph has them; wkt, the line of that arc along its curves, as Well-Known Text;
    attribution, if the data require it.
    """
    columns = [_stacked(parts) for parts in zip(*map(_path_columns, answers), strict=True)]
    facts = facts_of(answers[0].graph, answers[0].found_by)
    facts["state"] = printable(str(answers[0].state))
    write_columns(columns, path, facts, progress, plain=plain)


def _stacked(parts: Sequence[TableColumn]) -> TableColumn:
    """The columns of several paths, one behind the other."""
    if len(parts) == 1:
        return parts[0]
    known = [np.ones(len(p.values), np.bool_) if p.known is None else p.known for p in parts]
    arrays = [part.values for part in parts if isinstance(part.values, np.ndarray)]
    values = np.concatenate(arrays) if arrays else [v for part in parts for v in part.values]
    return TableColumn(parts[0].name, values, np.concatenate(known))


def _path_columns(answer: PathAnswer) -> list[TableColumn]:
    graph, vertices = answer.graph, path_of(answer)
    columns = [
        *([TableColumn("way", [answer.way] * len(vertices))] if answer.way else []),
        TableColumn("step", np.arange(len(vertices))),
        vertex_column(graph, vertices),
        *place_columns(graph, vertices),
        TableColumn(
            with_unit("distance", graph), to_public_unit(answer.lengths, graph.weight_unit)
        ),
        *_arc_columns(answer),
    ]
    if graph.coordinates is not None:
        lines = [line_text(graph, arc) for arc in answer.arcs.tolist()]
        columns.append(TableColumn("wkt", ["", *lines], _after_first(len(vertices))))
    return columns + credit_column(graph, len(vertices))


def _write_distances_table(
    answer: DistancesAnswer, path: Path, progress: Progress, plain: bool
) -> None:
    """Write one row for each vertex, in the order of ids.

    Columns: vertex; longitude and latitude, or x and y; distance, with its unit in the
    name, empty if unreachable; predecessor, the vertex before it on a shortest path, if
    known; attribution, if the data require it.
    """
    graph = answer.graph
    columns = [
        vertex_column(graph),
        *place_columns(graph),
        distance_column(graph, answer.distances),
    ]
    if answer.predecessors is not None:
        own = answer.predecessors == np.arange(graph.n)
        columns.append(vertex_column(graph, np.where(own, -1, answer.predecessors), "predecessor"))
    columns += credit_column(graph, graph.n)
    write_columns(columns, path, facts_of(graph, answer.found_by), progress, plain=plain)


def _arc_columns(answer: PathAnswer) -> list[TableColumn]:
    """What is known of the arc that leads to each vertex but the first."""
    graph, weights = answer.graph, answer.graph.roads.weights if answer.graph.roads else ()
    names = {"road": "road"}
    for column in weights:
        names[column.name] = f"arc_{public_unit(column.unit)}"
        names[f"{column.name}_file"] = f"{names[column.name]}_file"
    keys = ["", *map(str, arc_keys(graph, answer.arcs))]
    columns = [TableColumn("arc_key", keys, _after_first(len(keys)))]
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


def _after_first(count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Every row but the first, the source, to which no arc leads."""
    return np.arange(count) > 0


def _write_path_geojson(answers: Sequence[PathAnswer], path: Path, progress: Progress) -> None:
    """Write a feature for each whole path and, in a road network, one for each stretch
    of one road after it.
    """
    graph, found_by = answers[0].graph, answers[0].found_by
    ends = [_id(graph, vertex) for vertex in (answers[0].source, answers[0].target)]
    features = [text for answer in answers for text in (_whole(answer, ends), *_stretches(answer))]
    with replace_atomically(path) as temporary, _opened(temporary) as file:
        file.write(_head(graph, found_by, f"path {ends[0]} to {ends[1]}"))
        progress.checkpoint(0, 1)
        file.write(",\n".join(features))
        file.write("\n]}\n")


def _whole(answer: PathAnswer, ends: Sequence[int | str]) -> str:
    """The feature of a whole path."""
    graph, line = answer.graph, answer.polyline(_GEOJSON)
    number: dict[str, object] = {}
    if way := answer.way:
        number = {"way": int(way) if way.isdecimal() else way, "shared": answer.shared}
    facts = {
        "kind": "path",
        **number,
        "from": ends[0],
        "to": ends[1],
        with_unit("distance", graph): to_public_unit(answer.lengths[-1].item(), graph.weight_unit),
        "arcs": len(answer.arcs),
        **answer.sums,
        "found_by": answer.found_by,
        "state": printable(str(answer.state)),
    }
    return _feature(_line(graph, line), facts)


def _write_distances_geojson(answer: DistancesAnswer, path: Path, progress: Progress) -> None:
    """Write a point for each vertex, with its distance, null if it is unreachable."""
    graph = answer.graph
    if graph.coordinates is None:
        raise no_places(graph, _GEOJSON)
    columns = [vertex_column(graph), distance_column(graph, answer.distances)]
    if answer.predecessors is not None:
        columns.append(vertex_column(graph, answer.predecessors, "predecessor"))
    names = [column.name for column in columns]
    sources = ", ".join(str(_id(graph, vertex)) for vertex in answer.sources)
    with replace_atomically(path) as temporary, _opened(temporary) as file:
        file.write(_head(graph, answer.found_by, f"distances from {sources}"))
        for begin, end in slices(graph.n, _SLICE):
            points = number_texts(graph, graph.coordinates.xy[begin:end])
            rows = zip(*(column.cells(begin, end) for column in columns), strict=True)
            features = (
                _feature(_point(pair), dict(zip(names, row, strict=True)))
                for pair, row in zip(points, rows, strict=True)
            )
            file.write(",\n" if begin else "")
            file.write(",\n".join(features))
            progress.checkpoint(end, max(1, graph.n))
        file.write("\n]}\n")


def write_arcs_geojson(
    graph: Graph,
    arcs: NDArray[np.integer],
    columns: Sequence[TableColumn],
    path: Path,
    found_by: str,
    progress: Progress = SILENT,
) -> Path:
    """Write a line for each of ``arcs``, with its cells of ``columns``, which have a
    row for every arc of the graph.

    Raises UnsuitableGraph without coordinates; FileNotWritten, Cancelled.
    """
    if graph.coordinates is None:
        raise no_places(graph, _GEOJSON)
    with replace_atomically(path) as temporary, _opened(temporary) as file:
        file.write(_head(graph, found_by, f"arcs of {graph.name}"))
        for done, arc in enumerate(arcs.tolist()):
            facts = {column.name: column.cells(arc, arc + 1)[0] for column in columns}
            file.write(",\n" if done else "")
            file.write(_feature(_line(graph, path_polyline(graph, np.array([arc]))), facts))
            progress.checkpoint(done, len(arcs))
        file.write("\n]}\n")
    return path


def _opened(path: Path) -> IO[str]:
    # What UTF-8 cannot hold, of file names, becomes \\udc80 and the like, which JSON reads as that.
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _head(graph: Graph, found_by: str, name: str) -> str:
    members: dict[str, Any] = {
        "type": "FeatureCollection",
        "name": printable(name),
        **facts_of(graph, found_by),
    }
    if credit := credit_of(graph):
        members["attribution"] = credit
    if graph.coordinates is not None and not graph.coordinates.geographic:
        members |= {"crs": LOCAL_CRS, "note": PLANE_NOTE}
    return f'{_json(members)[:-1]}, "features": [\n'


def _stretches(answer: PathAnswer) -> Iterator[str]:
    """A feature for each stretch of successive arcs of one road."""
    graph = answer.graph
    if graph.roads is None:
        return
    first = 0
    for stretch in itinerary(graph, answer.arcs):
        part = slice(first, first + stretch.arcs)
        sums = sums_of(replace(one, values=one.values[part]) for one in answer.columns)
        named = {name: sums[name] for name in sums if name.startswith(("metres", "seconds"))}
        facts = {"kind": "road", "road": stretch.name, **named}
        yield _feature(_line(graph, path_polyline(graph, answer.arcs[part])), facts)
        first = part.stop


def _feature(geometry: str, properties: Mapping[str, Any]) -> str:
    return f'{{"type": "Feature", "properties": {_json(properties)}, "geometry": {geometry}}}'


def _line(graph: Graph, line: Float64s) -> str:
    parts = line_texts(graph, line)
    if len(parts) > 1:
        shown = ", ".join(f"[{bracketed(part)}]" for part in parts)
        return f'{{"type": "MultiLineString", "coordinates": [{shown}]}}'
    if len(parts[0]) == 1:
        return _point(parts[0][0])
    return f'{{"type": "LineString", "coordinates": [{bracketed(parts[0])}]}}'


def _point(pair: tuple[str, str]) -> str:
    return f'{{"type": "Point", "coordinates": {bracketed([pair])}}}'


def _json(members: Mapping[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False, allow_nan=False)


def _id(graph: Graph, vertex: int) -> int | str:
    return str(graph.vertex_id(vertex)) if graph.has_labels else int(graph.ids[vertex])


def _write_path_gpx(answers: Sequence[PathAnswer], path: Path, progress: Progress) -> None:
    """Write way points for the ends and, for each path, a route with a point where each
    road begins, and a track along the curves.
    """
    _require_degrees(answers[0].graph)
    progress.checkpoint(0, 1)
    text = "\n".join(_lines(answers))
    with replace_atomically(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    progress.checkpoint(1, 1)


def _require_degrees(graph: Graph) -> None:
    if graph.coordinates is None:
        raise no_places(graph, _GPX)
    if not graph.coordinates.geographic:
        raise UnsuitableGraph(
            f"GPX holds longitude and latitude, and {printable(graph.name)} has plane "
            "coordinates of an unknown reference system. Write GeoJSON (.geojson) or a table "
            "(.csv), which can hold them."
        )


def _lines(answers: Sequence[PathAnswer]) -> Iterator[str]:
    answer = answers[0]
    graph = answer.graph
    source, target = map(graph.vertex_text, (answer.source, answer.target))
    name = f"{source} to {target}"
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<gpx version="1.1" creator="Tautpath" xmlns="{_SCHEMA}">'
    about = _element("name", name) + _element("desc", _description(answer))
    yield f"<metadata>{about}{_credit(graph)}</metadata>"
    assert graph.coordinates is not None
    ends = _positions(graph, graph.coordinates.xy[[answer.source, answer.target]])
    for position, end in zip(ends, (source, target), strict=True):
        yield f"<wpt {position}>{_element('name', end)}</wpt>"
    for way in answers:
        own = f"{name}, way {way.way}" if way.way else name
        if graph.roads is not None:
            yield from _route(way, own)
        about = _element("name", own) + (_element("desc", _description(way)) if way.way else "")
        yield f"<trk>{about}{_element('src', printable(graph.name))}<trkseg>"
        yield from (f"<trkpt {position}/>" for position in _positions(graph, way.polyline(_GPX)))
        yield "</trkseg></trk>"
    yield "</gpx>"


def _description(answer: PathAnswer) -> str:
    return ", ".join((answer.length_text or "", *answer.measures))


def _route(answer: PathAnswer, name: str) -> Iterator[str]:
    graph = answer.graph
    assert graph.coordinates is not None
    stretches = itinerary(graph, answer.arcs)
    starts = np.cumsum([0, *(stretch.arcs for stretch in stretches)])
    positions = _positions(graph, graph.coordinates.xy[path_of(answer)[starts]])
    names = [(printable(stretch.name), printable(stretch.text)) for stretch in stretches]
    names.append((graph.vertex_text(answer.target), "destination"))
    yield f"<rte>{_element('name', name)}"
    for position, (road, text) in zip(positions, names, strict=True):
        yield f"<rtept {position}>{_element('name', road)}{_element('desc', text)}</rtept>"
    yield "</rte>"


def _credit(graph: Graph) -> str:
    from xml.sax.saxutils import quoteattr  # imported here: it imports Python's network libraries

    credit = credit_of(graph)
    return (
        f"<copyright author={quoteattr(printable(credit.removeprefix('©').strip()))}/>"
        if credit
        else ""
    )


def _positions(graph: Graph, points: Float64s) -> list[str]:
    """Attributes of points; GPX asks for longitudes from -180 up to, and without, 180."""
    within = points.copy()
    within[:, 0] = (within[:, 0] + 180) % 360 - 180
    return [
        f'lat="{latitude}" lon="{longitude}"' for longitude, latitude in number_texts(graph, within)
    ]


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text, quote=False)}</{name}>" if text else ""
