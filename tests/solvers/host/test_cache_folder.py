"""A folder of cached files keeps to its limit, and the newest file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solvers.host.cache_folder import remove_cached, remove_oldest


@pytest.mark.parametrize(("most", "kept"), [(40, "abcd"), (39, "bcd"), (20, "cd"), (5, "d")])
def test_the_least_recently_used_go_first_and_the_newest_never(tmp_path: Path, most: int, kept: str) -> None:
    for day, name in enumerate("dabc"):  # d is the file of now, though the clock has been set back
        (tmp_path / name).write_bytes(bytes(10))
        os.utime(tmp_path / name, (day, day))
    remove_oldest(tmp_path, most, tmp_path / "d")
    assert sorted(path.name for path in tmp_path.iterdir()) == list(kept)


def test_a_file_that_cannot_be_removed_stays(tmp_path: Path) -> None:
    folder = tmp_path / "in the way"
    folder.mkdir()
    remove_cached(folder)
    remove_cached(tmp_path / "absent")
    assert folder.is_dir()
