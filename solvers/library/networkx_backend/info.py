"""What NetworkX is told of the backend when NetworkX itself is imported; so this module imports nothing else.

`FUNCTIONS` is the one list of what the backend solves.
"""

from __future__ import annotations

from typing import Any

_AS_NETWORKX = "Compiled; the same result in the same order."
_A_STAR = (
    "The heuristic is also called for nodes around the explored ones. A negative cycle that NetworkX would follow "
    "without end raises `NetworkXUnbounded`."
)
_BOUNDS = "Undirected graphs with integer lengths are solved by bounds on eccentricities, whatever `usebounds` says."
_ALL = "From 2,000 nodes on, integer lengths are solved by a hierarchy or by many sources together, on all cores."

_FLOWS = f"{_AS_NETWORKX} From 2,000 nodes on, integer lengths are solved on all cores, rounded in another order."

FUNCTIONS: dict[str, str] = {
    # unweighted
    "all_pairs_shortest_path": _AS_NETWORKX,
    "all_pairs_shortest_path_length": _AS_NETWORKX,
    "bidirectional_shortest_path": _AS_NETWORKX,
    "predecessor": _AS_NETWORKX,
    "single_source_shortest_path": _AS_NETWORKX,
    "single_source_shortest_path_length": _AS_NETWORKX,
    "single_target_shortest_path": _AS_NETWORKX,
    "single_target_shortest_path_length": _AS_NETWORKX,
    # Dijkstra's algorithm
    "all_pairs_dijkstra": _AS_NETWORKX,
    "all_pairs_dijkstra_path": _AS_NETWORKX,
    "all_pairs_dijkstra_path_length": _AS_NETWORKX,
    "bidirectional_dijkstra": _AS_NETWORKX,
    "dijkstra_path": _AS_NETWORKX,
    "dijkstra_path_length": _AS_NETWORKX,
    "dijkstra_predecessor_and_distance": _AS_NETWORKX,
    "multi_source_dijkstra": _AS_NETWORKX,
    "multi_source_dijkstra_path": _AS_NETWORKX,
    "multi_source_dijkstra_path_length": _AS_NETWORKX,
    "single_source_dijkstra": _AS_NETWORKX,
    "single_source_dijkstra_path": _AS_NETWORKX,
    "single_source_dijkstra_path_length": _AS_NETWORKX,
    # Bellman-Ford
    "all_pairs_bellman_ford_path": _AS_NETWORKX,
    "all_pairs_bellman_ford_path_length": _AS_NETWORKX,
    "bellman_ford_path": _AS_NETWORKX,
    "bellman_ford_path_length": _AS_NETWORKX,
    "bellman_ford_predecessor_and_distance": _AS_NETWORKX,
    "find_negative_cycle": _AS_NETWORKX,
    "goldberg_radzik": "By the Bellman-Ford algorithm; among several shortest paths another may be found.",
    "johnson": _AS_NETWORKX,
    "negative_edge_cycle": "The graph is not changed meanwhile, so frozen graphs and views are taken too.",
    "single_source_bellman_ford": _AS_NETWORKX,
    "single_source_bellman_ford_path": _AS_NETWORKX,
    "single_source_bellman_ford_path_length": _AS_NETWORKX,
    # any algorithm
    "all_pairs_all_shortest_paths": _AS_NETWORKX,
    "all_shortest_paths": _AS_NETWORKX,
    "average_shortest_path_length": _ALL,
    "has_path": _AS_NETWORKX,
    "shortest_path": _AS_NETWORKX,
    "shortest_path_length": _AS_NETWORKX,
    "shortest_simple_paths": _AS_NETWORKX,
    "single_source_all_shortest_paths": _AS_NETWORKX,
    # A*
    "astar_path": _A_STAR,
    "astar_path_length": _A_STAR,
    # Floyd-Warshall
    "floyd_warshall": _AS_NETWORKX,
    "floyd_warshall_numpy": _AS_NETWORKX,
    "floyd_warshall_predecessor_and_distance": _AS_NETWORKX,
    # what rests on them
    "barycenter": f"Without `attr`. {_ALL}",
    "betweenness_centrality": _FLOWS,
    "betweenness_centrality_subset": _FLOWS,
    "center": _BOUNDS,
    "closeness_centrality": _ALL,
    "diameter": _BOUNDS,
    "eccentricity": _ALL,
    "edge_betweenness_centrality": _FLOWS,
    "edge_betweenness_centrality_subset": _AS_NETWORKX,
    "harmonic_diameter": _AS_NETWORKX,
    "periphery": _BOUNDS,
    "radius": _BOUNDS,
    "voronoi_cells": "Without making the paths.",
}


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "tautline",
        "project": "tautline",
        "package": "solvers.library.networkx_backend",
        "short_summary": "Shortest paths and distances, compiled, with NetworkX's results.",
        "functions": {name: {"additional_docs": words} for name, words in FUNCTIONS.items()},
    }
