"""Run what is installed of the peers' own tests against our functions, and say what is
absent: ``python -m tests.peers [--list] [PEER ...]``. Nothing is fetched.
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

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Peer:
    """Another library, and how its tests are made to call our functions."""

    name: str
    package: str
    suite: str  # the module of its tests that is run; "" if its wheels contain none
    plugin: str = ""  # of pytest, that puts ours in the place of its functions
    own_test: str = ""  # the test of ours that runs the suite instead
    left_out: tuple[tuple[str, str], ...] = ()  # tests, and what they ask for


PEERS = (
    Peer(
        "NetworkX",
        "networkx",
        "networkx.algorithms.shortest_paths.tests",
        own_test="tests/solvers/library/networkx_backend/test_own_tests.py",
    ),
    Peer(
        "SciPy",
        "scipy",
        "scipy.sparse.csgraph.tests.test_shortest_path",
        plugin="tests.peers.csgraph",
        left_out=(("test_predecessors", "that of two shortest paths which SciPy finds"),),
    ),
    Peer("rustworkx", "rustworkx", ""),
    Peer("igraph", "igraph", ""),
)


def found_suite(peer: Peer) -> str | None:
    """Version of the peer, if its tests are installed; None if they are not."""
    if not peer.suite or importlib.util.find_spec(peer.package) is None:
        return None
    try:
        is_there = importlib.util.find_spec(peer.suite) is not None
    except ModuleNotFoundError:
        return None
    return metadata.version(peer.package) if is_there else None


def run_suite(
    peer: Peer, *options: str, path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the tests in a process of their own; ``path`` has further plugins."""
    what = [peer.own_test] if peer.own_test else ["--pyargs", peer.suite]
    plugins = ["-p", peer.plugin] if peer.plugin else []
    # Settings of the peer's own tests are not installed, and ours are not meant for them.
    config = [] if peer.own_test else ["-c", os.devnull, "--rootdir", str(ROOT)]
    config = [*config, "-k", " and ".join(f"not {name}" for name, _ in peer.left_out)]
    fixed = ["-q", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *fixed, *config, *plugins, *options, *what]
    paths = [str(ROOT), *([str(path)] if path else []), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("--list", action="store_true", help="say what is installed, run nothing")
    parser.add_argument("peers", nargs="*", help="names; all by default")
    given = parser.parse_args(arguments)
    failed = False
    for peer in PEERS:
        if given.peers and peer.name.lower() not in map(str.lower, given.peers):
            continue
        version = found_suite(peer)
        if version is None:
            installed = importlib.util.find_spec(peer.package) is not None
            why = "installed without its tests" if installed else "not installed"
            print(f"{peer.name}: absent ({why})")
        elif given.list:
            print(f"{peer.name}: {version}, {peer.suite}")
        else:
            done = run_suite(peer)
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
