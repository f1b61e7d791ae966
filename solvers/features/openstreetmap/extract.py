"""Extraction of the ways that a profile may use, and of their nodes, from a file, by osmium.

osmium reads, filters by key and keeps the locations of nodes in C++; Python sees each
road and each barrier once.
"""

from __future__ import annotations

import bz2
import gzip
import io
import re
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, BinaryIO
from xml.parsers import expat

import numpy as np
import osmium
from numpy.typing import NDArray

from solvers.errors import Cancelled, FileFormatError, OutOfMemory, TautpathError
from solvers.features.openstreetmap.objects import OsmObject
from solvers.features.openstreetmap.profiles import Profile, WayClassifier
from solvers.features.openstreetmap.restrictions import RELATION_TYPES, Restrictions
from solvers.features.openstreetmap.tags import WORDS, road_class, road_name, signal_sides
from solvers.graphs.numbering import distinct
from solvers.graphs.readers.input_file import InputFile, ReadingProgress
from solvers.graphs.road_data import NamedPlaces
from solvers.system import machine
from solvers.system.ranges import offsets_of
from solvers.text import printable, quoted

LOCATION_BYTES = 16  # of osmium's sparse index
WAY_BYTES = 300
REF_BYTES = 130  # of a node of a way: id, coordinates, segment and their sorted copies
# less than in most files
_FILE_BYTES_PER_NODE = {"pbf": 6.5, "osm.bz2": 9.0, "osm.gz": 14.0, "osm": 120.0}
# bytes of a file per node of a road
_NODES_PER_REF = {"pbf": 40.0, "osm.bz2": 60.0, "osm.gz": 90.0, "osm": 700.0}

_STEP = 256  # objects between two checks for cancellation
_LOOKED_UP = 20_000  # nodes between two
_PER_DEGREE = 1e7  # osmium's whole numbers
_HEAD_BYTES, _PIECE_BYTES = 2**12, 2**20
_TYPES = {"node": "n", "way": "w", "relation": "r"}  # as osmium names them
_ID = re.compile(r"-?\d{1,18}")
_DAMAGED = "Download or copy the file again."


@dataclass(eq=False)
class Remarks:
    """What is told of the roads of a file beside the network."""

    roads: int = 0  # ways with a tag of a road or a ferry, usable or not
    changing: int = 0  # ways left out because their direction changes with the time of day
    # id and value of ``maxspeed`` of ways with one that is not a speed
    nonsense: list[tuple[int, str]] = field(default_factory=list)
    # id and tag of ways with a value of access that has no meaning
    unknown: list[tuple[int, str]] = field(default_factory=list)
    # id and kind of barriers that stop because nothing is known of them
    barriers: list[tuple[int, str]] = field(default_factory=list)
    conditional_access: int = 0  # ways whose access or direction has conditions
    conditional_speed: int = 0  # ways whose speed limit has some
    conditional_barriers: int = 0
    old_versions: int = 0  # of objects, in a file of their history
    # ids of ways that stand in several places of the file, in versions that all are read
    repeated: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Ways:
    refs: NDArray[np.int64]  # (r,) ids of the nodes along each way, way by way
    # (w + 1,) way ``k`` has ``refs[offsets[k]:offsets[k + 1]]``, at least two
    offsets: NDArray[np.int64]
    forward: NDArray[np.float64]  # (w,) speed in km/h along the way; 0 where it may not be used
    backward: NDArray[np.float64]  # (w,) against it
    # (w,) travel time of the whole way; 0 where the speed determines it
    seconds: NDArray[np.float64]
    name_of: NDArray[np.int32]  # (w,) index in ``names``
    names: tuple[str, ...]
    class_of: NDArray[np.uint8]  # (w,) see `road_class`
    # (w, 2) whether it is for those alone who have business there, along the way and against it
    for_destination: NDArray[np.bool_]
    stopping: NDArray[np.int64]  # (k,) ids of nodes at which a barrier stops the profile, ascending
    remarks: Remarks
    places: NamedPlaces
    ids: NDArray[np.int64]  # (w,)
    closed: NDArray[np.int64]  # ids of roads that may not be used
    restrictions: Restrictions
    # ids of nodes with traffic lights, ascending; and for whom they are: those who go along the
    # way, and against it
    signals: NDArray[np.int64]
    signal_sides: NDArray[np.bool_]  # (len(signals), 2)

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Extract:
    """Usable ways with the coordinates of their nodes."""

    ways: Ways
    ids: NDArray[np.int64]  # (n,) ids of the nodes of the ways, ascending
    # (n, 2) longitude and latitude in degrees, NaN for a node that is not in the file; where
    # a way crosses 180°, longitudes are from 0 to 360, so that it is in one piece
    xy: NDArray[np.float64]


def extract(file: InputFile, form: str, profile: Profile, progress: ReadingProgress) -> Extract:
    """Read the ways of a file, of a format of `osm_format`, that ``profile`` may use.

    Raises FileFormatError if the file is damaged or truncated; OutOfMemory if the
    network needs more memory than is free; Cancelled.
    """
    plan = MemoryPlan(file, form)
    plan.require_locations()
    locations = osmium.index.create_map("flex_mem")

    def look(collected: _Collector) -> None:
        plan.require_ways(len(collected.refs), len(collected.sizes))
        progress.read_about(file, plan.share_read(len(collected.refs)))

    with _errors_named(file), _opened(file, form) as source:
        deleted = _deleted(file, form, progress)
        # XML does not say that it has several versions of objects
        read = _Source(source, profile, locations, is_filtered=form == "pbf")
        collected, versions = _collected(read, profile, deleted, look)
        if versions.has_history and read.is_filtered:  # PBF whose header does not say so
            read = _Source(source, profile, locations, is_filtered=False)
            collected, versions = _collected(read, profile, deleted, look)
        ways = collected.ways()
        ids = distinct(ways.refs)
        xy = _coordinates(locations, ids, progress)
        if versions.has_history or (len(ids) and ids[0] < 0):
            _place_again(source, ids, xy, deleted, progress)
        if _crosses_180(ways, ids, xy):
            for longitudes in (xy[:, 0], ways.places.xy[:, 0]):
                longitudes[longitudes < 0] += 360
    with file.open():  # raises if the file was replaced meanwhile
        progress.file_done(file)
    return Extract(ways, ids, xy)


def _collected(
    source: _Source,
    profile: Profile,
    deleted: set[tuple[str, int]],
    look: Callable[[_Collector], None],
) -> tuple[_Collector, _Versions]:
    """What a file has for a profile; ``look`` is called at times, and may raise."""
    collected, versions = _Collector(profile), _Versions(deleted, source.has_history)
    for count, item in enumerate(versions.newest(source)):
        if count % _STEP == 0:
            look(collected)
        collected.add(item)
    collected.remarks.old_versions = versions.old
    return collected, versions


class _Source:
    """A file as osmium reads it, object by object."""

    def __init__(self, source: Any, profile: Profile, locations: Any, *, is_filtered: bool):
        kinds = osmium.osm.NODE | osmium.osm.WAY | osmium.osm.RELATION
        self._processor = osmium.FileProcessor(source, kinds)
        self._processor.with_locations(locations)
        self.has_history = bool(self._processor.header.has_multiple_object_versions)
        # of an object that is deleted or lost its tags, the filter would leave old versions
        self.is_filtered = is_filtered and not self.has_history
        if self.is_filtered:
            nodes = osmium.filter.KeyFilter("highway", "barrier", "place", *profile.modes)
            roads = osmium.filter.KeyFilter("highway", "route")
            turns = osmium.filter.TagFilter(*(("type", kind) for kind in RELATION_TYPES))
            self._processor.with_filter(nodes.enable_for(osmium.osm.NODE))
            self._processor.with_filter(roads.enable_for(osmium.osm.WAY))
            self._processor.with_filter(turns.enable_for(osmium.osm.RELATION))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._processor)


@dataclass(eq=False)
class _Versions:
    """The newest versions of objects that matter, without those that are deleted."""

    deleted: set[tuple[str, int]]
    has_history: bool  # whether there may be several of one object
    old: int = 0  # versions left out

    def newest(self, items: Iterable[Any]) -> Iterator[OsmObject]:
        """The versions of an object follow each other."""
        last, version, kept = None, 0, None
        for item in items:
            key = (item.type_str(), item.id)
            if key != last:
                if kept is not None:
                    yield kept
                last, version, kept = key, item.version, None
            else:
                self.has_history, self.old = True, self.old + 1
                if item.version < version:
                    continue
                version, kept = item.version, None
            if item.visible and key not in self.deleted and _matters(key[0], item.tags):
                kept = OsmObject.of(item)
        if kept is not None:
            yield kept


def _matters(kind: str, tags: Any) -> bool:
    if kind == "w":
        return "highway" in tags or "route" in tags
    return tags.get("type") in RELATION_TYPES if kind == "r" else bool(tags)


@dataclass(eq=False)
class _Collector:
    """Collects ways and barriers in compact arrays."""

    profile: Profile
    refs: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("i"))
    # forward, backward, seconds of each way
    speeds: array[float] = field(default_factory=lambda: array("d"))
    name_of: array[int] = field(default_factory=lambda: array("i"))
    names: dict[str, int] = field(default_factory=dict)
    class_of: array[int] = field(default_factory=lambda: array("B"))
    for_destination: array[int] = field(default_factory=lambda: array("b"))
    stopping: array[int] = field(default_factory=lambda: array("q"))
    ids: array[int] = field(default_factory=lambda: array("q"))
    closed: array[int] = field(default_factory=lambda: array("q"))
    signals: array[int] = field(default_factory=lambda: array("q"))
    signal_sides: array[int] = field(default_factory=lambda: array("b"))
    # rank of the kind, name, degrees
    places: list[tuple[int, str, float, float]] = field(default_factory=list)
    remarks: Remarks = field(default_factory=Remarks)

    def __post_init__(self) -> None:
        self._passages = WayClassifier(self.profile)
        self.restrictions = Restrictions(self.profile)
        self._conditions: list[int] = []  # nodes

    def add(self, item: OsmObject) -> None:
        if item.kind == "n":
            self._add_node(item)
        elif item.kind == "w":
            self._add_way(item)
        else:
            self.restrictions.add(item)

    def _add_node(self, node: OsmObject) -> None:
        tags, profile = node.tags, self.profile
        if profile.is_stopped_at(tags):
            self.stopping.append(node.id)
            if kind := profile.unknown_barrier(tags):
                self.remarks.barriers.append((node.id, kind))
        if profile.has_conditions(tags):
            self._conditions.append(node.id)
        if tags.get("highway") == "traffic_signals":
            self.signals.append(node.id)
            self.signal_sides.extend(signal_sides(tags))
        if tags.get("place") in WORDS.places and "name" in tags and node.place is not None:
            name = " ".join(tags["name"].split())
            self.places.append((WORDS.places.index(tags["place"]), name, *node.place))

    def _add_way(self, way: OsmObject) -> None:
        tags, remarks = way.tags, self.remarks
        remarks.roads += "highway" in tags or tags["route"] == "ferry"
        passage = self._passages.of(tags)
        remarks.changing += passage.changing
        remarks.conditional_access += passage.conditional_access
        remarks.conditional_speed += passage.conditional_speed and passage.usable
        if passage.unknown:
            remarks.unknown.append((way.id, passage.unknown))
        if not passage.usable:
            self.closed.append(way.id)
            return
        nodes = way.refs
        if len(nodes) < 2:
            return
        if passage.nonsense:
            remarks.nonsense.append((way.id, passage.nonsense))
        self.ids.append(way.id)
        self.refs.extend(nodes)
        self.sizes.append(len(nodes))
        self.speeds.extend((passage.forward, passage.backward, passage.seconds))
        self.for_destination.extend(passage.for_destination)
        self.name_of.append(self.names.setdefault(road_name(tags), len(self.names)))
        self.class_of.append(road_class(tags))

    def _remarks(self, refs: NDArray[np.int64]) -> Remarks:
        """The remarks, with those of nodes that are on roads alone."""

        def on_roads(nodes: list[int]) -> list[bool]:
            return np.isin(np.array(nodes, np.int64), refs).tolist()

        conditions = on_roads(self._conditions)
        barriers = self.remarks.barriers
        used = on_roads([node for node, _ in barriers])
        ways, counts = np.unique(np.array([*self.ids, *self.closed], np.int64), return_counts=True)
        return replace(
            self.remarks,
            repeated=ways[counts > 1].tolist(),
            barriers=list(compress(barriers, used)),
            conditional_barriers=sum(conditions),
        )

    def ways(self) -> Ways:
        speeds = np.frombuffer(self.speeds, np.float64).reshape(-1, 3)
        sizes = np.frombuffer(self.sizes, np.int32)
        places = sorted(self.places)
        refs = np.frombuffer(self.refs, np.int64)
        lights = np.argsort(np.frombuffer(self.signals, np.int64))
        return Ways(
            refs,
            offsets_of(sizes),
            speeds[:, 0],
            speeds[:, 1],
            speeds[:, 2],
            np.frombuffer(self.name_of, np.int32),
            tuple(self.names),
            np.frombuffer(self.class_of, np.uint8),
            np.frombuffer(self.for_destination, np.bool_).reshape(-1, 2),
            distinct(np.frombuffer(self.stopping, np.int64)),
            self._remarks(refs),
            NamedPlaces(
                tuple(name for _, name, _, _ in places),
                np.array([at for _, _, *at in places]).reshape(-1, 2),
            ),
            np.frombuffer(self.ids, np.int64),
            np.frombuffer(self.closed, np.int64),
            self.restrictions,
            np.frombuffer(self.signals, np.int64)[lights],
            np.frombuffer(self.signal_sides, np.bool_).reshape(-1, 2)[lights],
        )


def _deleted(file: InputFile, form: str, progress: ReadingProgress) -> set[tuple[str, int]]:
    """Kinds and ids of what JOSM has marked as deleted, which osmium does not tell."""
    openers: dict[str, Callable[[BinaryIO], Any]] = {
        "osm": io.BufferedReader,
        "osm.gz": gzip.open,
        "osm.bz2": bz2.open,
    }
    found: set[tuple[str, int]] = set()
    if form not in openers or file.size is None:
        return found

    def started(name: str, attributes: dict[str, str]) -> None:
        kind = _TYPES.get(name)
        if kind and attributes.get("action") == "delete" and _ID.fullmatch(attributes["id"]):
            found.add((kind, int(attributes["id"])))

    parser = expat.ParserCreate()
    parser.StartElementHandler = started
    with file.open() as handle, openers[form](handle) as text:
        try:
            head = text.read(_HEAD_BYTES)
            if b"JOSM" not in head:
                return found
            parser.Parse(head, False)
            while piece := text.read(_PIECE_BYTES):
                progress.check()
                parser.Parse(piece, False)
        except (expat.ExpatError, KeyError, EOFError, OSError, zlib.error):
            pass  # osmium will say what is wrong
    return found


def _coordinates(
    locations: Any, ids: NDArray[np.int64], progress: ReadingProgress
) -> NDArray[np.float64]:
    """Degrees of the nodes, NaN where the file has none."""
    found = array("d")
    missing = (float("nan"), float("nan"))
    for index, node in enumerate(ids.tolist()):
        if index % _LOOKED_UP == 0:
            progress.check()
        try:
            location = locations.get(node) if node >= 0 else None
        except KeyError:
            location = None
        if location is None:
            found.extend(missing)
        else:
            found.extend((location.x, location.y) if location.valid() else missing)
    xy = np.frombuffer(found, np.float64).reshape(-1, 2)
    return xy / _PER_DEGREE


def _place_again(
    source: Any,
    ids: NDArray[np.int64],
    xy: NDArray[np.float64],
    deleted: set[tuple[str, int]],
    progress: ReadingProgress,
) -> None:
    """Fill in the degrees of nodes with negative ids, and of the newest versions, by
    another reading; osmium's index has neither.

    Editors such as JOSM give negative ids to objects that have not been uploaded.
    """
    index_of = {node: index for index, node in enumerate(ids.tolist())}
    newest: dict[int, int] = {}
    for count, node in enumerate(osmium.FileProcessor(source, osmium.osm.NODE)):
        if count % _STEP == 0:
            progress.check()
        index = index_of.get(node.id)
        if index is None or node.version < newest.get(index, -1):
            continue
        newest[index] = node.version
        placed = node.visible and node.location.valid() and ("n", node.id) not in deleted
        xy[index] = (node.location.x, node.location.y) if placed else np.nan
        xy[index] /= _PER_DEGREE


def _crosses_180(ways: Ways, ids: NDArray[np.int64], xy: NDArray[np.float64]) -> bool:
    """Whether two neighbouring nodes of a way lie on either side of the antimeridian."""
    if np.nanmax(xy[:, 0], initial=0) - np.nanmin(xy[:, 0], initial=0) <= 180:
        return False
    longitudes = xy[np.searchsorted(ids, ways.refs), 0]
    apart = np.abs(np.diff(longitudes)) > 180
    apart[ways.offsets[1:-1] - 1] = False  # from the end of a way to the beginning of the next
    return bool(apart.any())


@contextmanager
def _opened(file: InputFile, form: str) -> Iterator[Any]:
    """The file for osmium: its path or, of a pipe, its content."""
    if file.size is not None:
        yield osmium.io.File(str(file.path), form)
        return
    with file.open() as handle:
        content = handle.read()
    yield osmium.io.FileBuffer(content, form)


@contextmanager
def _errors_named(file: InputFile) -> Iterator[None]:
    """Errors of osmium as errors of the file; osmium has one type of its own."""
    try:
        yield
    except (TautpathError, Cancelled, MemoryError):
        raise
    except (
        RuntimeError,
        ValueError,
        OSError,
        UnicodeDecodeError,
        osmium.InvalidLocationError,
    ) as error:
        message = quoted(" ".join(str(error).split()).rstrip("."), 160) or type(error).__name__
        with file.open():  # raises if the file was replaced or cut meanwhile
            pass
        reason = f"the OpenStreetMap data are damaged or truncated ({message})"
        raise FileFormatError(file.path, reason, hint=_DAMAGED) from None


class MemoryPlan:
    """The memory that one file, of a format of `osm_format`, needs."""

    def __init__(self, file: InputFile, form: str):
        self._name, self._size, self._form = printable(file.path.name), file.size or 0, form
        self._free = machine.memory().free_bytes

    @property
    def location_bytes(self) -> int:
        """Estimate for the locations of all nodes."""
        return int(self._size / _FILE_BYTES_PER_NODE[self._form] * LOCATION_BYTES)

    def require_locations(self) -> None:
        """Refuse a file whose nodes do not fit; raises `OutOfMemory`."""
        self._require(self.location_bytes)

    def require_ways(self, refs: int, ways: int) -> None:
        """Raise `OutOfMemory` if the network of the ways read so far would not fit
        beside the locations.
        """
        self._require(self.location_bytes + network_bytes(refs, ways))

    def share_read(self, refs: int) -> float:
        """Share of the file that has been read, estimated from the nodes of roads seen."""
        expected = max(1.0, self._size / _NODES_PER_REF[self._form])
        return refs / (refs + expected)

    def _require(self, needed: int) -> None:
        if needed > self._free:
            raise OutOfMemory(f"Reading the roads of {self._name}", needed, self._free)


def network_bytes(refs: int, ways: int) -> int:
    """Most memory in use while a network is built from so many ways with so many nodes."""
    return refs * REF_BYTES + ways * WAY_BYTES
