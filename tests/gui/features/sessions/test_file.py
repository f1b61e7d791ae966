"""Session files: what is written is read again, and every fault of a file is an error
that names it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.features.isochrone.controller import IsochroneFields
from gui.features.live.controller import LiveFields
from gui.features.own_kernels.session import KernelFields, SavedKernel
from gui.features.sessions.file import (
    FORMAT,
    GraphReference,
    SavedSession,
    SavedVariant,
    SavedView,
    is_session_file,
    read_session,
    write_session,
)
from gui.model.road_section import RoadFields
from solvers.core.variant import all_variants
from solvers.errors import FileFormatError, FileNotWritten
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.road_changes import RoadChange, RoadChanges
from solvers.running.kept_run import GraphSource
from solvers.system.former_name import SESSION_FORMAT, SESSION_SUFFIX

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.integers(-(2**63), 2**63 - 1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.one_of(st.booleans(), IDS, FINITE, WORDS)
READINGS = st.builds(ReadingOptions, st.just(""), st.sampled_from([None, True, False]), WORDS)
SOURCES = st.one_of(
    st.builds(
        GraphSource,
        WORDS.map(lambda name: os.path.normpath(f"/graphs/{name}.gr".replace("\0", ""))),
        READINGS,
    ),
    st.builds(
        lambda name, parameters: GraphSource(generator=name, parameters=parameters),
        WORDS.filter(bool),
        st.dictionaries(WORDS, VALUES, max_size=3),
    ),
)
GRAPHS = st.builds(GraphReference, WORDS, WORDS, IDS, IDS, SOURCES)
VIEWS = st.builds(
    SavedView,
    FINITE,
    FINITE,
    st.floats(1e-300, 1e300),
    st.booleans(),
    st.lists(WORDS, max_size=3).map(tuple),
    WORDS,
)
ROADS = st.builds(
    RoadChange, IDS, IDS, st.one_of(st.just(float("inf")), st.floats(1e-6, 1e6)), st.booleans()
)
SESSIONS = st.builds(
    SavedSession,
    GRAPHS,
    st.none() | IDS,
    st.none() | IDS,
    st.lists(IDS, max_size=3).map(tuple),
    st.none() | VIEWS,
    st.lists(
        st.builds(SavedVariant, WORDS, st.dictionaries(WORDS, VALUES, max_size=2)), max_size=3
    ).map(tuple),
    st.just(()),
    st.tuples(
        st.builds(LiveFields, st.booleans()),
        st.lists(ROADS, max_size=4).map(RoadChanges().with_roads).map(RoadFields.of),
        st.lists(st.builds(SavedKernel, WORDS, WORDS), max_size=2).map(tuple).map(KernelFields),
        st.builds(IsochroneFields, st.none() | st.floats(0, 1e300)),
    ),
)
KINDS = (LiveFields, RoadFields, KernelFields, IsochroneFields)


@given(SESSIONS)
def test_what_is_written_is_read_again(tmp_path: Path, session: SavedSession) -> None:
    path = tmp_path / "a.tautpath"
    write_session(path, session)
    read = read_session(path, KINDS)
    folder = path.resolve().parent
    assert read.graph.beside(folder) == session.graph.beside(folder)
    assert read == SavedSession(
        read.graph,
        session.source,
        session.target,
        session.more_sources,
        session.view,
        session.variants,
        sections=session.sections,
    )
    assert read_session(path) == replace(read, sections=())  # where the parts are not there


def test_the_defaults_of_every_variant_can_be_written(tmp_path: Path) -> None:
    variants = tuple(SavedVariant(variant.id, variant.settle({})) for variant in all_variants())
    path = tmp_path / "a.tautpath"
    write_session(path, SavedSession(GraphReference("g", "0", 1, 0), variants=variants))
    assert read_session(path).variants == variants


def good() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": 1,
        "graph": {"name": "g", "sha256": "ab", "vertices": 3, "arcs": 2, "file": {"path": "g.gr"}},
        "source": 1,
        "roads": [{"from": 1, "to": 2, "factor": 2.5, "one_way": False}],
        "view": {"x": 0, "y": 0.5, "scale": 10, "whole_graph": False, "layers": ["edges"]},
        "variants": [{"id": "dijkstra-heap", "parameters": {}}],
        "budget": 3,
    }


def changed(*place: str | int, to: object) -> Callable[[], dict[str, Any]]:
    """A file with one field changed; None takes it away."""

    def make() -> dict[str, Any]:
        values = good()
        inner: Any = values
        for step in place[:-1]:
            inner = inner[step]
        if to is None:
            del inner[place[-1]]
        else:
            inner[place[-1]] = to
        return values

    return make


FAULTS: dict[str, tuple[Callable[[], object], str]] = {
    "a list": (lambda: [1, 2], "object"),
    "a number": (lambda: 7, "object"),
    "no format": (changed("format", to=None), "not a session of Tautpath"),
    "another format": (changed("format", to="other"), "not a session of Tautpath"),
    "format is a number": (changed("format", to=3), "“format” must be a text"),
    "no version": (changed("version", to=None), "“version” is missing"),
    "a newer version": (changed("version", to=99), "version 99"),
    "version 0": (changed("version", to=0), "no version 0"),
    "version is true": (changed("version", to=True), "“version”"),
    "no graph": (changed("graph", to=None), "“graph” is missing"),
    "graph is a text": (changed("graph", to="g.gr"), "“graph” must be an object"),
    "no hash": (changed("graph", "sha256", to=None), "“graph.sha256” is missing"),
    "hash is a number": (changed("graph", "sha256", to=5), "“graph.sha256” must be a text"),
    "vertices are a text": (changed("graph", "vertices", to="3"), "“graph.vertices”"),
    "vertices are a fraction": (changed("graph", "vertices", to=3.5), "“graph.vertices”"),
    "file is a text": (changed("graph", "file", to="g.gr"), "“graph.file” must be an object"),
    "path is a number": (changed("graph", "file", "path", to=1), "“graph.file.path”"),
    "undirected is a number": (
        changed("graph", "file", "undirected", to=1),
        "“graph.file.undirected”",
    ),
    "generator without an id": (
        changed("graph", "generator", to={}),
        "“graph.generator.id” is missing",
    ),
    "generator is a list": (changed("graph", "generator", to=[1]), "“graph.generator”"),
    "source is a text": (changed("source", to="1"), "“source” must be a whole number"),
    "target is a list": (changed("target", to=[1]), "“target”"),
    "live is a number": (changed("live", to=1), "“live” must be true, false or null"),
    "more sources are a number": (changed("more_sources", to=1), "“more_sources” must be a list"),
    "one of them is a text": (changed("more_sources", to=[1, "2"]), "“more_sources[1]”"),
    "roads are an object": (changed("roads", to={"a": 1}), "“roads” must be a list"),
    "a road is a number": (changed("roads", to=[1]), "roads"),
    "a road without an end": (changed("roads", 0, "to", to=None), "road"),
    "a factor of 0": (changed("roads", 0, "factor", to=0), "factor"),
    "a factor as text": (changed("roads", 0, "factor", to="2"), "factor"),
    "a factor past all numbers": (changed("roads", 0, "factor", to=10**400), "large"),
    "view is a list": (changed("view", to=[0, 0]), "“view” must be an object"),
    "a view without scale": (changed("view", "scale", to=None), "“view.scale”"),
    "a scale of 0": (changed("view", "scale", to=0), "“view.scale” must be above 0"),
    "x is a text": (changed("view", "x", to="0"), "“view.x” must be a number"),
    "x is past all numbers": (changed("view", "x", to=10**400), "“view.x” is out of range"),
    "layers are a text": (changed("view", "layers", to="edges"), "“view.layers” must be a list"),
    "a layer is a number": (changed("view", "layers", to=[1]), "“view.layers[0]”"),
    "variants are an object": (changed("variants", to={"id": "x"}), "“variants” must be a list"),
    "a variant is a text": (
        changed("variants", to=["dijkstra-heap"]),
        "“variants[0]” must be an object",
    ),
    "a variant without an id": (
        changed("variants", 0, "id", to=None),
        "“variants[0].id” is missing",
    ),
    "parameters are a list": (
        changed("variants", 0, "parameters", to=[1]),
        "“variants[0].parameters”",
    ),
    "half of a surrogate pair": (
        changed("graph", "file", "path", to="\ud800"),
        "“\\ud800” has half of a surrogate pair",
    ),
    "a negative budget": (changed("budget", to=-1), "“budget” is negative"),
    "a smaller budget that is negative": (changed("bounds", to=[-1]), "“bounds[0]” is negative"),
    "a budget as text": (changed("budget", to="3 km"), "“budget” must be a number"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(tmp_path: Path, fault: str) -> None:
    make, words = FAULTS[fault]
    path = tmp_path / "a.tautpath"
    path.write_text(json.dumps(make()))
    with pytest.raises(FileFormatError) as caught:
        read_session(path, KINDS)
    assert words in str(caught.value)
    assert "a.tautpath" in str(caught.value)


def test_the_file_without_a_fault_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tautpath"
    path.write_text(json.dumps(good()))
    assert read_session(path).variants == (SavedVariant("dijkstra-heap"),)


def test_null_and_missing_fields_are_the_same_and_unknown_ones_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.tautpath"
    values = {
        "format": FORMAT,
        "version": 1,
        "graph": {"name": "g", "sha256": "ab", "vertices": 3, "arcs": 2},
    }
    path.write_text(json.dumps(values))
    least = read_session(path)
    path.write_text(
        json.dumps(values | {"target": None, "view": None, "budget": None, "colour": "blue"})
    )
    assert read_session(path) == least == SavedSession(GraphReference("g", "ab", 3, 2))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "expecting value"),
        (b'{"format": "tautpath session",\n "version": 1', "line 2"),
        (b"\xff\xfe\x00", "not a JSON text"),
        (b"[" * 100_000, "not a JSON text"),
        (b'{"format": "tautpath session", "version": NaN}', "not a JSON text"),
        (b'{"version": ' + b"9" * 5_000 + b"}", "not a JSON text"),
        (b"p sp 3 2\na 1 2 5\n", "line 1"),
    ],
)
def test_what_is_no_json_is_an_error(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "a.tautpath"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=words):
        read_session(path)


def test_every_prefix_of_a_file_is_an_error_and_never_another_session(tmp_path: Path) -> None:
    path = tmp_path / "a.tautpath"
    whole = json.dumps(good(), indent=1).encode()
    for length in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError):
            read_session(path)


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "none.tautpath", tmp_path):
        with pytest.raises(FileFormatError):
            read_session(path)


def test_a_session_that_cannot_be_written_leaves_the_earlier_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotWritten):
        write_session(
            tmp_path / "no folder" / "a.tautpath", SavedSession(GraphReference("g", "0", 1, 0))
        )
    path = tmp_path / "a.tautpath"
    write_session(path, SavedSession(GraphReference("g", "0", 1, 0)))
    before = path.read_bytes()
    bad = SavedSession(
        GraphReference("g", "0", 1, 0), variants=(SavedVariant("a", {"b": float("nan")}),)
    )
    with pytest.raises(ValueError, match="nan"):
        write_session(path, bad)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.tautpath"]


def test_the_graph_is_found_beside_the_session_after_both_have_moved(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    (old / "g.gr").write_text("p sp 1 0\n")
    (old / "g.co").write_text("p aux sp co 1\nv 1 0 0\n")
    source = GraphSource(str(old / "g.gr"), ReadingOptions(str(old / "g.co"), True, "unit"))
    write_session(old / "a.tautpath", SavedSession(GraphReference("g", "0", 1, 0, source)))
    old.rename(new)
    graph = read_session(new / "a.tautpath").graph
    assert graph.found(new) == GraphSource(
        str(new / "g.gr"), ReadingOptions(str(new / "g.co"), True, "unit")
    )
    (new / "a.tautpath").rename(tmp_path / "a.tautpath")
    assert read_session(tmp_path / "a.tautpath").graph.found(tmp_path) is None


def test_a_session_names_no_folder_of_its_author_and_an_absolute_path_is_the_second_choice(
    tmp_path: Path,
) -> None:
    (tmp_path / "g.gr").write_text("p sp 1 0\n")
    (tmp_path / "far").mkdir()
    source = GraphSource(str(tmp_path / "g.gr"), ReadingOptions(str(tmp_path / "g.co")))
    write_session(tmp_path / "a.tautpath", SavedSession(GraphReference("g", "0", 1, 0, source)))
    written = (tmp_path / "a.tautpath").read_text("utf-8")
    assert str(tmp_path) not in written
    moved, place = tmp_path / "far" / "a.tautpath", json.dumps(str(tmp_path / "g.gr"))
    moved.write_text(written.replace('"absolute_path": ""', f'"absolute_path": {place}'), "utf-8")
    assert read_session(moved).graph.found(moved.parent) == GraphSource(str(tmp_path / "g.gr"))


def test_a_session_of_the_former_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / f"a{SESSION_SUFFIX}"
    path.write_text(json.dumps(good() | {"format": SESSION_FORMAT}))
    assert is_session_file(path)
    assert read_session(path).variants == (SavedVariant("dijkstra-heap"),)


def test_sessions_are_told_by_their_ending() -> None:
    assert is_session_file(Path("a.TAUTPATH"))
    assert not is_session_file(Path("tautpath.gr"))
