"""Lines of GeoJSON as a network: they meet where they share a point, at their ends and between
them, and nearly so if the user says how far ends may be from other lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solvers.errors import ParameterError
from solvers.graphs.directions import BACKWARD, BOTH, FORWARD, find_directions, value_of
from solvers.graphs.quantities import number_of
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.titles import Quantity, possible_weights, quantity_of
from solvers.graphs.weighting import great_circle
from solvers.system.array_types import Bools, Float64s, Int64s
from solvers.system.ranges import offsets_of
from solvers.text import plural

Properties = Mapping[str, Any]
Feature = tuple[Properties, list[list[Any]]]
"""Properties of a feature, and the points of each of its lines."""

_DEGREES = ("CRS84", "4326")  # names of systems of longitude and latitude
_GEOMETRIES = frozenset(
    ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
) | {"GeometryCollection"}
_TYPES = frozenset(("FeatureCollection", "Feature")) | _GEOMETRIES
_RADIUS = 6_371_008.8
_LOOKED = (1.0, 10.0)  # metres within which ends are told that nearly meet another line
_METRES = re.compile(r"(\d+(?:\.\d+)?)\s*(mm|cm|m|km|ft)?")
_UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "": 1.0, "km": 1000.0, "ft": 0.3048}
_MOST_JOINED = 1000.0
# which of a line are those of its parts together
_DIVIDED = (Quantity.LENGTH, Quantity.TIME, Quantity.COST, Quantity.WEIGHT)


def join_distance(text: str) -> float:
    """Metres of "1m", "0.5 m" or "3ft"; 0 for "". Raises `ParameterError`."""
    if not text:
        return 0.0
    found = _METRES.fullmatch(text.strip().lower())
    metres = float(found[1]) * _UNITS[found[2] or ""] if found else -1.0
    if not 0 <= metres <= _MOST_JOINED:
        reason = f"it takes a distance of 0 to {_MOST_JOINED:g} m, such as 1m"
        raise ParameterError("Reading", "join", text, reason)
    return metres


def features_of(file: InputFile, data: Any) -> list[Feature] | None:
    """The features with lines; None if it is no GeoJSON. Raises `FileFormatError` without
    lines, and for other coordinates than degrees.
    """
    several = data if isinstance(data, list) else [data]
    if not several or not all(
        isinstance(one, Mapping) and one.get("type") in _TYPES for one in several
    ):
        return None
    reason, hint = "", "Export it in longitude and latitude (WGS 84, EPSG:4326)."
    for one in several:
        crs = str(one.get("crs") or "CRS84").upper()
        if not any(name in crs for name in _DEGREES):
            reason = "this is GeoJSON without lines in degrees, which is not read"
    found = [feature for one in several for feature in _features(one)]
    lines = [line for _, parts in found for line in parts]
    if any(not isinstance(line, list) or not all(map(_is_place, line)) for line in lines):
        reason = "this is GeoJSON without lines in degrees, which is not read"
    elif not any(len(line) > 1 for line in lines):
        reason = "this is GeoJSON without lines, which is not read"
        hint = "A graph needs LineString or MultiLineString."
    if reason:
        raise file.error(reason, hint)
    return found


def _features(data: Any) -> Iterator[Feature]:
    """All features; those without lines have no parts."""
    features = data.get("features") if data.get("type") == "FeatureCollection" else [data]
    for feature in features if isinstance(features, list) else ():
        if not isinstance(feature, Mapping):
            yield {}, []
            continue
        is_feature = "geometry" in feature or feature.get("type") == "Feature"
        properties = feature.get("properties")
        geometry = feature.get("geometry") if is_feature else feature
        yield (properties if isinstance(properties, Mapping) else {}), list(_parts(geometry))


def _parts(geometry: Any) -> Iterator[Any]:
    if not isinstance(geometry, Mapping):
        return
    coordinates, inner = geometry.get("coordinates"), geometry.get("geometries")
    match geometry.get("type"):
        case "LineString":
            yield coordinates
        case "MultiLineString":
            yield from coordinates if isinstance(coordinates, list) else [None]
        case "GeometryCollection":
            for one in inner if isinstance(inner, list) else ():
                yield from _parts(one)


def _is_place(point: Any) -> bool:
    return (
        isinstance(point, list)
        and len(point) > 1
        and all(isinstance(number, (int, float)) for number in point[:2])
        and abs(point[0]) <= 360
        and abs(point[1]) <= 90
    )


def links_of_lines(
    features: Sequence[Feature], join: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str, tuple[str, ...]]:
    """Nodes and edges of lines, the property that makes these directed, "" where none does,
    and warnings.

    Lines are split where another one touches them; of several pieces each has its share, by
    length, of the lengths, times and costs among the properties. Without any, the weight is
    the length.
    """
    metres = join_distance(join)
    of = [(k, line) for k, (_, parts) in enumerate(features) for line in parts if len(line) > 1]
    lines = _Lines.of([line for _, line in of])
    joined = lines.joined(metres) if metres else lines
    pieces = joined.pieces()
    features_of_pieces = np.array([k for k, _ in of])[pieces.line]
    titles = sorted({str(name) for properties, _ in features for name in properties})
    measured = not possible_weights(titles, [False] * len(titles))
    said = find_directions(
        {title: [properties.get(title) for properties, _ in features] for title in titles}
    )
    whole = np.bincount(features_of_pieces, pieces.length, len(features))
    counts = np.bincount(features_of_pieces, minlength=len(features))
    edges = []
    ends = zip(pieces.tail.tolist(), pieces.head.tolist(), pieces.length.tolist(), strict=True)
    directed = False
    for (tail, head, length), k in zip(ends, features_of_pieces.tolist(), strict=True):
        values = {key: one for key, one in features[k][0].items() if key not in ("id", "key")}
        along = BOTH
        if said is not None and not said.unclear:
            along = said.meanings.get(value_of(values.pop(said.title, None)), BOTH)
        if counts[k] > 1:
            share = length / whole[k] if whole[k] else 1 / counts[k]
            values = {name: _shared(name, value, share) for name, value in values.items()}
        if measured:
            values["length_m"] = length
        directed |= along != BOTH
        if along in (FORWARD, BOTH):
            edges.append({**values, "source": tail, "target": head, "_along": along})
        elif along == BACKWARD:
            edges.append({**values, "source": head, "target": tail, "_along": along})
    links = []
    for edge in edges:
        along = edge.pop("_along")
        links.append(edge)
        if directed and along == BOTH and edge["source"] != edge["target"]:
            links.append({**edge, "source": edge["target"], "target": edge["source"]})
    nodes = [
        {"id": vertex, "lon": lon, "lat": lat} for vertex, (lon, lat) in enumerate(pieces.places)
    ]
    others = sum(not parts for _, parts in features)
    is_divided = any(quantity_of(title) in _DIVIDED for title in titles)
    split = int((counts > 1).sum()) if is_divided else 0
    by = str(said) if directed else ""
    return nodes, links, by, _warnings(others, split, joined, pieces)


def _shared(name: str, value: Any, share: float) -> Any:
    number = number_of(value)
    return value if number is None or quantity_of(name) not in _DIVIDED else number * share


def _warnings(others: int, split: int, lines: _Lines, pieces: _Pieces) -> tuple[str, ...]:
    found = []
    if others:
        are = plural(others, "feature that is no line is", "features that are no lines are")
        found.append(f"{are} left out.")
    if split:
        lines_are = plural(split, "line has several pieces", "lines have several pieces")
        found.append(
            f"{lines_are}, by their parts and where others touch them; each piece has its share "
            "of lengths, times and costs."
        )
    if (parts := pieces.components) > 1:
        near = next(
            (
                (len(ends), limit)
                for limit in _LOOKED
                if len(ends := lines.near_ends(limit, pieces)[0])
            ),
            None,
        )
        told = f"{parts} parts are not connected"
        if near is not None:
            count, limit = near
            lie = plural(count, "end lies", "ends lie")
            told += f", {lie} within {limit:g} m of another line: to join them, read with join"
            told += f" “{limit:g}m” (--join {limit:g}m)"
        found.append(f"{told}.")
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Lines between the places at which they end or meet."""

    line: Int64s  # (k,) of each piece
    tail: Int64s
    head: Int64s
    length: Float64s  # metres
    places: list[list[float]]  # (n, 2) of the vertices
    loose: Bools  # (places,) of the lines: whether one piece alone ends there

    @cached_property
    def _components(self) -> tuple[int, Int64s]:
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        n = len(self.places)
        arcs = coo_matrix((np.ones(len(self.tail)), (self.tail, self.head)), (n, n))
        count, labels = connected_components(arcs, directed=False)
        return int(count), labels

    @property
    def components(self) -> int:
        """Number of connected parts."""
        return self._components[0]

    @property
    def component_of_line(self) -> Int64s:
        """(lines,) the part of each line."""
        found = np.zeros(int(self.line.max()) + 1, np.int64)
        found[self.line] = self._components[1][self.tail]
        return found


@dataclass(frozen=True, eq=False)
class _Lines:
    """Points of all lines, one line after the other."""

    xy: Float64s  # (p, 2)
    offsets: Int64s  # (lines + 1,)
    place: Int64s  # (p,) points of the same place have the same number

    @classmethod
    def of(cls, lines: Sequence[list[Any]]) -> _Lines:
        xy = np.array([point[:2] for line in lines for point in line], np.float64)
        offsets = offsets_of([len(line) for line in lines])
        _, place = np.unique(xy, axis=0, return_inverse=True)
        return cls(xy, offsets, place.ravel())

    @property
    def line(self) -> Int64s:
        """(p,) the line of each point."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def is_end(self) -> Bools:
        """(p,) whether a point is the first or the last of its line."""
        found = np.zeros(len(self.xy), np.bool_)
        found[self.offsets[:-1]] = found[self.offsets[1:] - 1] = True
        return found

    def pieces(self) -> _Pieces:
        """The lines, cut at each place where one ends or several points are."""
        is_cut = self.is_end | (np.bincount(self.place)[self.place] > 1)
        cuts = np.flatnonzero(is_cut)
        line = self.line
        same = line[cuts[:-1]] == line[cuts[1:]]
        begins, ends = cuts[:-1][same], cuts[1:][same]
        steps = np.concatenate(([0.0], np.cumsum(great_circle(self.xy[:-1], self.xy[1:]))))
        # ends first, in the order of the lines
        order = np.concatenate((np.flatnonzero(self.is_end), cuts))
        known, first = np.unique(self.place[order], return_index=True)
        number = np.empty(int(self.place.max()) + 1, np.int64)
        number[known[np.argsort(first)]] = np.arange(len(known))
        tail, head = number[self.place[begins]], number[self.place[ends]]
        degrees = np.bincount(np.concatenate((tail, head)), minlength=len(known))
        loose = np.zeros(len(number), np.bool_)
        loose[known] = degrees[number[known]] == 1
        return _Pieces(
            line[begins],
            tail,
            head,
            steps[ends] - steps[begins],
            self.xy[order[np.sort(first)]].tolist(),
            loose,
        )

    def near_ends(self, metres: float, pieces: _Pieces) -> tuple[Int64s, Int64s, Float64s]:
        """Points at which a line ends near another one: the point, the segment of the other,
        by its first point, and where along it the nearest point is, from 0 to 1.

        The other is in another part, or nothing else ends at the point.
        """
        from scipy.spatial import cKDTree

        ends = np.flatnonzero(self.is_end)
        _, first = np.unique(self.place[ends], return_index=True)
        ends = ends[first]
        line = self.line
        begins = np.flatnonzero(line[:-1] == line[1:])
        lengths = great_circle(self.xy[begins], self.xy[begins + 1])
        middles = _on_sphere((self.xy[begins] + self.xy[begins + 1]) / 2)
        sizes = np.ceil(np.log2(np.maximum(lengths, 1.0))).astype(np.int64)
        component = pieces.component_of_line
        best = np.full(len(ends), np.inf)
        segment, along = np.full(len(ends), -1), np.zeros(len(ends))
        for size in np.unique(sizes):
            of_size = begins[sizes == size]
            tree = cKDTree(middles[sizes == size])
            hits = tree.query_ball_point(_on_sphere(self.xy[ends]), metres + 2.0**size)
            who = np.repeat(np.arange(len(ends)), [len(hit) for hit in hits])
            others = of_size[np.array([k for hit in hits for k in hit], np.int64)]
            far, at = self._beside(ends[who], others)
            mine, other = line[ends[who]], line[others]
            meet = (self.place[others] == self.place[ends[who]]) | (
                self.place[others + 1] == self.place[ends[who]]
            )
            joined = component[mine] == component[other]
            far[(mine == other) | meet | (joined & ~pieces.loose[self.place[ends[who]]])] = np.inf
            for k in np.argsort(-far, kind="stable").tolist():
                if far[k] <= metres and far[k] < best[who[k]]:
                    best[who[k]], segment[who[k]], along[who[k]] = far[k], others[k], at[k]
        found = segment >= 0
        return ends[found], segment[found], along[found]

    def _beside(self, points: Int64s, segments: Int64s) -> tuple[Float64s, Float64s]:
        """Metres between points and segments, and where along these the nearest point is."""
        scale = np.column_stack(
            (np.cos(np.radians(self.xy[points, 1])), np.ones(len(points)))
        ) * np.radians(_RADIUS)
        begin = (self.xy[segments] - self.xy[points]) * scale
        step = (self.xy[segments + 1] - self.xy[segments]) * scale
        size = (step**2).sum(axis=1)
        at = np.clip(-(begin * step).sum(axis=1) / np.where(size > 0, size, 1.0), 0.0, 1.0)
        return np.hypot(*(begin + at[:, None] * step).T), at

    def joined(self, metres: float) -> _Lines:
        """The lines, whose ends within some metres of another line are on it: at one of its
        points if that is as near, else at a new one.
        """
        ends, segments, along = self.near_ends(metres, self.pieces())
        place, xy = self.place.copy(), self.xy.copy()
        new: list[tuple[int, float, int]] = []  # segment, where along it, number of the place
        count = int(place.max()) + 1
        root = np.arange(count + len(ends))

        def find(one: int) -> int:
            while root[one] != one:
                one = int(root[one])
            return one

        for end, segment, at in zip(ends.tolist(), segments.tolist(), along.tolist(), strict=True):
            points = np.array([segment, segment + 1])
            far = great_circle(self.xy[[end, end]], self.xy[points])
            if far.min() <= metres:
                other = int(place[points[int(far.argmin())]])
            else:
                other, count = count, count + 1
                new.append((segment, at, other))
            root[find(int(self.place[end]))] = find(other)
        for segment, at, other in sorted(new, key=lambda one: (-one[0], -one[1])):
            point = self.xy[segment] + at * (self.xy[segment + 1] - self.xy[segment])
            xy = np.insert(xy, segment + 1, point, axis=0)
            place = np.insert(place, segment + 1, other)
        added = np.searchsorted(np.sort([one[0] for one in new]), self.offsets - 1)
        place = np.array([find(one) for one in place.tolist()], np.int64)
        _, at_first, place = np.unique(place, return_index=True, return_inverse=True)
        return _Lines(xy[at_first[place.ravel()]], self.offsets + added, place.ravel())


def _on_sphere(xy: Float64s) -> Float64s:
    """Points (p, 3) in metres, whose distances are those on the ground where these are short."""
    lon, lat = np.radians(xy).T
    return _RADIUS * np.column_stack(
        (np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat))
    )
