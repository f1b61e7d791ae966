"""Files are replaced whole or not at all, temporary folders go with their owner, and
bytes of files are locked.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from solvers.errors import FileNotWritten
from solvers.system import file_lock
from solvers.system.files import (
    _machine,
    replace_atomically,
    require_writable_file,
    require_writable_folder,
    save_array,
    sweep_once,
    sweep_temporary_folder,
    temporary_folder,
)
from tests.faults import small_disk, without_privileges

needs_dev_full = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="only Linux has /dev/full"
)


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
        from solvers.system.files import replace_atomically

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
        [sys.executable, "-c", textwrap.dedent(script), str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == ["table.csv"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "reason"), [("nowhere/table.csv", "there is no such file or folder"), ("", "folder")]
)
def test_a_missing_folder_and_a_folder_are_refused_with_the_users_own_path(tmp_path, name, reason):
    with (
        pytest.raises(FileNotWritten, match=reason) as caught,
        replace_atomically(tmp_path / name) as beside,
    ):
        beside.write_text("new")
    assert caught.value.path == tmp_path / name
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


@pytest.mark.parametrize("require", [require_writable_file, require_writable_folder])
def test_a_full_disk_is_known_before_the_work(tmp_path, require, monkeypatch):
    for total, free in ((100, 1), (0, 0)):  # the second is no disk, such as /proc
        monkeypatch.setattr(
            shutil,
            "disk_usage",
            lambda _, total=total, free=free: SimpleNamespace(total=total, free=free),
        )
        require(tmp_path / "out")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=100, free=0))
    with pytest.raises(FileNotWritten, match="the disk is full"):
        require(tmp_path / "out")


# -- faults
# --------------------------------------------------------------------------------------


@needs_dev_full
def test_a_full_device_is_refused_in_words():
    with (
        pytest.raises(FileNotWritten, match="the disk is full"),
        replace_atomically("/dev/full") as target,
    ):
        target.write_text("new")


def test_a_full_disk_keeps_the_old_file_and_nothing_else(tmp_path):
    with small_disk(tmp_path / "disk", 1 << 16) as disk:
        path = disk / "matrix.npy"
        path.write_text("old")
        with (
            pytest.raises(FileNotWritten, match="the disk is full"),
            replace_atomically(path) as beside,
        ):
            save_array(beside, np.zeros(1 << 16))
        assert path.read_text() == "old"
        assert os.listdir(disk) == ["matrix.npy"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of this kind")
def test_a_file_past_the_size_limit_is_refused_in_words(tmp_path):
    script = """
        import resource, sys
        import numpy as np
        from solvers.errors import FileNotWritten
        from solvers.system.files import replace_atomically, save_array

        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            with replace_atomically(sys.argv[1]) as beside:
                save_array(beside, np.zeros(4096))
        except FileNotWritten as error:
            print(error.reason)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "d.npy")],
        capture_output=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"the file would be larger than the system allows\n", b"")
    assert os.listdir(tmp_path) == []


def write_half(path):
    path.write_text("half")
    raise OSError(5, "Input/output error")


def test_an_input_output_error_is_refused_in_words(tmp_path):
    with (
        pytest.raises(FileNotWritten, match="input/output error"),
        replace_atomically(tmp_path / "d.npy") as beside,
    ):
        write_half(beside)
    assert os.listdir(tmp_path) == []


def test_a_closed_folder_is_refused_in_words(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    path = closed / "below" / "d.npy"
    with without_privileges(tmp_path):
        if os.name != "nt" and os.geteuid() != 65534:
            closed.chmod(0)
        for refuse in (require_writable_file, require_writable_folder):
            with pytest.raises(FileNotWritten, match="permission denied"):
                refuse(path)
        with (
            pytest.raises(FileNotWritten, match="permission denied"),
            replace_atomically(path) as beside,
        ):
            beside.write_text("new")
    closed.chmod(0o700)


def test_a_name_that_is_too_long_is_refused_in_words(tmp_path):
    path = tmp_path / ("x" * 300)
    with pytest.raises(FileNotWritten, match="too long"):
        require_writable_file(path)
    with pytest.raises(FileNotWritten, match="too long"), replace_atomically(path) as beside:
        beside.write_text("new")


def test_the_longest_name_that_the_system_takes_is_written(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    with replace_atomically(path) as beside:
        beside.write_text("new")
    assert path.read_text() == "new"


def test_what_a_killed_program_left_is_removed_by_the_next_one(tmp_path):
    script = """
        import os, signal, sys
        from solvers.system.files import replace_atomically
        with replace_atomically(sys.argv[1]) as beside:
            beside.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "table.csv")]
    subprocess.run(command, check=False, timeout=60)
    assert len(os.listdir(tmp_path)) == 1
    sweep_once.cache_clear()
    with replace_atomically(tmp_path / "table.csv") as beside:
        beside.write_text("new")
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3), np.zeros((0, 3)), np.ones(()), np.eye(3).T]
)
def test_arrays_are_saved_as_numpy_does(tmp_path, array):
    save_array(tmp_path / "ours.npy", array)
    np.save(tmp_path / "numpys.npy", np.ascontiguousarray(array) if array.ndim else array)
    assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "numpys.npy").read_bytes()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left_by(folder, pid, machine=None, kind="mpi"):
    left = folder / f"tautpath-{kind}-{pid}-{machine or _machine()}-abc"
    left.mkdir()
    (left / "weights.npy").touch()
    return left


def test_a_folder_is_gone_after_the_block_also_after_an_error(temporary):
    with pytest.raises(FileExistsError), temporary_folder("mpi") as folder:
        folder.mkdir()
    assert os.listdir(temporary) == []


def test_a_temporary_folder_goes_although_a_process_that_ends_writes_into_it(
    temporary, monkeypatch
):
    """Ranks of MPI whose keeper was killed wrote while their folder was removed, which stayed."""
    remove, late = shutil.rmtree, iter(("session",))

    def written_meanwhile(folder: Path, **options: bool) -> None:
        remove(folder, **options)
        for name in late:
            folder.mkdir()
            folder.joinpath(name).touch()

    monkeypatch.setattr(shutil, "rmtree", written_meanwhile)
    with temporary_folder("mpi"):
        pass
    assert os.listdir(temporary) == []


def test_what_a_dead_owner_left_is_swept(temporary):
    left_by(temporary, ended_process())
    (temporary / f".tautpath-{ended_process()}-{_machine()}-12345678-a.csv").touch()
    sweep_temporary_folder()
    assert os.listdir(temporary) == []


def test_what_a_living_owner_has_stays(temporary):
    with (
        temporary_folder("mpi") as folder,
        subprocess.Popen([sys.executable], stdin=subprocess.PIPE) as other,
    ):
        others = left_by(temporary, other.pid)
        sweep_temporary_folder()
        assert sorted(temporary.iterdir()) == sorted([folder, others])
        other.communicate()


def test_what_is_older_than_the_process_with_its_owners_number_is_swept(temporary):
    left = left_by(temporary, os.getpid())
    os.utime(left, (1e9, 1e9))
    sweep_temporary_folder()
    assert os.listdir(temporary) == []


def test_other_machines_and_other_programs_folders_stay(temporary):
    pid = ended_process()
    kept = [
        left_by(temporary, pid, machine="000000"),
        temporary / "tautpath-notes",
        temporary / f"other-{pid}",
    ]
    for folder in kept[1:]:
        folder.mkdir()
    sweep_temporary_folder()
    assert sorted(temporary.iterdir()) == sorted(kept)


def test_a_folder_until_exit_goes_with_the_process(temporary):
    script = """
        import os
        from solvers.system.files import folder_until_exit
        folder = folder_until_exit("opencl")
        assert os.listdir(folder.parent) == [folder.name]
    """
    environment = os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary)}
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, check=True, timeout=60
    )
    assert os.listdir(temporary) == []


def test_no_place_for_a_folder_is_said_in_words(temporary, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "nowhere"))
    with pytest.raises(FileNotWritten, match="no temporary folder"), temporary_folder("mpi"):
        pass


# -- locks on bytes of files
# -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "ours"), [(0, True), (errno.EACCES, False), (errno.EINVAL, True)])
def test_on_windows_only_a_lock_of_another_process_is_waited_for(
    code: int, ours: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def locking(file: int, mode: str, count: int) -> None:
        asked.append((mode, os.lseek(file, 0, os.SEEK_CUR), count))
        if code:
            raise OSError(code, os.strerror(code))

    windows = ModuleType("msvcrt")
    vars(windows).update(locking=locking, LK_NBLCK="try", LK_UNLCK="unlock")
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("file_lock_on_windows", file_lock.__file__)
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    file = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    os.write(file, b"data")
    assert module.try_lock(file, 2**30 - 1) is ours
    module.unlock(file, 2**30 - 1)
    assert os.lseek(file, 0, os.SEEK_CUR) == len(b"data"), "whoever writes goes on where it was"
    os.close(file)
    assert asked == [("try", 2**30 - 1, 1), ("unlock", 2**30 - 1, 1)]
