"""What a notebook shows of graphs and answers.

An answer is a page that plays, in a frame of its own: neither its styles nor its script
meet those of the notebook. The frame is hidden, and a picture stands there, unless the
output's style says otherwise: a notebook that is not trusted has no style, and where no
scripts run, its condition is not met. Everything else is a picture. Both follow the
notebook's theme. What is too large is left out, and the caption tells it.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from html import escape
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from solvers.core.result import Result
from solvers.core.variant import Answers, Variant
from solvers.devices import discover
from solvers.errors import InputError, ParameterError
from solvers.features.notebooks.outputs import OUTPUTS, PAGES, TEXT
from solvers.features.notebooks.picture import WIDTH, Picture
from solvers.features.page.document import MOST_RUNS, MOST_VERTICES, PageContent, page_html
from solvers.features.page.drawing import drawing_of
from solvers.graphs.graph import Graph
from solvers.library.shortest_paths import ShortestPaths
from solvers.library.solving import Variants
from solvers.picture.images import cell_png_of
from solvers.picture.layout.stress import layout
from solvers.picture.matrix import MatrixContent
from solvers.picture.scene.activity import Activity, activity_of
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import DrawableGraph, build_scene
from solvers.picture.scene.values import VertexValues
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.array_types import Int64s
from solvers.system.files import replace_atomically
from solvers.text import format_bytes, format_count, plural

MOST_PLAYED = 50_000  # vertices of a graph whose run is a page in a cell
MOST_PAIRED = 600  # and of one with distances between all pairs
MOST_LAID_OUT = 100_000  # vertices of a graph without coordinates
MOST_HTML = 2_000_000  # characters of a cell's output
# dark themes of JupyterLab and nbconvert, VS Code, and Colab
_DARK = (
    ":is([data-jp-theme-light=false], .vscode-dark, [theme=dark],"
    " .vscode-high-contrast:not(.vscode-high-contrast-light)) .tautpath"
)
# A frame hands its scheme
# on to the page within. Pictures are light ones: turned, lines and letters are light on
# dark, and colours keep their hues.
_STYLE = """<style>
.tautpath { color-scheme: light; }
@media (scripting: enabled) {
  .tautpath > iframe { display: block; width: 100%; height: 760px; border: 0; }
  .tautpath > iframe + img { display: none; }
}
_DARK_ { color-scheme: dark; }
_DARK_ > img { filter: invert(.92) hue-rotate(180deg); }
</style>""".replace("_DARK_", _DARK)
_HTML, _PNG, _TEXT = "text/html", "image/png", "text/plain"

Bundle = tuple[dict[str, str | bytes], dict[str, dict[str, int]]]


@dataclass(frozen=True, eq=False, repr=False)
class Display:
    """Something to look at; a notebook shows it, and `save` writes it.

    Attributes
    ----------
    text : str
        What a terminal shows.
    picture : Picture or None
        None of a graph that is too large to be laid out.
    answers : tuple of ShortestPaths
        Whose runs a page plays.
    """

    text: str
    picture: Picture | None = None
    answers: tuple[ShortestPaths, ...] = ()
    table: str = ""  # HTML, of what is neither

    def __repr__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> Path:
        """Write the page or picture, by the ending of the name: .html, .png or .svg.

        An existing file is replaced. Raises ParameterError for another ending, InputError
        if there is no picture, FileNotWritten.
        """
        target = Path(path)
        kind = target.suffix.lower()
        if kind not in (".html", ".png", ".svg"):
            words = "its name must end in .html, .png or .svg"
            raise ParameterError("display", "path", target.name, words)
        if self.picture is None and not (kind == ".html" and self.table):
            raise InputError(self.text)
        with replace_atomically(target) as beside:
            if kind == ".png":
                beside.write_bytes(self._png)
            else:
                beside.write_text(self._svg if kind == ".svg" else self._document, "utf-8")
        return target

    def on(self, axes: Any) -> Display:
        """Draw the picture on axes of matplotlib; raises InputError if there is none."""
        if self.picture is None:
            raise InputError(self.text)
        axes.imshow(np.asarray(self.picture.image))
        axes.set_axis_off()
        return self

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Bundle:
        data: dict[str, str | bytes] = {_TEXT: self.text}
        if OUTPUTS.kind != TEXT:
            data |= self._shown(OUTPUTS.kind == PAGES)
        kept = {
            kind: value
            for kind, value in data.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }
        return kept, {_PNG: {"width": WIDTH}} if _PNG in kept else {}

    def _shown(self, with_page: bool) -> dict[str, str | bytes]:
        if self.picture is None:
            return {_HTML: self.table} if self.table else {}
        reason = self._left_out if with_page and self.answers else ""
        png = self._cell_png(reason)
        image = _image(png, self.text)
        if not with_page or not self.answers or reason:
            return {_PNG: png, _HTML: f'{_STYLE}<div class="tautpath">{image}</div>'}
        OUTPUTS.add(len(self._escaped))
        size = format_bytes(len(self._escaped) + len(image))
        frame = (
            f'<iframe hidden title="{escape(self.text)}" sandbox="allow-scripts allow-downloads" '
            f'loading="lazy" srcdoc="{self._escaped}"></iframe>'
        )
        told = f"<small>This output holds {size}.</small>"
        return {_PNG: png, _HTML: f'{_STYLE}<div class="tautpath">{frame}{image}</div>{told}'}

    def _cell_png(self, left_out: str) -> bytes:
        """The picture, with why there is no page and how to get it, if there is none."""
        assert self.picture is not None
        found = self.picture
        if left_out:
            told = f'{left_out} answer.plot().save("run.html") writes the page that plays.'
            found = replace(found, caption=(*found.caption, told))
        return cell_png_of(found.image)

    @property
    def _png(self) -> bytes:
        assert self.picture is not None
        return self.picture.png()

    @property
    def _svg(self) -> str:
        assert self.picture is not None
        return self.picture.svg()

    @property
    def _document(self) -> str:
        """A page of its own."""
        if self.answers and self.answers[0].graph.n <= MOST_VERTICES:
            return self._page
        body = self.table or _image(self._png, self.text)
        title = escape(self.text.splitlines()[0])
        return f'<!doctype html>\n<meta charset="utf-8">\n<title>{title}</title>\n{body}\n'

    @property
    def _left_out(self) -> str:
        """Why a cell has no page; "" if it has one."""
        paired = any(one.result.variant.answers is Answers.APSP for one in self.answers)
        most = MOST_PAIRED if paired else MOST_PLAYED
        if self.answers[0].graph.n > most:
            return f"A cell plays runs on up to {plural(most, 'vertex', 'vertices')}."
        if OUTPUTS.room and len(self._escaped) <= min(MOST_HTML, OUTPUTS.room):
            return ""
        if OUTPUTS.room and len(self._escaped) > MOST_HTML:
            return f"The page that plays takes {format_bytes(len(self._escaped))}."
        limit = format_bytes(OUTPUTS.limit)
        change = "solvers.features.notebooks.show(limit=…) changes it"
        return f"Pages in this notebook take up to {limit}; {change}."

    @cached_property
    def _page(self) -> str:
        assert self.picture is not None
        results = [_traced(each) for each in self.answers]
        first, drawing = results[0], drawing_of(self.picture.content.scene)
        return page_html(PageContent(first.graph, results, first.source, first.target, drawing))

    @cached_property
    def _escaped(self) -> str:
        return escape(self._page)


@singledispatch
def display_of(shown: object) -> Display:
    """What a cell shows of an object that it ends with; raises TypeError for others."""
    raise TypeError(f"there is no display of {type(shown).__name__}")


@display_of.register
def plot_graph(
    graph: Graph, values: ArrayLike | None = None, title: str = "value", ax: Any = None
) -> Display:
    """See `Graph.plot`."""
    shades = None if values is None else _values(graph, values, title)
    return picture_of(graph, repr(graph), [], ax, values=shades)


@display_of.register
def plot_answer(answer: ShortestPaths, *others: ShortestPaths, ax: Any = None) -> Display:
    """See `ShortestPaths.plot`."""
    answers = (answer, *others)
    if len(answers) > MOST_RUNS:
        raise InputError(f"A page compares up to {MOST_RUNS} answers, not {len(answers)}.")
    if any(other.graph is not answer.graph for other in others):
        raise InputError("Only answers on the same graph can be compared.")
    if others and any(each.sources for each in answers):
        raise InputError("Answers from many sources cannot be compared on a page.")
    graph, first = answer.graph, answer.result
    text = "\n".join(map(repr, answers))
    words, source = text.splitlines(), first.source
    if source is None:  # the row of one of many sources is drawn
        source = graph.vertex(answer.sources[0]) if answer.sources else 0
        words.append(f"Colours: distances from {graph.vertex_text(source)}.")
    activity, matrix = activity_of(graph, first, None), None
    if first.variant.answers is Answers.APSP and first.distances is not None and not others:
        matrix = MatrixContent(graph, first.distances, source=source, target=first.target)
    found = picture_of(
        graph,
        text,
        words,
        ax,
        activity=activity,
        matrix=matrix,
        source=source,
        target=first.target,
        path=first.path,
    )
    has_page = found.picture is not None and not answer.sources
    return replace(found, answers=answers) if has_page else found


@display_of.register
def table_of(found: Variants) -> Display:
    """A table of variants; in a terminal their ids and titles."""
    rows = [_row(entry) for entry in found]
    head = _cells("th", ("id", "title", "answers", "runs on", "papers"))
    body = "".join(_cells("td", row) for row in rows)
    return Display(repr(found), table=f"<table>{head}{body}</table>")


def plot_wrong(graph: Graph, source: int, wrong: Int64s, words: Sequence[str]) -> Display:
    """A graph with the vertices marked whose distances are wrong."""
    return picture_of(graph, "\n".join(words), words, source=source, wrong=wrong)


def scene_of(graph: Graph) -> DrawableGraph | None:
    """The drawable form, made once for all displays of a graph; None of one without
    coordinates that is too large to be laid out.
    """
    if graph.coordinates is None and graph.n > MOST_LAID_OUT:
        return None
    return graph.cached(
        "notebook scene",
        lambda: build_scene(graph, layout(graph) if graph.coordinates is None else None),
    )


def picture_of(
    graph: Graph,
    text: str,
    words: Sequence[str],
    ax: Any = None,
    *,
    activity: Activity | None = None,
    histogram: Any = None,
    wrong: Int64s | None = None,
    matrix: MatrixContent | None = None,
    **content: Any,
) -> Display:
    """The picture of a graph, with its size, how it was read, and ``words``."""
    scene = scene_of(graph) if graph.n else None
    if scene is None:
        most = plural(MOST_LAID_OUT, "vertex", "vertices")
        told = f"A graph without coordinates is laid out up to {most}: nothing is drawn."
        found = Display(f"{text}\n{told}" if graph.n else text)
        return found if ax is None else found.on(ax)
    reading = [] if graph.interpretation is None else [graph.interpretation.line]
    size = f"{plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}"
    attribution = [graph.roads.attribution] if graph.roads is not None else []
    caption = (f"{graph.name}: {size}", *reading, *words, *attribution)
    activity = activity or Activity(graph.n, unit=graph.weight_unit)
    marked = np.empty(0, np.int64) if wrong is None else wrong
    shown = PictureContent(scene, activity, **content)
    picture = Picture(shown, caption, histogram, marked, matrix=matrix)
    found = Display(text, picture)
    return found if ax is None else found.on(ax)


def _values(graph: Graph, values: ArrayLike, title: str) -> VertexValues:
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (graph.n,):
        words = f"it takes one number for each of {format_count(graph.n)} vertices"
        raise ParameterError("Graph.plot", "values", values, words)
    return VertexValues.of(numbers, title)


_traces: WeakKeyDictionary[Result, Result] = WeakKeyDictionary()


def _traced(answer: ShortestPaths) -> Result:
    """The result with a trace: of one more run, which is not timed."""
    result = answer.result
    if result.trace is not None:
        return result
    if result not in _traces:
        devices = (one for one in discover().devices if one.name == result.device_name)
        request = RunRequest(
            result.graph,
            source=result.source,
            target=result.target,
            choices=(Choice(result.variant, result.parameters),),
            device=next(devices, None) if result.device_name else None,
            plan=MeasurementPlan(0, 0),
            trace=True,
            verify=False,
        )
        (watched,) = run(request)
        _traces[result] = replace(result, trace=watched.trace)
    return _traces[result]


def _image(png: bytes, text: str) -> str:
    data = base64.b64encode(png).decode()
    return (
        f'<img alt="{escape(text)}" width="{WIDTH}" style="max-width:100%" '
        f'src="data:image/png;base64,{data}">'
    )


def _cells(tag: str, texts: Sequence[str]) -> str:
    cells = (f'<{tag} style="text-align:left">{escape(text)}</{tag}>' for text in texts)
    return f"<tr>{''.join(cells)}</tr>"


def _row(entry: Variant) -> tuple[str, ...]:
    papers = ", ".join(map(str, entry.papers))
    return entry.id, entry.title, entry.answers.value, entry.runs_on.value, papers
