"""Writing of paths and distances in the format that the name of the file implies.

GeoJSON (RFC 7946) has longitude and latitude of WGS 84, in this order. The standard
cannot name the unknown reference system of plane coordinates, so a file with them says
it: its ``crs`` is a local system, which GDAL and QGIS open, and its ``note`` is for
readers. A GPX 1.1 file has a track along the roads and, in a road network, its route.
Tables are for spreadsheets, and for QGIS as layers of delimited text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import IO, Any

import numpy as np

from solvers.errors import ParameterError, UnsuitableGraph
from solvers.graphs.arc_columns import sums_of
from solvers.graphs.csr import slices
from solvers.graphs.graph import Graph
from solvers.graphs.route import itinerary, path_polyline
from solvers.running.answers.answer import (
    PathAnswer,
    credit_of,
    facts_of,
    no_places,
    number_texts,
    path_of,
)
from solvers.running.answers.columns import credit_column, with_unit, write_columns
from solvers.running.answers.table import AnswerTable, line_shape
from solvers.system.array_types import Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.system.optional_packages import require_parquet
from solvers.system.ranges import offsets_of
from solvers.text import printable
from solvers.units import to_public_unit

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


@dataclass(frozen=True)
class AnswerFormat:
    """A format of files of answers."""

    title: str
    write: Callable[[AnswerTable, Path, Progress, bool], None]


def write_answer(
    answer: AnswerTable, path: Path | str, progress: Progress = SILENT, *, plain: bool = False
) -> Path:
    """Write an answer in the format of `ANSWER_FORMATS` that the ending of the name is of.

    ``plain`` is of CSV alone, as of `write_columns`. Raises ParameterError for an ending
    that the answer is not written in; UnsuitableGraph if the format needs coordinates that
    the graph does not have; PackageMissing, FileNotWritten, Cancelled.
    """
    path = Path(path)
    _require_kind(path, answer.kinds)
    require_places(answer.graph, path)
    ANSWER_FORMATS[path.suffix.lower()].write(answer, path, progress, plain)
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


def _write_table(answer: AnswerTable, path: Path, progress: Progress, plain: bool) -> None:
    """Write the rows, with their lines and what the licence of the data asks to be named."""
    columns = [*answer.columns, *answer.lines, *credit_column(answer.graph, answer.count)]
    write_columns(columns, path, answer.facts, progress, plain=plain)


def _write_geojson(answer: AnswerTable, path: Path, progress: Progress, plain: bool) -> None:
    """Write a feature for each row; of paths one for each whole path and, in a road network,
    one for each stretch of one road after it.
    """
    blocks = _path_features(answer) if answer.paths else _row_features(answer, progress)
    with replace_atomically(path) as temporary, _opened(temporary) as file:
        file.write(_head(answer))
        progress.checkpoint(0, 1)
        for i, features in enumerate(blocks):
            file.write(",\n" if i else "")
            file.write(",\n".join(features))
        file.write("\n]}\n")


def _row_features(answer: AnswerTable, progress: Progress) -> Iterator[list[str]]:
    """Those of some rows at a time."""
    drawn = np.arange(answer.count) if answer.drawn is None else answer.drawn
    columns = [column for column in answer.columns if not column.is_place]
    names = [column.name for column in columns]
    assert answer.shapes is not None  # `write_answer` has refused graphs without coordinates
    for begin, end in slices(len(drawn), _SLICE):
        rows = drawn[begin:end]
        cells = zip(*(column.take(rows).cells(0, end - begin) for column in columns), strict=True)
        yield [
            _feature(shape, dict(zip(names, row, strict=True)))
            for shape, row in zip(answer.shapes(rows), cells, strict=True)
        ]
        progress.checkpoint(end, max(1, len(drawn)))


def _path_features(answer: AnswerTable) -> Iterator[list[str]]:
    for path in answer.paths:
        yield [_whole(path), *_stretches(path)]


def _whole(answer: PathAnswer) -> str:
    """The feature of a whole path."""
    graph, line = answer.graph, answer.polyline(_GEOJSON)
    ends = [_id(graph, vertex) for vertex in (answer.source, answer.target)]
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
    return _feature(line_shape(graph, line), facts)


def _opened(path: Path) -> IO[str]:
    # What UTF-8 cannot hold, of file names, becomes \\udc80 and the like, which JSON reads as that.
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _head(answer: AnswerTable) -> str:
    graph = answer.graph
    members: dict[str, Any] = {
        "type": "FeatureCollection",
        "name": printable(answer.title),
        **facts_of(graph, answer.found_by),
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
        yield _feature(line_shape(graph, path_polyline(graph, answer.arcs[part])), facts)
        first = part.stop


def _feature(geometry: str, properties: Mapping[str, Any]) -> str:
    shape = geometry or "null"
    return f'{{"type": "Feature", "properties": {_json(properties)}, "geometry": {shape}}}'


def _json(members: Mapping[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False, allow_nan=False)


def _id(graph: Graph, vertex: int) -> int | str:
    written = graph.written_id(vertex)
    return written if isinstance(written, int) and not graph.has_labels else str(written)


def _write_gpx(answer: AnswerTable, path: Path, progress: Progress, plain: bool) -> None:
    """Write way points for the ends and, for each path, a route with a point where each
    road begins, and a track along the curves.
    """
    progress.checkpoint(0, 1)
    text = "\n".join(_lines(answer.paths))
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
    starts = offsets_of([stretch.arcs for stretch in stretches])
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


ANSWER_FORMATS = {
    ".geojson": AnswerFormat("GeoJSON", _write_geojson),
    ".gpx": AnswerFormat("GPX track and route", _write_gpx),
    ".csv": AnswerFormat("CSV table", _write_table),
    ".parquet": AnswerFormat("Parquet table", _write_table),
}
"""By the ending of the name."""
