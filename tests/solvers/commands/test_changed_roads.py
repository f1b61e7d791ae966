"""``solve`` with closed and slowed roads: path before and after, tables, the written graph, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from solvers import cli
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.writers import write_dimacs
from tests import graphs
from tests.golden import Golden


def streets() -> Graph:
    """1 – 2 – 4 is the short way, 1 – 3 – 4 the long one, and 5 hangs on 4."""
    edges = [(0, 1, 10), (1, 3, 10), (0, 2, 20), (2, 3, 20), (3, 4, 1)]
    graph = graphs.from_list(5, edges, directed=False)
    return Graph(graph.indptr, graph.indices, graph.weights, name="streets", ids=graph.ids * 0 + range(1, 6))


@pytest.fixture
def solve(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "streets.gr"
    write_dimacs(streets(), path)

    def call(*options: str, variants: str = "dijkstra-heap", target: str = "4"):
        question = [] if not target else ["--source", "1", "--target", target]
        plan = ["--trials", "1", "--warmup", "0", "--no-keep"]
        status = cli.main(["solve", str(path), *question, *plan, "--variants", variants, *map(str, options)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("options", "target"),
    [
        ("--close 2-4", "4"),
        ("--close 4:2 --slow 1-2=1.5", "4"),  # one direction
        ("--close 1-3", "4"),  # beside the path
        ("--slow 1-3=0.5 --slow 3-4=0.5 --close 1-2", "4"),  # another path as short
        ("--close 4-5", "5"),  # the only way
    ],
)
def test_path_before_and_after_and_the_difference(solve, options: str, target: str, golden: Golden) -> None:
    status, out, _ = solve(*options.split(), target=target)
    untimed = [line for line in out.splitlines() if line.startswith(("streets", "before", "after", "diff", "all"))]
    assert status == 0
    golden.check("solve with changed roads", f"{options} --target {target}", "\n".join(untimed))


def test_files_of_differences_and_of_the_changed_network(solve, tmp_path: Path) -> None:
    table, network = tmp_path / "d.csv", tmp_path / "changed.gr"
    status, out, _ = solve("--close", "2-4", "--slow", "3:4=2", "--differences", table, "--write-graph", network)
    assert status == 0
    assert f"wrote {table}" in out
    with table.open(newline="") as file:
        rows = {row["vertex"]: row for row in csv.DictReader(file)}
    assert (rows["4"]["before"], rows["4"]["after"], rows["4"]["difference"]) == ("20", "60", "40")
    again = read_graph(network).graph
    assert (again.m, again.weights[again.row(again.vertex(3))].tolist()) == (8, [20, 40])


def test_the_network_is_written_without_changes_too(solve, tmp_path: Path) -> None:
    solve("--write-graph", tmp_path / "same.gr")
    assert read_graph(tmp_path / "same.gr").graph.m == 10


@pytest.mark.parametrize(
    "options",
    [
        "--close 1-99", "--close 1-4", "--close 1_2", "--slow 1-2", "--slow 1-2=fast", "--slow 1-2=0", "--slow 1-2=-3",
        "--slow 1-2=nan", "--slow 1-2=inf", "--slow 1-2=1e300", "--differences d.csv",
    ],
)  # fmt: skip
def test_bad_changes_are_refused_in_one_line(solve, options: str, golden: Golden) -> None:
    status, _, err = solve(*options.split())
    assert (status, err.count("\n")) == (2, 1)
    golden.check("solve with changed roads", options, err)


def test_differences_need_all_distances(solve, golden: Golden) -> None:
    options = "--close 2-4 --differences d.csv"
    status, _, err = solve(*options.split(), variants="astar")
    assert status == 2
    golden.check("solve with changed roads", f"{options} --variants astar", err)


def test_all_pairs_are_solved_and_not_compared(solve) -> None:
    status, out, _ = solve("--close", "2-4", variants="dijkstra-apsp-serial", target="")
    assert (status, "before:" in out) == (0, False)
