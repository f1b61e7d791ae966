"""Locks on bytes where the system has other calls for them; `test_jit` tests them between processes."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from solvers.system import file_lock


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
    assert spec is not None
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
