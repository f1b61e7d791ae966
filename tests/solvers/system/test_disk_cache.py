"""Cached files are whole or absent; a folder of them keeps to its limit, and the newest file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from solvers.system.disk_cache import ArrayStore, remove_cached, remove_oldest

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="pipes, devices and /proc are those of Linux"
)
ARRAY = np.arange(100, dtype=np.int32)


def test_what_was_stored_is_loaded(tmp_path: Path) -> None:
    store = ArrayStore(tmp_path / "new" / "folder", "1")
    assert store.load("a", 100).array is None
    store.save("a", ARRAY)
    np.testing.assert_array_equal(store.load("a", 100).array, ARRAY)
    assert store.load("b", 100).array is None
    assert store.load("b", 100).problem == ""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no umask")
def test_caches_are_closed_to_others_where_the_umask_is_not(tmp_path: Path) -> None:
    """Also those of compiled code, which everybody could have changed."""
    code = (
        "import os, sys; os.umask(0)\n"
        "import numpy as np\n"
        "from pathlib import Path\n"
        "from solvers.system.disk_cache import ArrayStore\n"
        "from solvers.graphs.readers.scan import is_whole_number\n"
        "ArrayStore(Path(sys.argv[1]) / 'arrays', '1').save('a', np.arange(3))\n"
        "assert is_whole_number(np.frombuffer(b'12', np.uint8), 0, 2)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    environment.pop("TAUTPATH_COMPILED", None)
    command = [sys.executable, "-c", code, str(tmp_path)]
    subprocess.run(command, env=environment, check=True)
    folders = {path.parent for path in tmp_path.rglob("*") if path.is_file()}
    assert len(folders) == 2
    for folder in folders:
        assert folder.stat().st_mode & 0o077 == 0, folder


@pytest.mark.parametrize("harm", ["a bit", "cut", "longer", "empty"])
def test_a_damaged_file_counts_as_absent_and_is_removed(tmp_path: Path, harm: str) -> None:
    store = ArrayStore(tmp_path, "1")
    store.save("a", ARRAY)
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[80] ^= 4
    path.write_bytes(
        {"a bit": content, "cut": content[:-4], "longer": content + b"1234", "empty": b""}[harm]
    )
    stored = store.load("a", 100)
    assert stored.array is None
    assert stored.problem == "damaged"
    assert not path.exists()


def test_another_versions_file_is_told_apart(tmp_path: Path) -> None:
    ArrayStore(tmp_path, "1").save("a", ARRAY)
    assert ArrayStore(tmp_path, "2").load("a", 100).problem == "of an earlier version"


def test_the_least_recently_used_is_removed(tmp_path: Path) -> None:
    store = ArrayStore(tmp_path, "1", most_bytes=1_100)
    for age, name in ((3, "a"), (2, "b")):
        store.save(name, ARRAY)
        os.utime(tmp_path / f"{name}.array", (1e9 - age, 1e9 - age))
    assert store.load("a", 100).array is not None, "and it is used now"
    store.save("c", ARRAY)
    assert {path.stem for path in tmp_path.iterdir()} == {"a", "c"}


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = ArrayStore(tmp_path / "file" / "folder", "1")
    store.save("a", ARRAY)
    assert store.load("a", 100).array is None


def test_whether_an_array_is_there_is_told_without_reading_it(tmp_path: Path) -> None:
    store = ArrayStore(tmp_path, "1")
    assert not store.has("a", 100)
    store.save("a", ARRAY)
    assert store.has("a", 100)
    assert not store.has("a", 99)
    assert not ArrayStore(tmp_path, "2").has("a", 100)


def special_files(path: Path) -> Iterator[str]:
    """Put, one after the other, a pipe, a device without end, a folder and a file of
    the system at ``path``.
    """
    for kind in ("pipe", "/dev/zero", "folder", "/proc/version"):
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(kind)
        yield kind
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


@linux
def test_what_is_no_file_counts_as_absent_and_is_replaced(tmp_path: Path) -> None:
    """The test would not end if one were opened or read."""
    store = ArrayStore(tmp_path, "1")
    store.save("a", ARRAY)
    (path,) = tmp_path.iterdir()
    path.unlink()
    for kind in special_files(path):
        assert not store.has("a", 100), kind
        assert store.load("a", 100).array is None, kind
        store.save("a", ARRAY)
        assert (store.load("a", 100).array is None) == (kind == "folder"), kind


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    store = ArrayStore(tmp_path, "1")
    store.save("a", ARRAY)
    (path,) = tmp_path.iterdir()
    os.truncate(path, 1 << 40)  # without content on the disk
    assert store.load("a", 100).problem == "damaged"
    assert not path.exists()


@pytest.mark.parametrize(("most", "kept"), [(40, "abcd"), (39, "bcd"), (20, "cd"), (5, "d")])
def test_the_least_recently_used_go_first_and_the_newest_never(
    tmp_path: Path, most: int, kept: str
) -> None:
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


def test_a_file_under_another_name_is_not_used(tmp_path: Path) -> None:
    store = ArrayStore(tmp_path, "1")
    store.save("a", ARRAY)
    (path,) = tmp_path.iterdir()
    path.rename(path.with_name(path.name.replace("a", "b", 1)))
    assert store.load("b", len(ARRAY)).problem == "damaged"
