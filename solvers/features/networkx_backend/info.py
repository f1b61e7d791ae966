"""What NetworkX is told of the backend when NetworkX itself is imported; so this module
imports nothing else.

`FUNCTIONS` is the one list of what the backend solves.
"""

from __future__ import annotations

from typing import Any

_AS_NETWORKX = "Compiled; the same result in the same order."
_A_STAR = (
    "The heuristic is also called for nodes around the explored ones. A negative cycle that "
    "NetworkX would follow without end raises `NetworkXUnbounded`."
)
_BOUNDS = (
    "Undirected graphs with integer lengths are solved by bounds on eccentricities, "
    "whatever `usebounds` says."
)
_ALL = (
    "From 2,000 nodes on, integer lengths are solved by a hierarchy or by "
    "many sources together, on all cores."
)

_FLOWS = (
    f"{_AS_NETWORKX} From 2,000 nodes on, integer lengths are solved on all "
    "cores, rounded in another order."
)

_SAME = """
    all_pairs_shortest_path all_pairs_shortest_path_length bidirectional_shortest_path predecessor
    single_source_shortest_path single_source_shortest_path_length single_target_shortest_path
    single_target_shortest_path_length all_pairs_dijkstra all_pairs_dijkstra_path
    all_pairs_dijkstra_path_length bidirectional_dijkstra dijkstra_path dijkstra_path_length
    dijkstra_predecessor_and_distance multi_source_dijkstra multi_source_dijkstra_path
    multi_source_dijkstra_path_length single_source_dijkstra single_source_dijkstra_path
    single_source_dijkstra_path_length all_pairs_bellman_ford_path
    all_pairs_bellman_ford_path_length bellman_ford_path bellman_ford_path_length
    bellman_ford_predecessor_and_distance find_negative_cycle johnson single_source_bellman_ford
    single_source_bellman_ford_path single_source_bellman_ford_path_length
    all_pairs_all_shortest_paths all_shortest_paths has_path shortest_path shortest_path_length
    shortest_simple_paths single_source_all_shortest_paths floyd_warshall floyd_warshall_numpy
    floyd_warshall_predecessor_and_distance edge_betweenness_centrality_subset harmonic_diameter
    goldberg_radzik
"""

FUNCTIONS: dict[str, str] = dict.fromkeys(_SAME.split(), _AS_NETWORKX) | {
    "negative_edge_cycle": "The graph is not changed meanwhile, "
    "so frozen graphs and views are taken too.",
    "average_shortest_path_length": _ALL,
    "astar_path": _A_STAR,
    "astar_path_length": _A_STAR,
    "barycenter": f"Without `attr`. {_ALL}",
    "betweenness_centrality": _FLOWS,
    "betweenness_centrality_subset": _FLOWS,
    "center": _BOUNDS,
    "closeness_centrality": _ALL,
    "diameter": _BOUNDS,
    "convert_node_labels_to_integers": "By NetworkX unless it is asked for; "
    "for strict runs of tests, which make graphs by it.",
    "eccentricity": _ALL,
    "edge_betweenness_centrality": _FLOWS,
    "periphery": _BOUNDS,
    "radius": _BOUNDS,
    "voronoi_cells": "Without making the paths.",
}


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "tautpath",
        "project": "tautpath",
        "package": "solvers.features.networkx_backend",
        "short_summary": "Shortest paths and distances, compiled, with NetworkX's results.",
        "functions": {name: {"additional_docs": words} for name, words in FUNCTIONS.items()},
    }
