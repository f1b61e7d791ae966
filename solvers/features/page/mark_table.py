"""Marks of a display list as data: at some scales, of which a page shows any scale between.

A point of a mark lies at a place of the graph and so many pixels beside it. Along a scale
the place moves as the graph does, and the pixels change between the scales in a straight
line, so that marks are exact at these scales and between them, as long as sizes in pixels
grow evenly. Marks that belong together are a part; a mark that looks otherwise from some
scale on, as an id that then fits inside its disc, is another one from there.

Colours are the names of roles, which a page looks up in its scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

import numpy as np

from solvers.features.page.pack import Packer
from solvers.picture.colours import LIGHT, Tokens
from solvers.picture.display import (
    HALO,
    Area,
    Disc,
    Mark,
    Pixels,
    Plate,
    Shape,
    Stroke,
    Symbol,
    Words,
    text_colour_on,
)
from solvers.picture.scene.camera import Camera
from solvers.system.array_types import Complexes, Float64s, Int64s

SHADE = "shade"  # the colour of a vertex by its distance, and
ON = "on "  # before a colour: black or white, whichever is read on it
_STEPS = 8  # of a pixel
_BETWEEN, _SHARES = 2, 128  # of a point between vertices; steps of a share
_JUMP = 12.0  # pixels from one scale to the next, above which a mark is at another place
_AT_PLACE = 0.6  # pixels from a vertex that a point belongs to

_ROLES = [name for name, value in asdict(LIGHT).items() if isinstance(value, str)]
# a colour of its own for each role, by which its name is found again
ROLE_OF = {f"#{place:06X}": name for place, name in enumerate(_ROLES, 0xA0)}
PROBE = Tokens(dark=False, **{name: colour for colour, name in ROLE_OF.items()})

Style = tuple[Any, ...]
# 0 and 1 are the vertices near a part, `_BETWEEN` so far along the line between them and
# so far across
Anchor = tuple[int, ...]
Look = tuple[int, tuple[Anchor, ...]]  # a shape with the places of its points
Flat = Stroke | Area | Disc | Plate | Words


class MarkTable:
    """Marks at ``scales``, ascending; ``places`` are (n, 2) of the graph's vertices, on a
    grid of ``step``.
    """

    def __init__(self, scales: Sequence[float], places: Float64s, step: float):
        self.scales = list(scales)
        self._vertices = _complex(np.rint(places / step) * step)
        self._scales = np.array(scales)
        self._styles: dict[Style, int] = {}
        self._shapes: dict[tuple[int, int, int, tuple[tuple[int, ...], ...]], int] = {}
        self._parts: dict[tuple[tuple[int, ...], tuple[tuple[Look, ...], ...]], int] = {}

    def part(
        self,
        marks: Sequence[Sequence[Mark | Pixels] | None],
        cameras: Sequence[Camera],
        near: Sequence[int],
        shade: str = "",
    ) -> int:
        """The number of a part: its marks at each scale, None where it has none, in pixels
        of cameras; points may belong to vertices ``near`` them. What has the colour
        ``shade`` gets that of its vertex.
        """
        frames = [[] if one is None else list(_flat(one)) for one in marks]
        looks = [list(_styles(one, shade)) for one in frames]
        offsets = _complex(np.array([camera.offset for camera in cameras]))
        labels = [bool(near) and any(isinstance(one, Words) for one in frame) for frame in frames]
        tracks = []
        for place in range(max(map(len, frames))):
            track, first = list[Look](), 0
            while first < len(frames):
                last = first
                while last + 1 < len(frames) and (
                    looks[last][place : place + 1] == looks[last + 1][place : place + 1]
                    and not (labels[last] and self._jumps(place, frames, offsets, last, near))
                ):
                    last += 1
                if place < len(frames[first]):
                    here, at = frames[first : last + 1], offsets[first : last + 1]
                    series = [one[place] for one in here]
                    points = anchors = _seen(series, at)
                    if isinstance(here[0][-1], Words):
                        anchors = _seen([one[-1] for one in here], at)
                    places = self._places(anchors, first, near)
                    style = looks[first][place]
                    shape = self._shape(style, first, points, _sizes(series), near, places)
                    track.append((shape, places))
                first = last + 1
            tracks.append(tuple(track))
        return self._parts.setdefault((tuple(near), tuple(tracks)), len(self._parts))

    def pack(self, packer: Packer, name: str) -> dict[str, object]:
        """Put the table into the packer; what else a page needs of it."""
        shapes, numbers = [], []
        for style, first, last, frames in self._shapes:
            shapes += [style, first, last, len(frames), len(frames[0])]
            numbers += self._residuals(np.array(frames, np.int64), first)
        packer.integers(f"{name}.shapes", np.array(shapes), steps=False)
        packer.integers(f"{name}.numbers", np.array(numbers), steps=False)
        packer.integers(f"{name}.parts", np.array(list(self._listed())), steps=False)
        units = {"steps": _STEPS, "shares": _SHARES, "halo": HALO}
        return {"scales": self.scales, "styles": list(self._styles), **units}

    def _listed(self) -> Iterator[int]:
        """The parts one after another. Shapes are counted back from that of a new one."""
        known = 0
        for near, tracks in self._parts:
            yield from (len(near), *near, len(tracks))
            for track in tracks:
                yield len(track)
                for shape, places in track:
                    yield known - shape
                    known = max(known, shape + 1)
                    if len(near) > 1:
                        yield len(places)
                        yield from chain.from_iterable(places)

    def _jumps(
        self,
        place: int,
        frames: list[list[Flat]],
        offsets: Complexes,
        last: int,
        near: Sequence[int],
    ) -> bool:
        """Whether a mark of a label is elsewhere at the next scale."""
        pair, scales = slice(last, last + 2), self._scales[last : last + 2]
        marks = [one[place] for one in frames[pair] if place < len(one)]
        if not marks:
            return False
        middle = self._vertices[list(near)].mean()
        beside, after = _seen(marks, offsets[pair]) - middle * scales[:, None]
        if len(near) > 1:  # a label on an arc is at the same share of it
            beside = beside * (scales[1] / scales[0])
        apart = after - beside
        return bool(np.maximum(np.abs(apart.real), np.abs(apart.imag)).max() >= _JUMP)

    def _shape(
        self,
        style: Style,
        first: int,
        points: Complexes,
        sizes: Float64s,
        near: Sequence[int],
        places: Sequence[Anchor],
    ) -> int:
        """The number of the shape of a mark whose points belong to places, all to one or each
        to its own.
        """
        last = first + len(points) - 1
        start, end = self._ends(near)
        at = start + (end - start) * np.array([_share(place) for place in places])
        beside = (points - at * self._scales[first : last + 1, None]).view(np.float64)
        numbers = np.rint(np.concatenate((beside, sizes), axis=1) * _STEPS).astype(np.int64)
        frames = tuple(map(tuple, numbers.tolist()))
        if all(frame == frames[0] for frame in frames):
            frames = frames[:1]
        number = self._styles.setdefault(style, len(self._styles))
        return self._shapes.setdefault((number, first, last, frames), len(self._shapes))

    def _places(self, points: Complexes, first: int, near: Sequence[int]) -> tuple[Anchor, ...]:
        """What the points of a mark belong to, with which they move along the scale; one if
        it is the same for all.
        """
        start, end = self._ends(near)
        if start == end:
            return ((0,),)
        scales = self._scales[first : first + len(points)]
        at = points[-1] / scales[-1]
        if len(scales) > 1:
            at = (points[-1] - points[-2]) / (scales[-1] - scales[-2])
        shares, length = (at - start) / (end - start), abs(end - start) * scales[-1]
        found = tuple(_place(share, length) for share in shares.tolist())
        return found[:1] if len(set(found)) == 1 else found

    def _ends(self, near: Sequence[int]) -> tuple[complex, complex]:
        """The first and the last of the vertices that a part is near."""
        return (self._vertices[near[0]], self._vertices[near[-1]]) if near else (0.0, 0.0)

    def _residuals(self, frames: Int64s, first: int) -> list[int]:
        """What of the numbers of the third and later scales is not in a straight line with
        the two before.
        """
        found = frames.copy()
        found[1:2] -= frames[:1]
        for k in range(2, len(frames)):
            one, two, three = self.scales[first + k - 2 : first + k + 1]
            share = (three - two) / (two - one)
            found[k] -= np.floor(
                frames[k - 1] + (frames[k - 1] - frames[k - 2]) * share + 0.5
            ).astype(np.int64)
        numbers: list[int] = found.T.reshape(-1).tolist()
        return numbers


def _flat(marks: Sequence[Mark | Pixels]) -> Iterator[Flat]:
    """Marks without symbols, whose shapes are about a point, and without lines of no length."""
    for mark in marks:
        if isinstance(mark, Symbol):
            yield from (_moved(shape, mark.x, mark.y) for shape in mark.shapes)
        elif isinstance(mark, Flat):
            if not isinstance(mark, Stroke) or len(mark.points):
                yield mark
        else:
            raise TypeError(f"a page has no {type(mark).__name__}")


def _moved(shape: Shape, dx: float, dy: float) -> Flat:
    if isinstance(shape, Area):
        return replace(shape, points=np.add(shape.points, (dx, dy)))
    if isinstance(shape, Disc):
        x, y = shape.middle
        return replace(shape, middle=(x + dx, y + dy))
    raise TypeError(f"a page has no symbol with {type(shape).__name__}")


def _points(mark: Flat) -> Sequence[Sequence[float]] | Float64s:
    """(k, 2)"""
    if isinstance(mark, Stroke | Area):
        return mark.points
    if isinstance(mark, Disc):
        return [mark.middle]
    if isinstance(mark, Plate):
        box = mark.box
        return [(box.x0, box.y0), (box.x1, box.y1)]
    return [(mark.x, mark.y)]


def _seen(series: Sequence[Flat], offsets: Complexes) -> Complexes:
    """(scales, points) pixels from the middle of the graph."""
    return _complex(np.array([_points(mark) for mark in series])) - offsets[:, None]


def _complex(pairs: Float64s) -> Complexes:
    """(..., 2) coordinates as x + yj."""
    found: Complexes = pairs.view(np.complex128)[..., 0]
    return found


def _place(share: complex, length: float) -> Anchor:
    """What a point moves with that is at a share of the line between two vertices."""
    for place, whole in enumerate((0.0, 1.0)):
        if abs(share - whole) * length < _AT_PLACE:
            return (place,)
    return _BETWEEN, round(share.real * _SHARES), round(share.imag * _SHARES)


def _share(place: Anchor) -> complex:
    """Where between two vertices that is."""
    return complex(*place[1:]) / _SHARES if place[0] == _BETWEEN else place[0]


def _sizes(series: Sequence[Flat]) -> Float64s:
    """(scales, 0 or 1) a number besides the points that depends on the scale."""
    first = series[0]
    if isinstance(first, Disc):
        return np.array([[mark.radius] for mark in series if isinstance(mark, Disc)])
    if isinstance(first, Words):
        return np.array([[mark.style.size] for mark in series if isinstance(mark, Words)])
    return np.empty((len(series), 0))


def _styles(marks: Sequence[Flat], shade: str) -> Iterator[Style]:
    """What does not depend on the scale: the kind, the number of points, and the look."""
    fill = shade or None

    def ink(colour: str | None, *, may_be_on: bool = False) -> str | None:
        if colour is None or colour in ROLE_OF:
            return None if colour is None else ROLE_OF[colour]
        if colour == shade:
            return SHADE
        if may_be_on and fill is not None and colour == text_colour_on(fill):
            return f"{ON}{ink(fill)}"
        return colour

    for mark in marks:
        count = len(_points(mark))
        if isinstance(mark, Stroke):
            dashes = tuple(length * mark.width for length in mark.dashes)
            kind = "curve" if mark.is_curve else "line"
            yield kind, count, None, ink(mark.colour), mark.width, mark.opacity, dashes
        elif isinstance(mark, Area | Disc | Plate):
            kind = type(mark).__name__.lower()
            radius = (mark.radius,) if isinstance(mark, Plate) else ()
            inside = ink(mark.fill, may_be_on=True)
            looks = inside, ink(mark.outline), mark.width, mark.opacity
            fill = mark.fill or fill
            yield kind, count, *looks, *radius
        else:
            style = mark.style
            inks = ink(mark.colour, may_be_on=True), ink(mark.halo)
            letters = style.weight, style.is_struck, mark.anchor, mark.text, mark.is_upward
            yield "words", count, *inks, *letters
