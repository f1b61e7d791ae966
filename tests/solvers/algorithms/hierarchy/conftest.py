"""Fixtures of the hierarchy's tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_: tmp_path)
    return tmp_path / "orders"
