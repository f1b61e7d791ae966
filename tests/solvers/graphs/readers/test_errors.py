"""What cannot be read is refused with the file, the line, its text, the reason and the remedy."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import networkx
import pytest

from solvers import cli, read
from solvers.errors import FileFormatError, FileMissing, ParameterError
from solvers.graphs.readers import read_graph
from solvers.system import machine
from solvers.system.machine import Memory
from tests.solvers.features.openstreetmap.town import write_osm
from tests.solvers.graphs.readers.conftest import ReadText


def test_line_numbers_hold_past_the_first_block(read_text: ReadText) -> None:
    lines = ["a 1 2 3"] * 400_000
    lines[399_998] = "a 1 2 0x3"

    with pytest.raises(FileFormatError, match="line 399999"):
        read_text("\n".join(lines))


FILES = [
    (b"", "empty"),
    (b"c only\n# comments\n\n", "empty or contains only comments"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "this is a picture"),
    (b"1 2\n" * 300_000 + b"\0\0\0", "binary file"),
    (b"7" * 3_000_000, "binary file"),
    ("1 2\n".encode("utf-16"), "UTF-16"),
    (
        b"version https://git-lfs.github.com/spec/v1\nsize 12345\n",
        "Git LFS pointer, not the file. Run git lfs pull",
    ),
    (gzip.compress(b"a 1 2 3\n" * 9_999)[:-20], "are truncated"),
    (gzip.compress(b"a 1 2 3\n" * 9_999)[:-8] + b"\xff" * 8, "corrupt"),
    (gzip.compress(bytes(range(128, 256))), "not the start of a graph file"),
    (b"v 1 0 0\n", "coordinates file"),
    (b"p sp 0 0\n", "no vertices"),
    (b"3\n0 0 0\n1 1 1\n1 2 2\n1\n0 1\n1 1 1\n", "vertex 1 is listed twice"),
    (
        b"%%MatrixMarket matrix coordinate real general\nrows\n",
        "the row count “rows” is not a vertex number",
    ),
]


@pytest.mark.parametrize(
    ("content", "reason"), FILES, ids=[f"{row[1]}-{k}" for k, row in enumerate(FILES)]
)
def test_a_file_that_is_no_graph(read_text: ReadText, content: bytes, reason: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(content)

    assert reason in str(caught.value)


def test_a_misspelt_name_gets_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "rome99.gr").write_text("a 1 2 3\n")

    with pytest.raises(FileMissing, match=r"no such file. Nearest: rome99\.gr"):
        read_graph(tmp_path / "rome98.gr")


@pytest.mark.parametrize(
    ("name", "error", "reason"),
    [
        ("nowhere/x.gr", FileMissing, "does not exist either"),
        ("", FileFormatError, "this is a directory"),
    ],
)
def test_a_missing_folder_and_a_directory_are_named(
    tmp_path: Path, name: str, error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        read_graph(tmp_path / name)


@pytest.mark.parametrize("name", ["", "."])
def test_the_folder_in_use_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileFormatError) as error:
        read_graph(Path(name))
    assert str(error.value).startswith(f"{tmp_path}: this is a directory.")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "x.gr"
    path.write_text("a 1 2 3\n")
    path.chmod(0)

    with pytest.raises(FileFormatError, match="no permission"):
        read_graph(path)


@pytest.mark.parametrize("name", ["x" * 5_000, "nul\0byte"])
def test_an_impossible_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileFormatError):
        read_graph(tmp_path / name)


@pytest.mark.parametrize(
    "choice",
    [
        "",
        "Unit",
        "random",
        "random:1:2",
        "random:1:2:3:4",
        "random:a:2:3",
        "random:5:1:7",
        "random:1:2:-3",
        "random:nan:1:1",
        "random:1:1e300:1",
        "column:2",
    ],
)
def test_an_unknown_choice_of_weights(read_text: ReadText, choice: str) -> None:
    with pytest.raises(ParameterError):
        read_text("1 2 3\n", weights=choice)


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
    path = _text(
        "huge.graphml",
        '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    )(folder)
    os.truncate(path, 2 * 10**9)  # a hole, which takes no room on the disk
    return path


REFUSED = {
    "truncated PBF": _truncated_pbf,
    "PBF in a ZIP archive": _zipped_pbf,
    "extract without roads": _extract_without_roads,
    "XML bomb": _text("bomb.graphml", f"<?xml version='1.0'?>{_ENTITIES}<graphml>&b;</graphml>"),
    "XML bomb as GEXF": _text("bomb.gexf", f"<?xml version='1.0'?>\n{_ENTITIES}\n<gexf>&b;</gexf>"),
    "GraphML of 2 GB": _huge_graphml,
    "truncated GraphML": _text(
        "cut.graphml", '<?xml version="1.0"?>\n<graphml>\n<graph edgedefault="directed">'
    ),
    "truncated JSON": _text("cut.json", '{"nodes": [{"id": 1},'),
    "JSON of something else": _text("other.json", '{"type": "FeatureCollection"}'),
    "table of something else": _text(
        "people.csv", "name,born\nAda Lovelace,1815\nEmmy Noether,1882\n"
    ),
    "Latin-1 table": _latin_1,
    "truncated Parquet": _text("cut.parquet", "PAR1 and nothing more"),
}


def sentences() -> dict[str, str]:
    """The table of sentences in tests/faults.md, by input."""
    section = TABLE.read_text("utf-8").partition("### Sentences")[2].partition("\nRead, ")[0]
    rows = (line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| "))
    return {row[0]: row[1] for row in rows if row[0] not in ("input", "---")}


@pytest.mark.parametrize("name", sorted({*REFUSED, *sentences()}))
def test_what_is_refused(tmp_path, capsys, monkeypatch, name) -> None:
    monkeypatch.setattr(machine, "memory", lambda: Memory(64 * 10**9, 32 * 10**9))
    path = REFUSED[name](tmp_path)
    tracemalloc.start()
    try:
        assert cli.main(["info", str(path)]) == (3 if name == "GraphML of 2 GB" else 2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert capsys.readouterr().err == f"tautpath: {sentences()[name]}\n"
    assert peak < 30_000_000, "refused before the memory was spent"


def test_edges_of_a_multigraph_are_kept(tmp_path) -> None:
    made = networkx.MultiDiGraph(
        [("a", "b", {"weight": 3}), ("a", "b", {"weight": 2}), ("b", "b", {"weight": 1})]
    )
    networkx.write_graphml(made, tmp_path / "multi.graphml")
    reading = read_graph(tmp_path / "multi.graphml")
    assert (reading.graph.m, reading.report.parallel_arcs, reading.report.self_loops) == (3, 1, 1)
    assert sorted(reading.graph.weights.tolist()) == [1, 2, 3]


def test_names_that_are_tuples_and_texts_are_ids(tmp_path) -> None:
    graph = read(networkx.grid_2d_graph(2, 2))
    assert (graph.vertex((0, 1)), graph.vertex_text(graph.vertex((0, 1)))) == (1, "(0, 1)")
    text = (
        '{"nodes": [{"id": [0, 1]}, {"id": "home"}], "edges": [{"source": [0, 1], "target": '
        '"home"}]}'
    )
    named = read_graph(_text("named.json", text)(tmp_path)).graph
    assert [named.vertex_id(vertex) for vertex in range(2)] == [(0, 1), "home"]
    assert named.vertex("home") == 1
