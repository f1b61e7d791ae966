"""The catalogue of published graphs, read from ``resources/datasets.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import resources
from solvers.errors import UnknownName, format_bytes

# Bytes of compressed files for each arc or vertex, a little more than those of known size have: larger ids are longer.
_PER_ARC = {".gr.gz": 5.5, ".txt.gz": 3.5, ".csv.gz": 11.0}
_PER_VERTEX = 7.8


@dataclass(frozen=True)
class RemoteFile:
    """One file of a publisher.

    Attributes
    ----------
    url : str
    folder : str
        Of the publisher, which is also that in the user's cache: names repeat between publishers.
    sha256 : str
        Hexadecimal; "" if Tautline does not know it.
    bytes : int or None
    estimated_bytes : int
        ``bytes``, else an estimate by the number of vertices or arcs.
    """

    url: str
    folder: str
    sha256: str
    bytes: int | None
    estimated_bytes: int

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class Collection:
    """Graphs of one publisher and kind.

    Attributes
    ----------
    id, title, page : str
    licence : str
        Terms of use, in words.
    """

    id: str
    title: str
    page: str
    licence: str


@dataclass(frozen=True)
class Dataset:
    """One published graph.

    Attributes
    ----------
    id, title, about : str
    collection : Collection
    vertices, arcs : int
        As published; arcs are lines of the file.
    graph : RemoteFile
    coordinates : RemoteFile or None
    undirected : bool or None
        How to read the file: as in `read_graph`.
    citation : str
        What the publisher asks to cite.
    """

    id: str
    title: str
    about: str
    collection: Collection
    vertices: int
    arcs: int
    graph: RemoteFile
    coordinates: RemoteFile | None
    undirected: bool | None
    citation: str

    @property
    def files(self) -> tuple[RemoteFile, ...]:
        return (self.graph,) if self.coordinates is None else (self.graph, self.coordinates)

    @property
    def bytes(self) -> int:
        """Size of the download, estimated unless `size_is_known`."""
        return sum(file.estimated_bytes for file in self.files)

    @property
    def size_is_known(self) -> bool:
        return all(file.bytes is not None for file in self.files)


@cache
def datasets() -> tuple[Dataset, ...]:
    """All datasets, in the order of the file."""
    return tuple(parse(tomllib.loads((resources.FOLDER / "datasets.toml").read_text("utf-8"))))


def dataset(dataset_id: str, among: Iterable[Dataset] | None = None) -> Dataset:
    """The dataset with that id; raises `UnknownName`."""
    known = {found.id: found for found in (datasets() if among is None else among)}
    if dataset_id not in known:
        raise UnknownName("dataset", dataset_id, known)
    return known[dataset_id]


def size_words(chosen: Dataset) -> str:
    """Size of the download: "5.73 MB", or "≈ 9.2 MB" for an estimate."""
    size = format_bytes(chosen.bytes if chosen.size_is_known else float(f"{chosen.bytes:.2g}"))
    return size if chosen.size_is_known else f"≈ {size}"


def parse(content: Mapping[str, Any]) -> Iterable[Dataset]:
    """The datasets of a parsed file."""
    files = content.get("files", {})
    for table in content["collection"]:
        collection = Collection(table["id"], table["title"], table["page"], table["licence"])
        for entry in table["datasets"]:
            vertices, arcs = entry["vertices"], entry["arcs"]
            graph = _file(table["base"], entry["graph"], files, arcs * _bytes_per_arc(entry["graph"]))
            beside = entry.get("coordinates")
            citation = "; ".join(filter(None, (entry.get("citation"), table["citation"])))
            yield Dataset(
                entry["id"], entry["title"], entry.get("about", ""), collection, vertices, arcs, graph,
                None if beside is None else _file(table["base"], beside, files, vertices * _PER_VERTEX),
                entry.get("undirected"), citation,
            )  # fmt: skip


def _file(base: str, path: str, files: Mapping[str, Any], estimate: float) -> RemoteFile:
    url = base + path
    known = files.get(url, {})
    nbytes = known.get("bytes")
    folder = url.removeprefix("https://").partition("/")[0]
    return RemoteFile(url, folder, known.get("sha256", ""), nbytes, round(estimate) if nbytes is None else nbytes)


def _bytes_per_arc(path: str) -> float:
    return next((size for suffix, size in _PER_ARC.items() if path.endswith(suffix)), 15.0)
