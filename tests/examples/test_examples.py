"""The examples of the library run, and print what their readers are told."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from solvers.devices import discover

HERE = Path(__file__).parent

EXPECTED = {
    "path_in_a_file": r"Graph\('textbook', n=8, m=26, int32, directed=True\)\n"
    r"distance 13\npath \[1, 2, 5, 3, 7, 8\]\nverified True\n",
    "compare_variants": r"variant +ms +distance +verified\n"
    r"(\S+ +[\d.]+ +(\d+) +True\n"
    r")(\S+ +[\d.]+ +\2 +True\n"
    r"){3}"
    r"automatic: dijkstra-bidirectional was chosen: .*\n",
    "networkx_path": r"LabelledGraph\('ferries', n=6, m=12, int32, directed=False\)\nminutes 280\n"
    r"path Lochaline - Mull - Oban - Coll - Tiree - Gunna\nas NetworkX True\n",
    "scipy_all_pairs": r"Graph\('graph', n=200, m=1200, float64, directed=True\)\n"
    r"shape \(200, 200\)\n"
    r"unreachable \d+\nas SciPy True\narcs from 3 to 150: [1-9]\d*\n",
    "road_eccentricity": r"(\d+) of \1 vertices reached on .+, verified: True\n"
    r"eccentricity \d+ at vertex \d+\n"
    r"(from +\d+  #* \d+\n){5}arcs on the way there: \d+\n",
}


def test_every_example_is_here() -> None:
    assert {
        path.stem for path in HERE.glob("*.py") if not path.stem.startswith(("test_", "_"))
    } == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_prints_what_it_should(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "road_eccentricity" and not discover().devices:
        pytest.skip(f"no device that runs kernels: {'; '.join(discover().problems)}")

    runpy.run_path(str(HERE / f"{name}.py"))

    assert re.fullmatch(EXPECTED[name], capsys.readouterr().out)
