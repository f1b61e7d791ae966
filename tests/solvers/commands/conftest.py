"""A store of runs of each test's own, and the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from solvers import cli
from solvers.running.store.database import FOLDER_VARIABLE
from solvers.running.store.run_store import RunStore


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RunStore:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    return RunStore()


@pytest.fixture
def tautline(capsys: pytest.CaptureFixture[str], store: RunStore) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process; gives status, output, errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        status = cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
