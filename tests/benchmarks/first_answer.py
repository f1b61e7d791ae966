"""How long the first answers take after an installation.

::

    python -m tests.benchmarks.first_answer [WHEEL] [--rounds N]

A wheel is installed into a new virtual environment, with the packages of
``constraints.txt``; without one, the source tree is used. In each round, a first process
begins with no compiled code in any cache, a second one with what the first left. Both
solve a tiny graph and prepare a router, then make fourteen different calls. Seconds on
the clock and of the processor, which is the better figure on a machine with other work.
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

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import json, resource, time

def used():
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )

marks = [(time.perf_counter(), used())]

def mark():
    marks.append((time.perf_counter(), used()))

from solvers import all_sources, generate, prepare, read, solve, to_networkx, variants
mark()
tiny = read([(1, 2, 3), (2, 3, 4), (1, 3, 9), (3, 1, 2)])
solve(tiny, source=1)
router = prepare(tiny)
router.distance(1, 3)
mark()
solve(tiny, source=1, target=3)
solve(tiny)
solve(tiny, "dijkstra-heap", source=1)
solve(tiny, "bf-serial", source=1)
router.path(1, 3)
router.table([1, 2])
router.distances(1)
router.nearest(1, [2, 3])
router.within(1, 5)
road = generate("road", vertices=2000, seed=1)
solve(road, source=road.ids[0])
all_sources(tiny)
to_networkx(tiny)
variants("sssp")
mark()
print(json.dumps([[b - a for a, b in zip(one, other)] for one, other in zip(marks, marks[1:])]))
"""
PARTS = ("import", "solve and prepare", "fourteen calls")

ALL = ((0, 0), (0, 1), (1, 0), (1, 1))  # process, and kind of time

Times = list[list[float]]
"""For each part the seconds on the clock and of the processor."""


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Time the first answers after an installation.")
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python, path = sys.executable, str(ROOT)
        if arguments.wheel is not None:
            python, path = installed(arguments.wheel, place / "environment"), ""
        rounds = [both(python, path, place / str(i)) for i in range(arguments.rounds)]
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(f"{'':20}{'first: clock':>14}{'processor':>11}{'later: clock':>14}{'processor':>11}")
    for i, part in enumerate(PARTS):
        cells = [statistics.median(one[which][i][kind] for one in rounds) for which, kind in ALL]
        print(f"{part:20}{cells[0]:14.2f}{cells[1]:11.2f}{cells[2]:14.2f}{cells[3]:11.2f}")
    print(f"medians of {arguments.rounds}, seconds")


def installed(wheel: Path, folder: Path) -> str:
    """The interpreter of a new virtual environment with the wheel."""
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([python, str(ROOT / ".ci" / "install.py"), "--dependencies"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
    return python


def both(python: str, path: str, folder: Path) -> tuple[Times, Times]:
    """Times of a process without anything compiled, and of the next."""
    folder.mkdir()
    return once(python, path, folder), once(python, path, folder)


def once(python: str, path: str, folder: Path) -> Times:
    caches = {"NUMBA_CACHE_DIR": str(folder / "numba"), "TAUTPATH_DATA": str(folder / "data")}
    done = subprocess.run(
        [python, "-c", PROGRAM],
        cwd=folder,
        env=os.environ | caches | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    times: Times = json.loads(done.stdout)
    return times


if __name__ == "__main__":
    main()
