"""NetworkX's own tests pass on the backend, with no function that it has falling back
to NetworkX.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from solvers.features.networkx_backend.info import FUNCTIONS
from tests.solvers.features.networkx_backend.entry_points import environment

pytestmark = pytest.mark.slow

MODULES = [
    "networkx.algorithms.shortest_paths.tests",
    "networkx.algorithms.tests.test_distance_measures",
    "networkx.algorithms.tests.test_simple_paths",
    "networkx.algorithms.tests.test_voronoi",
    "networkx.algorithms.centrality.tests.test_betweenness_centrality",
    "networkx.algorithms.centrality.tests.test_betweenness_centrality_subset",
    "networkx.algorithms.centrality.tests.test_closeness_centrality",
]

# By test: what NetworkX does that the backend declines. The same test passes on
# NetworkX, which such a call falls back to in programs.
EXPECTED_FAILURES = {
    "TestBarycenter::test_this_one_specific_tree": "attr writes to the graph, "
    "which a conversion cannot",
}


def run_networkx_tests(folder: Path, *modules: str, plugins: tuple[str, ...] = ()) -> list[str]:
    """The lines that pytest prints."""
    options = (
        "-q",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-c",
        str(folder / "pytest.ini"),
    )
    used = ("tests.solvers.features.networkx_backend.strict_fallback", *plugins)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        *options,
        *(f"-p{name}" for name in used),
        "--pyargs",
        *modules,
    ]
    # An empty NETWORKX_FALLBACK_TO_NX is not a fallback; NetworkX takes any text,
    # "False" too, for yes.
    variables = environment(folder, NETWORKX_TEST_BACKEND="tautpath", NETWORKX_FALLBACK_TO_NX="")
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


def test_networkx_own_tests_pass_on_the_backend(tmp_path: Path) -> None:
    lines = run_networkx_tests(tmp_path, *MODULES)

    failed = [line.split()[1].partition("::")[2] for line in lines if line.startswith("XFAIL ")]
    assert sorted(failed) == sorted(EXPECTED_FAILURES)
    calls = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("CALLS ")}
    assert sum(calls.values()) > 10_000
    assert FUNCTIONS.keys() == calls.keys(), "every function is tested"


def test_a_backend_that_is_wrong_fails_them(tmp_path: Path) -> None:
    """The tests do reach the backend: without the loop of Floyd-Warshall they fail."""
    (tmp_path / "spoil.py").write_text(
        "from solvers.features.networkx_backend import floyd_warshall\n"
        "floyd_warshall.solve_matrix = lambda *arrays: None\n",
        encoding="utf-8",
    )
    with pytest.raises(AssertionError, match="failed"):
        run_networkx_tests(
            tmp_path, "networkx.algorithms.shortest_paths.tests.test_dense", plugins=("spoil",)
        )
