"""NetworkX's relabelling of nodes by integers, documented there: its own tests make
their graphs by it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx

from solvers.features.networkx_backend.graph import DispatchGraph, converted


def convert_node_labels_to_integers(
    G: Any, first_label: int = 0, ordering: str = "default", label_attribute: Hashable = None
) -> Any:
    """A copy of the graph, with integers for nodes."""
    graph = converted(G)
    order = _ordered(graph, ordering)
    labels = dict(zip(order, range(first_label, len(order) + first_label), strict=True))
    found = graph.to_networkx(labels)
    if label_attribute is not None:
        nx.set_node_attributes(found, {v: k for k, v in labels.items()}, label_attribute)
    return found


def _ordered(graph: DispatchGraph, ordering: str) -> list[Any]:
    if ordering == "default":
        return list(graph)
    if ordering == "sorted":
        return sorted(graph)
    if ordering not in ("increasing degree", "decreasing degree"):
        raise nx.NetworkXError(f"Unknown node ordering: {ordering}")
    pairs = sorted((degree, node) for node, degree in graph.degrees().items())
    return [node for _, node in (pairs if ordering.startswith("inc") else reversed(pairs))]
