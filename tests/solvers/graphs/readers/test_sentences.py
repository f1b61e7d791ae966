"""The sentences that files people bring give when they cannot be read, whole, as the command line prints them.

Their tables in ``tests/faults.md`` are checked against this list.
"""

from __future__ import annotations

import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import networkx
import pytest

from solvers import cli, read
from solvers.graphs.readers import read_graph
from solvers.system import machine
from solvers.system.machine import Memory
from tests.solvers.graphs.readers.osm.town import write_osm

TABLE = Path(__file__).parents[3] / "faults.md"
_ENTITIES = '<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def _text(name: str, text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return write


def _truncated_pbf(folder: Path) -> Path:
    path = write_osm(folder / "town.osm.pbf")
    path.write_bytes(path.read_bytes()[:-40])
    return path


def _zipped_pbf(folder: Path) -> Path:
    path = write_osm(folder / "town.osm.pbf")
    with zipfile.ZipFile(folder / "town.zip", "w") as archive:
        archive.write(path, path.name)
    return folder / "town.zip"


def _latin_1(folder: Path) -> Path:
    (folder / "latin.csv").write_bytes("from,to,km\nChur,Zürich,119\n".encode("latin-1"))
    return folder / "latin.csv"


def _extract_without_roads(folder: Path) -> Path:
    return write_osm(folder / "houses.osm", {1: ((1, 2, 3), {"building": "yes"})})


def _huge_graphml(folder: Path) -> Path:
    path = _text("huge.graphml", '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">')(folder)
    os.truncate(path, 2 * 10**9)  # a hole, which takes no room on the disk
    return path


# Input, how to make it, exit status, and the sentence.
REFUSED = [
    (
        "truncated PBF",
        _truncated_pbf,
        2,
        (
            "town.osm.pbf: the OpenStreetMap data are damaged or truncated (PBF error: unexpected EOF). "
            "Download or copy the file again."
        ),
    ),
    (
        "PBF in a ZIP archive",
        _zipped_pbf,
        2,
        "town.zip: this is a ZIP archive of an OpenStreetMap file. Unpack it first.",
    ),
    (
        "extract without roads",
        _extract_without_roads,
        2,
        (
            "houses.osm: this extract has no roads. It may be of something else, such as buildings; make an "
            "extract with all ways of the region."
        ),
    ),
    (
        "XML bomb",
        _text("bomb.graphml", f"<?xml version='1.0'?>{_ENTITIES}<graphml>&b;</graphml>"),
        2,
        ("bomb.graphml, line 1: it defines XML entities, which can expand without limit. Replace them by their text."),
    ),
    (
        "XML bomb as GEXF",
        _text("bomb.gexf", f"<?xml version='1.0'?>\n{_ENTITIES}\n<gexf>&b;</gexf>"),
        2,
        ("bomb.gexf, line 2: it defines XML entities, which can expand without limit. Replace them by their text."),
    ),
    (
        "GraphML of 2 GB",
        _huge_graphml,
        3,
        (
            "Reading huge.graphml needs 60 GB; this machine has 32 GB free. As a table of edges or a DIMACS "
            "file it needs far less."
        ),
    ),
    (
        "truncated GraphML",
        _text("cut.graphml", '<?xml version="1.0"?>\n<graphml>\n<graph edgedefault="directed">'),
        2,
        "cut.graphml, line 3: the XML is not well formed (no element found). The file may be truncated.",
    ),
    (
        "truncated JSON",
        _text("cut.json", '{"nodes": [{"id": 1},'),
        2,
        (
            'cut.json, line 1: the JSON cannot be read (expecting value) — “{"nodes": [{"id": 1},”. The '
            "file may be truncated."
        ),
    ),
    (
        "JSON of something else",
        _text("other.json", '{"type": "FeatureCollection"}'),
        2,
        (
            "other.json: this JSON is not a graph of nodes and links. Write it by networkx.node_link_data: "
            "an object with “nodes” and “edges” or “links”."
        ),
    ),
    (
        "table of something else",
        _text("people.csv", "name,born\nAda Lovelace,1815\nEmmy Noether,1882\n"),
        2,
        (
            "people.csv: this table does not tell its columns of source and target (name, born). Choose "
            "them: File > Open with options, or --columns SOURCE,TARGET,WEIGHT."
        ),
    ),
    ("Latin-1 table", _latin_1, 2, "latin.csv, line 2: the text is not UTF-8. Save it as UTF-8."),
    (
        "truncated Parquet",
        _text("cut.parquet", "PAR1 and nothing more"),
        2,
        (
            "cut.parquet: the Parquet file is damaged or cannot be read (its end is missing). Download or "
            "copy the file again."
        ),
    ),
]


@pytest.mark.parametrize(("name", "make", "status", "sentence"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_refused(tmp_path, capsys, monkeypatch, name, make, status, sentence) -> None:
    monkeypatch.setattr(machine, "memory", lambda: Memory(64 * 10**9, 32 * 10**9))
    path = make(tmp_path)
    tracemalloc.start()
    try:
        assert cli.main(["info", str(path)]) == status
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert capsys.readouterr().err == f"tautline: {sentence}\n"
    assert peak < 30_000_000, "refused before the memory was spent"
    assert f"| {name} | {sentence} |" in TABLE.read_text("utf-8").replace("\\|", "|"), "tests/faults.md has it"


def test_nonsense_speeds_are_a_warning(tmp_path, capsys) -> None:
    ways = {1: ((1, 2), {"highway": "residential", "maxspeed": "very fast"}), 2: ((2, 3), {"highway": "primary"})}
    assert cli.main(["info", str(write_osm(tmp_path / "town.osm", ways))]) == 0
    warning = "1 road has a speed limit that is none, such as “very fast” of way 1"
    assert warning in capsys.readouterr().out


def test_ids_past_2_to_53_in_json_are_exact_and_told_apart(tmp_path) -> None:
    first = 2**53
    made = {"nodes": [{"id": first}, {"id": first + 1}], "edges": [{"source": first + 1, "target": first}]}
    graph = read_graph(_text("large.json", json.dumps(made))(tmp_path)).graph
    assert graph.ids.tolist() == [first, first + 1]
    assert graph.vertex_id(int(graph.tails[-1])) == first + 1


def test_edges_of_a_multigraph_are_kept(tmp_path) -> None:
    made = networkx.MultiDiGraph([("a", "b", {"weight": 3}), ("a", "b", {"weight": 2}), ("b", "b", {"weight": 1})])
    networkx.write_graphml(made, tmp_path / "multi.graphml")
    reading = read_graph(tmp_path / "multi.graphml")
    assert (reading.graph.m, reading.report.parallel_arcs, reading.report.self_loops) == (3, 1, 1)
    assert sorted(reading.graph.weights.tolist()) == [1, 2, 3]


def test_names_that_are_tuples_and_texts_are_ids(tmp_path) -> None:
    graph = read(networkx.grid_2d_graph(2, 2))
    assert (graph.vertex((0, 1)), graph.vertex_text(graph.vertex((0, 1)))) == (1, "(0, 1)")
    text = '{"nodes": [{"id": [0, 1]}, {"id": "home"}], "edges": [{"source": [0, 1], "target": "home"}]}'
    named = read_graph(_text("named.json", text)(tmp_path)).graph
    assert [named.vertex_id(vertex) for vertex in range(2)] == [(0, 1), "home"]
    assert named.vertex("home") == 1
