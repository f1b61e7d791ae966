"""Temporary folders go with their owner, and what a killed owner leaves is swept; a living one's never."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap

import pytest

from solvers.errors import FileNotWritten
from solvers.host import scratch


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left_by(folder, pid, machine=None, kind="mpi"):
    left = folder / f"tautline-{kind}-{pid}-{machine or scratch._machine()}-abc"
    left.mkdir()
    (left / "weights.npy").touch()
    return left


def test_a_folder_is_gone_after_the_block_also_after_an_error(temporary):
    with pytest.raises(FileExistsError), scratch.temporary_folder("mpi") as folder:
        folder.mkdir()
    assert os.listdir(temporary) == []


def test_what_a_dead_owner_left_is_swept(temporary):
    left_by(temporary, ended_process())
    (temporary / f".tautline-{ended_process()}-{scratch._machine()}-12345678-a.csv").touch()
    scratch.sweep_temporary_folder()
    assert os.listdir(temporary) == []


def test_what_a_living_owner_has_stays(temporary):
    with scratch.temporary_folder("mpi") as folder, subprocess.Popen([sys.executable], stdin=subprocess.PIPE) as other:
        others = left_by(temporary, other.pid)
        scratch.sweep_temporary_folder()
        assert sorted(temporary.iterdir()) == sorted([folder, others])
        other.communicate()


def test_what_is_older_than_the_process_with_its_owners_number_is_swept(temporary):
    left = left_by(temporary, os.getpid())
    os.utime(left, (1e9, 1e9))
    scratch.sweep_temporary_folder()
    assert os.listdir(temporary) == []


def test_other_machines_and_other_programs_folders_stay(temporary):
    pid = ended_process()
    kept = [left_by(temporary, pid, machine="000000"), temporary / "tautline-notes", temporary / f"other-{pid}"]
    for folder in kept[1:]:
        folder.mkdir()
    scratch.sweep_temporary_folder()
    assert sorted(temporary.iterdir()) == sorted(kept)


def test_a_folder_until_exit_goes_with_the_process(temporary):
    script = """
        import os
        from solvers.host.scratch import folder_until_exit
        folder = folder_until_exit("opencl")
        assert os.listdir(folder.parent) == [folder.name]
    """
    environment = os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary)}
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=environment, check=True, timeout=60)
    assert os.listdir(temporary) == []


def test_no_place_for_a_folder_is_said_in_words(temporary, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "nowhere"))
    with pytest.raises(FileNotWritten, match="no temporary folder"), scratch.temporary_folder("mpi"):
        pass
