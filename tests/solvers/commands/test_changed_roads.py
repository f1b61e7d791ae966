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


def test_path_before_and_after_and_the_difference(solve) -> None:
    status, out, _ = solve("--close", "2-4")
    assert status == 0
    assert "streets (1 road closed): 5 vertices, 8 arcs" in out
    assert "before: 3 vertices, length 20\nafter:  3 vertices, length 40\ndifference: 20 more (+100.0%)\n" in out
    assert "all vertices: 2 vertices farther, by 20 at most" in out


def test_one_direction_and_a_slow_down(solve) -> None:
    _, out, _ = solve("--close", "4:2", "--slow", "1-2=1.5")
    assert "after:  3 vertices, length 25\ndifference: 5 more (+25.0%)" in out


def test_a_change_beside_the_path_and_an_equal_way(solve) -> None:
    assert "difference: none\n" in solve("--close", "1-3")[1]
    equal = solve("--slow", "1-3=0.5", "--slow", "3-4=0.5", "--close", "1-2")[1]
    assert "after:  3 vertices, length 20\ndifference: none, by another path\n" in equal


def test_a_target_that_is_cut_off(solve) -> None:
    _, out, _ = solve("--close", "4-5", target="5")
    assert "after:  the target cannot be reached\ndifference: the target is cut off\n" in out
    assert "all vertices: 1 vertex cut off" in out


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
    ("options", "words"),
    [
        (["--close", "1-99"], "There is no vertex “99”. Nearest: 5"),
        (["--close", "1-4"], "There is no arc of streets between “1 – 4”. Nearest: 1 – 2"),
        (["--close", "1_2"], "--close ID-ID takes the ids of two vertices"),
        (["--slow", "1-2"], "the factor is missing or not a number"),
        (["--slow", "1-2=fast"], "the factor is missing or not a number"),
        (["--slow", "1-2=0"], "a factor must be a number above 0"),
        (["--slow", "1-2=-3"], "a factor must be a number above 0"),
        (["--slow", "1-2=nan"], "a factor must be a number above 0"),
        (["--slow", "1-2=inf"], "close the road instead"),
        (["--slow", "1-2=1e300"], "The arc 1 → 2 cannot be slowed by 1e+300"),
        (["--differences", "d.csv"], "give --close or --slow"),
    ],
)
def test_bad_changes_are_refused_in_one_line(solve, options: list[str], words: str) -> None:
    status, _, err = solve(*options)
    assert status == 2
    assert words in err
    assert err.count("\n") == 1


def test_differences_need_all_distances(solve) -> None:
    status, _, err = solve("--close", "2-4", "--differences", "d.csv", variants="astar")
    assert (status, "computes the distances of all vertices" in err) == (2, True)


def test_all_pairs_are_solved_and_not_compared(solve) -> None:
    status, out, _ = solve("--close", "2-4", variants="dijkstra-apsp-serial", target="")
    assert (status, "before:" in out) == (0, False)
