"""What is written as Matrix Market, GraphML or edge list is read back equal, also by ``convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

from solvers import cli
from solvers.errors import ParameterError, UnsuitableGraph
from solvers.graphs.conversion import convert
from solvers.graphs.exchange_writers import write_graph
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import read_graph
from tests.solvers.graphs.readers.conftest import arcs

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
        5, tails, heads, weights, coordinates=Coordinates(xy, geographic=True), ids=np.arange(1, 6), directed=directed
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [np.int32, np.float64])
@pytest.mark.parametrize("directed", [True, False])
def test_round_trip(suffix: str, kind: Any, directed: bool, tmp_path: Path) -> None:
    graph = town(kind, directed)
    path, *_ = write_graph(graph, tmp_path / f"town{suffix}")
    read = read_graph(path).graph

    assert sorted(arcs(read)) == sorted(arcs(graph))
    if suffix.startswith((".mtx", ".graphml")):
        assert read.directed == directed
    if suffix.startswith(".graphml"):
        assert read.coordinates is not None
        assert read.coordinates.geographic
        assert np.array_equal(read.coordinates.xy, graph.coordinates.xy)  # type: ignore[union-attr]


def test_scipy_and_networkx_read_what_is_written(tmp_path: Path) -> None:
    import scipy.io

    graph = town(np.int32, directed=False)
    (matrix,), (xml,) = (write_graph(graph, tmp_path / name) for name in ("town.mtx", "town.graphml"))

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
    source.write_text('{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "weight": 4}]}')

    assert cli.main(["convert", str(source), str(target)]) == 0
    assert f"wrote {target}" in capsys.readouterr().out
    assert arcs(read_graph(target).graph) == [(1, 2, 4), (2, 1, 4)]
    assert cli.main(["convert", str(source), str(tmp_path / "g.png")]) == 2
    assert "must end with" in capsys.readouterr().err
