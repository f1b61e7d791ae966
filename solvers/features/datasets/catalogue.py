"""Published graphs that can be downloaded: the catalogue, and those in the user's cache folder.

The catalogue is read from ``datasets.toml``. Where Tautpath does not know a
file's checksum, that of the first download is recorded (trust on first use): the first
download could be wrong and nobody would know, but no later one can differ unnoticed.
"""

from __future__ import annotations

import json
import logging
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from solvers.errors import FileFormatError, FileNotWritten, UnknownName
from solvers.system.cancel import SILENT, Progress
from solvers.system.disk_cache import make_way, user_folder
from solvers.system.downloads import Expected, PartFile, Patience, fetch, sha256_of
from solvers.system.files import read_regular, replace_atomically
from solvers.text import format_bytes

log = logging.getLogger(__name__)

# Bytes of compressed files for each arc or vertex, a little more than those of known
# size have: larger ids are longer.
_PER_ARC = {".gr.gz": 5.5, ".txt.gz": 3.5, ".csv.gz": 11.0}
_PER_VERTEX = 7.8

_TABLE = Path(__file__).with_name("datasets.toml")
_RECORDS = "checksums.json"
_MOST_RECORDS = 1 << 22


@dataclass(frozen=True)
class RemoteFile:
    url: str
    folder: str  # of the publisher in the user's cache: names repeat between publishers
    sha256: str  # hexadecimal; "" if Tautpath does not know it
    bytes: int | None
    estimated_bytes: int  # ``bytes``, else an estimate by the number of vertices or arcs

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class Collection:
    """Graphs of one publisher and kind."""

    id: str
    title: str
    page: str
    licence: str  # terms of use, in words


@dataclass(frozen=True)
class Dataset:
    id: str
    title: str
    about: str
    collection: Collection
    vertices: int  # as published; arcs are lines of the file
    arcs: int
    graph: RemoteFile
    coordinates: RemoteFile | None
    undirected: bool | None  # how to read the file: as in `read_graph`
    citation: str  # what the publisher asks to cite

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
    return tuple(parse(tomllib.loads(_TABLE.read_text("utf-8"))))


def dataset(dataset_id: str) -> Dataset:
    """The dataset with that id; raises `UnknownName`."""
    known = {found.id: found for found in datasets()}
    if dataset_id not in known:
        raise UnknownName("dataset", dataset_id, known)
    return known[dataset_id]


def size_words(chosen: Dataset) -> str:
    """Size of the download: "5.73 MB", or "≈ 9.2 MB" for an estimate."""
    size = format_bytes(chosen.bytes if chosen.size_is_known else float(f"{chosen.bytes:.2g}"))
    return size if chosen.size_is_known else f"≈ {size}"


def parse(content: Mapping[str, Any]) -> Iterable[Dataset]:
    files = content.get("files", {})
    for table in content["collection"]:
        collection = Collection(table["id"], table["title"], table["page"], table["licence"])
        for entry in table["datasets"]:
            vertices, arcs = entry["vertices"], entry["arcs"]
            graph = _file(
                table["base"], entry["graph"], files, arcs * _bytes_per_arc(entry["graph"])
            )
            beside = entry.get("coordinates")
            citation = "; ".join(filter(None, (entry.get("citation"), table["citation"])))
            yield Dataset(
                entry["id"],
                entry["title"],
                entry.get("about", ""),
                collection,
                vertices,
                arcs,
                graph,
                None
                if beside is None
                else _file(table["base"], beside, files, vertices * _PER_VERTEX),
                entry.get("undirected"),
                citation,
            )


def _file(base: str, path: str, files: Mapping[str, Any], estimate: float) -> RemoteFile:
    url = base + path
    known = files.get(url, {})
    nbytes = known.get("bytes")
    folder = url.removeprefix("https://").partition("/")[0]
    return RemoteFile(
        url, folder, known.get("sha256", ""), nbytes, round(estimate) if nbytes is None else nbytes
    )


def _bytes_per_arc(path: str) -> float:
    return next((size for suffix, size in _PER_ARC.items() if path.endswith(suffix)), 15.0)


@dataclass(frozen=True)
class Presence:
    """How much of a dataset is on this machine."""

    complete: bool
    bytes: int  # on the disk, including parts

    @property
    def partial(self) -> bool:
        return self.bytes > 0 and not self.complete


class DatasetStore:
    """Folder of downloaded datasets, created on demand; by default in the user's cache folder."""

    def __init__(self, folder: Path | None = None, patience: Patience | None = None):
        self.folder = user_folder("datasets") if folder is None else folder
        self._patience = patience or Patience()

    def path(self, file: RemoteFile) -> Path:
        """Where the file is, or will be."""
        return self.folder / file.folder / file.name

    def presence(self, dataset: Dataset) -> Presence:
        """What is there, without checking contents. Coordinates alone do not count:
        another dataset may share them.
        """
        sizes = [_size(self.path(file)) for file in dataset.files]
        parts = sum(PartFile(self.path(file)).size for file in dataset.files)
        if sizes[0] is None and not parts:
            return Presence(complete=False, bytes=0)
        return Presence(all(size is not None for size in sizes), sum(filter(None, sizes)) + parts)

    def expected(self, file: RemoteFile) -> Expected:
        """The checksum that comes with Tautpath, else the one recorded at the first
        download, else none.
        """
        if file.sha256:
            return Expected(file.sha256)
        return self._records().get(file.url, Expected())

    def get(
        self, dataset: Dataset, progress: Progress = SILENT, *, accept_changed: bool = False
    ) -> tuple[Path, ...]:
        """Download what is missing, and check what is there; returns the paths of `Dataset.files`.

        With ``accept_changed`` the new checksum of a file that differs from its first
        download is recorded; one that comes with Tautpath is required nevertheless.
        Raises DownloadFailed, WrongChecksum, FileNotWritten, Cancelled.
        """
        before = 0
        for file in dataset.files:
            expected = Expected() if accept_changed and not file.sha256 else self.expected(file)
            if accept_changed and not file.sha256 and self._differs(file):
                self._remove(file)
            share = progress.part(before, file.estimated_bytes, dataset.bytes)
            found = fetch(
                file.url, self.path(file), expected, progress=share, patience=self._patience
            )
            if not expected.sha256:
                self._record(file, found)
            before += file.estimated_bytes
        return tuple(self.path(file) for file in dataset.files)

    def check(self, dataset: Dataset) -> None:
        """Compare the files' checksums, without downloading anything; raises
        FileFormatError if one differs.
        """
        for file in dataset.files:
            if self._differs(file):
                raise FileFormatError(
                    self.path(file),
                    "its SHA-256 is not that of the download: it is damaged, or was edited",
                    hint="Remove the dataset and download it again.",
                )

    def remove(self, dataset: Dataset, shared_with: tuple[Dataset, ...] = ()) -> None:
        """Remove its files and parts, except those that datasets of ``shared_with``
        need; recorded checksums stay.
        """
        needed = {file.url for other in shared_with if other != dataset for file in other.files}
        for file in dataset.files:
            if file.url not in needed:
                self._remove(file)

    def _differs(self, file: RemoteFile) -> bool:
        expected, path = self.expected(file), self.path(file)
        return bool(expected.sha256) and path.is_file() and sha256_of(path) != expected.sha256

    def _remove(self, file: RemoteFile) -> None:
        try:
            self.path(file).unlink(missing_ok=True)
        except OSError as error:
            raise FileNotWritten(self.path(file), error.strerror or str(error)) from error
        PartFile(self.path(file)).remove()

    def _records(self) -> Mapping[str, Expected]:
        try:
            kept = json.loads(read_regular(self.folder / _RECORDS, _MOST_RECORDS))
            return {url: Expected(**entry) for url, entry in kept.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            log.warning(
                "The recorded checksums of datasets cannot be read, so their files are not checked."
            )
            log.debug("recorded checksums: %s", error)
            return {}

    def _record(self, file: RemoteFile, sha256: str) -> None:
        kept = {
            url: {"sha256": known.sha256, "since": known.since}
            for url, known in self._records().items()
        }
        kept[file.url] = {"sha256": sha256, "since": datetime.now(UTC).date().isoformat()}
        make_way(self.folder / _RECORDS)
        with replace_atomically(self.folder / _RECORDS) as beside:
            beside.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
