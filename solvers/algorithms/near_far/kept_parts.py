"""Parts of graphs, kept on disk under a hash of the graph's structure: they serve it with other weights as well."""

from __future__ import annotations

from solvers.algorithms.near_far.part_order import PartOrder
from solvers.graphs.graph import Graph
from solvers.host.array_store import ArrayStore, user_folder

LEAST_VERTICES = 1 << 16  # of a graph whose parts are kept; those of a smaller one are made sooner than read
_VERSION = "1"  # raise it when the parts come out otherwise: those on disk are then made anew
_EARLIER_NAMES = ("9e6b2c92ecb26d8d46eb15b10029e83a5e3baa1a4a452062ed38cc17de38e359",)  # a hash of the code


def part_store() -> ArrayStore:
    """The user's store of parts."""
    return ArrayStore(user_folder("parts"), _VERSION, also=_EARLIER_NAMES)


def has_parts(graph: Graph, most_vertices: int, most_arcs: int) -> bool:
    """Whether the store has parts of the graph within the limits."""
    if graph.n < LEAST_VERTICES:
        return False
    return part_store().has(_name(graph, most_vertices, most_arcs), graph.n)


def load_parts(graph: Graph, most_vertices: int, most_arcs: int) -> PartOrder | None:
    """The parts of the graph within the limits; None if the store has none, or a damaged file."""
    if graph.n < LEAST_VERTICES:
        return None
    stored = part_store().load(_name(graph, most_vertices, most_arcs), graph.n).array
    return None if stored is None else PartOrder.from_marked(stored, graph, most_vertices, most_arcs)


def save_parts(graph: Graph, most_vertices: int, most_arcs: int, parts: PartOrder) -> None:
    """Keep the parts of a graph that is large enough."""
    if graph.n >= LEAST_VERTICES:
        part_store().save(_name(graph, most_vertices, most_arcs), parts.marked())


def _name(graph: Graph, most_vertices: int, most_arcs: int) -> str:
    return f"{graph.structure_sha256}-{most_vertices}-{most_arcs}"
