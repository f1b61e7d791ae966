"""GraphML, GEXF, GML and node-link JSON: what NetworkX writes is read with its names,
weights, edges and places.
"""

from __future__ import annotations

import gc
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError, OptionNotApplicable, OutOfMemory, UnknownName
from solvers.graphs.readers import networkx_formats, read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.system import machine
from solvers.system.machine import Memory
from tests.solvers.graphs.readers.conftest import ReadText


def _by(write: Callable[[Any, Any], None]) -> Callable[[Any], bytes]:
    def to_bytes(graph: Any) -> bytes:
        write(graph, stream := io.BytesIO())
        return stream.getvalue()

    return to_bytes


WRITERS = {
    "GraphML": _by(networkx.write_graphml),
    "GEXF": _by(networkx.write_gexf),
    "GML": _by(networkx.write_gml),
    "node-link JSON": lambda graph: json.dumps(
        networkx.node_link_data(graph, edges="edges")
    ).encode(),
}
KINDS = (networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph)
NAMES = {
    "int": st.integers(0, 2**63 - 1),
    "text": st.text("abXYZ é-7", min_size=1, max_size=5).map(lambda t: f"v{t}v"),
}


@st.composite
def graphs(draw: Any) -> Any:
    """Graphs of all four kinds, with integers or texts as nodes and weights of one type."""
    names = draw(
        st.lists(NAMES[draw(st.sampled_from(sorted(NAMES)))], min_size=1, max_size=5, unique=True)
    )
    graph = draw(st.sampled_from(KINDS))()
    graph.add_nodes_from(names)
    for tail, head in draw(
        st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=6)
    ):
        graph.add_edge(tail, head, weight=draw(st.integers(-(2**31), 2**31 - 1)))
    return graph


def arcs_of(graph: Any) -> list[tuple[str, str, float]]:
    """All arcs by the names of their ends; both of an undirected edge."""
    edges = list(graph.edges(data="weight"))
    back = (
        []
        if graph.is_directed()
        else [(head, tail, weight) for tail, head, weight in edges if tail != head]
    )
    return sorted((str(tail), str(head), weight) for tail, head, weight in edges + back)


@pytest.mark.parametrize("form", WRITERS)
@given(graph=graphs())
@settings(max_examples=15)
def test_round_trip(form: str, graph: Any, read_text: ReadText) -> None:
    reading = read_text(WRITERS[form](graph), "graph.txt")
    read = reading.graph

    names = [read.vertex_id(vertex) for vertex in range(read.n)]
    found = zip(read.tails, read.indices, read.weights.tolist(), strict=True)
    assert reading.report.format == form
    assert sorted(map(str, names)) == sorted(map(str, graph))
    assert {type(name) for name in names} == {type(node) for node in graph}
    assert sorted(
        (str(names[tail]), str(names[head]), weight) for tail, head, weight in found
    ) == arcs_of(graph)
    if graph.number_of_edges():
        assert read.directed == graph.is_directed()


@pytest.mark.parametrize("form", WRITERS)
def test_coordinates_and_names(form: str, read_text: ReadText) -> None:
    graph = networkx.DiGraph([("home", "school"), ("school", "lake")])
    for k, node in enumerate(graph):
        graph.nodes[node].update(lon=9.5 + k, lat=47.25)

    reading = read_text(gzip.compress(WRITERS[form](graph)))

    read = reading.graph
    assert read.coordinates.geographic
    assert read.coordinates.xy[read.vertex("lake")].tolist() == [11.5, 47.25]
    # by its number, as the window shows it
    assert read.vertex("2") == read.vertex(2) == read.vertex("lake")
    assert reading.report.weights_from == "none in the file: every weight is 1"


GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'


@pytest.mark.parametrize("packed", [False, True])
def test_what_needs_more_memory_than_is_free_is_refused(
    packed: bool, read_text: ReadText, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "memory", lambda: Memory(1 << 30, 20_000))
    text = GRAPHML.format("<!-- " + "x" * 2000 + " -->").encode()

    with pytest.raises(OutOfMemory, match=r"^Reading town[.]graphml needs") as caught:
        read_text(gzip.compress(text) if packed else text, "town.graphml")
    assert caught.value.needed_bytes > 20_000


def new_graphs() -> int:
    """Those that no collection has seen; by their types: a weak proxy whose object is
    gone has no class.
    """
    return sum(issubclass(type(one), networkx.Graph) for one in gc.get_objects(generation=0))


@pytest.mark.parametrize("form", WRITERS)
def test_the_graph_of_networkx_is_freed_without_the_garbage_collector(
    form: str, read_text: ReadText
) -> None:
    text = WRITERS[form](networkx.path_graph(3))
    was_enabled = gc.isenabled()
    gc.disable()
    before = new_graphs()
    read_text(text, "graph.txt")
    after = new_graphs()
    if was_enabled:
        gc.enable()
    assert after == before


def test_what_networkx_fails_at_in_any_way_is_refused(
    read_text: ReadText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GEXF with an attribute of a mode that is none made it “raise” nothing: RuntimeError."""
    text = b"""<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph>
<attributes class="node"><attribute id="k" title="k" type="integer"/></attributes>
<nodes><node id="1"><attvalues><attvalue for="k" value="1" start="x"/></attvalues></node></nodes>
<edges><edge source="1" target="1"/></edges></graph></gexf>"""
    for said in (
        RuntimeError("No active exception to reraise"),
        UnboundLocalError("x"),
        ZeroDivisionError(),
    ):

        def fail(*_: object, said: Exception = said) -> None:
            raise said

        monkeypatch.setattr(networkx_formats.GEXFReader, "make_graph", fail)
        with pytest.raises(FileFormatError, match=r"this GEXF cannot be read \(") as caught:
            read_text(text, "g.gexf")
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("form", WRITERS)
def test_the_attribute_of_the_weights_can_be_named(
    form: str, read_text: ReadText, tmp_path: Path
) -> None:
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", score=2.5, toll=7, label="x")
    content = WRITERS[form](graph)

    unread = read_text(content, "g").report
    named = read_graph(tmp_path / "g", ReadingOptions(attribute="score"))

    assert unread.greatest_weight == 1
    assert unread.warnings[0].startswith(
        "No attribute of the edges is read as the weight, so every weight is 1. These have numbers:"
    )
    assert "“score”" in unread.warnings[0]
    assert "label" not in unread.warnings[0]
    assert (named.graph.weights.tolist(), named.report.weights_from) == ([2.5], "attribute “score”")
    with pytest.raises(
        UnknownName, match=r"There is no attribute of edges “scora”\. Nearest: score"
    ):
        read_graph(tmp_path / "g", ReadingOptions(attribute="scora"))
    with pytest.raises(
        OptionNotApplicable, match="an attribute is read only with weights “column”"
    ):
        read_graph(tmp_path / "g", ReadingOptions(attribute="score", weights="unit"))


@pytest.mark.parametrize("ids", [(1, 1, 2), ("a", "b", "a"), ([1, 2], [1, 2], 2)])
def test_nodes_of_one_id_are_refused(ids: tuple[Any, ...], read_text: ReadText) -> None:
    data = {"nodes": [{"id": name} for name in ids], "links": [{"source": 0, "target": 2}]}
    with pytest.raises(FileFormatError, match="two nodes have the id"):
        read_text(json.dumps(data))
