"""Tautpath as a backend of NetworkX: ``networkx.dijkstra_path(G, a, b, backend="tautpath")``.

NetworkX finds `info` and `interface` by the entry points ``networkx.backend_info`` and
``networkx.backends`` of the installed package. `info` is loaded with NetworkX and
imports nothing but this head; `interface` is loaded with the first call.

Results equal NetworkX's: the same keys in the same order, the same path among several
shortest ones, the same exceptions with the same texts. So searches settle vertices in
NetworkX's order, in which of equal distances the one found first comes first, and every
vertex's arcs keep the order of NetworkX's adjacency. Where the two differ: NumPy's
scalars become Python's, and by Floyd-Warshall a missing length is 1, not 1.0.
"""

from solvers.system.feature import Feature

FEATURE = Feature("Backend of NetworkX", needs=("all_sources",))  # centralities
