"""The catalogue: complete, over HTTPS only, and true where the real files are at hand."""

from __future__ import annotations

import hashlib

import pytest

from solvers.errors import UnknownName
from solvers.graphs.datasets.catalogue import dataset, datasets
from tests.data import data_file

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
    assert {"USA-road-d.NY", "USA-road-t.USA", "p2p-Gnutella04", "roadNet-CA", "ca-GrQc", "email-Enron"} < ids
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
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256), file.name
        compared += 1
    assert compared == 7
