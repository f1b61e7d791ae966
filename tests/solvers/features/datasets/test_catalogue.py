"""The catalogue of datasets is complete and true; the store keeps downloads, and
checksums from the first one on.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from solvers.errors import DownloadFailed, FileFormatError, UnknownName, WrongChecksum
from solvers.features.datasets.catalogue import DatasetStore, dataset, datasets
from solvers.graphs.readers import read_graph
from solvers.system.cancel import Progress
from solvers.system.downloads import Patience
from tests.data import data_file
from tests.https_server import Resource, Server
from tests.solvers.features.datasets.downloads import local_dataset

PLACES = {"uniroma1": "dimacs", "snap": "snap"}


def test_every_dataset_says_what_a_user_must_know():
    found = datasets()
    assert len({one.id for one in found}) == len(found)
    for one in found:
        assert one.title
        assert one.citation
        assert one.collection.licence
        assert one.vertices > 0
        assert one.arcs > 0
        assert one.bytes > 0
        for file in one.files:
            assert file.url.startswith("https://")
            assert len(file.sha256) in (0, 64)
            assert bool(file.sha256) == (file.bytes is not None)


def test_the_collections_of_the_field_are_there():
    ids = {one.id for one in datasets()}
    assert {
        "USA-road-d.NY",
        "USA-road-t.USA",
        "p2p-Gnutella04",
        "roadNet-CA",
        "ca-GrQc",
        "email-Enron",
    } < ids
    assert {"wiki-Vote", "soc-LiveJournal1"} < ids
    assert dataset("USA-road-t.NY").coordinates == dataset("USA-road-d.NY").coordinates


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(UnknownName, match=r"There is no dataset .*Nearest: USA-road-d.NY"):
        dataset("USA-road-d.NYC")


@pytest.mark.data
def test_sizes_and_checksums_are_those_of_the_published_files():
    compared = 0
    for file in {file for one in datasets() for file in one.files if file.sha256}:
        folder = next(folder for word, folder in PLACES.items() if word in file.folder)
        content = data_file(f"{folder}/{file.name}").read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256), (
            file.name
        )
        compared += 1
    assert compared == 7


@pytest.fixture
def store(tmp_path: Path) -> DatasetStore:
    return DatasetStore(tmp_path / "cache", Patience(silence_s=5, attempts=2, pause_s=0.01))


def test_graph_and_coordinates_arrive_and_open(server: Server, store: DatasetStore):
    wanted, fractions = local_dataset(server, published=True), []
    assert not store.presence(wanted).complete
    graph, coordinates = store.get(
        wanted, Progress(report=lambda done, total: fractions.append(done / total))
    )
    assert store.presence(wanted).complete
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1)
    reading = read_graph(graph)  # which finds the coordinates beside it
    assert reading.graph.n == 3
    assert reading.graph.coordinates is not None
    assert coordinates.parent == graph.parent
    server.requests.clear()
    store.get(wanted)
    assert not server.requests


def test_the_first_checksum_is_recorded_and_required_later(server: Server, store: DatasetStore):
    wanted = local_dataset(server, published=False)
    store.get(wanted)
    recorded = store.expected(wanted.graph)
    assert len(recorded.sha256) == 64
    store.remove(wanted)
    assert store.presence(wanted).bytes == 0
    changed = gzip.compress(b"p sp 1 0\n", mtime=0)
    server.resources["/three.gr.gz"] = Resource(changed, etag='"2"')
    with pytest.raises(
        WrongChecksum, match=f"recorded at the first download on {recorded.since}.*accept"
    ):
        store.get(wanted)
    assert not store.path(wanted.graph).exists()
    store.get(wanted, accept_changed=True)
    assert store.path(wanted.graph).read_bytes() == changed
    assert store.expected(wanted.graph).sha256 != recorded.sha256


def test_a_published_checksum_cannot_be_waived(server: Server, store: DatasetStore):
    wanted = local_dataset(server, published=True)
    server.resources["/three.gr.gz"] = Resource(gzip.compress(b"p sp 1 0\n", mtime=0))
    with pytest.raises(WrongChecksum, match="that Tautpath knows"):
        store.get(wanted, accept_changed=True)


def test_damage_on_the_disk_is_noticed_without_downloading(server: Server, store: DatasetStore):
    wanted = local_dataset(server, published=False)
    store.get(wanted)
    store.check(wanted)
    with store.path(wanted.graph).open("ab") as file:
        file.write(b"x")
    server.requests.clear()
    with pytest.raises(FileFormatError, match=r"damaged, or was edited.*download it again"):
        store.check(wanted)
    assert not server.requests


def test_removing_keeps_coordinates_that_another_needs(server: Server, store: DatasetStore):
    wanted = local_dataset(server, published=True)
    other = replace(
        wanted, id="other", graph=replace(wanted.graph, url=f"{server.url}/other.gr.gz")
    )
    store.get(wanted)
    store.remove(wanted, (wanted, other))
    assert not store.path(wanted.graph).exists()
    assert store.path(wanted.coordinates).exists()


def test_what_is_half_there_counts_as_partial(server: Server, store: DatasetStore):
    wanted = local_dataset(server, published=True, cut_at=[10, 10, 10])
    with pytest.raises(DownloadFailed, match="10 B are kept"):
        store.get(wanted)
    assert store.presence(wanted).partial
    store.remove(wanted)
    assert not store.presence(wanted).partial


def test_an_unreadable_record_is_no_reason_to_fail_and_is_told(
    server: Server, store: DatasetStore, caplog
):
    store.get(local_dataset(server, published=False))
    assert not caplog.messages, "no record is there before the first download"
    (store.folder / "checksums.json").write_text("[1, 2")
    store.get(local_dataset(server, published=False))
    assert "checksums of datasets cannot be read" in caplog.messages[0]
