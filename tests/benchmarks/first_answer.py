"""How long the first answers take after an installation.

::

    python -m tests.benchmarks.first_answer [WHEEL] [--rounds N] [--only WORDS]

A wheel is installed into a new virtual environment, with the packages of
``constraints.txt``; without one, the source tree is used. Each use is a process of its own
that begins with no compiled code in any cache, and another one with what the first left.
Seconds on the clock and of the processor, which is the better figure on a machine with
other work, and how many functions the first process compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import json, random, resource, sys, time

import networkx, numpy, scipy.sparse

def used():
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )

def streets(side=30):
    "As OSMnx makes them: a multigraph with places, and lengths in metres with many digits."
    drawn, found = random.Random(1), networkx.MultiDiGraph(crs="epsg:4326")
    for v in range(side * side):
        place = 9.5 + v % side * 0.001, 47.1 + v // side * 0.001
        found.add_node(10**7 + v, x=place[0], y=place[1])
    for v in range(side * side):
        for head in (v + 1 if (v + 1) % side else v, v + side):
            if v < head < side * side:
                length = 60 + 40 * drawn.random()
                found.add_edge(10**7 + v, 10**7 + head, length=length, oneway=False)
                found.add_edge(10**7 + head, 10**7 + v, length=length, oneway=False)
    return found

def arcs(side=30):
    return [(u, v, one["length"]) for u, v, one in streets(side).edges(data=True)]

began, before = time.perf_counter(), used()
exec(sys.argv[1])
print(json.dumps([time.perf_counter() - began, used() - before]))
"""

TINY = "from solvers import *; g = read([(1, 2, 3), (2, 3, 4), (1, 3, 9), (3, 1, 2)]);"
REAL = "from solvers import *; g = read(streets());"
USES = {
    "import": "from solvers import all_sources, generate, prepare, read, solve",
    "whole: solve and a router": TINY + "solve(g, source=1); prepare(g).distance(1, 3)",
    "whole: twelve other calls": TINY
    + """
solve(g, source=1, target=3); solve(g)
solve(g, "dijkstra-heap", source=1); solve(g, "bf-serial", source=1)
router = prepare(g)
router.path(1, 3); router.table([1, 2]); router.distances(1); router.nearest(1, [2, 3])
router.within(1, 5); all_sources(g); to_networkx(g)
road = generate("road", vertices=2000, seed=1)
solve(road, source=road.ids[0])
""",
    "float64: solve": REAL + "solve(g, source=10**7, target=10**7 + 99)",
    "float64: a router": REAL + "prepare(g).path(10**7, 10**7 + 99)",
    "float64: all pairs": REAL + "solve(g)",
    "float64: eccentricity": REAL + "all_sources(g, ['eccentricity'])",
    "float64: betweenness": REAL + "all_sources(g, ['betweenness'])",
    "float64: a SciPy matrix": """
from solvers import solve
tails, heads, lengths = map(numpy.array, zip(*arcs()))
coo = (lengths, (tails - 10**7, heads - 10**7))
solve(scipy.sparse.csr_array(coo, shape=(900, 900)), source=0)
""",
    "float64: NetworkX's betweenness": """
drawn = networkx.DiGraph(streets())
networkx.betweenness_centrality(drawn, weight="length", backend="tautpath")
""",
}


class Times(NamedTuple):
    clock: float
    processor: float
    compiled: int


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Time the first answers after an installation.")
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="uses whose names contain these words")
    arguments = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python, path = sys.executable, str(ROOT)
        if arguments.wheel is not None:
            python, path = installed(arguments.wheel, place / "environment"), ""
        print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
        print(f"{'':32}{'first: clock':>22}{'processor':>11}{'compiled':>10}{'later: clock':>14}")
        for name in filter(lambda name: arguments.only in name, USES):
            rounds = [
                both(python, path, place / f"{name} {i}", USES[name])
                for i in range(arguments.rounds)
            ]
            print(line(name, *zip(*rounds, strict=True)), flush=True)
    print(f"medians of {arguments.rounds} and their range, seconds")


def line(name: str, first: Sequence[Times], later: Sequence[Times]) -> str:
    clocks = [one.clock for one in first]
    spread = f"{statistics.median(clocks):.2f} ({min(clocks):.2f}–{max(clocks):.2f})"
    processor = statistics.median(one.processor for one in first)
    after = statistics.median(one.clock for one in later)
    return f"{name:32}{spread:>22}{processor:11.2f}{first[0].compiled:10}{after:14.2f}"


def installed(wheel: Path, folder: Path) -> str:
    """The interpreter of a new virtual environment with the wheel."""
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([python, str(ROOT / ".ci" / "install.py"), "--dependencies"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
    return python


def both(python: str, path: str, folder: Path, use: str) -> tuple[Times, Times]:
    """Times of a process without anything compiled, and of the next."""
    folder.mkdir()
    return once(python, path, folder, use), once(python, path, folder, use)


def once(python: str, path: str, folder: Path, use: str) -> Times:
    caches = {"NUMBA_CACHE_DIR": str(folder / "numba"), "TAUTPATH_DATA": str(folder / "data")}
    done = subprocess.run(
        [python, "-c", PROGRAM, use],
        cwd=folder,
        env=os.environ | caches | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    clock, processor = json.loads(done.stdout.splitlines()[-1])
    return Times(clock, processor, len(list((folder / "numba").rglob("*.nbc"))))


if __name__ == "__main__":
    main()
