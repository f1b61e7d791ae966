"""What was kept under the program's former name is found, moved once and told; the name
stands nowhere else.
"""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from solvers.program import ROOT
from solvers.system import disk_cache, former_name

WHERE_IT_MAY_STAND = {
    "CHANGELOG.md",
    "resources/desktop/tautpath.xml",  # file type of sessions
    "solvers/system/former_name.py",
    "tests/solvers/system/test_former_name.py",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder in which nothing has been taken over."""
    monkeypatch.delenv(disk_cache.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", lambda name: tmp_path / "data" / name)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name)
    former_name.take_over.cache_clear()
    yield tmp_path
    former_name.take_over.cache_clear()


def write(path: Path, text: str = "kept") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_runs_sessions_and_caches_are_moved_once_and_told(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(home / "data/tautline/runs.sqlite3")
    write(home / "data/tautline/windows/last.tautline")
    write(home / "cache/tautline/orders/a")
    with caplog.at_level(logging.WARNING):
        folder = disk_cache.data_folder()
        disk_cache.user_folder("orders")
    assert folder == home / "data/tautpath"
    assert (folder / "runs.sqlite3").read_text() == "kept"
    assert (folder / "windows/last.tautpath").read_text() == "kept"
    assert (home / "cache/tautpath/orders/a").is_file()
    assert not (home / "data/tautline").exists()
    assert [record.message for record in caplog.records] == [former_name.take_over()]
    assert str(folder) in former_name.take_over()


def test_what_the_present_name_has_is_not_overwritten(home: Path) -> None:
    present = write(home / "data/tautpath/runs.sqlite3", "new")
    former = write(home / "data/tautline/runs.sqlite3", "old")
    write(home / "data/tautline/kernels/a.cu")
    disk_cache.data_folder()
    assert (present.read_text(), former.read_text()) == ("new", "old")
    assert (home / "data/tautpath/kernels/a.cu").is_file()


def test_without_anything_of_the_former_name_nothing_is_said_or_made(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk_cache.data_folder()
    assert former_name.take_over() == ""
    assert not caplog.records
    assert list(home.iterdir()) == []


def test_a_folder_that_cannot_be_written_loses_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = write(home / "data/tautline/runs.sqlite3")
    monkeypatch.setattr(Path, "rename", refuse)
    disk_cache.data_folder()
    assert kept.is_file()
    assert former_name.take_over() == ""


def refuse(*_: object) -> None:
    raise PermissionError("read-only")


def test_the_former_name_stands_nowhere_else() -> None:
    found = subprocess.run(
        ["git", "-C", str(ROOT), "grep", "-i", "-l", "-a", "-z", "-I", "tautline"],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode not in (0, 1):
        pytest.skip("this is no checkout of git")
    assert set(filter(None, found.stdout.split("\0"))) <= WHERE_IT_MAY_STAND
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True
    )
    assert "tautline" not in names.stdout.lower()
