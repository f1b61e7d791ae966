"""What a notebook shows: kinds and sizes of an output, what is left out, files, and no Qt."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from solvers import all_sources, generate, prepare, read, solve, variants
from solvers.errors import InputError, ParameterError, UnknownName
from solvers.features.all_sources import pictures
from solvers.features.notebooks import displays, outputs, show
from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.colours import LIGHT
from solvers.picture.scene.ramps import rgb
from solvers.system.files import RESOURCES
from solvers.text import format_count
from tests.blocked_imports import run_without
from tests.graphs import from_list
from tests.solvers.features.page.test_drawing import chromium, needs_chromium

__all__ = ["chromium"]

SAMPLES = RESOURCES / "samples"
TEXT, HTML, PNG = "text/plain", "text/html", "image/png"


@pytest.fixture(scope="module")
def town():
    return read(SAMPLES / "textbook.gr", coordinates=SAMPLES / "textbook.co")


@pytest.fixture(scope="module")
def roads():
    return generate("road", vertices=900, seed=3)


def shown(thing):
    """The data of a cell that ends with ``thing``."""
    data, metadata = thing._repr_mimebundle_()
    assert set(metadata) <= set(data)
    return data


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def has(data, colour):
    return bool((pixels(data) == rgb(colour)).all(axis=2).any())


def document_in(html):
    """The page in the frame of an output."""
    return unescape(re.search(r'srcdoc="([^"]*)"', html)[1])


def test_a_graph_is_one_picture_with_its_size_and_interpretation(town):
    data = shown(town)
    assert set(data) == {TEXT, HTML, PNG}
    assert "<iframe" not in data[HTML]
    assert data[TEXT] == repr(town)
    caption = town.plot().picture.caption
    assert caption[0] == "textbook: 8 vertices, 26 arcs"
    assert town.interpretation.line in caption


def test_an_answer_is_a_page_over_its_picture(town):
    answer = solve(town, "dijkstra-heap", source=1, target=8)
    data = shown(answer)
    assert set(data) == {TEXT, HTML, PNG}
    assert data[TEXT] == repr(answer)
    html = data[HTML]
    outside = re.sub(r'srcdoc="[^"]*"', "", html)
    assert html.count("<iframe hidden") == html.count("<img") == 1
    assert "<script" not in outside
    assert 'sandbox="allow-scripts allow-downloads"' in outside
    assert "This output holds " in outside
    page = document_in(html)
    assert page.startswith("<!doctype html>")
    assert "</html>" in page
    # the path and the source are on the picture that stands for the page
    assert has(data[PNG], LIGHT.path)
    assert has(data[PNG], LIGHT.source)
    assert not has(shown(town)[PNG], LIGHT.path)


def test_an_answer_runs_once_more_to_be_watched_and_then_no_more(town, monkeypatch):
    runs = []
    monkeypatch.setattr(
        displays, "run", lambda request, run=displays.run: runs.append(request) or run(request)
    )
    answer = solve(town, "bf-serial", source=1)
    first, second = shown(answer), shown(answer.plot())
    assert [(one.trace, one.plan.trials, one.verify) for one in runs] == [(True, 0, False)]
    assert first[HTML] == second[HTML]
    assert answer.result.trace is None


def test_several_answers_are_compared_on_one_page(town, tmp_path):
    first, second = (solve(town, name, source=1) for name in ("dijkstra-heap", "bf-serial"))
    both = first.plot(second)
    assert both.text.splitlines() == [repr(first), repr(second)]
    page = both.save(tmp_path / "race.html").read_text("utf-8")
    assert page == document_in(shown(both)[HTML])
    assert len(page) > len(document_in(shown(first)[HTML]))
    with pytest.raises(InputError, match="up to 4 answers, not 5"):
        first.plot(second, second, second, second)
    with pytest.raises(InputError, match="same graph"):
        first.plot(solve(from_list(2, [(0, 1, 2)]), "dijkstra-heap", source=10))


@pytest.mark.parametrize(("limit", "words"), [("MOST_PLAYED", "up to 3"), ("MOST_HTML", " kB.")])
def test_what_is_too_large_is_a_picture_and_told(town, monkeypatch, limit, words, tmp_path):
    monkeypatch.setattr(displays, limit, 3)
    found = solve(town, "dijkstra-heap", source=1).plot()
    assert "<iframe" not in shown(found)[HTML]
    assert words in found._left_out
    # it is in the picture, which is higher for it
    smaller = found.picture.png()
    assert len(pixels(shown(found)[PNG])) > len(pixels(smaller))
    assert found.save(tmp_path / "run.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.fixture(scope="module")
def step():
    """The answer of a graph with one arc, whose page is soon made."""
    return solve(from_list(2, [(0, 1, 2)]), "dijkstra-heap", source=10, target=13)


@pytest.fixture
def in_cell(monkeypatch):
    """Has displays be those of the cell and execution given."""
    found = outputs.CellOutputs()
    monkeypatch.setattr(displays, "OUTPUTS", found)
    monkeypatch.setattr(outputs, "OUTPUTS", found)
    return lambda cell, execution: monkeypatch.setattr(
        outputs, "_running_cell", lambda: (cell, execution)
    )


def test_pages_of_a_notebook_have_a_limit_which_a_cell_that_runs_again_gives_back(step, in_cell):
    in_cell("a", 1)
    page = len(re.search(r'srcdoc="([^"]*)"', shown(step)[HTML])[1])
    show("pages", limit=int(2.5 * page))
    seen = []
    for cell, execution in (("b", 2), ("c", 3), ("b", 4), ("c", 5), ("a", 6), ("a", 6)):
        in_cell(cell, execution)
        data = shown(step)
        seen.append("<iframe" in data[HTML])
    assert seen == [True, False, True, False, True, False]
    assert "solvers.features.notebooks.show" in step.plot()._left_out
    assert len(pixels(data[PNG])) > len(pixels(step.plot().picture.png()))


def test_a_notebook_chooses_what_cells_show(step, in_cell):
    in_cell("a", 1)
    show("pictures")
    assert "<iframe" not in shown(step)[HTML]
    assert len(pixels(shown(step)[PNG])) == len(pixels(step.plot().picture.png()))
    show("text")
    assert set(shown(step)) == set(shown(variants())) == {TEXT}
    show("pages")
    assert "<iframe" in shown(step)[HTML]
    with pytest.raises(UnknownName, match="“films”"):
        show("films")


def test_a_large_picture_of_a_cell_has_half_the_pixels_of_a_side(roads, monkeypatch):
    full = pixels(roads.plot().picture.png())
    monkeypatch.setattr("solvers.picture.images._MOST_OF_CELL", 1000)
    assert pixels(shown(roads)[PNG]).shape[0] == full.shape[0] // 2


_CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
for cell in (
    "from solvers import read, solve\\ndef mine(graph):\\n    return solve(graph, source=7)",
    "mine(read([(1, 2, 3)]))",
    "mine(read('nothing.gr'))",
):
    shell.run_cell(cell)
"""


def test_an_error_in_a_cell_shows_lines_of_the_user_and_the_message():
    pytest.importorskip("IPython", reason="IPython is not installed")
    done = subprocess.run(
        [sys.executable, "-c", _CELLS], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    files = [line for line in lines if line.startswith(("File ", "Cell "))]
    assert [line.partition("[")[0] for line in files] == ["Cell In", "Cell In", "Cell In"]
    assert any(line.startswith("UnknownVertex: There is no vertex “7”") for line in lines)
    assert any(line.startswith("FileMissing: nothing.gr") for line in lines)
    assert len(lines) < 25


def test_a_large_graph_without_coordinates_is_told_and_not_laid_out(monkeypatch, tmp_path):
    monkeypatch.setattr(displays, "layout", lambda graph: pytest.fail("it was laid out"))
    count = displays.MOST_LAID_OUT + 1
    arcs = np.arange(count - 1)
    graph = Graph.from_arcs(count, arcs, arcs + 1, np.ones(count - 1, np.int32))
    answer = solve(graph, "dijkstra-heap", source=0)
    for thing in (graph, answer):
        data = shown(thing)
        assert set(data) == {TEXT}
        assert data[TEXT].startswith(repr(thing))
        assert f"laid out up to {format_count(count - 1)} vertices: nothing is drawn." in data[TEXT]
    with pytest.raises(InputError, match="nothing is drawn"):
        graph.plot().save(tmp_path / "graph.png")


def test_a_graph_without_vertices_or_places_has_no_fault(town):
    nothing = Graph(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    assert shown(nothing) == {TEXT: repr(nothing)}
    nowhere = replace(town, coordinates=Coordinates(np.full((8, 2), np.nan)))
    assert PNG in shown(nowhere)
    assert PNG in shown(solve(nowhere, "dijkstra-heap", source=1, target=8))


def test_vertices_without_a_place_are_passed_over(roads):
    answer = solve(roads, "dijkstra-heap", source=1, target=900)
    middle = int(answer.result.path[3])
    xy = roads.coordinates.xy.copy()
    xy[middle] = np.nan
    holed = replace(roads, coordinates=replace(roads.coordinates, xy=xy))
    found = solve(holed, "dijkstra-heap", source=1, target=900).plot()
    assert has(found.picture.png(), LIGHT.path)
    wrong = displays.plot_wrong(holed, 0, np.array([middle, 5]), ["wrong"])
    assert has(wrong.picture.png(), LIGHT.bad)


def test_displays_of_a_graph_share_what_is_drawn(town):
    first, second = town.plot(), solve(town, "dijkstra-heap", source=1).plot()
    assert first.picture.content.scene is second.picture.content.scene


def test_a_router_has_a_map_with_its_preparation(roads):
    router = prepare(roads)
    caption = router.map().picture.caption
    assert router.note in caption
    source, budget = int(roads.ids[0]), 2000
    inside, _ = router.within(source, budget)
    found = router.map(source, within=budget)
    told = f"{format_count(len(inside))} vertices within {budget} of {source}."
    assert told in found.picture.caption
    reveal = found.picture.content.activity.reveal
    assert int((reveal == 0).sum()) == len(inside)
    with pytest.raises(ParameterError, match="it needs a source"):
        router.map(within=3)
    with pytest.raises(ParameterError, match="budget"):
        router.map(source, within="far")


def test_all_sources_have_a_map_and_a_histogram(roads):
    found = all_sources(roads, ["closeness", "eccentricity"])
    picture = pictures.display_of(found).picture
    assert int(picture.histogram.counts.sum()) == roads.n
    assert picture.histogram.title == "Eccentricity"
    assert PNG in shown(found)
    flows = pictures.display_of(all_sources(roads, "betweenness")).picture
    assert flows.content.flows is not None
    assert flows.histogram.is_log
    some = pictures.display_of(all_sources(roads, sources=5)).picture
    assert some.histogram is None


def test_variants_are_a_table_and_still_a_tuple():
    found = variants("sssp")
    assert isinstance(found, tuple)
    data = shown(found)
    assert set(data) == {TEXT, HTML}
    assert data[HTML].count("<tr>") == len(found) + 1
    assert all(f">{entry.id}<" in data[HTML] for entry in found)
    assert len(data[TEXT].splitlines()) == len(found)


def test_values_colour_a_graph(town):
    values = np.arange(8.0)
    values[3] = np.nan
    picture = town.plot(values, title="height").picture
    assert picture.content.legend.quantity == "height"
    assert picture.content.values.shade.tolist() == [0, 36, 72, 0, 145, 182, 218, 255]
    assert PNG in shown(town.plot(np.full(8, np.inf)))
    for wrong in (values[:5], "abc", [[1.0] * 8]):
        with pytest.raises(ParameterError, match="one number for each of 8 vertices"):
            town.plot(wrong)


def test_of_many_sources_one_row_is_drawn_and_named(roads):
    answer = solve(roads, sources=[7, 5])
    assert answer.sources == [7, 5]
    assert "<iframe" not in shown(answer)[HTML]
    picture = answer.plot().picture
    assert picture.caption[-1] == "Colours: distances from 7."
    assert picture.content.activity.distances.tolist() == answer.distances[0].tolist()
    pairs = solve(generate("road", vertices=20, seed=3), "fw-serial")
    picture = pairs.plot().picture
    assert picture.caption[-1] == "Colours: distances from 1."
    assert picture.matrix.matrix is pairs.result.distances
    assert "from vertex" in picture.svg()
    assert picture.size[1] > replace(picture, matrix=None).size[1] + 400
    assert set(shown(pairs)) == {TEXT, HTML, PNG}
    with pytest.raises(InputError, match="many sources"):
        answer.plot(answer)


def test_files_are_written_by_their_names(town, tmp_path):
    found = solve(town, "dijkstra-heap", source=1, target=8).plot()
    svg = ElementTree.parse(found.save(tmp_path / "path.svg")).getroot()
    words = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"1", "8", "textbook: 8 vertices, 26 arcs"} <= set(words)
    with Image.open(found.save(tmp_path / "path.png")) as image:
        assert image.width == 2 * displays.WIDTH
    html = town.plot().save(tmp_path / "town.html").read_text("utf-8")
    assert "data:image/png;base64," in html
    table = displays.display_of(variants()).save(tmp_path / "variants.html")
    assert "bf-edge-flags" in table.read_text("utf-8")
    with pytest.raises(ParameterError, match=re.escape("must end in .html, .png or .svg")):
        found.save(tmp_path / "path.pdf")


def test_names_of_a_file_become_no_html(tmp_path):
    evil = '"><script>alert(1)</script>'
    graph = from_list(3, [(0, 1, 2), (1, 2, 2)])
    graph = replace(graph, name=evil, coordinates=Coordinates(np.eye(3)[:, :2]))
    answer = solve(graph, "dijkstra-heap", source=10)
    outside = re.sub(r'srcdoc="[^"]*"', "", shown(answer)[HTML])
    assert "<script" not in outside
    assert "<script>alert" not in document_in(shown(answer)[HTML])
    svg = graph.plot().save(tmp_path / "graph.svg")
    assert not list(ElementTree.parse(svg).getroot().iter("{http://www.w3.org/2000/svg}script"))


def test_only_what_is_asked_for_is_given(town):
    answer = solve(town, "dijkstra-heap", source=1)
    assert set(answer._repr_mimebundle_(include={PNG})[0]) == {PNG}
    assert set(answer._repr_mimebundle_(exclude={HTML, PNG})[0]) == {TEXT}


def test_a_large_picture_has_a_palette(roads, monkeypatch):
    true_colours = roads.plot().picture.png()
    monkeypatch.setattr("solvers.picture.images._MOST_BYTES", 1000)
    few = Image.open(io.BytesIO(roads.plot().picture.png()))
    assert few.mode == "P"
    assert np.abs(pixels(true_colours).astype(int) - np.asarray(few.convert("RGB"))).mean() < 8


def test_matplotlib_draws_on_its_axes(town):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    pyplot.switch_backend("agg")
    _, axes = pyplot.subplots()
    found = town.plot(ax=axes)
    assert axes.images[0].get_array().shape == np.asarray(found.picture.image).shape


_MIDDLE = """(() => {
    const { x, y, width, height } = document.querySelector("%s").getBoundingClientRect();
    return [x + width / 2, y + height / 2];
})()"""


@pytest.fixture(scope="module")
def output(town):
    """What a cell shows of an answer."""
    return shown(solve(town, "dijkstra-heap", source=1, target=8))[HTML]


@pytest.fixture
def cell_page(chromium, output, tmp_path):
    """Opens an output in a browser, within a body that has attributes of a theme."""

    def opened(attributes="", html=output, scripts=True):
        cell = tmp_path / "cell.html"
        head = "<!doctype html><meta charset=utf-8>"
        cell.write_text(f"{head}<body {attributes}>{html}</body>", "utf-8")
        size = {"width": 1000, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        chromium.call("Emulation.setDeviceMetricsOverride", **size)
        chromium.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        chromium.call("Page.navigate", url=cell.as_uri())
        wait(chromium, "document.readyState === 'complete'")
        return chromium

    return opened


def wait(page, condition):
    deadline = time.monotonic() + 60
    while not page.run(condition):
        assert time.monotonic() < deadline, condition


_HEIGHTS = """["iframe", "img"].map(name => {
    const one = document.querySelector(name);
    return one ? one.getBoundingClientRect().height : 0;
})"""


@needs_chromium
def test_a_click_on_play_in_an_output_plays(cell_page):
    page = cell_page()
    wait(page, "frames.length === 1")
    assert page.run(_HEIGHTS) == [760, 0]
    frame = "document.querySelector('iframe').getBoundingClientRect()"
    left, top = page.run(f"[{frame}.x, {frame}.y]")
    # neither can reach the other
    assert page.run("document.querySelector('iframe').contentDocument === null")
    with page.in_frame():
        wait(page, "Boolean(window.tautpath)")
        x, y = page.run(_MIDDLE % "#play")
        assert page.run("document.getElementById('scrub').value") == "10000"
    page.click(left + x, top + y)
    with page.in_frame():
        wait(page, "document.getElementById('scrub').value !== '10000'")


@needs_chromium
def test_without_scripts_or_trust_the_picture_stands_alone(cell_page, output):
    page = cell_page(scripts=False)
    frame, picture = page.run(_HEIGHTS)
    assert (frame, picture > 100) == (0, True)
    # as JupyterLab's sanitizer leaves it
    bare = re.sub(r"<style>.*?</style>|<iframe.*?</iframe>", "", output, flags=re.DOTALL)
    page = cell_page(html=bare)
    assert page.run("document.body.scrollHeight") < page.run(_HEIGHTS)[1] + 60


_SCHEME = "matchMedia('(prefers-color-scheme: dark)').matches"


@needs_chromium
def test_page_and_picture_follow_the_theme_of_the_notebook(cell_page, output):
    """A page knows the scheme of its frame alone, so that two themes need no page."""
    style = "getComputedStyle(document.querySelector('.tautpath > img')).filter"
    empty = re.sub(r'srcdoc="[^"]*"', 'srcdoc=""', output)
    for theme, is_dark, html, scheme in (
        ("", False, output, "tautpath.dark"),
        ('data-jp-theme-light="true"', False, empty, _SCHEME),
        ('data-jp-theme-light="false"', True, empty, _SCHEME),
        ('class="vscode-dark"', True, output, "tautpath.dark"),
    ):
        page = cell_page(theme, html)
        wait(page, "frames.length === 1")
        assert (page.run(style) != "none") is is_dark, theme
        with page.in_frame():
            if html is output:
                wait(page, "Boolean(window.tautpath)")
            wait(page, f"{scheme} === {str(is_dark).lower()}")


_EVERYTHING = """
from pathlib import Path
from solvers import all_sources, prepare, read, solve, variants
samples = Path("resources/samples")
graph = read(samples / "textbook.gr", coordinates=samples / "textbook.co")
answer = solve(graph, "dijkstra-heap", source=1, target=8)
things = graph, answer, prepare(graph), all_sources(graph), variants(), prepare(graph).map(1)
for thing in things:
    data, _ = thing._repr_mimebundle_()
    assert "image/png" in data or "text/html" in data
assert "PySide6" not in sys.modules and "gui" not in sys.modules
"""


def test_everything_is_shown_without_qt():
    run_without(("PySide6", "shiboken6", "pyqtgraph", "gui", "IPython", "tqdm"), _EVERYTHING)


def test_importing_solvers_loads_nothing_that_takes_long():
    slow = "{'PIL', 'numpy', 'dataclasses', 'solvers.features.notebooks'}"
    loaded = f"assert not {slow} & set(sys.modules)"
    run_without((), f"import solvers\n{loaded}")
