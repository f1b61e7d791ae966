"""What a text means in a graph: a vertex by its id, coordinates, a named place, or a street.

Window and command line take source and target in this way; what is no vertex itself
stands for the nearest one, or for a point of a road (`solvers.graphs.places`).
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

import numpy as np

from solvers.errors import InputError, SeveralMeant, UnknownName
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.road_data import folded
from solvers.system.array_types import Int64s
from solvers.text import quoted, without_groups
from solvers.units import EARTH_METRES

_OUTSIDE = 0.01  # degrees that coordinates may lie outside the graph, about a kilometre
_COMPARED = 10_000  # names: comparing more with a mistyped one would take seconds
_NEAREST = 3  # names in an error
_ASKED = 30  # streets of a name, among which is asked
_LETTERS = {"N": ("lat", 1), "S": ("lat", -1), "E": ("lon", 1), "W": ("lon", -1)}
_ONLY = re.compile(r"""[-+\d.,;\s°º'′’"″”NSEW]+""")
_DECIMAL_COMMAS = re.compile(r"-?\d+,\d+(\s*;\s*|\s+)-?\d+,\d+")


class SpotKind(Enum):
    """What a text was found to mean."""

    VERTEX = "vertex"
    COORDINATES = "coordinates"
    PLACE = "place"
    STREET = "street"


@dataclass(frozen=True, eq=False)
class Spot:
    """A vertex, and what it was found by; ``vertices``, (k,), are those of a street,
    else the vertex alone.
    """

    kind: SpotKind
    name: str
    vertex: int
    metres: float = 0.0  # from coordinates or a place to the vertex; 0 for others
    place: tuple[float, float] | None = None  # latitude and longitude of these
    vertices: Int64s = field(default_factory=lambda: np.empty(0, np.int64))

    def sentence(self, graph: Graph) -> str:
        """Which vertex it stands for; "" if it is the vertex itself."""
        label = graph.vertex_label(self.vertex)
        match self.kind:
            case SpotKind.VERTEX:
                return ""
            case SpotKind.STREET:
                return f"{self.name}: vertex {label}, near its middle."
            case _:
                away = (
                    f"{self.metres:,.0f} m"
                    if self.metres < 10_000
                    else f"{self.metres / 1000:,.0f} km"
                )
                return f"{self.name}: vertex {label} is the nearest, {away} away."


def parse_coordinates(text: str) -> tuple[float, float] | None:
    """Latitude and longitude in degrees in a usual notation; None if ``text`` is something else.

    Examples
    --------
    "47.14, 9.52", "47,14 9,52", "47°8′24″N 9°31′12″E", "N47.14 E9.52", "9.52E 47.14N",
    "geo:47.14,9.52". Two whole numbers without a sign of degrees are no coordinates:
    they may be one id in groups of digits.
    """
    text = text.strip().removeprefix("geo:").replace("−", "-").upper()
    if _DECIMAL_COMMAS.fullmatch(text):
        text = text.replace(",", ".")
    angles = [angle for half in _halves(text) if (angle := _angle(half)) is not None]
    if not _ONLY.fullmatch(text) or len(angles) != 2:
        return None
    (one, side), (other, other_side) = angles
    if side and side == other_side:
        return None
    latitude, longitude = (other, one) if side == "lon" or other_side == "lat" else (one, other)
    return (latitude, longitude) if abs(latitude) <= 90.0 and abs(longitude) <= 180.0 else None


def _halves(text: str) -> tuple[str, ...]:
    """The two angles of a text; none if it is not clear where the second begins."""
    letters = [match.start() for match in re.finditer("[NSEW]", text)]
    numbers = [match.start() for match in re.finditer(r"-?\d+(\.\d+)?", text)]
    if len(letters) == 2:
        cut = letters[1] if letters[0] == 0 else letters[0] + 1
    elif not letters and len(numbers) in (2, 4, 6) and re.search(r"\d\.\d|[°º]", text):
        cut = numbers[len(numbers) // 2]
    else:
        return ()
    return text[:cut], text[cut:]


def _angle(text: str) -> tuple[float, str] | None:
    """Degrees, with minutes and seconds, and "lat" or "lon" if a letter tells; None
    without a number of them.
    """
    numbers = re.findall(r"\d+(?:\.\d+)?", text)
    side, sign = next((_LETTERS[letter] for letter in text if letter in _LETTERS), ("", 1))
    if not 1 <= len(numbers) <= 3 or any(float(number) >= 60.0 for number in numbers[1:]):
        return None
    value = sum(float(number) / 60.0**k for k, number in enumerate(numbers))
    return value * sign * (-1 if "-" in text else 1), side


def find(graph: Graph, text: str) -> Spot:
    """The vertex that a text means: an id, coordinates, or the name of a place or a street.

    Raises UnknownVertex, UnknownName with the nearest ids or names; SeveralMeant for a
    street in several places; InputError if it is neither, or the coordinates are outside
    the graph.
    """
    if (spot := _spot(graph, text)) is not None:
        return spot
    whole = list(islice(_named(graph, text, whole=True), _ASKED))
    if len(whole) == 1 or (whole and whole[0].kind is SpotKind.PLACE):
        return whole[0]
    if whole:
        raise SeveralMeant(text, [spot.name for spot in whole])
    named = list(islice(_named(graph, text), _NEAREST))
    if len(named) == 1:
        return named[0]
    raise _unknown(graph, text, [spot.name for spot in named])


def suggestions(graph: Graph, text: str, most: int) -> list[Spot]:
    """What a text that is being typed may mean, at most so many: as `find`, then all
    names that contain it.
    """
    try:
        first = _spot(graph, text) if text.strip() else None
    except InputError:
        first = None
    found = [] if first is None else [first]
    return [*found, *islice(_named(graph, text), most - len(found))]


def _spot(graph: Graph, text: str) -> Spot | None:
    """What a text means that is an id or coordinates; None for another. Raises
    `UnknownVertex`, `InputError`.
    """
    if isinstance(graph, LabelledGraph):
        return Spot(SpotKind.VERTEX, text, graph.vertex(text))
    is_geographic = graph.coordinates is not None and graph.coordinates.geographic
    if is_geographic and (coordinates := parse_coordinates(text)) is not None:
        return _at(graph, *coordinates)
    vertex = _vertex(graph, text)
    return None if vertex is None else Spot(SpotKind.VERTEX, text.strip(), vertex)


def _vertex(graph: Graph, text: str) -> int | None:
    """The vertex of an id; None for what is no integer. Raises `UnknownVertex`."""
    try:
        vertex_id = int(without_groups(text))
    except ValueError:
        return None
    return graph.vertex(vertex_id)


def _nearest(graph: Graph, longitude: float, latitude: float) -> tuple[int, float]:
    """The vertex nearest to a point, and how many metres it is away."""
    assert graph.coordinates is not None  # of every graph with places
    steps = (graph.coordinates.xy - (longitude, latitude)) * (math.cos(math.radians(latitude)), 1.0)
    squares = np.einsum("ij,ij->i", steps, steps)
    vertex = int(np.nanargmin(squares))
    return vertex, math.radians(math.sqrt(squares[vertex])) * EARTH_METRES


def _at(graph: Graph, latitude: float, longitude: float) -> Spot:
    """The vertex nearest to coordinates; raises `InputError` outside the graph."""
    assert graph.coordinates is not None
    (west, south), (east, north) = (
        np.nanmin(graph.coordinates.xy, axis=0),
        np.nanmax(graph.coordinates.xy, axis=0),
    )
    if longitude < west - _OUTSIDE and longitude + 360 <= east + _OUTSIDE:
        longitude += 360  # of a network over the antimeridian
    if not (
        south - _OUTSIDE <= latitude <= north + _OUTSIDE
        and west - _OUTSIDE <= longitude <= east + _OUTSIDE
    ):
        raise InputError(
            f"{latitude:g}, {longitude:g} is outside this graph: latitudes {south:.2f} to "
            f"{north:.2f}, longitudes {west:.2f} to {east:.2f}."
        )
    vertex, metres = _nearest(graph, longitude, latitude)
    name, place = f"{latitude:g}, {longitude:g}", (latitude, longitude)
    return Spot(SpotKind.COORDINATES, name, vertex, metres, place)


def _named(graph: Graph, text: str, *, whole: bool = False) -> Iterator[Spot]:
    """Places, then streets, whose name is the text (``whole``), or contains it: those
    that begin with it first.
    """
    roads, wanted = graph.roads, folded((text.strip(),))[0]
    if roads is None or not wanted:
        return
    for place in _matching(roads.places.searched, wanted, whole=whole):
        longitude, latitude = roads.places.xy[place].tolist()
        vertex, metres = _nearest(graph, longitude, latitude)
        name = roads.places.names[place]
        yield Spot(SpotKind.PLACE, name, vertex, metres, (latitude, longitude))
    for street in _matching(roads.searched, wanted, whole=whole):
        if not roads.names[street].islower():  # the kind of a road without a name
            yield from _streets(graph, street)
    street_text, comma, _ = text.rpartition(",")
    if comma:
        for spot in _named(graph, street_text, whole=True):
            if wanted in folded((spot.name,))[0]:
                yield spot


def _streets(graph: Graph, street: int) -> Iterator[Spot]:
    """The streets of a name; those apart from each other with the places nearest to them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    roads, places = graph.roads, []
    assert roads is not None
    arcs = np.flatnonzero(roads.name_of == street)
    ends = graph.tails[arcs], graph.indices[arcs]
    vertices, within = np.unique(np.concatenate(ends), return_inverse=True)
    if not len(vertices):
        return
    parts = np.zeros(len(vertices), np.int64)
    if len(roads.places.names):
        pairs = within[: len(arcs)], within[len(arcs) :]
        joined = coo_array((np.ones(len(arcs)), pairs), shape=(len(vertices),) * 2)
        count, part_of = connected_components(joined, directed=False)
        for part in range(count):
            middle = _middle(graph, vertices[part_of == part].astype(np.int64))
            places.append(_place_near(graph, middle))
        parts = np.array(places)[part_of]
    for part in dict.fromkeys(parts.tolist()):
        of_part = vertices[parts == part].astype(np.int64)
        name, several = roads.names[street], len(set(places)) > 1
        name = f"{name}, {roads.places.names[part]}" if several else name
        yield Spot(SpotKind.STREET, name, _middle(graph, of_part), vertices=of_part)


def _place_near(graph: Graph, vertex: int) -> int:
    """The place that is nearest to a vertex."""
    assert graph.coordinates is not None
    assert graph.roads is not None
    longitude, latitude = graph.coordinates.xy[vertex].tolist()
    steps = graph.roads.places.xy - (longitude, latitude)
    steps = steps * (math.cos(math.radians(latitude)), 1.0)
    return int(np.argmin((steps**2).sum(axis=1)))


def _matching(names: Sequence[str], wanted: str, *, whole: bool) -> list[int]:
    if whole:
        return [
            index
            for index, name in enumerate(names)
            if name == wanted or name.startswith(f"{wanted} (")
        ]
    found = [index for index, name in enumerate(names) if wanted in name]
    return sorted(
        found,
        key=lambda index: (
            not names[index].startswith(wanted),
            f" {wanted}" not in f" {names[index]}",
        ),
    )


def _middle(graph: Graph, vertices: Int64s) -> int:
    """The one of some vertices that is nearest to their middle."""
    assert graph.coordinates is not None
    xy = graph.coordinates.xy[vertices]
    return int(vertices[np.nanargmin(((xy - np.nanmean(xy, axis=0)) ** 2).sum(axis=1))])


def _unknown(graph: Graph, text: str, several: list[str]) -> InputError:
    """The error for a text that means nothing in the graph, or ``several`` things."""
    roads = graph.roads
    if roads is None or not any(letter.isalpha() for letter in text):
        ids = f"ids in this graph are integers, {graph.ids[0]} to {graph.ids[-1]}"
        return InputError(f"“{quoted(text)}” is not a vertex id: {ids}.")
    names = dict(
        zip(
            (*roads.places.searched, *roads.searched),
            (*roads.places.names, *roads.names),
            strict=True,
        )
    )
    near = difflib.get_close_matches(folded((text,))[0], list(names)[:_COMPARED], n=_NEAREST)
    return UnknownName(
        "vertex, place or street", text, nearest=several or [names[name] for name in near]
    )
