"""Answers the questions of a page as a person does: by what is drawn and written there, with
clicks and keys. It knows no name of the page's scripts and no answer.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tests.browser import Browser

READER = Path(__file__).with_name("scripts") / "reader.js"
_SAME_PLACE, _NEXT = 3.0, 9.0  # pixels
_NEARER = 0.7  # to the head than to the tail, of a click on an arc
_CORNERS = 3  # of an arrow head
_SHARES = [i / 40 for i in range(2, 39)]
_BEFORE_FIRST = "before the first iteration"


@dataclass(frozen=True)
class DrawnVertex:
    """A vertex in a pane: where it is, what is written in and beside it, its outline."""

    name: str
    at: complex
    distance: str
    is_active: bool
    is_improved: bool


@dataclass(frozen=True)
class DrawnArc:
    """A line as it is drawn: the vertices at its ends, points along it, and where it has heads."""

    tail: DrawnVertex
    head: DrawnVertex
    bend: complex
    points: tuple[complex, ...]
    heads: frozenset[str]

    @property
    def key(self) -> tuple[str, str, complex]:
        return self.tail.name, self.head.name, self.bend


class Picture:
    """What is drawn in a pane, by places in the page."""

    def __init__(self, drawn: dict[str, Any], frame: dict[str, Any], active: str, good: str):
        self._shift = complex(*frame["canvas"])
        left, top, width, height = (frame[name] for name in ("x", "y", "width", "height"))
        self._pane = (left, top, left + width, top + height)
        self._active, self._good = active, good
        self._words = [(self._place(one["x"], one["y"]), one) for one in drawn["words"]]
        self.vertices = self._read_vertices(drawn["shapes"])
        self.arcs = self._read_arcs(drawn["shapes"])

    def _is_inside(self, at: complex) -> bool:
        left, top, right, bottom = map(float, self._pane)
        return left <= at.real < right and top <= at.imag < bottom

    def _place(self, x: float, y: float) -> complex:
        return complex(x, y) + self._shift

    def _places(self, shape: dict[str, Any]) -> list[complex]:
        return [self._place(*point) for point in shape["points"]]

    def _read_vertices(self, shapes: list[dict[str, Any]]) -> list[DrawnVertex]:
        """A disc with an outline is a vertex, and so is a shape with a white edge beneath it;
        one of these at work has a ring.
        """
        found, chips = [], self._chips(shapes)
        rings = [self._places(one)[0] for one in shapes if _is_ring(one)]
        for one, other in pairwise(shapes):
            is_disc = one["kind"] == "area" and other["kind"] == "line"
            is_marker = one["kind"] == "line" and other["kind"] == "area"
            places = self._places(one)
            if one["points"] != other["points"] or not (is_disc or is_marker):
                continue
            at = sum(places) / len(places)
            if self._is_inside(at):
                is_active = any(abs(ring - at) < _SAME_PLACE + 1 for ring in rings)
                if is_disc:
                    is_active = _rgb(other["colour"]) == self._active and other["width"] > 1.5
                distance, is_improved = chips.get(self._inside(at), ("", False))
                found.append(DrawnVertex(self._inside(at), at, distance, is_active, is_improved))
        return found

    def _inside(self, at: complex) -> str:
        """What is written in a vertex."""
        return next(
            (
                one["text"]
                for place, one in self._words
                if abs(place.real - at.real) < _SAME_PLACE and 0 < place.imag - at.imag < _NEXT
            ),
            "",
        )

    def _chips(self, shapes: list[dict[str, Any]]) -> dict[str, tuple[str, bool]]:
        """What is written on the plate beside each vertex, by its name, and whether it has
        just fallen.
        """
        centres = [
            sum(self._places(one)) / len(one["points"])
            for one, other in pairwise(shapes)
            if one["points"] == other["points"] and "plate" not in (one["kind"], other["kind"])
        ]
        found = {}
        for plate, edge in pairwise(shapes):
            if plate["kind"] != "plate" or plate["points"] != edge["points"]:
                continue
            low, high = self._places(plate)
            middle = (low + high) / 2
            if not self._is_inside(middle):
                continue
            texts = [
                one["text"]
                for place, one in self._words
                if one["bold"]
                and low.real <= place.real <= high.real
                and low.imag <= place.imag <= high.imag
            ]
            nearest = min(centres, key=lambda at: _away(at, low, high))
            found[self._inside(nearest)] = texts[-1], _rgb(edge["colour"]) == self._good
        return found

    def _read_arcs(self, shapes: list[dict[str, Any]]) -> list[DrawnArc]:
        found = []
        for i, curve in enumerate(shapes):
            if curve["kind"] != "curve":
                continue
            start, control, end = self._places(curve)
            if not self._is_inside(start):
                continue
            tail, head = self._nearest(start), self._nearest(end)
            heads = set()
            for area in shapes[i + 1 : i + 3]:
                if area["kind"] != "area" or len(area["points"]) != _CORNERS:
                    break
                tip = self._places(area)[0]
                heads.add(min((tail, head), key=lambda one: abs(one.at - tip)).name)
            along = tuple(
                (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end for t in _SHARES
            )
            bend = complex(round(control.real), round(control.imag))
            found.append(DrawnArc(tail, head, bend, along, frozenset(heads)))
        return found

    def _nearest(self, at: complex) -> DrawnVertex:
        return min(self.vertices, key=lambda one: abs(one.at - at))

    def arcs_of_active(self, both: set[tuple[str, str, complex]]) -> list[complex]:
        """Where to click the arcs that leave active vertices: in their second halves, as
        far as possible from others. Lines that stand for ``both`` directions are two arcs.
        """
        ways = [(one, one.tail, one.head) for one in self.arcs]
        ways += [(one, one.head, one.tail) for one in self.arcs if one.key in both]
        places = []
        for arc, tail, head in ways:
            if not tail.is_active or tail is head:
                continue
            others = [place for one in self.arcs if one.key != arc.key for place in one.points]
            half = [at for at in arc.points if abs(at - head.at) < _NEARER * abs(at - tail.at)]
            places.append(
                max(half, key=lambda at: min((abs(at - o) for o in others), default=math.inf))
            )
        return places


def _away(at: complex, low: complex, high: complex) -> float:
    """Distance of a point from a rectangle."""
    across = at.real - min(max(at.real, low.real), high.real)
    return math.hypot(across, at.imag - min(max(at.imag, low.imag), high.imag))


def _is_ring(shape: dict[str, Any]) -> bool:
    return shape["kind"] == "line" and len(shape["points"]) == 1 and 2.0 < shape["width"] < 2.4


def after_the_phase(before: np.ndarray, words: str, tile: int) -> np.ndarray:
    """What a learner computes of the shown matrix and the words of a question."""
    n = len(before)
    if (single := re.search(r"pivot (\d+)", words)) is not None:
        pivots, rows, columns = [int(single[1]) - 1], [*range(n)], [*range(n)]
        blocks = [(rows, columns)]
    else:
        place = re.search(r"tile (\d+) of \d+, phase (\d)", words)
        assert place is not None
        first = (int(place[1]) - 1) * tile
        pivots = [*range(first, min(n, first + tile))]
        rest = [v for v in range(n) if v not in pivots]
        blocks = {
            "1": [(pivots, pivots)],
            "2": [(pivots, rest), (rest, pivots)],
            "3": [(rest, rest)],
        }[place[2]]
    after = before.copy()
    for k in pivots:
        for rows, columns in blocks:
            for i in rows:
                for j in columns:
                    after[i, j] = min(after[i, j], after[i, k] + after[k, j])
    return after


def _rgb(colour: str) -> str:
    """``#rrggbb`` as styles have it: ``rgb(r, g, b)``."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


class Matrix:
    """The numbers in the right half of a pane, below and beside the ids of the vertices."""

    def __init__(self, drawn: dict[str, Any], frame: dict[str, Any]):
        shift = complex(*frame["canvas"])
        middle = frame["x"] + frame["width"] / 2
        words = [(complex(one["x"], one["y"]) + shift, one["text"]) for one in drawn["words"]]
        words = [word for word in words if word[0].real > middle and "vertex" not in word[1]]
        top = min(at.imag for at, _ in words)
        left = min(at.real for at, _ in words)
        self._columns = {text: at.real for at, text in words if abs(at.imag - top) < _SAME_PLACE}
        self._rows = {text: at.imag for at, text in words if abs(at.real - left) < _SAME_PLACE}
        numbers = [(at, text) for at, text in words if at.imag > top + 1 and at.real > left + 1]
        self.values = np.array(
            [
                [
                    float(
                        min(numbers, key=lambda one: abs(one[0] - self.at(i, j)))[1].replace(
                            "∞", "inf"
                        )
                    )
                    for j in self._columns
                ]
                for i in self._rows
            ]
        )

    def at(self, row: str, column: str) -> complex:
        return complex(self._columns[column], self._rows[row])


class PageReader:
    """Reads and clicks one page, which is open."""

    def __init__(self, browser: Browser):
        self._browser = browser

    def answer_all(self) -> list[tuple[str, str]]:
        """Answer every question; returns each with what the page says of the answer."""
        self._press("Start")
        told = []
        for _ in range(count := int(self._asked("h2").rpartition(" ")[2])):
            self._answer()
            self._press("Check")
            told.append((self._words, self._asked("p[aria-live]")))
            if len(told) < count:
                self._press("›")
        return told

    # -- what is asked --------------------------------------------------------------------------

    def _asked(self, selector: str) -> str:
        return str(self._browser.run(f"document.querySelector('#asked {selector}').innerText"))

    @property
    def _words(self) -> str:
        lines = self._browser.run(
            "[...document.querySelectorAll('#asked > p')].map(one => one.innerText)"
        )
        return str(next(line for line in lines if line.startswith(("Which", "What"))))

    def _answer(self) -> None:
        words = self._words
        if "fewest iterations" in words:
            self._tick_first_to_end()
            return
        heads = self._heads()
        asked = self._browser.run("document.querySelector('#asked > p').innerText")
        run = next((i for i, head in enumerate(heads) if head["name"] == asked), 0)
        if "D[" in words or "cell" in words:
            self._answer_of_matrix(words, heads[run])
            return
        both = self._lines_of_both(run) if "arcs" in words else set()
        named = re.search(r"(?:after|in) (iteration [\d ]+|[^?]*)\?", words)
        if "next" in words and self._relaxes_all(heads[run]):
            # all are at work in each iteration: the next frontier is what falls in this one
            for one in self._picture(heads[run]).vertices:
                if one.is_improved:
                    self._browser.click(one.at.real, one.at.imag)
            return
        self._go_to(run, named[1] if named and "next" not in words else "")
        picture = self._picture(self._heads()[run])
        if vertex := re.search(r"distance of vertex (\S+)", words):
            self._type(next(one.distance for one in picture.vertices if one.name == vertex[1]))
            return
        active = [one.at for one in picture.vertices if one.is_active]
        for place in picture.arcs_of_active(both) if "arcs" in words else active:
            self._browser.click(place.real, place.imag)

    def _relaxes_all(self, pane: dict[str, Any]) -> bool:
        """Whether an iteration relaxes all arcs, as it and the page's subtitle say."""
        all_arcs = self._browser.run("document.getElementById('subtitle').innerText")
        counts = [
            re.findall(rf"([\d\s]+) {word}", text)
            for word, text in (("arcs", all_arcs), ("relaxed", pane["said"]))
        ]
        return [one.strip() for one in counts[0]] == [one.strip() for one in counts[1]]

    def _lines_of_both(self, run: int) -> set[tuple[str, str, complex]]:
        """The lines that stand for both directions: some iteration shows them without a head,
        or with one at their tail.
        """
        self._browser.run("document.getElementById('first').click()")
        self._browser.settle()
        both = set()
        while True:
            said = self._heads()[run]["said"]
            for arc in self._picture(self._heads()[run]).arcs:
                if arc.heads != {arc.head.name}:
                    both.add(arc.key)
            self._browser.run("document.getElementById('forward').click()")
            self._browser.settle()
            if self._heads()[run]["said"] == said:
                return both

    def _answer_of_matrix(self, words: str, pane: dict[str, Any]) -> None:
        """The page shows the phase before: what comes of the next is computed."""
        matrix = Matrix(self._browser.run("drawings"), {**pane, "canvas": self._canvas()})
        after = after_the_phase(matrix.values, words, 4)
        if cell := re.search(r"D\[(\d+), (\d+)\]", words):
            self._type(f"{after[int(cell[1]) - 1, int(cell[2]) - 1]:g}")
            return
        for row, column in zip(*np.nonzero(after < matrix.values), strict=True):
            place = matrix.at(str(row + 1), str(column + 1))
            self._browser.click(place.real, place.imag)

    def _tick_first_to_end(self) -> None:
        """Each pane says in its head which iteration of how many it shows."""
        self._browser.run("document.getElementById('last').click()")
        self._browser.settle()
        lengths = {
            head["name"]: int(re.sub(r"\D", "", head["said"].split("·")[0].rpartition("of")[2]))
            for head in self._heads()
        }
        least = min(lengths.values())
        for name, length in lengths.items():
            if length == least:
                self._browser.run(
                    "[...document.querySelectorAll('#asked label')].find(one => "
                    f"one.innerText.trim() === {name!r}).querySelector('input').click()"
                )

    # -- time -----------------------------------------------------------------------------------

    def _heads(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._browser.run(
            """[...document.getElementById("heads").children].map(one => {
                const { x, y, width, height } = one.getBoundingClientRect();
                return { x, y, width, height,
                         name: one.firstChild.innerText, said: one.lastChild.innerText };
            })"""
        )
        return found

    def _go_to(self, run: int, place: str) -> None:
        """Go to where the head of a run says so; without a place one iteration on."""
        said = self._heads()[run]["said"].split(" · ")[0].strip()
        first = not place and said == _BEFORE_FIRST
        if place or first:
            self._browser.run("document.getElementById('first').click()")
        else:
            self._browser.run("document.getElementById('forward').click()")
        self._browser.settle()
        while place and not re.match(rf"{re.escape(place)}\b", self._heads()[run]["said"]):
            self._browser.run("document.getElementById('forward').click()")
            self._browser.settle()

    # -- picture --------------------------------------------------------------------------------

    def _picture(self, pane: dict[str, Any]) -> Picture:
        active = self._browser.run(
            "getComputedStyle([...document.querySelectorAll('#legend span')].find(one => "
            "one.innerText === 'relaxing its arcs').querySelector('i')).borderTopColor"
        )
        good = self._browser.run(
            "(c => { document.body.style.outlineColor = c; const found = "
            "getComputedStyle(document.body).outlineColor; return found })('var(--good)')"
        )
        frame = {**pane, "canvas": self._canvas()}
        return Picture(self._browser.run("drawings"), frame, active, good)

    def _canvas(self) -> list[float]:
        corner: list[float] = self._browser.run(
            "(b => [b.x, b.y])(document.getElementById('marks').getBoundingClientRect())"
        )
        return corner

    # -- acts -----------------------------------------------------------------------------------

    def _press(self, words: str) -> None:
        self._browser.run(
            "[...document.querySelectorAll('#asked button')].find("
            f"one => one.innerText === {words!r}).click()"
        )
        self._browser.settle()

    def _type(self, text: str) -> None:
        self._browser.run("document.getElementById('typed').focus()")
        self._browser.call("Input.insertText", text=text)
