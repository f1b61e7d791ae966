"""A plugin that leaves out the tests which the environment names, as NAME or CLASS::NAME."""

from __future__ import annotations

import os

import pytest

LEFT_OUT = "TAUTPATH_PEER_TESTS_LEFT_OUT"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    names = tuple(f"::{name}" for name in os.environ[LEFT_OUT].split())
    items[:] = [item for item in items if not item.nodeid.endswith(names)]
