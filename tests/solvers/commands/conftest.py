"""A store of runs of each test's own, and a graph of streets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.graphs.writers import write_dimacs
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests import graphs


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RunStore:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    return RunStore()


@pytest.fixture
def tautpath(
    tautpath: Callable[..., tuple[int, str, str]], store: RunStore
) -> Callable[..., tuple[int, str, str]]:
    """The command line with that store."""
    return tautpath


@pytest.fixture
def streets(tmp_path: Path) -> Path:
    """1 – 2 – 4 is the short way, 1 – 3 – 4 the long one, and 5 hangs on 4."""
    edges = [(0, 1, 10), (1, 3, 10), (0, 2, 20), (2, 3, 20), (3, 4, 1)]
    graph = graphs.from_list(5, edges, directed=False)
    graph = Graph(
        graph.indptr, graph.indices, graph.weights, name="streets", ids=graph.ids * 0 + range(1, 6)
    )
    write_dimacs(graph, tmp_path / "streets.gr")
    return tmp_path / "streets.gr"
