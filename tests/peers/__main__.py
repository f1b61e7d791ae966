"""Run the peers' own tests against our functions, and say what is absent:
``python -m tests.peers [--list] [--sources FOLDER] [PEER ...]``. Nothing is fetched.

Wheels of NetworkX and SciPy contain their tests. Those of rustworkx and igraph do not:
FOLDER has the source trees ``rustworkx`` and ``python-igraph``, of the installed versions.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tests.peers.left_out import LEFT_OUT

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Peer:
    """Another library, and how its tests are made to call our functions."""

    name: str
    package: str
    suite: str  # the module of its tests that is run; "" if its wheels contain none
    source_tree: str = ""  # the folder of its sources, if these have the tests
    files: tuple[str, ...] = ()  # of the source tree
    plugin: str = ""  # of pytest, that puts ours in the place of its functions
    own_test: str = ""  # the test of ours that runs the suite instead
    # tests, as NAME or CLASS::NAME, and what they ask for
    left_out: tuple[tuple[str, str], ...] = ()


_TIES_OF_RUSTWORKX = tuple(
    (test, "that of two shortest paths which rustworkx finds")
    for test in (
        "TestDijkstraGraph::test_dijkstra_all_pair_paths",
        "TestBellmanFordGraph::test_bellman_ford_all_pair_paths",
        "TestDijkstraDiGraph::test_dijkstra_path",
        "TestBellmanFordDiGraph::test_bellman_ford_path",
    )
)
_NEGATIVE_CYCLES_OF_RUSTWORKX = tuple(
    (name, "a matrix of a graph with a negative cycle, which we refuse")
    for name in (
        "test_weighted_numpy_negative_cycle",
        "test_weighted_numpy_directed_negative_cycle",
    )
)

PEERS = (
    Peer(
        "NetworkX",
        "networkx",
        "networkx.algorithms.shortest_paths.tests",
        own_test="tests/solvers/features/networkx_backend/test_own_tests.py",
    ),
    Peer(
        "SciPy",
        "scipy",
        "scipy.sparse.csgraph.tests.test_shortest_path",
        plugin="tests.peers.csgraph",
        left_out=(("test_predecessors", "that of two shortest paths which SciPy finds"),),
    ),
    Peer(
        "rustworkx",
        "rustworkx",
        "",
        source_tree="rustworkx",
        files=tuple(
            f"tests/{kind}/test_{what}.py"
            for kind in ("graph", "digraph")
            for what in ("dijkstra", "bellman_ford", "floyd_warshall", "dist_matrix", "centrality")
        ),
        plugin="tests.peers.rustworkx_functions",
        left_out=_TIES_OF_RUSTWORKX + _NEGATIVE_CYCLES_OF_RUSTWORKX,
    ),
    Peer(
        "igraph",
        "igraph",
        "",
        source_tree="python-igraph",
        files=("tests/test_structural.py",),
        plugin="tests.peers.igraph_methods",
    ),
)


def found_suite(peer: Peer, sources: Path | None = None) -> str | None:
    """Version of the peer, if its tests are installed or among the sources; None if they
    are not.
    """
    if importlib.util.find_spec(peer.package) is None:
        return None
    if peer.source_tree:
        there = sources is not None and all(
            (sources / peer.source_tree / file).is_file() for file in peer.files
        )
        return metadata.version(peer.package) if there else None
    try:
        is_there = importlib.util.find_spec(peer.suite) is not None
    except ModuleNotFoundError:
        return None
    return metadata.version(peer.package) if is_there else None


def run_suite(
    peer: Peer, *options: str, path: Path | None = None, sources: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the tests in a process of their own; ``path`` has further plugins."""
    what = [peer.own_test] if peer.own_test else ["--pyargs", peer.suite]
    root = ROOT
    if peer.source_tree and sources is not None:
        root = sources / peer.source_tree
        # not by its folders: its package of tests may be called “tests”, as ours
        what = ["--import-mode", "importlib", *(str(root / file) for file in peer.files)]
    plugins = [f"-p{name}" for name in filter(None, (peer.plugin, "tests.peers.left_out"))]
    # Settings of the peer's own tests are not installed, and ours are not meant for them.
    config = [] if peer.own_test else ["-c", os.devnull, "--rootdir", str(root)]
    fixed = ["-q", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *fixed, *config, *plugins, *options, *what]
    paths = [str(ROOT), *([str(path)] if path else []), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            LEFT_OUT: " ".join(name for name, _ in peer.left_out),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("--list", action="store_true", help="say what is installed, run nothing")
    parser.add_argument("--sources", type=Path, help="folder of source trees that have tests")
    parser.add_argument("peers", nargs="*", help="names; all by default")
    given = parser.parse_args(arguments)
    failed = False
    for peer in PEERS:
        if given.peers and peer.name.lower() not in map(str.lower, given.peers):
            continue
        version = found_suite(peer, given.sources)
        if version is None:
            installed = importlib.util.find_spec(peer.package) is not None
            why = "installed without its tests" if installed else "not installed"
            if installed and peer.source_tree:
                why = f"its tests are in its sources: --sources FOLDER with {peer.source_tree}"
            print(f"{peer.name}: absent ({why})")
        elif given.list:
            print(f"{peer.name}: {version}, {peer.suite or ', '.join(peer.files)}")
        else:
            done = run_suite(peer, sources=given.sources)
            last = [line for line in done.stdout.splitlines() if " passed" in line or "%" in line]
            print(f"{peer.name}: {version}, {'failed' if done.returncode else 'passed'}. ", end="")
            print(last[-1].strip("= ") if last else "")
            for name, words in peer.left_out:
                print(f"  left out: {name} asks for {words}")
            if done.returncode:
                print(done.stdout[-6000:], done.stderr[-2000:], sep="\n")
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
