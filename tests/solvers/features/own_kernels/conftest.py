"""A folder of the user's own variants."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.core import variant
from solvers.core.variant import all_variants
from solvers.features.own_kernels import user_variants
from solvers.system.disk_cache import FOLDER_VARIABLE


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A data folder and a registry of the test's own."""
    all_variants()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(variant, "_REGISTRY", dict(variant._REGISTRY))
    monkeypatch.setattr(user_variants, "_problems", {})
    (tmp_path / "variants").mkdir()
    return tmp_path / "variants"
