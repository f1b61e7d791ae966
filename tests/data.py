"""Where the real graph files lie; tests that need one skip, saying so, where it is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = (_ROOT.parent / "shared" / "data", _ROOT / ".data")


def data_file(name: str) -> Path:
    """The real file ``name`` ("dimacs/rome99.gr"); skips the calling test where it is
    not on this machine.
    """
    for folder in _FOLDERS:
        if (folder / name).exists():
            return folder / name
    pytest.skip(
        f"real graph file {name} is not on this machine (looked in ../shared/data and .data)"
    )
