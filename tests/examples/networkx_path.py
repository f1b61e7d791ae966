"""A NetworkX graph with named nodes: the path is made of the same names."""

import networkx

from solvers import read, solve

ferries = networkx.Graph(name="ferries")
ferries.add_weighted_edges_from(
    [
        ("Oban", "Mull", 46),
        ("Mull", "Lochaline", 18),
        ("Oban", "Coll", 160),
        ("Coll", "Tiree", 55),
        ("Oban", "Tiree", 235),
    ]
)
ferries.add_edge("Tiree", "Gunna")  # no weight: 1
answer = solve(ferries, source="Lochaline", target="Gunna")

print(read(ferries))
print("minutes", answer.distance)
print("path", " - ".join(map(str, answer.path or [])))
print(
    "as NetworkX",
    answer.path == networkx.shortest_path(ferries, "Lochaline", "Gunna", weight="weight"),
)
