"""Writes a page that plays: graph, runs and player in one HTML file, which needs no network.

The page draws what the window draws, from the same arrays and the same tables of
colours. What does not fit is left out and told on the page: iterations of long traces
are gathered, frontiers of large ones thinned, and a very large graph becomes a picture.

The player is in the folder ``player``. The page's security policy names its script and
style by their hashes and allows nothing else, so that no text of a file can become
code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvers.core.labelling import common, state_words
from solvers.core.result import Result
from solvers.core.result_view import NOTHING, ResultView, first_right, iterations_cell, speed_up
from solvers.core.trace import ActivityTrace
from solvers.core.variant import Answers, find_variant
from solvers.errors import InputError, UnknownName
from solvers.features.lesson.questions import TraceQuestion, questions_of
from solvers.features.page.close_marks import Chip
from solvers.features.page.matrix import matrix_scene, pack_matrix, shades_of
from solvers.features.page.matrix_marks import pack_cells, pair_chips
from solvers.features.page.pack import Packer
from solvers.features.page.page_marks import PageMarks
from solvers.features.page.script import PLAYER, page_script
from solvers.graphs.graph import Graph
from solvers.graphs.route import place_text
from solvers.graphs.weights import to_float
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.raster.pixel_colours import make_tones
from solvers.picture.scene.close_arcs import Road
from solvers.picture.scene.detail import MOST_DETAILED
from solvers.picture.variant_colours import variant_colours
from solvers.running.answers.answer import distance_cell
from solvers.running.answers.fastest import fastest
from solvers.running.records import trials_text
from solvers.system import machine
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.system.html_parts import base64_of, font_faces, source_hash
from solvers.system.ranges import offsets_of
from solvers.text import format_count, format_ratio, plural, printable
from solvers.units import public_unit, to_public_unit
from solvers.version import __version__

if TYPE_CHECKING:
    from solvers.picture.display import TextSizes
    from solvers.picture.scene.scene import DrawableGraph

MOST_RUNS = 4
MOST_VERTICES = 2_000_000  # of a graph whose roads the page draws; of larger ones it has a picture
_MOST_STEPS = 4_000  # positions of the scrub bar; iterations of longer traces are gathered
# vertices in the frontiers of a run; of larger traces every k-th frontier is kept
_MOST_ENTRIES = 1_200_000
_GRID = 2**20  # steps of a coordinate across the longer side of the graph
_COLUMNS = (
    "Variant",
    "Median time",
    "95 % interval",
    "Trials",
    "Speed-up",
    "Iterations",
    "Arcs relaxed",
    "Distance",
    "Proved",
)
_MOST_LETTERS = 300  # of title and caption
_MOST_ARCS = 4_000  # of a graph whose arcs can be asked for
_CITATION = (
    f"Tautpath {__version__}, a laboratory for shortest-path algorithms "
    "on GPUs. The Tautpath authors."
)


@dataclass(frozen=True, eq=False)
class PageDrawing:
    """What a page draws; without a scene, which a large graph has none of, it shows the
    picture, a PNG.
    """

    scene: DrawableGraph | None
    levels: NDArray[np.uint8] | None = None  # (e,) prominence of segments; None if all are alike
    picture: bytes = b""


@dataclass(frozen=True, eq=False)
class PageContent:
    """What a page shows."""

    graph: Graph
    results: Sequence[Result]
    source: int | None
    target: int | None
    drawing: PageDrawing
    title: str = ""
    caption: str = ""
    # none makes them from the trace of the first run
    questions: Sequence[TraceQuestion] | None = None


@dataclass(frozen=True, eq=False)
class KeptSteps:
    """What is kept of a trace: frontiers at some of its positions, each of ``gathered``
    recorded iterations.
    """

    positions: NDArray[np.int64]
    gathered: int
    complete: bool  # whether every frontier is in one of the steps

    @classmethod
    def of(cls, trace: ActivityTrace) -> KeptSteps:
        length = len(trace)
        gathered = max(1, -(-length // _MOST_STEPS))
        positions = np.unique(np.r_[gathered - 1 : length : gathered, max(0, length - 1)])
        thin = -(-int(trace.offsets[-1]) // _MOST_ENTRIES)
        if thin <= 1:
            return cls(positions, gathered, True)
        return cls(
            positions[np.unique(np.r_[0 : len(positions) : thin, len(positions) - 1])],
            gathered,
            False,
        )

    def frontier(self, trace: ActivityTrace, step: int) -> NDArray[np.int32]:
        """The vertices that are active in a step, ascending."""
        last = int(self.positions[step])
        first = max(0, last + 1 - self.gathered)
        return np.unique(trace.vertices[trace.offsets[first] : trace.offsets[last + 1]])

    def words(self, trace: ActivityTrace) -> str:
        """What was left out; "" if nothing was."""
        parts = []
        if trace.stride > 1:
            parts.append(f"the trace recorded every {format_count(trace.stride)}th iteration")
        if self.gathered > 1:
            parts.append(f"a step shows {format_count(self.gathered)} iterations together")
        if not self.complete:
            kept = format_count(len(self.positions))
            all_of_them = format_count(-(-len(trace) // self.gathered))
            parts.append(f"{kept} of {all_of_them} frontiers are kept")
        return ", ".join(parts)


def write_page(content: PageContent, path: Path | str, progress: Progress = SILENT) -> Path:
    """Write the page; an existing file is replaced atomically.

    Raises InputError without a result, or with more than four; FileNotWritten,
    Cancelled.
    """
    text = page_html(content, progress)
    with replace_atomically(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def page_html(content: PageContent, progress: Progress = SILENT) -> str:
    """The page as text; see `write_page`."""
    if not content.results or (
        content.drawing.scene is not None and len(content.results) > MOST_RUNS
    ):
        raise InputError(f"A page compares one to {MOST_RUNS} runs, not {len(content.results)}.")
    style = font_faces() + (PLAYER / "page.css").read_text(encoding="utf-8")
    script = page_script()
    policy = (
        f"default-src 'none'; style-src {source_hash(style)}; script-src {source_hash(script)}; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    fields = {
        "POLICY": policy,
        "TITLE": escape(_title(content)),
        "STYLE": style,
        "TABLE": _plain_table(content.results),
        "DATA": _packed(content, progress),
        "SCRIPT": script,
    }
    page = (PLAYER / "page.html").read_text(encoding="utf-8")
    # in one pass: a title may be “@DATA@”
    return re.sub("@([A-Z]+)@", lambda found: fields[found[1]], page)


def _cells(result: Result, baseline: Result | None) -> tuple[str, ...]:
    """The figures of a row of results; see `_COLUMNS`."""
    view, up = ResultView(result), speed_up(result, baseline)
    relaxed = result.relaxations
    return (
        view.median_text,
        view.interval_text,
        format_count(view.trials),
        NOTHING if up is None else "; ".join((format_ratio(up.value), *up.doubts)),
        iterations_cell(result),
        NOTHING if relaxed is None else format_count(relaxed),
        distance_cell(result),
        view.proof_cell,
    )


def _plain_table(results: Sequence[Result]) -> str:
    """The results for a browser that runs no scripts."""
    baseline = first_right(results)
    rows = [_COLUMNS, *((_variant_title(one), *_cells(one, baseline)) for one in results)]
    return "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )


def default_caption(results: Sequence[Result]) -> str:
    """What was run on which graph, and where it was timed."""
    first = results[0]
    names = [_variant_title(result) for result in results]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    ends = (
        f"{word} {first.graph.vertex_text(v)}"
        for word, v in (("from", first.source), ("to", first.target))
        if v is not None
    )
    cpu = first.stored.cpu if first.stored is not None else machine.cpu_name()
    places = ", ".join(
        dict.fromkeys(filter(None, (cpu, *(result.device_name for result in results))))
    )
    timed = (
        f" Times are medians, measured on {printable(places)}."
        if any(result.times() for result in results)
        else ""
    )
    return f"{' '.join((listed, 'on', _bounded(first.graph.name), *ends))}.{timed}"


def _variant_title(result: Result) -> str:
    """As the catalogue has it, with what an automatic variant chose; the id of a kept run's
    variant that is not there.
    """
    try:
        title = find_variant(result.variant.id).full_title
    except UnknownName:
        kept = result.stored is not None
        title = printable(result.variant.id if kept else result.variant.full_title)
    return f"{title}{ResultView(result).remark()}"


def _title(content: PageContent) -> str:
    return _bounded(content.title or content.graph.name)


def _bounded(text: str) -> str:
    """Without characters that reorder or break lines, and no longer than a reader reads."""
    shown = printable(text)
    return shown if len(shown) <= _MOST_LETTERS else f"{shown[: _MOST_LETTERS - 1]}…"


def _packed(content: PageContent, progress: Progress) -> str:
    from solvers.picture.letters import PillowTextSizes  # imports Pillow, which is slow

    packer, graph, drawing = Packer(), content.graph, content.drawing
    schemes = {"light": LIGHT, "dark": DARK}
    paired = all(result.variant.answers is Answers.APSP for result in content.results)
    drawn = None if paired or graph.n > MOST_VERTICES else drawing.scene
    left_out: list[str] = []
    matrices = matrix_scene(content.results) if paired else None
    baseline = first_right(content.results)
    found = fastest(content.results, baseline, "total")
    runs: list[dict[str, Any]] = [
        _run(packer, i, result, baseline, drawn, left_out)
        for i, result in enumerate(content.results)
    ]
    if matrices is not None:
        for i, result in enumerate(content.results):
            runs[i]["trace"] = pack_matrix(packer, i, result, matrices, left_out)
    sizes, words = PillowTextSizes(), dict[float, str]()
    lessons = [(run["trace"] or {}).get("lesson") for run in runs]
    chips = [
        pair_chips(result, lesson, words, sizes) if lesson else {}
        for result, lesson in zip(content.results, lessons, strict=True)
    ]
    for i, lesson in enumerate(lessons):
        if lesson:
            lesson["cells"] = pack_cells(packer, i, content.results[i], chips[i], sizes)
    taught, beside = any(lessons), None
    if taught and matrices is not None:
        matrices["shades"] = shades_of(np.array(list(words)), matrices).tolist()
        if (beside := drawing.scene) is not None:
            matrices["graph"] = _scene_facts(beside)
    marks = None
    if (shown := drawn or beside) is not None:
        _pack_scene(packer, shown, drawing.levels if drawn is not None else None)
        ways = _pack_answer(packer, content)
        marks = _marks_of(content, shown, ways, chips, words, sizes).pack(packer)
    elif not taught:
        left_out.append(_unshown(graph, paired=paired, has_matrix=matrices is not None))
    for name, tokens in schemes.items():
        _pack_tones(packer, name, tokens, prominent=drawing.levels is not None)
    packer.floats("words", np.array(list(words), np.float64))
    progress.checkpoint()
    questions = questions_of(content.results) if content.questions is None else content.questions
    asked = drawn is not None or taught
    unit = public_unit(graph.weight_unit)
    description: dict[str, object] = {
        "title": _title(content),
        "graph": _bounded(graph.name),
        "facts": f"{plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}",
        "n": graph.n,
        "unit": unit,
        "unitFactor": to_public_unit(1.0, graph.weight_unit),
        "source": content.source,
        "target": content.target,
        "ends": [
            None if v is None else place_text(graph, v) for v in (content.source, content.target)
        ],
        "labels": [graph.vertex_text(v) for v in range(graph.n)]
        if shown is not None and graph.has_labels
        else None,
        "scene": matrices if drawn is None else _scene_facts(drawn),
        "marks": marks,
        "words": list(words.values()),
        "widths": [Chip(text).width(sizes) for text in words.values()],
        "looks": {name: _roles(tokens) for name, tokens in schemes.items()},
        "columns": _COLUMNS,
        "states": list(
            state_words(common([one.variant.labelling for one in content.results])).values()
        ),
        "finding": "" if found is None or found.rival is None else found.sentence(),
        "runs": runs,
        "caption": _bounded(content.caption or default_caption(content.results)),
        "reading": "" if graph.interpretation is None else _bounded(graph.interpretation.line),
        "attribution": graph.roads.attribution if graph.roads is not None else "",
        "citation": _CITATION,
        "leftOut": left_out,
        "questions": [question.described() for question in questions] if asked else [],
        "csv": trials_text(content.results).encode(errors="backslashreplace").decode(),
        "picture": base64_of(drawing.picture),
    }
    return packer.finish(description, progress)


def _unshown(graph: Graph, *, paired: bool, has_matrix: bool) -> str:
    """What a page without a graph lacks."""
    if paired and not has_matrix:
        return "These runs of all pairs recorded no matrix: the page has their times."
    if paired:
        return (
            "Distances between all pairs: the page has a shade for each, "
            "or for the least of a group."
        )
    if graph.n <= MOST_VERTICES:
        return (
            "The graph is not open, and kept runs have no frontiers: "
            "the page has their times and answers."
        )
    count = plural(graph.n, "vertex", "vertices")
    return f"The graph has {count}, more than a page can play: it has a picture."


def _roles(tokens: Tokens) -> dict[str, str]:
    """The colours of roles by name."""
    return {name: value for name, value in asdict(tokens).items() if isinstance(value, str)}


def _pack_tones(packer: Packer, name: str, tokens: Tokens, *, prominent: bool) -> None:
    """The tables by which the window colours roads, beside visited ones and without a run."""
    faint = make_tones(tokens, faint=True, prominent=prominent)
    bare = make_tones(tokens, prominent=prominent)
    packer.floats(f"{name}.ramp", faint.shades, "u4")
    packer.floats(f"{name}.roads", faint.edges, "u4")
    packer.floats(f"{name}.bare", bare.edges, "u4")
    packer.floats(f"{name}.opacity", faint.shade_alphas.astype(np.uint32), "u4")


def _scene_facts(scene: DrawableGraph) -> dict[str, object]:
    return {
        "edges": scene.edges,
        "meanLength": scene.mean_length,
        "bounds": astuple(scene.bounds),
        "grid": _GRID,
        "metresPerUnit": scene.metres_per_unit,
        "curved": scene.curves is not None,
    }


def _pack_scene(packer: Packer, scene: DrawableGraph, levels: NDArray[np.uint8] | None) -> None:
    """Coordinates on a grid: at any size of the whole picture, a grid step is far below a pixel."""
    known = np.isfinite(scene.positions[:, 0])
    grid = np.where(
        known[:, None], np.rint(np.nan_to_num(scene.positions) * _GRID), _GRID * 4
    ).astype(np.int64)
    packer.integers("x", grid[:, 0])
    packer.integers("y", grid[:, 1])
    packer.integers("tails", scene.ends[:, 0])
    packer.integers("heads", scene.ends[:, 1].astype(np.int64) - scene.ends[:, 0], steps=False)
    if scene.curves is not None:
        points = np.rint(scene.segments.astype(np.float64) * _GRID).astype(np.int64)
        for name, column in zip(("x0", "y0"), points.T[:2], strict=True):
            packer.integers(name, column)
        for name, column in zip(("dx", "dy"), (points[:, 2:] - points[:, :2]).T, strict=True):
            packer.integers(name, column, steps=False)
        packer.integers("roadTails", scene.roads[:, 0])
        packer.integers(
            "roadHeads", scene.roads[:, 1].astype(np.int64) - scene.roads[:, 0], steps=False
        )
    if len(scene.sizes):
        packer.floats("sizes", scene.sizes, "f4")
    if levels is not None:
        packer.floats("levels", levels, "u1")


def _pack_answer(packer: Packer, content: PageContent) -> set[Road]:
    """Ids, distances and predecessors, which verified runs from one source share; arcs
    of small graphs. Returns the arcs of paths from the source.
    """
    graph, ways = content.graph, set[Road]()
    if not graph.has_labels:
        packer.integers("ids", graph.ids)
    answered = next(
        (r for r in content.results if r.ok and r.distances is not None and r.distances.ndim == 1),
        None,
    )
    if answered is not None and answered.distances is not None:
        packer.values("distances", to_float(answered.distances))
        # where junctions are split at turns, no tree of junctions has all shortest paths
        is_tree = answered.searched is None
        if is_tree and answered.predecessors is not None and answered.predecessors.ndim == 1:
            before = answered.predecessors.astype(np.int64)
            packer.integers(
                "before", np.where(before < 0, 0, before - np.arange(graph.n)), steps=False
            )
            heads = np.flatnonzero(before >= 0) if graph.n <= MOST_DETAILED else ()
            ways.update((int(before[head]), int(head)) for head in heads)
    path = next((r.path for r in content.results if r.path is not None), None)
    if path is not None:
        packer.integers("path", path)
        ways.update(pairwise(path.tolist()))
    if graph.m <= _MOST_ARCS:
        packer.integers("arcTails", graph.tails)
        packer.integers("arcHeads", graph.indices)
        packer.values("arcWeights", graph.weights.astype(np.float64))
    return ways


def _marks_of(
    content: PageContent,
    scene: DrawableGraph,
    ways: set[Road],
    chips: Sequence[Mapping[str, Chip]],
    words: dict[float, str],
    sizes: TextSizes,
) -> PageMarks:
    """What lies over the pixels; in a lesson of all pairs, paths go along any arc."""
    graph = scene.graph
    if any(chips):
        roads = zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)
        ways = ways | {road for road in roads if road[0] != road[1]}
    traces = (result.trace for result in content.results)
    positions = [
        KeptSteps.of(trace).positions.tolist() if isinstance(trace, ActivityTrace) else []
        for trace in traces
    ]
    ends = content.source, content.target
    return PageMarks(
        scene, content.results, ends, positions, chips, sorted(ways), 1.0 / _GRID, sizes, words
    )


def _run(
    packer: Packer,
    number: int,
    result: Result,
    baseline: Result | None,
    scene: DrawableGraph | None,
    left_out: list[str],
) -> dict[str, object]:
    """What the page tells of a run; its trace goes into the packer, and what is left
    out of it is told.
    """
    trace, view = result.trace, ResultView(result)
    facts: dict[str, object] = {
        "id": result.variant.id,
        "title": _variant_title(result),
        "colour": variant_colours(result.variant.id)._asdict(),
        "device": printable(result.device_name),
        "ok": result.ok,
        "distance": distance_cell(result),
        "cells": _cells(result, baseline),
        "doubt": view.doubt,
        "median": view.median,
        "medianText": view.median_text,
        "interval": result.confidence(),
        "times": result.times(),
        "trace": None,
    }
    if scene is None or not isinstance(trace, ActivityTrace) or not len(trace):
        return facts
    kept = KeptSteps.of(trace)
    frontiers = [kept.frontier(trace, step) for step in range(len(kept.positions))]
    packer.integers(f"{number}.positions", kept.positions)
    packer.integers(f"{number}.sizes", np.array([len(one) for one in frontiers]), steps=False)
    steps = [np.diff(one, prepend=0) for one in frontiers]
    packer.integers(f"{number}.frontiers", np.concatenate(steps), steps=False)
    if not kept.complete:
        packer.integers(f"{number}.first", trace.first_active)
    spans = np.concatenate(([0], kept.positions[:-1] + 1))
    # counts are of what is shown, times of all before it
    first = np.maximum(0, kept.positions + 1 - kept.gathered)
    for name, counts in (("active", trace.active), ("relaxed", trace.relaxed)):
        total = offsets_of(counts)
        packer.integers(f"{number}.{name}", total[kept.positions + 1] - total[first], steps=False)
    packer.floats(f"{number}.ms", np.add.reduceat(trace.ms, spans), "f4")
    if trace.distances is not None:
        packer.values(f"{number}.tentative", trace.distances[kept.positions])
    if words := kept.words(trace):
        left_out.append(f"{_variant_title(result)}: {words}.")
    facts["trace"] = {
        "length": len(trace),
        "iterations": trace.iterations,
        "stride": trace.stride,
        "gathered": kept.gathered,
        "places": [trace.place(int(k)) for k in kept.positions] if trace.phases else None,
    }
    return facts
