"""Text of the graph information dialog: sizes, types and reading report."""

from __future__ import annotations

from solvers.errors import format_bytes
from solvers.graphs.graph import Graph
from solvers.graphs.readers import ReadReport
from solvers.text import format_count, format_distance, format_duration


def describe(graph: Graph, report: ReadReport | None) -> str:
    """The graph's sizes and types and, if it was read from a file, the reader's findings, one per line."""
    lines = _of_graph(graph)
    if report is not None:
        lines |= _of_report(report, graph.weight_unit)
    width = max(map(len, lines)) + 2
    text = [f"{name:<{width}}{value}" for name, value in lines.items() if value]
    if report is not None and report.warnings:
        text += ["", "Remarks", *(f"- {warning}" for warning in report.warnings)]
    return "\n".join(text)


def _of_graph(graph: Graph) -> dict[str, str]:
    ends = tuple(graph.vertex_label(vertex) for vertex in (0, graph.n - 1)) if graph.n else ()
    ids = " (names)" if graph.has_labels else f" (ids {' to '.join(ends)})" if ends else ""
    memory = sum(a.nbytes for a in (graph.indptr, graph.indices, graph.weights, graph.ids))
    where = {None: "none", True: "longitude and latitude", False: "planar"}
    return {
        "Vertices": f"{format_count(graph.n)}{ids}",
        "Arcs": format_count(graph.m),
        "Direction": "directed" if graph.directed else "undirected (both arcs of every edge)",
        "Weights": graph.weight_type.name + (f", in {graph.weight_unit}" if graph.weight_unit else ""),
        "Coordinates": where[None if graph.coordinates is None else graph.coordinates.geographic],
        "In memory": format_bytes(memory),
        "SHA-256": graph.sha256,
    }


def _of_report(report: ReadReport, unit: str) -> dict[str, str]:
    weights = f"{format_distance(report.least_weight, unit)} to {format_distance(report.greatest_weight, unit)}"
    claims = {"vertices": report.header_vertices, "arcs": report.header_arcs}
    return {
        "Format": report.format,
        "Header": ", ".join(f"{format_count(count)} {what}" for what, count in claims.items() if count is not None),
        "Weights from": report.weights_from,
        "Weight range": weights,
        "Negative arcs": format_count(report.negative_arcs) if report.negative_arcs else "",
        "Self-loops": format_count(report.self_loops),
        "Parallel arcs": format_count(report.parallel_arcs),
        "Coordinates from": report.coordinates_from,
        "Read in": format_duration(report.seconds * 1e3),
    }
