"""Read a graph file and print a shortest path."""

from pathlib import Path

import solvers
from solvers import read, solve

samples = Path(solvers.__file__).parents[1] / "resources" / "samples"

graph = read(samples / "textbook.gr")
answer = solve(graph, source=1, target=8)

print(graph)
print("distance", answer.distance)
print("path", answer.path)
print("verified", answer.verified)
