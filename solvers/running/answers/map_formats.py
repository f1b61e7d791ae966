"""Paths and distances as GeoJSON (RFC 7946), and paths as GPX 1.1, for maps and navigation devices.

GeoJSON has longitude and latitude of WGS 84, in this order. Plane coordinates have no reference system that the
standard could name. A file of such says so: its ``crs`` is a local system, as which GDAL and QGIS open it, and its
``note`` says it to readers.

A GPX file has a track along the roads and, of a road network, its route.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph
from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.graphs.route import itinerary, other_measure, path_polyline
from solvers.running.answers.answer import (
    DistancesAnswer,
    PathAnswer,
    bracketed,
    credit_of,
    facts_of,
    no_places,
    number_texts,
)
from solvers.running.answers.columns import distance_column, vertex_column
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.text import format_distance, printable

PLANE_NOTE = "Plane coordinates of the graph's file, not longitude and latitude; their reference system is unknown."
LOCAL_CRS = {
    "type": "name",
    "properties": {"name": 'LOCAL_CS["Plane coordinates of unknown unit",UNIT["unknown",1]]'},
}
_SLICE = 2**13  # features written between two checks for cancellation
_GEOJSON = "GeoJSON"


def write_path_geojson(answer: PathAnswer, path: Path | str, progress: Progress = SILENT) -> Path:
    """Write a path: a feature for the whole of it and, of a road network, one for each stretch of one road after it.

    Raises
    ------
    UnsuitableGraph
        Without coordinates.
    FileNotWritten, Cancelled
    """
    graph, path = answer.graph, Path(path)
    course = answer.polyline(_GEOJSON)
    ends = [_id(graph, int(vertex)) for vertex in (answer.path[0], answer.path[-1])]
    whole = {
        "kind": "path",
        "from": ends[0],
        "to": ends[1],
        _with_unit("distance", graph): answer.lengths[-1].item(),
        "arcs": len(answer.arcs),
        "found_by": answer.found_by,
    }
    features = [_feature(_line(graph, course), whole)]
    with replace_atomically(path) as temporary, _opened(temporary) as file:
        file.write(_head(graph, answer.found_by, f"path {ends[0]} to {ends[1]}"))
        progress.checkpoint(0, max(1, len(answer.arcs)))
        file.write(",\n".join((*features, *_stretches(answer))))
        file.write("\n]}\n")
    return path


def write_distances_geojson(answer: DistancesAnswer, path: Path | str, progress: Progress = SILENT) -> Path:
    """Write a point for each vertex, with its distance, null if it is unreachable.

    Raises
    ------
    UnsuitableGraph
        Without coordinates.
    FileNotWritten, Cancelled
    """
    graph, path = answer.graph, Path(path)
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
    return path


def _opened(path: Path) -> IO[str]:
    # What UTF-8 cannot hold, of file names, becomes \\udc80 and the like, which JSON reads as that.
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _head(graph: Graph, found_by: str, name: str) -> str:
    members: dict[str, Any] = {"type": "FeatureCollection", "name": printable(name), **facts_of(graph, found_by)}
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
        arcs = answer.arcs[first : first + stretch.arcs]
        facts = {"kind": "road", "road": stretch.name, "metres": stretch.metres, "seconds": stretch.seconds}
        yield _feature(_line(graph, path_polyline(graph, arcs)), facts)
        first += stretch.arcs


def _feature(geometry: str, properties: Mapping[str, Any]) -> str:
    return f'{{"type": "Feature", "properties": {_json(properties)}, "geometry": {geometry}}}'


def _line(graph: Graph, course: NDArray[np.float64]) -> str:
    pairs = number_texts(graph, course)
    if len(pairs) == 1:
        return _point(pairs[0])
    return f'{{"type": "LineString", "coordinates": [{bracketed(pairs)}]}}'


def _point(pair: tuple[str, str]) -> str:
    return f'{{"type": "Point", "coordinates": {bracketed([pair])}}}'


def _json(members: Mapping[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False, allow_nan=False)


def _id(graph: Graph, vertex: int) -> int | str:
    return str(graph.vertex_id(vertex)) if graph.has_labels else int(graph.ids[vertex])


def _with_unit(name: str, graph: Graph) -> str:
    return f"{name}_{graph.weight_unit}" if graph.weight_unit else name


_GPX = "GPX"
_SCHEMA = "http://www.topografix.com/GPX/1/1"


def write_path_gpx(answer: PathAnswer, path: Path | str, progress: Progress = SILENT) -> Path:
    """Write a path: way points for its ends, a route with a point where each road begins, and a track along the curves.

    Raises
    ------
    UnsuitableGraph
        Without longitude and latitude.
    FileNotWritten, Cancelled
    """
    graph, path = answer.graph, Path(path)
    require_degrees(graph)
    progress.checkpoint(0, 1)
    text = "\n".join(_lines(answer))
    with replace_atomically(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    progress.checkpoint(1, 1)
    return path


def require_degrees(graph: Graph) -> None:
    """Check that a graph has longitude and latitude.

    Raises
    ------
    UnsuitableGraph
        With what to write instead.
    """
    if graph.coordinates is None:
        raise no_places(graph, _GPX)
    if not graph.coordinates.geographic:
        raise UnsuitableGraph(
            f"GPX holds longitude and latitude, and {printable(graph.name)} has plane coordinates of an unknown "
            "reference system. Write GeoJSON (.geojson) or a table (.csv), which can hold them."
        )


def _lines(answer: PathAnswer) -> Iterator[str]:
    graph = answer.graph
    source, target = (graph.vertex_text(int(vertex)) for vertex in (answer.path[0], answer.path[-1]))
    name = f"{source} to {target}"
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<gpx version="1.1" creator="Tautline" xmlns="{_SCHEMA}">'
    yield f"<metadata>{_element('name', name)}{_element('desc', _description(answer))}{_credit(graph)}</metadata>"
    assert graph.coordinates is not None
    ends = _positions(graph, graph.coordinates.xy[answer.path[[0, -1]]])
    for position, end in zip(ends, (source, target), strict=True):
        yield f"<wpt {position}>{_element('name', end)}</wpt>"
    if graph.roads is not None:
        yield from _route(answer, name)
    yield f"<trk>{_element('name', name)}{_element('src', printable(graph.name))}<trkseg>"
    yield from (f"<trkpt {position}/>" for position in _positions(graph, answer.polyline(_GPX)))
    yield "</trkseg></trk>"
    yield "</gpx>"


def _description(answer: PathAnswer) -> str:
    length = format_distance(answer.lengths[-1].item(), answer.graph.weight_unit)
    other = other_measure(answer.graph, answer.arcs)
    return f"{length}, {other}" if other else length


def _route(answer: PathAnswer, name: str) -> Iterator[str]:
    graph = answer.graph
    assert graph.coordinates is not None
    stretches = itinerary(graph, answer.arcs)
    starts = np.cumsum([0, *(stretch.arcs for stretch in stretches)])
    positions = _positions(graph, graph.coordinates.xy[answer.path[starts]])
    names = [(printable(stretch.name), printable(stretch.text)) for stretch in stretches]
    names.append((graph.vertex_text(int(answer.path[-1])), "destination"))
    yield f"<rte>{_element('name', name)}"
    for position, (road, text) in zip(positions, names, strict=True):
        yield f"<rtept {position}>{_element('name', road)}{_element('desc', text)}</rtept>"
    yield "</rte>"


def _credit(graph: Graph) -> str:
    from xml.sax.saxutils import quoteattr  # imported here: it imports Python's network libraries

    credit = credit_of(graph)
    return f"<copyright author={quoteattr(printable(credit.removeprefix('©').strip()))}/>" if credit else ""


def _positions(graph: Graph, points: NDArray[np.float64]) -> list[str]:
    """Attributes of points; GPX asks for longitudes from -180 up to, and without, 180."""
    within = points.copy()
    within[:, 0] = (within[:, 0] + 180) % 360 - 180
    return [f'lat="{latitude}" lon="{longitude}"' for longitude, latitude in number_texts(graph, within)]


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text, quote=False)}</{name}>" if text else ""
