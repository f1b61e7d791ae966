"""Datasets of a local server, for tests of the store, the command and the dialog."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace

from solvers.features.datasets.catalogue import Dataset, dataset
from tests.https_server import Resource, Server

GRAPH = gzip.compress(b"p sp 3 3\na 1 2 5\na 2 3 7\na 1 3 20\n", mtime=0)
COORDINATES = gzip.compress(b"p aux sp co 3\nv 1 0 0\nv 2 10 0\nv 3 20 5\n", mtime=0)


def local_dataset(server: Server, *, published: bool, **faults: object) -> Dataset:
    """A graph with coordinates on ``server``, with or without published checksums;
    ``faults`` are the graph's.
    """
    server.resources["/three.gr.gz"] = Resource(GRAPH, **faults)  # type: ignore[arg-type]
    server.resources["/three.co.gz"] = Resource(COORDINATES)
    model = dataset("USA-road-d.NY")
    assert model.coordinates is not None
    graph, coordinates = (
        replace(
            file,
            url=f"{server.url}/{name}",
            folder="local",
            bytes=len(content),
            estimated_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest() if published else "",
        )
        for file, name, content in (
            (model.graph, "three.gr.gz", GRAPH),
            (model.coordinates, "three.co.gz", COORDINATES),
        )
    )
    return replace(
        model,
        id="three",
        title="Three vertices",
        vertices=3,
        arcs=3,
        graph=graph,
        coordinates=coordinates,
    )
