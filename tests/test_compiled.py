"""Compiled signatures are counted by what they differ in."""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
import pytest

from solvers.system.array_types import AnyArray, read_only
from solvers.system.jit import njit
from tests.compiled import main


def first_of(values: AnyArray, i: int) -> object:
    return values[i]


def test_signatures_are_counted_by_what_they_differ_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    compiled, values = njit(first_of), np.zeros(4, np.int32)
    for given in (values, read_only(values), values[::2], values.astype(np.float64)):
        compiled(given, 0)
    compiled(values, np.int32(0))
    main([str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    counts = [int(line.split()[0]) for line in lines[:6]]
    assert lines[0].endswith("5 signatures of 1 functions; without differences in")
    assert counts == [5, 5, 4, 3, 2, 1]
    assert "test_compiled.first_of" in lines[6]
    assert lines[8].endswith("1: int32; int64")
