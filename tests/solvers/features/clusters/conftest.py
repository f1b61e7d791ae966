"""One cluster for all tests of this folder, which need Dask, that a pytest process runs."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from solvers.features.clusters.connection import Connection

if importlib.util.find_spec("distributed") is None:  # a GPU server may lack it
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    from tests.solvers.features.clusters.shared_cluster import (
        shared_cluster,  # imports Dask: where needed
    )

    with shared_cluster(str(tmp_path_factory.mktemp("packs"))) as connection:
        yield connection
