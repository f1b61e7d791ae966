"""One cluster of two worker processes for all tests of this folder that a pytest process runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from solvers.cluster.connection import Connection, connected


@pytest.fixture(scope="session")
def cluster() -> Iterator[Connection]:
    with connected("local:2") as connection:
        yield connection
