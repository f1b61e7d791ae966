"""The gallery of the site: a picture of each notebook of ``resources/docs/notebooks``, drawn
when the site is built.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from solvers import all_sources, generate, read, solve
from solvers.core.variant import find_variant
from solvers.devices import discover
from solvers.features.notebooks.displays import Display, display_of
from solvers.features.notebooks.kernel_cell import try_kernel
from solvers.graphs.graph import Graph
from solvers.version import __version__
from tests.documentation.markdown import DOCS, ROOT

NOTEBOOKS = DOCS / "notebooks"
_COLAB = "https://colab.research.google.com/github"
_ON_GITHUB = re.compile(r"https://github\.com/(?P<name>[\w.-]+/[\w.-]+?)(\.git)?/?")


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
        in_colab = f"\n\n    [Open in Colab]({found})" if (found := colab_link(exhibit)) else ""
        card = f"-   [{picture}]({link})\n\n    **[{title}]({link})**\n\n    {words}{in_colab}\n"
        cards.append(card)
    return '<div class="gallery" markdown>\n\n' + "\n".join(cards) + "\n</div>\n"


def colab_link(exhibit: Exhibit, pyproject: Path = ROOT / "pyproject.toml") -> str | None:
    """Where Colab opens a notebook of this version; None while the project's table of URLs
    names no repository on GitHub, from which alone Colab takes notebooks by address.
    """
    urls = tomllib.loads(pyproject.read_text("utf-8"))["project"].get("urls", {})
    home = _ON_GITHUB.fullmatch(urls.get("Repository", ""))
    if home is None:
        return None
    place = exhibit.path.relative_to(ROOT).as_posix()
    return f"{_COLAB}/{home['name']}/blob/v{__version__}/{place}"


def _path() -> Display:
    roads = generate("road", vertices=2000, seed=3)
    return display_of(solve(roads, "dijkstra-heap", source=1, target=2000))


def _table() -> Display:
    flights = [("Oslo", "Berlin", 100), ("Berlin", "Rome", 125), ("Oslo", "Paris", 140)]
    flights += [("Paris", "Rome", 130), ("Rome", "Athens", 115), ("Berlin", "Athens", 185)]
    return display_of(solve(read(flights, undirected=True), source="Oslo", target="Athens"))


def _race() -> Display:
    return display_of(solve(generate("road", vertices=1500, seed=3), "bf-serial", source=1))


def _large() -> Display:
    return display_of(solve(generate("road", vertices=60_000, seed=3), "dijkstra-heap", source=1))


def _flows() -> Display:
    return display_of(all_sources(generate("road", vertices=600, seed=3), "betweenness"))


def _wrong() -> Display:
    """What the notebook's first changed kernel that compiles does wrong; the graph alone where
    no device compiles kernels.
    """
    grid = generate("grid", rows=4, columns=5)
    cells = json.loads((NOTEBOOKS / "your-own-kernel.ipynb").read_text("utf-8"))["cells"]
    texts = ("".join(cell["source"]).partition("\n") for cell in cells)
    text = next(text for line, _, text in texts if line == "%%kernel bf-edge-flags graph 1")
    return display_of(grid) if not discover().devices else _as_display(text, grid)


def _as_display(text: str, graph: Graph) -> Display:
    found = try_kernel(find_variant("bf-edge-flags"), text, graph)
    assert isinstance(found, Display), "the kernel of the notebook is wrong"
    return found


EXHIBITS = (
    Exhibit("first-path", _path),
    Exhibit("your-own-table", _table),
    Exhibit("five-papers", _race),
    Exhibit("gpu", _large),
    Exhibit("flows", _flows),
    Exhibit("your-own-kernel", _wrong),
)
