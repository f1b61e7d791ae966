"""What is written, in any format and by ``convert``, reads back: structure, weights,
ids, coordinates.
"""

from __future__ import annotations

import gzip
import os
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import cli
from solvers.errors import Cancelled, FileNotWritten, ParameterError, UnsuitableGraph
from solvers.graphs.conversion import convert
from solvers.graphs.generators import find
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.turn_rules import TurnRules
from solvers.graphs.writers import TURNS_LEFT_OUT, coordinates_path, write_dimacs, write_graph
from solvers.system.cancel import CancelToken, Progress
from tests.faults import file_size_limit
from tests.solvers.graphs.readers.conftest import arcs

NUMBERS = {
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63) + 1, 2**63 - 1),
    "float64": st.floats(allow_nan=False, allow_infinity=False),
    "float32": st.floats(allow_nan=False, allow_infinity=False, width=32),
}
PLANE = st.floats(-1e9, 1e9).map(lambda x: 0.0 if x == 0 else x)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(1, 12))
    m = draw(st.integers(0, 30))
    kind = draw(st.sampled_from(sorted(NUMBERS)))
    ends = [
        np.array(draw(st.lists(st.integers(0, n - 1), min_size=m, max_size=m)), dtype=np.int32)
        for _ in range(2)
    ]
    weights = np.array(draw(st.lists(NUMBERS[kind], min_size=m, max_size=m)), dtype=kind)
    ids = np.array(
        sorted(draw(st.sets(st.integers(0, 10**15), min_size=n, max_size=n))), dtype=np.int64
    )
    choice = draw(st.sampled_from(("from 0", "from 1", "gaps")))
    if choice != "gaps":
        ids = np.arange(n, dtype=np.int64) + (choice == "from 1")
    xy = np.array(draw(st.lists(PLANE, min_size=2 * n, max_size=2 * n))).reshape(n, 2)
    coordinates = Coordinates(xy) if draw(st.booleans()) else None
    return Graph.from_arcs(n, *ends, weights, ids=ids, coordinates=coordinates)


@given(graph=graphs(), suffix=st.sampled_from((".gr", ".gr.gz")))
def test_round_trip(graph: Graph, suffix: str, tmp_path: Path) -> None:
    for old in tmp_path.iterdir():
        old.unlink()

    write_dimacs(graph, tmp_path / f"graph{suffix}")
    back = read_graph(tmp_path / f"graph{suffix}").graph

    assert back.indptr.tolist() == graph.indptr.tolist()
    assert back.indices.tolist() == graph.indices.tolist()
    assert back.weights.tolist() == graph.weights.tolist()
    assert (back.coordinates is None) == (graph.coordinates is None)
    if graph.coordinates is not None and back.coordinates is not None:
        assert back.coordinates.xy.tolist() == graph.coordinates.xy.tolist()
        assert not back.coordinates.geographic
    if graph.ids[-1] == graph.n or not set(range(graph.n)) - {*graph.tails, *graph.indices}:
        assert back.ids.tolist() == graph.ids.tolist()
    else:
        assert back.ids.tolist() == list(range(1, graph.n + 1))


def simple(**attributes: Any) -> Graph:
    arrays = (np.array([0, 1]), np.array([1, 0]), np.array([3, 4], dtype=np.int32))
    return Graph.from_arcs(2, *arrays, ids=np.array([1, 2]), **attributes)


def test_the_text_is_dimacs(tmp_path: Path) -> None:
    written = write_dimacs(
        simple(name="two\nlines", coordinates=Coordinates(np.array([[0, 1.5], [-2, 1e6]]))),
        tmp_path / "x.gr",
    )

    assert (tmp_path / "x.gr").read_text() == "c two lines\np sp 2 2\na 1 2 3\na 2 1 4\n"
    assert (
        tmp_path / "x.co"
    ).read_text() == "c coordinates: plane\np aux sp co 2\nv 1 0.0 1.5\nv 2 -2.0 1000000.0\n"
    assert written == (tmp_path / "x.gr", tmp_path / "x.co")


@pytest.mark.parametrize(
    ("xy", "geographic"),
    [([[0.000001, -0.25], [0.5, 0.1]], True), ([[5e6, 2e6], [7e6, 3e6]], False)],
    ids=["degrees near 0, 0", "far plane coordinates"],
)
def test_only_the_comment_says_whether_coordinates_are_degrees(
    tmp_path: Path, xy: list[list[float]], geographic: bool
) -> None:
    write_dimacs(simple(coordinates=Coordinates(np.array(xy), geographic)), tmp_path / "x.gr")
    back = read_graph(tmp_path / "x.gr").graph.coordinates

    assert ("v 2 500000 100000\n" in (tmp_path / "x.co").read_text()) == geographic
    assert (back.geographic, back.xy.tolist()) == (geographic, xy)


def test_gz_in_the_name_compresses_both_and_leaves_no_trace_of_the_time(tmp_path: Path) -> None:
    graph = find("grid").generate({"columns": 5, "rows": 4})

    write_dimacs(graph, tmp_path / "a.gr.gz")
    write_dimacs(graph, tmp_path / "b.gr.gz")

    assert gzip.decompress((tmp_path / "a.gr.gz").read_bytes()).startswith(
        b"c grid-5x4-1\np sp 20 62\na 1 2 "
    )
    assert (tmp_path / "a.gr.gz").read_bytes() == (tmp_path / "b.gr.gz").read_bytes()
    assert (tmp_path / "a.co.gz").read_bytes() == (tmp_path / "b.co.gz").read_bytes()


@pytest.mark.parametrize(
    ("name", "beside"),
    [("x.gr", "x.co"), ("x.y.gr.gz", "x.y.co.gz"), ("x", "x.co"), ("x.txt", "x.co")],
)
def test_name_of_the_coordinates(name: str, beside: str) -> None:
    assert coordinates_path(Path(name)).name == beside


def test_a_cancelled_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.gr"
    path.write_text("old")
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        write_dimacs(simple(), path, Progress(token))

    assert [p.name for p in tmp_path.iterdir()] == ["x.gr"]
    assert path.read_text() == "old"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotWritten):
        write_dimacs(simple(), tmp_path / "nowhere" / "x.gr")


def test_infinite_weights_are_refused(tmp_path: Path) -> None:
    graph = Graph.from_arcs(2, np.array([0]), np.array([1]), np.array([np.inf]))

    with pytest.raises(UnsuitableGraph):
        write_dimacs(graph, tmp_path / "x.gr")

    assert not list(tmp_path.iterdir())


needs_descriptors = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="only Linux lists descriptors there"
)


@needs_descriptors
def test_an_open_file_is_seen(tmp_path: Path) -> None:
    with (tmp_path / "x").open("w"):
        (tmp_path / "x").unlink()
        assert len(open_below(tmp_path)) == 1
    assert open_below(tmp_path) == []


def open_below(folder: Path) -> list[str]:
    """What this process has open in a folder, also what is deleted: other threads open
    and close files elsewhere.
    """
    found = []
    for one in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of the listing itself
            found.append(os.readlink(one))
    return [name for name in found if name.startswith(str(folder))]


@needs_descriptors
@pytest.mark.parametrize("suffix", [".gr", ".gr.gz"])
@pytest.mark.parametrize("ends", ["done", "cancelled", "full"])
def test_no_file_stays_open_however_writing_ends(tmp_path: Path, suffix: str, ends: str) -> None:
    token = CancelToken()
    if ends == "cancelled":
        token.cancel()
    graph = find("grid").generate({"rows": 60, "columns": 60}) if ends == "full" else simple()
    path = tmp_path / f"x{suffix}"
    with (
        file_size_limit(512) if ends == "full" else nullcontext(),
        suppress(Cancelled, FileNotWritten),
    ):
        write_dimacs(graph, path, Progress(token))
    assert open_below(tmp_path) == []
    assert path.exists() == (ends == "done")


SUFFIXES = [".mtx", ".graphml", ".txt", ".graphml.gz", ".edges.gz", ".gr"]


def town(kind: Any, directed: bool) -> Graph:
    """Five vertices with ids from 1, parallel arcs, a self-loop and places in degrees."""
    tails, heads = np.array([0, 0, 1, 2, 3, 4]), np.array([1, 1, 2, 2, 4, 0])
    weights = np.array([3, 5, 0, 7, 2**31 - 1, 4], kind)
    if not directed:
        turn = tails != heads
        tails, heads = np.concatenate((tails, heads[turn])), np.concatenate((heads, tails[turn]))
        weights = np.concatenate((weights, weights[turn]))
    xy = np.array([[9.5 + k / 8, 47.25] for k in range(5)])
    return Graph.from_arcs(
        5,
        tails,
        heads,
        weights,
        coordinates=Coordinates(xy, geographic=True),
        ids=np.arange(1, 6),
        directed=directed,
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [np.int32, np.float64])
@pytest.mark.parametrize("directed", [True, False])
def test_exchange_writers_round_trip(
    suffix: str, kind: Any, directed: bool, tmp_path: Path
) -> None:
    graph = town(kind, directed)
    path, *_ = write_graph(graph, tmp_path / f"town{suffix}")
    read = read_graph(path).graph

    assert sorted(arcs(read)) == sorted(arcs(graph))
    if suffix.startswith((".mtx", ".graphml")):
        assert read.directed == directed
    if suffix.startswith(".graphml"):
        assert read.coordinates.geographic
        assert np.array_equal(read.coordinates.xy, graph.coordinates.xy)  # type: ignore[union-attr]


def test_scipy_and_networkx_read_what_is_written(tmp_path: Path) -> None:
    import scipy.io

    graph = town(np.int32, directed=False)
    (matrix,), (xml,) = (
        write_graph(graph, tmp_path / name) for name in ("town.mtx", "town.graphml")
    )

    assert scipy.io.mmread(matrix, spmatrix=False).nnz == graph.m
    assert networkx.read_graphml(xml).number_of_edges() == 6


def test_names_of_vertices_are_kept_in_graphml(tmp_path: Path) -> None:
    graph = convert(networkx.DiGraph([("a & b", "<c>"), ("<c>", "ü")]))
    read = read_graph(*write_graph(graph, tmp_path / "names.graphml")).graph

    assert [read.vertex_id(vertex) for vertex in range(3)] == ["a & b", "<c>", "ü"]


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsuitableGraph, match=r"whose characters XML cannot hold"):
        write_graph(convert(networkx.Graph([("a\x01", "b")])), tmp_path / "a.graphml")
    with pytest.raises(ParameterError, match=r"must end with one of .gr, .mtx"):
        write_graph(town(np.int32, True), tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_convert_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "g.json", tmp_path / "g.mtx"
    source.write_text(
        '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "weight": 4}]}'
    )

    assert cli.main(["convert", str(source), str(target)]) == 0
    assert arcs(read_graph(target).graph) == [(1, 2, 4), (2, 1, 4)]


def test_files_say_that_they_have_no_turns(tmp_path: Path) -> None:
    graph = town(np.int32, directed=True).with_turns(TurnRules.of({(0, 2): 1}))
    for suffix in (".gr", ".mtx", ".txt"):
        path, without = tmp_path / f"town{suffix}", tmp_path / f"free{suffix}"
        write_graph(graph, path)
        write_graph(graph.with_turns(None), without)
        assert TURNS_LEFT_OUT in path.read_text()
        assert TURNS_LEFT_OUT not in without.read_text()
        assert read_graph(path).graph.m == graph.m


def test_edge_lists_that_are_written_are_not_suspected_to_be_undirected(tmp_path: Path) -> None:
    path = tmp_path / "town.txt"
    write_graph(replace(town(np.int32, directed=True), coordinates=None), path)
    assert not read_graph(path).report.warnings


def test_what_older_coordinates_would_be_read_with_is_not_written(tmp_path: Path) -> None:
    placed = simple(coordinates=Coordinates(np.array([[0.0, 1], [2, 3]])))
    write_dimacs(placed, tmp_path / "x.gr")
    write_dimacs(placed, tmp_path / "x.gr")  # with its own
    write_graph(placed, tmp_path / "x.mtx")
    other = simple(coordinates=Coordinates(np.array([[0.0, 1], [2, 4]])))
    for graph, name in ((simple(), "x.gr"), (simple(), "x.txt"), (other, "x.gr.gz")):
        with pytest.raises(ParameterError, match=r"x\.co beside it would be taken"):
            write_graph(graph, tmp_path / name)
    assert not (tmp_path / "x.txt").exists()
