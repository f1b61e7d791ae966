"""All pairs of a SciPy sparse matrix, compared with scipy.sparse.csgraph."""

import numpy
import scipy.sparse

from solvers import solve

generator = numpy.random.default_rng(7)
matrix = scipy.sparse.random_array((200, 200), density=0.03, rng=generator, format="csr")
answer = solve(matrix)
reference = scipy.sparse.csgraph.shortest_path(matrix)

print(answer.graph)
print("shape", answer.distances.shape)
print("unreachable", int(numpy.isinf(answer.distances).sum()))
print("as SciPy", numpy.allclose(answer.distances, reference))
print("arcs from 3 to 150:", len(answer.path_between(3, 150) or []) - 1)
