"""Compare variants on one question: same distances, different times."""

from pathlib import Path

import solvers
from solvers import read, solve

samples = Path(solvers.__file__).parents[1] / "resources" / "samples"

graph = read(samples / "harbour.gr.gz")
answers = [
    solve(graph, variant, source=1, target=3000, trials=5, warmup=1)
    for variant in ("dijkstra-array", "dijkstra-heap", "bf-serial", "auto")
]

print(f"{'variant':16} {'ms':>8} {'distance':>9}  verified")
for answer in sorted(answers, key=lambda answer: answer.time):
    print(f"{answer.variant:16} {answer.time * 1e3:8.3f} {answer.distance:>9}  {answer.verified}")
print("automatic:", answers[-1].note)
