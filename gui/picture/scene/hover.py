"""Rows of the hover card of a vertex or a road. No Qt."""

from __future__ import annotations

import numpy as np

from gui.picture.scene.content import PictureContent
from gui.picture.scene.path_tree import predecessor_row
from solvers.core.result import Result
from solvers.errors import printable
from solvers.graphs.route import road_facts
from solvers.text import SECONDS_PER_UNIT, format_count, format_distance, plural
from solvers.verification.paths import lightest_arcs

_MOST_NAMES = 4  # of roads at a vertex


def vertex_rows(content: PictureContent, result: Result | None, vertex: int) -> list[tuple[str, str]]:
    """Names and values: id, distance (in a lesson also the tentative one), predecessor, level, iterations, degree."""
    graph, activity = content.scene.graph, content.activity
    rows = [("vertex", printable(str(graph.vertex_id(vertex))))]
    if (distance := activity.distance(vertex)) is not None:
        name = "travel time" if graph.weight_unit in SECONDS_PER_UNIT else "distance"
        rows.append((name, format_distance(distance, graph.weight_unit)))
    if content.values is not None and content.values.words_of is not None:
        rows.append((content.values.legend.quantity, content.values.words_of(vertex)))
    if (source := _nearest_source(content, vertex)) is not None:
        rows.append(("nearest source", graph.vertex_label(source)))
    if content.lesson is not None:
        rows.append(("so far", content.lesson.value(vertex)))
    predecessor = _predecessor(content, result, vertex)
    if predecessor is not None:
        rows.append(("predecessor", printable(str(graph.vertex_id(predecessor)))))
    if content.levels is not None:
        rows.append(("level", content.levels.level_words(vertex)))
    if activity.trace is not None:
        rows.append(("active", _active_words(content, vertex)))
    if names := _road_names(content, vertex):
        rows.append(("roads", names))
    rows.append(("degree", plural(int(graph.out_degrees[vertex]), "arc out", "arcs out")))
    return rows


def road_rows(content: PictureContent, tail: int, head: int) -> list[tuple[str, str]]:
    """Names and values of the road between two vertices: its name, length and travel time; none without names."""
    graph = content.scene.graph if content.scene.graph.base is None else content.scene.graph.base.graph
    if graph.roads is None:
        return []
    arcs = lightest_arcs(graph, np.array([tail, head, tail]))
    found = arcs[arcs >= 0]
    return list(road_facts(graph, int(found[0]))) if len(found) else []


def _road_names(content: PictureContent, vertex: int) -> str:
    """Names of the roads that begin at a vertex, each once; "" if the graph has none."""
    graph = content.scene.graph
    if graph.roads is None:
        return ""
    row = graph.row(vertex)
    names = dict.fromkeys(graph.roads.name(arc) for arc in range(row.start, row.stop))
    return ", ".join(list(names)[:_MOST_NAMES])


def _nearest_source(content: PictureContent, vertex: int) -> int | None:
    """The nearest of several sources; None for one source, and where none reaches."""
    if content.activity.owners is None:
        return None
    sources, place = (content.source, *content.more_sources), int(content.activity.owners[vertex])
    return sources[place] if place < len(sources) else None


def _active_words(content: PictureContent, vertex: int) -> str:
    trace = content.activity.trace
    assert trace is not None
    first, last = int(trace.first_active[vertex]) * trace.stride, int(trace.last_active[vertex]) * trace.stride
    if first < 0:
        return "never"
    return (
        f"iteration {format_count(first + 1)}"
        if first == last
        else f"iterations {format_count(first + 1)} to {format_count(last + 1)}"
    )


def _predecessor(content: PictureContent, result: Result | None, vertex: int) -> int | None:
    row = predecessor_row(result) if result is not None and result.graph is content.scene.graph else None
    if row is None:
        return None
    before = int(row[vertex])
    return before if before >= 0 else None
