"""The questions of pages, answered by a program that reads only what a page shows. Skipped
without Chromium.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers.core.variant import find_variant
from solvers.features.lesson.lesson import StepProgress
from solvers.features.lesson.pairs_lesson import pair_steps_of
from solvers.features.page.document import PageContent, write_page
from solvers.features.page.drawing import drawing_of
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.scene.scene import build_scene
from tests.browser import Browser
from tests.quick import first_quick
from tests.solvers.features.lesson.test_pairs_lesson import lessons, watched
from tests.solvers.features.page.reading import READER, PageReader
from tests.solvers.features.page.test_drawing import chromium, needs_chromium, traced

__all__ = ["chromium"]

_PAIRS = (
    ("dijkstra-heap", "bf-serial"),
    ("bf-serial", "sssp-delta-omp"),
    ("sssp-delta-omp", "dijkstra-array"),
    ("da2cf-f-cpu", "bf-python", "dijkstra-heap"),
    ("dijkstra-fibonacci",),
)


def small_graph(seed: int) -> Graph:
    """A few vertices in the plane with arcs to some near ones: one way, both ways, of
    equal and other weights; some parallel, and loops.
    """
    chance = np.random.default_rng(seed)
    n = 6 + seed % 7
    x, y = np.meshgrid(np.arange(4.0), np.arange(4.0))
    grid = np.column_stack((x.ravel(), y.ravel()))[chance.permutation(16)[:n]]
    places = grid * 100 + chance.uniform(-25, 25, (n, 2))
    apart = np.abs(places[:, None] - places[None]).sum(axis=2)
    near = np.argsort(apart, axis=1)[:, 1:4]
    tails, heads = np.repeat(np.arange(n), 3), near.ravel()
    weights = chance.integers(1, 20, len(tails))
    both = chance.random(len(tails)) < 0.3
    tails, heads = np.r_[tails, heads[both]], np.r_[heads, tails[both]]
    weights = np.r_[weights, weights[both]]
    if seed % 3 == 0:
        tails, heads = np.r_[tails, tails[0], 1], np.r_[heads, heads[0], 1]
        weights = np.r_[weights, weights[0] + 3, 5]
    return Graph.from_arcs(
        n,
        tails,
        heads,
        weights.astype(np.int32),
        ids=np.arange(1, n + 1),
        coordinates=Coordinates(places),
        name=f"graph {seed}",
    )


def read(chromium: Browser, path: Path, content: PageContent) -> PageReader:
    """A page that is open, and told what it draws."""
    reads = chromium.call("Page.addScriptToEvaluateOnNewDocument", source=READER.read_text("utf-8"))
    chromium.open(write_page(content, path))
    chromium.call("Page.removeScriptToEvaluateOnNewDocument", **reads)
    return PageReader(chromium)


@needs_chromium
@pytest.mark.parametrize("variant_id", ["fw-serial", "fw-omp-tiled"])
@pytest.mark.parametrize("seed", first_quick(range(5)))
def test_cells_of_a_matrix_are_answered_right_by_what_the_page_shows(
    chromium, tmp_path, seed, variant_id
):
    graph = small_graph(seed)
    tile = {} if variant_id == "fw-serial" else {"tile": 4}
    result = watched(graph, variant_id, **tile)
    content = PageContent(graph, [result], 0, graph.n - 1, drawing_of(build_scene(graph)))
    told = read(chromium, tmp_path / "page.html", content).answer_all()
    assert len(told) >= 4
    assert {re.match(r"\w+", words)[0] for words, _ in told} == {"Which", "What"}
    assert [line for line in told if not line[1].startswith("Right.")] == []


@needs_chromium
def test_a_page_steps_through_cells_as_the_window_does(chromium, tmp_path):
    graph = small_graph(1)
    result = watched(graph, "fw-serial")
    content = PageContent(graph, [result], 0, graph.n - 1, drawing_of(build_scene(graph)))
    read(chromium, tmp_path / "page.html", content)
    chromium.run("document.getElementById('first').click()")
    said, lines = [], []
    for _ in range(60):
        chromium.run(
            "[...document.querySelectorAll('#lesson button')].find("
            "one => one.innerText === 'Next step').click()"
        )
        chromium.settle()
        said.append(chromium.run("document.getElementById('said').innerText"))
        lines.append(chromium.run("document.querySelector('#lesson .now')?.innerText"))
    code = find_variant("fw-serial").pseudocode
    expected = []
    for lesson in lessons(result):
        steps = pair_steps_of(lesson)
        for k in range(len(steps)):
            shown = replace(lesson, progress=StepProgress(steps, steps[: k + 1]))
            expected.append((shown.words, code.lines[code.line_of(steps[k].step)].text))
    assert [*zip(said, lines, strict=True)] == [
        (re.sub(r"\s+", " ", words), line) for words, line in expected[:60]
    ]


@needs_chromium
@pytest.mark.parametrize("seed", first_quick(range(10), 2))
def test_every_question_is_answered_right_by_what_the_page_shows(chromium, tmp_path, seed):
    graph = small_graph(seed)
    results = traced(graph, 0, graph.n - 1, *_PAIRS[seed % len(_PAIRS)])
    content = PageContent(graph, results, 0, graph.n - 1, drawing_of(build_scene(graph)))
    told = read(chromium, tmp_path / "page.html", content).answer_all()
    assert len(told) >= 4
    assert {re.match(r"\w+", words)[0] for words, _ in told} == {"Which", "What"}
    assert [line for line in told if not line[1].startswith("Right.")] == []
