"""The gallery of the site: a picture of each notebook of ``resources/docs/notebooks``, drawn
when the site is built.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solvers import all_sources, generate, read, solve
from solvers.notebook.displays import Display, display_of, plot_wrong
from tests.documentation.markdown import DOCS

NOTEBOOKS = DOCS / "notebooks"


@dataclass(frozen=True)
class Exhibit:
    """A notebook and what its picture shows."""

    name: str  # of the notebook's file
    draw: Callable[[], Display]

    @property
    def path(self) -> Path:
        return NOTEBOOKS / f"{self.name}.ipynb"

    @property
    def words(self) -> tuple[str, str]:
        """Title and first paragraph of the notebook, in Markdown."""
        cells = json.loads(self.path.read_text("utf-8"))["cells"]
        title, _, rest = "".join(cells[0]["source"]).partition("\n\n")
        return title.removeprefix("# "), rest.partition("\n\n")[0].replace("\n", " ")

    def write_picture(self, folder: Path) -> Path:
        return self.draw().save(folder / f"{self.name}.png")


def gallery() -> str:
    """A card for each exhibit, in Markdown, for a page of the folder ``guide``."""
    cards = []
    for exhibit in EXHIBITS:
        title, words = exhibit.words
        picture = f"![{title}](../pictures/{exhibit.name}.png)"
        link = f"../notebooks/{exhibit.name}.ipynb"
        cards.append(f"-   [{picture}]({link})\n\n    **[{title}]({link})**\n\n    {words}\n")
    return '<div class="gallery" markdown>\n\n' + "\n".join(cards) + "\n</div>\n"


def _path() -> Display:
    roads = generate("road", vertices=2000, seed=3)
    return solve(roads, "dijkstra-heap", source=1, target=2000).plot()


def _table() -> Display:
    flights = [("Oslo", "Berlin", 100), ("Berlin", "Rome", 125), ("Oslo", "Paris", 140)]
    flights += [("Paris", "Rome", 130), ("Rome", "Athens", 115), ("Berlin", "Athens", 185)]
    return solve(read(flights, undirected=True), source="Oslo", target="Athens").plot()


def _race() -> Display:
    return solve(generate("road", vertices=1500, seed=3), "bf-serial", source=1).plot()


def _large() -> Display:
    return solve(generate("road", vertices=60_000, seed=3), "dijkstra-heap", source=1).plot()


def _flows() -> Display:
    return display_of(all_sources(generate("road", vertices=600, seed=3), "betweenness"))


def _wrong() -> Display:
    grid = generate("grid", rows=4, columns=5)
    return plot_wrong(grid, 0, np.array([11, 12, 16]), ["Vertices with wrong distances"])


EXHIBITS = (
    Exhibit("first-path", _path),
    Exhibit("your-own-table", _table),
    Exhibit("five-papers", _race),
    Exhibit("gpu", _large),
    Exhibit("flows", _flows),
    Exhibit("your-own-kernel", _wrong),
)
