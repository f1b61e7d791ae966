"""A store of runs of each test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from solvers.running.store.run_store import RunStore
from solvers.system.disk_cache import FOLDER_VARIABLE


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RunStore:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    return RunStore()


@pytest.fixture
def tautline(tautline: Callable[..., tuple[int, str, str]], store: RunStore) -> Callable[..., tuple[int, str, str]]:
    """The command line with that store."""
    return tautline
