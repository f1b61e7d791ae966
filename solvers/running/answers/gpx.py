"""Paths as GPX 1.1, for navigation devices and maps: a track along the roads and, of a road network, its route."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnsuitableGraph, printable
from solvers.graphs.graph import Graph
from solvers.graphs.itinerary import itinerary, other_measure
from solvers.host.files import replace_atomically
from solvers.host.observer import SILENT, Observer
from solvers.running.answers.answer import PathAnswer, credit_of, no_places
from solvers.running.answers.places import number_texts
from solvers.text import format_distance

_FORM = "GPX"
_SCHEMA = "http://www.topografix.com/GPX/1/1"


def write_path_gpx(answer: PathAnswer, path: Path | str, observer: Observer = SILENT) -> Path:
    """Write a path: way points for its ends, a route with a point where each road begins, and a track along the curves.

    Raises
    ------
    UnsuitableGraph
        Without longitude and latitude.
    FileNotWritten, Cancelled
    """
    graph, path = answer.graph, Path(path)
    require_degrees(graph)
    observer.checkpoint(0, 1)
    text = "\n".join(_lines(answer))
    with replace_atomically(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    observer.checkpoint(1, 1)
    return path


def require_degrees(graph: Graph) -> None:
    """Check that a graph has longitude and latitude.

    Raises
    ------
    UnsuitableGraph
        With what to write instead.
    """
    if graph.coordinates is None:
        raise no_places(graph, _FORM)
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
    yield from (f"<trkpt {position}/>" for position in _positions(graph, answer.course(_FORM)))
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
