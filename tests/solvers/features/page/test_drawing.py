"""Pages in headless Chromium: the window's pixels, and what clicks and keys do. Skipped
without Chromium.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from solvers.core.variant import find_variant
from solvers.features.page.document import PageContent, write_page
from solvers.features.page.drawing import drawing_of, page_drawing
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.picture.colours import DARK, LIGHT
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.pillow_painter import paint
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.activity import activity_of
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.detail import detail_of
from solvers.picture.scene.scene import build_scene
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.files import RESOURCES
from tests import browser
from tests.gui.pictures import graph_of
from tests.quick import first_quick

needs_chromium = pytest.mark.skipif(browser.PROGRAM is None, reason="Chromium is not installed")
_VARIANTS = [  # opening and drawing a page takes seconds
    ["dijkstra-heap", "bf-serial"],
    ["dijkstra-array", "sssp-delta-omp", "da2cf-f-cpu"],
]


def traced(graph, source, target, *ids):
    """Results of these variants, with their traces."""
    variants = [find_variant(one) for one in ids]
    plan = MeasurementPlan(warmups=0, trials=2)
    choices = tuple(Choice(variant, variant.settle({})) for variant in variants)
    return list(
        run(RunRequest(graph, source=source, target=target, choices=choices, plan=plan, trace=True))
    )


def sample(name):
    graph, places = (next(RESOURCES.glob(f"samples/{name}.{kind}*")) for kind in ("gr", "co"))
    return read_graph(graph, ReadingOptions(coordinates=str(places))).graph


def close_graph():
    """Bent arcs, one of both directions, parallels, loops and a path around a vertex."""
    arcs = [(0, 1, 2), (1, 0, 5), (1, 2, 1), (2, 1, 1), (0, 3, 4), (3, 3, 1), (0, 2, 3), (0, 3, 7)]
    places = [(0, 0), (4, 0), (8, 0), (4, 3)]
    return graph_of(arcs, places, name="close")


def camera_of(chromium):
    view = chromium.run("tautpath.view")
    return Camera(*(view[name] for name in ("x", "y", "scale", "width", "height")))


def assert_alike(page, window):
    """(h, w, 3) pixels of a page, and the ARGB of the window, but for rounding."""
    wanted = np.stack([(window >> shift) & 255 for shift in (16, 8, 0)], axis=-1).astype(int)
    apart = np.abs(page.astype(int) - wanted).max(axis=-1)
    assert (apart > 6).mean() < 0.002
    assert apart.mean() < 0.1


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser.Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@needs_chromium
@pytest.mark.parametrize("variants", first_quick(_VARIANTS))
def test_a_page_shows_the_pixels_of_the_window(chromium, tmp_path, variants):
    graph = sample("harbour")
    scene, painter = build_scene(graph), FramePainter()
    for i, result in enumerate(traced(graph, 0, 2499, *variants)):
        dark = i % 2 == 1
        path = write_page(
            PageContent(graph, [result], 0, 2499, drawing_of(scene)), tmp_path / "page.html"
        )
        chromium.open(path, 800, 560, dark=dark)
        camera = camera_of(chromium)
        activity = activity_of(graph, result, result.trace)
        for share in (0.0, 0.2, 0.4, 0.7, 1.0):
            chromium.run(f"tautpath.seek(tautpath.timeline.last * {share})")
            moment = chromium.run("tautpath.timeline.moments[tautpath.moment]")
            content = PictureContent(scene, activity, int(moment), 0, 2499)
            frame = painter.last_frame(Request(content, camera, 1.0, DARK if dark else LIGHT))
            assert_alike(chromium.pixels(), frame.pixels)


@needs_chromium
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_close_view_of_a_page_has_the_pixels_of_a_notebook(chromium, tmp_path, dark):
    """Pages drew smaller discs, other letters and no ring around an active target."""
    graph = close_graph()
    (result,) = traced(graph, 0, 2, "dijkstra-heap")
    scene, tokens = build_scene(graph), DARK if dark else LIGHT
    content = PageContent(graph, [result], 0, 2, drawing_of(scene))
    chromium.open(write_page(content, tmp_path / "page.html"), 1100, 760, dark=dark)
    chromium.run("document.fonts.load('700 14px \"Tautpath Sans\"').then(() => 0)")
    scales = "tautpath.model.closeMarks.scales.filter(one => one <= tautpath.view.scale)"
    chromium.run(f"tautpath.zoom({scales}.pop() / tautpath.view.scale)")
    for position in range(len(result.trace)):
        chromium.run(f"tautpath.seek({position})")
        chromium.settle()
        camera = camera_of(chromium)
        activity = activity_of(graph, result, result.trace)
        shown = PictureContent(scene, activity, position, 0, 2, result.path)
        view = OverlayView(camera, shown, tokens, PillowTextSizes(), detail_of(scene, camera))
        frame = Frame(None, camera, 1.0, view.detail, 1.0, None, (), 0)
        image = Image.new("RGB", (round(camera.width), round(camera.height)), tokens.canvas)
        paint(image, overlay_marks(view, frame), 1.0)
        wanted = np.asarray(image).astype(int)
        page = chromium.marks(tokens.canvas).astype(int)
        apart = np.abs(page - wanted).max(axis=-1)
        drawn = (np.abs(wanted - wanted[0, 0]).max(axis=-1) > 30).mean()
        assert drawn > 0.01
        assert (apart > 100).mean() < 0.1 * drawn, "letters and edges of lines alone differ"


@needs_chromium
@pytest.mark.parametrize("sized", [False, True])
def test_vertices_of_a_page_are_as_bright_as_those_of_the_window(chromium, tmp_path, sized):
    graph = sample("harbour")
    scene = build_scene(graph)
    if sized:
        scene = replace(scene, sizes=np.linspace(0.5, 6.0, graph.n).astype(np.float32))
    results = traced(graph, 0, 2499, "dijkstra-heap")
    content = PageContent(graph, results, 0, 2499, drawing_of(scene))
    chromium.open(write_page(content, tmp_path / "page.html"), 800, 560)
    chromium.run("(tautpath.zoom(2.5), tautpath.isMoving = false)")
    chromium.settle()
    activity = activity_of(graph, results[0], results[0].trace)
    shown = PictureContent(scene, activity, len(results[0].trace) - 1, 0, 2499)
    frame = FramePainter().last_frame(Request(shown, camera_of(chromium), 1.0, LIGHT))
    assert frame.detail is None
    assert_alike(chromium.pixels(), frame.pixels)


@needs_chromium
@pytest.mark.parametrize("missing", ["WebGL 2", "EXT_color_buffer_float"])
def test_a_browser_that_cannot_draw_says_why_and_has_the_table(chromium, tmp_path, missing):
    graph = sample("textbook")
    results = traced(graph, 0, 7, "dijkstra-heap")
    content = PageContent(graph, results, 0, 7, drawing_of(build_scene(graph)))
    path = write_page(content, tmp_path / "page.html")
    without = {
        "WebGL 2": "HTMLCanvasElement.prototype.getContext = () => null",
        "EXT_color_buffer_float": "WebGL2RenderingContext.prototype.getExtension = () => null",
    }
    script = chromium.call("Page.addScriptToEvaluateOnNewDocument", source=without[missing])
    chromium.open(path)
    told = chromium.run("document.getElementById('told').textContent")
    shown = chromium.run("document.body.innerText")
    chromium.call("Page.removeScriptToEvaluateOnNewDocument", **script)
    assert missing in told
    assert "hardware acceleration" in told
    assert "Dijkstra heap" in shown
    assert (
        chromium.run("document.querySelector('#results tbody').innerText").split("\t")[-2] == "13"
    )


@needs_chromium
def test_questions_are_answered_by_clicks_and_hostile_names_stay_text(chromium, tmp_path):
    graph, hostile = sample("textbook"), "@DATA@</script><img src=x onerror='window.hurt=1'>\"&"
    results = traced(graph, 0, 7, "dijkstra-heap", "bf-serial")
    content = PageContent(graph, results, 0, 7, drawing_of(build_scene(graph)), title=hostile)
    chromium.open(write_page(content, tmp_path / "page.html"))
    assert chromium.run(
        "[document.title, document.getElementById('title').textContent, window.hurt ?? 0]"
    ) == [
        hostile,
        hostile,
        0,
    ]
    chromium.run("document.querySelector('#asked .main').click()")
    question = chromium.run("tautpath.quiz.now")
    assert question["kind"] == "frontier"
    place = (
        "(v => { const f = document.getElementById('marks').getBoundingClientRect(), m = "
        "tautpath.model.arrays;const p = tautpath.panes()[0], w = tautpath.view;return [f.x + "
        "p.left + (m.px[v] - w.x) * w.scale + w.width / 2,f.y + p.top + (m.py[v] - w.y) * w.scale "
        "+ w.height / 2] })"
    )
    for vertex in question["answer"]:
        chromium.click(*chromium.run(f"{place}({int(vertex)})"))
    chromium.run(
        "[...document.querySelectorAll('#asked button')].find(b => b.textContent === "
        "'Check').click()"
    )
    assert chromium.run("document.querySelector('#asked .score').textContent") == "1 right"
    assert "1 of" in chromium.run("tautpath.quiz.text")
    chromium.run(
        "(document.getElementById('marks').focus(), tautpath.asking = null, tautpath.seek(0))"
    )
    chromium.press("ArrowRight")
    assert chromium.run(
        "[tautpath.moment, document.getElementById('said').textContent.slice(0, 11)]"
    ) == [
        1,
        "iteration 2",
    ]
    assert chromium.run("document.querySelectorAll('#results tbody tr').length") == 2
    shown = chromium.run("document.body.innerText")
    assert "undefined" not in shown
    assert "from 1 to 8: 13" in shown, "the distance"
    assert "few trials" in shown, "what the results say above their table"
    assert "Read with weights: column 3" in shown
    chromium.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    before, touched = (
        chromium.run("({...tautpath.view})"),
        (chromium.run(f"{place}(3)"), chromium.run(f"{place}(4)")),
    )
    for kind, spread in (("touchStart", 0), ("touchMove", 40), ("touchEnd", None)):
        points = (
            []
            if spread is None
            else [(touched[0][0] - spread, touched[0][1]), (touched[0][0] + 80, touched[0][1])]
        )
        fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        chromium.call("Input.dispatchTouchEvent", type=kind, touchPoints=fingers)
    assert chromium.run("tautpath.view.scale") / before["scale"] == pytest.approx(1.5, rel=0.05)
    chromium.call("Emulation.setTouchEmulationEnabled", enabled=False)
    named = {"button", "slider", "combobox", "table", "image", "link"}
    nodes = chromium.call("Accessibility.getFullAXTree")["nodes"]
    assert all(node["name"]["value"] for node in nodes if node["role"]["value"] in named)
    foreign = "<img src=x onerror='hurt=1'><b id=b onclick='hurt=2'>"
    chromium.run(
        f'(document.body.insertAdjacentHTML("beforeend", "{foreign}"), '
        'document.getElementById("b").click())'
    )
    assert (
        chromium.run("fetch('https://example.org').then(() => 'sent', () => 'refused')")
        == "refused"
    )
    assert chromium.run("window.hurt ?? 0") == 0


@needs_chromium
def test_a_matrix_plays_as_shades_and_tiles(chromium, tmp_path):
    graph = sample("grid")
    results = traced(graph, None, None, "fw-omp-tiled")
    trace = results[0].trace
    chromium.open(
        write_page(
            PageContent(graph, results, None, None, page_drawing(graph)), tmp_path / "page.html"
        ),
        700,
        500,
    )
    assert chromium.run("tautpath.timeline.moments.length") == len(trace)
    side = chromium.run("tautpath.model.runs[0].trace.side")
    shades = np.array(chromium.run("Array.from(tautpath.model.runs[0].shades)")).reshape(
        -1, side, side
    )
    last = next(step.snapshot for step in reversed(trace.steps) if step.snapshot is not None)
    assert ((shades[-1] == 255) == np.isinf(last)).all()
    assert (np.diff(shades[-1].ravel()[np.argsort(last, axis=None)].astype(int)) >= 0).all()
    assert (shades[0].diagonal() == 0).all()
    assert (shades[0] == 255).sum() > (shades[-1] == 255).sum()
    drawn = (
        "document.getElementById('marks').getContext('2d').getImageData(0, 0, 700, "
        "300).data.some(c => c)"
    )
    assert chromium.run(f"(tautpath.seek(1), tautpath.paint(), {drawn})")


@needs_chromium
def test_controls_move_through_time_and_view(chromium, tmp_path):
    graph = sample("harbour")
    results = traced(graph, 0, 2499, "sssp-delta-omp", "bf-serial")
    content = PageContent(graph, results, 0, 2499, drawing_of(build_scene(graph)))
    chromium.open(write_page(content, tmp_path / "page.html"), 900, 600)
    last = chromium.run("tautpath.timeline.last")
    for name, moment in (("first", 0), ("forward", 1), ("last", last), ("back", last - 1)):
        chromium.run(f"document.getElementById('{name}').click()")
        assert chromium.run("tautpath.moment") == moment
    chromium.run("(scrub.value = 0, scrub.dispatchEvent(new Event('input')))")
    assert chromium.run("tautpath.moment") == 0
    chromium.run("(clock.value = 'time', clock.dispatchEvent(new Event('change')))")
    ends = chromium.run("tautpath.model.runs.map(run => run.ends[run.ends.length - 1])")
    moments = chromium.run("Array.from(tautpath.timeline.moments)")
    assert moments == sorted(moments)
    assert moments[-1] == max(ends)
    fitted = chromium.run("tautpath.view.scale")
    for name, factor in (("in", 1.5), ("out", 1.0), ("in", 1.5), ("fit", 1.0)):
        chromium.run(f"document.getElementById('{name}').click()")
        assert chromium.run("tautpath.view.scale") == pytest.approx(factor * fitted)
    ink = chromium.run("getComputedStyle(document.body).color")
    chromium.run("document.getElementById('scheme').click()")
    assert chromium.run("getComputedStyle(document.body).color") != ink
    chromium.run("(speed.value = '4', tautpath.seek(tautpath.timeline.last - 9))")
    assert chromium.run("(tautpath.toggle(), play.getAttribute('aria-label'))") == "Pause"
    while chromium.run("tautpath.isPlaying"):
        chromium.settle()
    assert chromium.run("tautpath.moment") == chromium.run("tautpath.timeline.last")
    assert not [e for e in chromium.events if e.get("method") == "Runtime.exceptionThrown"]
