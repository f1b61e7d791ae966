"""The state file: what was finished is read again; what is damaged or of another run is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvers.algorithms.distance_rows import RowSummaries
from solvers.errors import FileNotWritten, InputError
from solvers.features.all_sources.state_file import FORMAT, SourceRange, StateFile, holds_sources
from solvers.graphs.weights import INT32
from solvers.system.former_name import ALL_SOURCES_FORMAT

_WHOLE = np.dtype(np.int64)


def state(path: Path, budget: float = 5.0) -> StateFile:
    return StateFile(path, {"graph": "abc", "budget": budget}, 100, INT32, _WHOLE)


def numbers(count: int, seed: int) -> RowSummaries:
    found = RowSummaries.empty(count, INT32, _WHOLE)
    for array in found.arrays:
        array[:] = np.random.default_rng(seed).integers(0, 1000, count)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the sources 0 to 29 and 60 to 69."""
    file = state(tmp_path / "folder" / "state")
    assert file.open() == ([], "")
    file.append(SourceRange(0, 30, numbers(30, 1)))
    file.append(SourceRange(60, 70, numbers(10, 2)))
    return tmp_path / "folder" / "state"


def test_what_was_appended_is_read(path: Path) -> None:
    done, problem = state(path).open()
    assert problem == ""
    assert holds_sources(path)
    assert [(part.first, part.last) for part in done] == [(0, 30), (60, 70)]
    for one, other in zip(done[1].summaries.arrays, numbers(10, 2).arrays, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("lost", [1, 40, 219])
def test_a_record_that_is_not_whole_is_dropped(path: Path, lost: int) -> None:
    path.write_bytes(path.read_bytes()[:-lost])
    done, problem = state(path).open()
    assert ([part.first for part in done], problem) == ([0], "its end is damaged")
    state(path).append(SourceRange(70, 80, numbers(10, 3)))
    assert [part.first for part in state(path).open()[0]] == [0, 70]


def test_a_changed_byte_is_noticed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    done, problem = state(path).open()
    assert ([part.first for part in done], problem) == ([0], "its end is damaged")


def test_another_run_restarts_the_file(path: Path) -> None:
    done, problem = state(path, budget=6.0).open()
    assert done == []
    assert "another graph, budget" in problem
    assert state(path, budget=6.0).open() == ([], "")


def test_a_file_of_the_former_name_is_continued(path: Path) -> None:
    present, former = (name.encode() for name in (FORMAT, ALL_SOURCES_FORMAT))
    path.write_bytes(path.read_bytes().replace(present, former, 1))
    assert holds_sources(path)
    assert [part.first for part in state(path).open()[0]] == [0, 60]


def test_a_file_of_the_user_is_not_overwritten(tmp_path: Path) -> None:
    table = tmp_path / "results.csv"
    table.write_text("vertex,eccentricity\n1,2\n")
    with pytest.raises(InputError, match="Name another"):
        state(table).open()
    assert table.read_text().startswith("vertex")
    assert not holds_sources(tmp_path / "missing")


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten):
        state(tmp_path / "file" / "state").open()
