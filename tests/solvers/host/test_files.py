"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from solvers.errors import FileNotWritten
from solvers.host.files import replace_atomically, require_writable_file, require_writable_folder


def test_old_file_stands_until_the_block_has_ended(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with replace_atomically(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.suffix == ".csv"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with (
        pytest.raises(UnicodeEncodeError),
        replace_atomically(path) as beside,
        beside.open("w", encoding="ascii") as file,
    ):
        file.write("new, but then é")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_program_that_ends_while_a_thread_writes_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    script = """
        import sys, threading
        from solvers.host.files import replace_atomically

        begun = threading.Event()

        def write():
            with replace_atomically(sys.argv[1]) as beside:
                beside.write_text("new")
                begun.set()
                threading.Event().wait()

        threading.Thread(target=write, daemon=True).start()
        begun.wait()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(path)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == ["table.csv"]
    assert path.read_text() == "old"


def test_missing_folder_is_told_with_the_users_own_path(tmp_path):
    path = tmp_path / "nowhere" / "table.csv"
    words = r"nowhere.table\.csv: no such file or directory"
    with pytest.raises(FileNotWritten, match=words) as caught, replace_atomically(path) as beside:
        beside.write_text("new")
    assert caught.value.path == path


def test_a_folder_is_not_overwritten(tmp_path):
    with pytest.raises(FileNotWritten, match="folder"), replace_atomically(tmp_path) as beside:
        beside.write_text("new")
    assert tmp_path.is_dir()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with replace_atomically(tmp_path / "link.csv") as beside:
        beside.write_text("new")
    assert (tmp_path / "real.csv").read_text() == "new"
    assert (tmp_path / "link.csv").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="no /dev/null on Windows")
def test_a_device_is_written_to_directly():
    with replace_atomically("/dev/null") as target:
        assert str(target) == "/dev/null"


def test_a_file_without_a_folder_is_refused_before_the_work(tmp_path):
    with pytest.raises(FileNotWritten, match="there is no folder"):
        require_writable_file(tmp_path / "nowhere" / "d.npy")
    with pytest.raises(FileNotWritten, match="it is a folder"):
        require_writable_file(tmp_path)
    require_writable_file(tmp_path / "d.npy")


def test_a_folder_that_can_be_made_is_no_mistake(tmp_path):
    require_writable_folder(tmp_path / "to" / "be" / "made")
    assert not (tmp_path / "to").exists()
    (tmp_path / "file").touch()
    with pytest.raises(FileNotWritten, match="is not a folder"):
        require_writable_folder(tmp_path / "file" / "csv")
