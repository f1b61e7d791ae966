"""Read a graph file and print a shortest path."""

from importlib.resources import files

from solvers import read, solve

graph = read(str(files("resources") / "samples" / "textbook.gr"))
answer = solve(graph, source=1, target=8)

print(graph)
print("distance", answer.distance)
print("path", answer.path)
print("verified", answer.verified)
