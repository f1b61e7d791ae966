"""The marks of a lesson's matrix on a page: what may lie on a cell, the outlines of the cells
that a phase writes, and the ids around all.

Which of them are shown after a step, and the colours of the cells, follow from its distances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from solvers.core.result import Result
from solvers.core.trace import MatrixTrace
from solvers.features.lesson.matrix_lesson import cell_marks, matrix_lesson_of, outline, ring
from solvers.features.lesson.pairs_lesson import start_distances
from solvers.features.page.close_marks import Chip
from solvers.features.page.mark_table import PROBE, MarkTable
from solvers.features.page.pack import Packer
from solvers.picture.display import Box, Mark, TextSizes
from solvers.picture.matrix import MatrixContent
from solvers.picture.overlay.matrix import MatrixLayout, around_marks
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.values import bare_distance

# pixels of a cell: numbers are written from 20 on
_SIDES = [*np.geomspace(4.0, 19.99, 6).tolist(), *np.geomspace(20.0, 80.0, 20).tolist(), 240.0]
_LAYOUT = MatrixLayout(1e5, 1e5)  # of a view that shows all
_ONE = (0, 0, 1, 1)  # a cell
_SHADE = "#123456"  # stands for the colour of a cell


def pair_chips(
    result: Result, lesson: Mapping[str, Any], words: dict[float, str], sizes: TextSizes
) -> dict[str, Chip]:
    """All chips that a cell may have, alone or in place of others, by their keys. Adds ``words``
    of distances.
    """
    trace, graph = result.trace, result.graph
    assert isinstance(trace, MatrixTrace)
    assert trace.distances is not None  # it is explained
    steps = (step for phase in lesson["steps"] for step in phase)
    falls = [step["fall"] for step in steps if step["fall"] is not None]
    known = np.concatenate((start_distances(graph)[None], trace.distances)).reshape(-1, graph.n**2)
    values, places = np.unique(np.concatenate((known.ravel(), falls)), return_inverse=True)
    texts = [words.setdefault(v, bare_distance(v, graph.weight_unit)) for v in values.tolist()]
    widths = np.array([Chip(text).width(sizes) for text in texts])
    at = places[: known.size].reshape(known.shape)
    changes = np.stack((at[:-1].ravel(), at[1:].ravel()))
    _, first = np.unique(widths[changes], axis=1, return_index=True)
    of_width = dict(zip(widths.tolist(), range(len(widths)), strict=True)).values()
    within = product(of_width, set(places[known.size :].tolist()))
    chips = [Chip(texts[place]) for place in of_width]
    for old, new in (*changes[:, first].T.tolist(), *within):  # any of equal widths may fall
        chips.append(Chip(texts[new], "" if texts[old] == "∞" else texts[old], True))
    return {chip.key(sizes): chip for chip in chips}


def pack_cells(
    packer: Packer, number: int, result: Result, chips: Mapping[str, Chip], sizes: TextSizes
) -> dict[str, object]:
    """Put the marks of a run into the packer; what else a page needs of them."""
    trace, graph, n = result.trace, result.graph, result.graph.n
    assert isinstance(trace, MatrixTrace)
    corners = [(column, row) for row, column in product(range(n + 1), repeat=2)]
    table = MarkTable(_SIDES, np.array(corners), 1.0)
    cameras = [Camera(0.0, 0.0, side, 0.0, 0.0) for side in _SIDES]

    def part(
        marks: Callable[[Box], Iterable[Mark]], *near: int, cells: Sequence[int] = _ONE
    ) -> int:
        """A part whose marks are about some cells."""
        boxes = [Box(*(side * np.array(cells))) for side in _SIDES]
        return table.part([list(marks(box)) for box in boxes], cameras, near, _SHADE)

    def number_of(chip: Chip) -> int:
        text, former, fell = chip
        return part(lambda box: cell_marks(sizes, box, text, PROBE, _SHADE, former, fell=fell))

    def outlines(position: int) -> list[int]:
        found = []
        for mark in MatrixContent(graph, None, trace, position).marks():
            for row0, row1, column0, column1 in mark.tiles.tolist():
                ends = row0 * (n + 1) + column0, row1 * (n + 1) + column1
                lines = partial(outline, tokens=PROBE, is_now=mark.now)
                found.append(part(lines, *ends, cells=(column0, row0, column1, row1)))
        return found

    around, placed = [], []
    shown = MatrixContent(graph, None, trace, explanation=matrix_lesson_of(graph, trace, 0, None))
    for side in _SIDES:
        camera = Camera(n / 2, n / 2, side, _LAYOUT.plot.width, _LAYOUT.plot.height)
        line, *names = around_marks(_LAYOUT, camera, shown, PROBE, sizes)
        around.append([*names, line])  # last, so that it is no label
        place = _LAYOUT.place(camera, n)
        placed.append(Camera(0.0, 0.0, side, 2 * place.x0, 2 * place.y0))
    return {
        "chips": {key: number_of(chip) for key, chip in chips.items()},
        "ring": part(partial(ring, colour=PROBE.text, tokens=PROBE)),
        "outlines": [outlines(position) for position in range(len(trace))],
        "around": table.part(around, placed, (0, n)),
        **table.pack(packer, f"{number}.cells"),
    }
