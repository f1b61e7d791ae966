"""Scripts of pages that need no document, by Node's own test runner. Skipped without Node.js.

The tests are ``scripts/*.test.mjs``. They get the scripts, a page's data, and what Python
answers to the questions that they ask the scripts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from solvers.features.page import script
from solvers.features.page.close_marks import CloseMarks
from solvers.features.page.document import PageContent, page_html
from solvers.features.page.drawing import page_drawing
from solvers.features.page.pack import Packer
from solvers.features.page.rules import rules_script
from solvers.picture.colours import DARK, LIGHT
from solvers.picture.display import Disc, Plate, Stroke, Symbol, Words
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.edge_buffers import PixelSizes, dot_density
from solvers.picture.raster.frames import Frame
from solvers.picture.raster.marks import waves_of
from solvers.picture.scene.activity import activity_of
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.detail import detail_of
from solvers.picture.scene.lit_roads import RoadPen
from solvers.picture.scene.scene import build_scene
from tests.solvers.features.page.test_drawing import close_graph, sample, traced

TESTS = sorted((Path(__file__).parent / "scripts").glob("*.test.mjs"))
NODE = shutil.which("node")
OLDEST = 20

pytestmark = pytest.mark.skipif(NODE is None, reason="Node.js is not installed")


@dataclass(frozen=True)
class Spots:
    """What `waves_of` asks of a picture: the frontier, and those before it."""

    frontier: np.ndarray
    trail: list[tuple[np.ndarray, float]]


def page_data(graph, source, target, *ids):
    """The data block of a page."""
    content = PageContent(
        graph, traced(graph, source, target, *ids), source, target, page_drawing(graph)
    )
    return re.search(r'id="data">([^<]*)<', page_html(content))[1]


def packed_numbers():
    packer = Packer()
    packer.integers("near", np.arange(1000) + 10**9)
    packer.integers("signed", np.array([0, -1, 1, 64, -(2**40)]), steps=False)
    packer.values("lengths", np.array([3.0, np.inf]))
    packer.floats("halves", np.array([0.5, -1.0]), "f4")
    packer.floats("bytes", np.array([7, 255]), "u1")
    return packer.finish({"name": "</script>"})


def sizes_by_scale(scene):
    """Sizes of a scene in logical pixels, as the window has them."""
    found = []
    for scale in (30.0, 300.0, 3e3, 1e5):
        sizes = PixelSizes.of(scene, scale)
        known = {**asdict(sizes), "dotDensity": dot_density(scene) / sizes.gain}
        pen = RoadPen.of(sizes.spacing)
        found.append(
            {
                "scale": scale,
                "sizes": known,
                "pens": np.c_[pen.widths, pen.strengths].ravel().tolist(),
            }
        )
    return found


def waves_by_count(scene):
    """Waves of small and large frontiers, as the window has them."""
    found = []
    for count, scale, ratio in (
        (1, 500.0, 1.0),
        (600, 500.0, 2.0),
        (601, 500.0, 1.0),
        (7_000, 500.0, 1.0),
        (30_000, 500.0, 1.5),
        (30_000, 30.0, 1.0),
    ):
        content = Spots(
            np.arange(count), [(np.arange(count // 2), 0.2), (np.arange(count // 3), 0.6)]
        )
        waves = waves_of(content, PixelSizes.of(scene, scale), ratio)
        shown = [
            {**asdict(wave), "vertices": len(wave.vertices), "colour": wave.colour(DARK)}
            for wave in waves
        ]
        found.append({"count": count, "scale": scale, "ratio": ratio, "waves": shown})
    return found


def drawn_marks(graph, result):
    """What the window draws over close views, at scales of the page's data and between."""
    scene, sizes = build_scene(graph), PillowTextSizes()
    close = CloseMarks(scene, 2.0**-20, sizes)
    scales = [*close.scales[1:], 1.1 * close.scales[0], 3.0 * close.scales[-1]]
    activity = activity_of(graph, result, result.trace)
    found = []
    for place, scale in enumerate(scales):
        camera, position = close.camera(scale), place % len(result.trace)
        for tokens in (LIGHT, DARK):
            content = PictureContent(scene, activity, position, 0, 2, result.path)
            view = OverlayView(camera, content, tokens, sizes, detail_of(scene, camera))
            marks = overlay_marks(view, Frame(None, camera, 1.0, view.detail, 1.0, None, (), 0))
            found.append(
                {
                    "camera": asdict(camera),
                    "position": position,
                    "dark": tokens.dark,
                    "exact": scale in close.scales,
                    "marks": [described(mark) for mark in flat(marks)],
                }
            )
    return found


def flat(marks):
    """Marks without symbols."""
    for mark in marks:
        if isinstance(mark, Symbol):
            for shape in mark.shapes:
                yield from flat([moved(shape, mark.x, mark.y)])
        else:
            yield mark


def moved(shape, dx, dy):
    if isinstance(shape, Disc):
        return replace(shape, middle=(shape.middle[0] + dx, shape.middle[1] + dy))
    return replace(shape, points=shape.points + np.array((dx, dy)))


def described(mark):
    """A mark as its kind, points, size, colours and words."""
    if isinstance(mark, Stroke):
        kind = "curve" if mark.is_curve else "line"
        return [kind, mark.points.tolist(), mark.width, None, mark.colour, ""]
    if isinstance(mark, Words):
        return ["words", [[mark.x, mark.y]], mark.style.size, mark.colour, mark.halo, mark.text]
    if isinstance(mark, Disc):
        return ["disc", [list(mark.middle)], mark.radius, mark.fill, mark.outline, ""]
    if isinstance(mark, Plate):
        box = mark.box
        corners = [[box.x0, box.y0], [box.x1, box.y1]]
        return ["plate", corners, mark.width, mark.fill, mark.outline, ""]
    return ["area", mark.points.tolist(), mark.width, mark.fill, mark.outline, ""]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The variables that lead to the scripts and to what Python answers."""
    major = int(subprocess.check_output([NODE, "--version"], text=True)[1:].split(".")[0])
    if major < OLDEST:
        pytest.skip(f"Node.js {major} is installed; the scripts are tested with {OLDEST} or later")
    folder = tmp_path_factory.mktemp("page")
    for module in script.PLAYER.glob("*.js"):
        shutil.copy(module, folder)
    (folder / script.RULES).write_text(rules_script(), "utf-8")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    scene, close = build_scene(sample("harbour")), close_graph()
    bounds = scene.bounds
    (lesson,) = traced(close, 0, 2, "dijkstra-heap")
    known = {
        "numbers": packed_numbers(),
        "textbook": page_data(sample("textbook"), 0, 7, "dijkstra-heap", "bf-serial"),
        "close": page_data(close, 0, 2, "dijkstra-heap"),
        "drawn": drawn_marks(close, lesson),
        "harbour": page_data(scene.graph, 0, 2499, "sssp-delta-omp"),
        "scene": {
            "bounds": [bounds.x0, bounds.y0, bounds.x1, bounds.y1],
            "edges": scene.edges,
            "meanLength": scene.mean_length,
            "vertices": scene.vertices,
        },
        "sizes": sizes_by_scale(scene),
        "waves": waves_by_count(scene),
        "tokens": {"frontier": DARK.frontier, "trail": DARK.trail},
    }
    (folder / "known.json").write_text(json.dumps(known), "utf-8")
    return {**os.environ, "TAUTPATH_PAGE": folder.as_uri() + "/"}


@pytest.mark.parametrize("tests", TESTS, ids=lambda path: path.name)
def test_scripts_in_node(tests, environment):
    done = subprocess.run(
        [NODE, "--test", tests], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
