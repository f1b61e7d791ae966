"""Write a text to a file and read it as a graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solvers.graphs.graph import Graph
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions

ReadText = Callable[..., Reading]


@pytest.fixture
def read_text(tmp_path: Path) -> ReadText:
    """``read_text(text, name="graph.txt", **choices)``: what `read_graph` makes of
    ``text`` (str or bytes).
    """

    def read(text: str | bytes, name: str = "graph.txt", **choices: Any) -> Reading:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_graph(path, ReadingOptions(**choices))

    return read


def arcs(graph: Graph) -> list[tuple[int, int, float]]:
    """All arcs as (tail id, head id, weight), in row order."""
    return [
        (int(graph.ids[tail]), int(graph.ids[head]), weight)
        for tail, head, weight in zip(
            graph.tails, graph.indices, graph.weights.tolist(), strict=True
        )
    ]
