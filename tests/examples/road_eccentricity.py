"""Generate a road network, solve it with kernels, and look at how far away everything is."""

import numpy

from solvers import generate, solve

graph = generate("road", vertices=5000, seed=3)
answer = solve(graph, "sssp-near-far", source=1, device="auto")
reached = answer.distances[numpy.isfinite(answer.distances)]
farthest = int(
    graph.ids[numpy.argmax(numpy.where(numpy.isfinite(answer.distances), answer.distances, -1))]
)

print(
    f"{len(reached)} of {graph.n} vertices reached on {answer.result.device_name}, verified: "
    f"{answer.verified}"
)
print("eccentricity", int(reached.max()), "at vertex", farthest)
for count, low in zip(*numpy.histogram(reached, bins=5), strict=False):
    print(f"from {low:8.0f}  {'#' * (count // 50)} {count}")
print("arcs on the way there:", len(answer.path_to(farthest) or []) - 1)
