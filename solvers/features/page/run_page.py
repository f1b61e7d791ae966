"""The web page that ``--page`` writes for the results of a run, also of a kept one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvers.commands.console import Console
from solvers.commands.results_file import ResultsFile
from solvers.core.result import Result
from solvers.graphs.graph import Graph
from solvers.system.files import temporary_folder


def write_run_page(
    path: Path,
    graph: Graph,
    results: Sequence[Result],
    source: int | None,
    target: int | None,
    console: Console,
    title: str = "",
) -> None:
    """Write the page and say so.

    A graph too large to be drawn by the page is a picture there, if the program that
    called the command line can draw one. Raises FileNotWritten.
    """
    # Imported here because what draws, and its compiled functions, load slowly.
    from solvers.features.page.document import PageContent, write_page
    from solvers.features.page.drawing import page_drawing

    def picture() -> bytes:
        if console.draw_picture is None:
            return b""
        with temporary_folder("page") as folder:
            console.draw_picture(folder / "picture.png", graph, results, source, target)
            return (folder / "picture.png").read_bytes()

    drawing = page_drawing(graph, picture)
    console.wrote(write_page(PageContent(graph, results, source, target, drawing, title), path))


def _write_results(path: Path, results: Sequence[Result], title: str, console: Console) -> None:
    first = results[0]
    write_run_page(path, first.graph, results, first.source, first.target, console, title)


FILE = ResultsFile(
    "page",
    "FILE.html",
    "a web page",
    "times and answers of one run, for any browser",
    _write_results,
)
