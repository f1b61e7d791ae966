"""The peers' own tests pass on our functions, and absent suites are named.

Those of NetworkX are run by `tests.solvers.features.networkx_backend.test_own_tests`; those
of rustworkx and igraph want their sources, in the folder that ``TAUTPATH_PEER_SOURCES``
names.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.peers.__main__ import PEERS, found_suite, main, run_suite

pytestmark = pytest.mark.slow

SOURCES = Path(os.environ.get("TAUTPATH_PEER_SOURCES", "absent"))
SCIPY = next(peer for peer in PEERS if peer.name == "SciPy")
CALLS = {"SciPy": (150, 5), "rustworkx": (150, 12), "igraph": (50, 9)}
"""Calls of our functions, and the functions called, at least."""


@pytest.mark.parametrize("name", CALLS)
def test_their_own_tests_pass(name: str) -> None:
    peer = next(peer for peer in PEERS if peer.name == name)
    if found_suite(peer, SOURCES) is None:
        pytest.skip(f"the tests of {name} are absent")
    done = run_suite(peer, sources=SOURCES)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    (calls,) = [line.split() for line in done.stdout.splitlines() if line.startswith("CALLS")]
    assert int(calls[1]) > CALLS[name][0]
    assert int(calls[2]) >= CALLS[name][1], "every function is called"


def test_functions_that_are_wrong_fail_them(tmp_path: Path) -> None:
    """The tests do reach them."""
    (tmp_path / "spoil.py").write_text(
        "from tests.peers import csgraph\n"
        "right = csgraph._rows\n"
        "csgraph._rows = lambda graph, variant, starts: 0 * right(graph, variant, starts) + 1\n",
        encoding="utf-8",
    )
    if found_suite(SCIPY) is None:
        pytest.skip("SciPy was installed without its tests")
    done = run_suite(SCIPY, "-p", "spoil", path=tmp_path)
    assert done.returncode == 1
    assert "E       AssertionError" in done.stdout


def test_absent_suites_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    said = capsys.readouterr().out
    for peer in PEERS:
        (line,) = [line for line in said.splitlines() if line.startswith(peer.name)]
        assert ("absent" in line) == (found_suite(peer) is None)
