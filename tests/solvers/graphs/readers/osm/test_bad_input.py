"""Files that are no usable extract: the error names the thing, the reason and the remedy."""

from __future__ import annotations

import bz2
import gzip
import zipfile
from pathlib import Path

import pytest

from solvers.errors import FileFormatError, OptionNotApplicable, OutOfMemory, ParameterError, UnknownName
from solvers.graphs.readers import NetworkOptions, memory, read_graph
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.osm import extract
from solvers.system.machine import Memory
from tests.solvers.graphs.readers.osm.town import PLACES, WAYS, write_osm
from tests.solvers.graphs.readers.test_input_file import at_checkpoint


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_osm(tmp_path / "town.osm.pbf")


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_a_truncated_pbf_is_refused(town: Path, share: float) -> None:
    content = town.read_bytes()
    town.write_bytes(content[: int(share * len(content))])

    with pytest.raises(FileFormatError, match=r"town\.osm\.pbf: .*damaged or truncated.*Download or copy"):
        read_graph(town)


@pytest.mark.parametrize("suffix", ["osm", "osm.gz", "osm.bz2"])
def test_truncated_xml_is_refused(tmp_path: Path, suffix: str) -> None:
    path = write_osm(tmp_path / f"town.{suffix}")
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(FileFormatError, match="damaged or truncated"):
        read_graph(path)


def test_a_coordinate_that_is_no_number_is_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "town.osm")
    content = path.read_bytes()
    at = content.index(b'lat="') + len(b'lat="')
    path.write_bytes(content[:at] + b"x" + content[at:])

    with pytest.raises(FileFormatError, match=r"damaged or truncated .*wrong format for coordinate"):
        read_graph(path)


def test_a_damaged_pbf_is_refused(town: Path) -> None:
    content = bytearray(town.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 20] = bytes(20)
    town.write_bytes(content)

    with pytest.raises(FileFormatError, match="damaged or truncated"):
        read_graph(town)


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2")])
def test_a_packed_pbf_is_refused_with_the_remedy(town: Path, pack, name: str) -> None:
    town.write_bytes(pack(town.read_bytes()))

    with pytest.raises(FileFormatError, match=rf"PBF file packed with {name}\. Unpack it first\."):
        read_graph(town)


def test_a_zipped_pbf_is_refused_with_the_remedy(town: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "town.zip", "w") as archive:
        archive.write(town, "town.osm.pbf")

    with pytest.raises(FileFormatError, match=r"ZIP archive of an OpenStreetMap file\. Unpack it first\."):
        read_graph(tmp_path / "town.zip")


def test_a_file_of_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "changes.osc"
    path.write_text('<?xml version="1.0"?><osmChange version="0.6"></osmChange>')

    with pytest.raises(FileFormatError, match=r"file of changes to OpenStreetMap.*\.osm\.pbf"):
        read_graph(path)


def test_an_extract_without_roads_is_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "houses.osm", {1: ((1, 2, 3, 1), {"building": "yes"})})

    with pytest.raises(FileFormatError, match=r"houses\.osm: this extract has no roads.*make an extract"):
        read_graph(path)


def test_an_extract_without_nodes_of_its_roads_is_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "bare.osm", places={99: (9.0, 47.0)})

    with pytest.raises(FileFormatError, match=r"the nodes of its 5 roads are missing.*complete ways"):
        read_graph(path)


def test_a_profile_that_may_use_no_road_is_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "hills.osm", {1: ((1, 2), {"highway": "path"})})

    with pytest.raises(FileFormatError, match=r"a car may use none of its 1 road.*another profile"):
        read_graph(path)
    assert read_graph(path, network=NetworkOptions("foot")).graph.n == 2


def test_nonsense_speeds_are_counted_and_one_is_named(tmp_path: Path) -> None:
    ways = {
        1: ((1, 2), {"highway": "residential", "maxspeed": "very fast"}),
        2: ((2, 3), {"highway": "residential", "maxspeed": "99999"}),
        3: ((3, 4), {"highway": "residential", "maxspeed": "30"}),
    }

    warnings = read_graph(write_osm(tmp_path / "town.osm", ways)).report.warnings

    assert len(warnings) == 1
    assert "2 roads have a speed limit that is none, such as “very fast” of way 1" in warnings[0]


def test_roads_cut_at_the_border_of_the_extract_are_counted(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "cut.osm", places={node: place for node, place in PLACES.items() if node != 12})

    reading = read_graph(path)

    assert "2 pieces of roads were left out, whose nodes are not in the file" in " ".join(reading.report.warnings)
    assert 11 in reading.graph.ids


def test_places_outside_the_earth_are_missing(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "town.osm")
    path.write_text(path.read_text().replace('lat="47.0985"', 'lat="147.0985"'))

    warnings = read_graph(path).report.warnings

    assert "2 pieces of roads were left out" in " ".join(warnings)


def test_the_memory_is_planned_before_it_is_spent(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = memory.MemoryPlan(InputFile(town), "pbf").location_bytes
    free = [needed - 1, needed + memory.network_bytes(refs=4, ways=1)]  # not for the nodes; not for all ways
    monkeypatch.setattr(memory.machine, "memory", lambda: Memory(1 << 30, free[0]))
    monkeypatch.setattr(extract, "_STEP", 1)
    with pytest.raises(OutOfMemory, match=r"Reading the roads of town\.osm\.pbf needs .* free\."):
        read_graph(town)
    free.pop(0)
    with pytest.raises(OutOfMemory) as caught:
        read_graph(town)
    assert caught.value.needed_bytes > free[0]


def test_another_profile_than_the_three_is_refused(town: Path) -> None:
    with pytest.raises(UnknownName, match="There is no profile “tank”"):
        read_graph(town, network=NetworkOptions("tank"))


def test_metres_of_another_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("0 1 5\n1 2 7\n")

    with pytest.raises(ParameterError, match="metres and seconds are for OpenStreetMap"):
        read_graph(tmp_path / "g.txt", weights="metres")


def test_options_that_do_not_apply_are_refused(tmp_path: Path) -> None:
    path = write_osm(tmp_path / "town.osm", {way: WAYS[way] for way in (100, 101)})

    with pytest.raises(OptionNotApplicable, match="which have their own directions; here apply weights, profile and"):
        read_graph(path, undirected=True)
    with pytest.raises(OptionNotApplicable, match=r"“coordinates” .* which have their own coordinates"):
        read_graph(path, coordinates=path)


def test_an_extract_that_is_exchanged_while_it_is_read_is_said_to_change(town: Path) -> None:
    with pytest.raises(FileFormatError, match="the file changed while it was read"):
        read_graph(town, progress=at_checkpoint(0, lambda: town.write_bytes(town.read_bytes()[:100])))
