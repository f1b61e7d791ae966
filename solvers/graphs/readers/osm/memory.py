"""Memory that an OpenStreetMap file needs, compared with what is free before it is spent.

Two parts. Locations of nodes: osmium keeps those of all nodes of the file, buildings included, of which a PBF file says
neither the number nor the share; they are estimated from the file's size. Ways: what one way and one node of a way need
until the graph is built, measured (tests/benchmarks/README.md), times those read so far.
"""

from __future__ import annotations

from solvers.errors import OutOfMemory, printable
from solvers.graphs.readers.input_file import InputFile
from solvers.host import machine

LOCATION_BYTES = 16  # of osmium's sparse index
WAY_BYTES = 300
REF_BYTES = 130  # of a node of a way: id, coordinates, segment and their sorted copies
_FILE_BYTES_PER_NODE = {"pbf": 6.5, "osm.bz2": 9.0, "osm.gz": 14.0, "osm": 120.0}  # less than in most files
_NODES_PER_REF = {"pbf": 40.0, "osm.bz2": 60.0, "osm.gz": 90.0, "osm": 700.0}  # bytes of a file per node of a road


class MemoryPlan:
    """The memory that one file needs.

    Parameters
    ----------
    file : InputFile
    form : str
        As `content.osm_format` tells it.
    """

    def __init__(self, file: InputFile, form: str):
        self._name, self._size, self._form = printable(file.path.name), file.size or 0, form
        self._free = machine.memory().free_bytes

    @property
    def location_bytes(self) -> int:
        """Estimate for the locations of all nodes."""
        return int(self._size / _FILE_BYTES_PER_NODE[self._form] * LOCATION_BYTES)

    def require_locations(self) -> None:
        """Refuse a file whose nodes do not fit.

        Raises
        ------
        OutOfMemory
        """
        self._require(self.location_bytes)

    def require_ways(self, refs: int, ways: int) -> None:
        """Refuse to go on where the network of the ways read so far would not fit beside the locations.

        Raises
        ------
        OutOfMemory
        """
        self._require(self.location_bytes + network_bytes(refs, ways))

    def share_read(self, refs: int) -> float:
        """About which share of the file has been read, by the nodes of roads seen."""
        expected = max(1.0, self._size / _NODES_PER_REF[self._form])
        return refs / (refs + expected)

    def _require(self, needed: int) -> None:
        if needed > self._free:
            raise OutOfMemory(f"Reading the roads of {self._name}", needed, self._free)


def network_bytes(refs: int, ways: int) -> int:
    """Most memory in use while a network is built from so many ways with so many nodes."""
    return refs * REF_BYTES + ways * WAY_BYTES
