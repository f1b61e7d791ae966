"""Faults that tests put in the program's way: a disk without room, and a user without rights."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_NOBODY = 65534


@contextmanager
def small_disk(folder: Path, nbytes: int) -> Iterator[Path]:
    """Make ``folder`` a file system of its own with that much room; skips where the
    tests may not mount.
    """
    folder.mkdir(exist_ok=True)
    options = ["mount", "-t", "tmpfs", "-o", f"size={nbytes},mode=1777", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a small disk")
    mounted = subprocess.run(options, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def file_size_limit(nbytes: int) -> Iterator[None]:
    """Let no file grow past ``nbytes``: a write fails as on a full disk; skips where
    there is no such limit.

    Standard output and error go nowhere meanwhile. Under pytest they are files, and
    LLVM ends the process if it cannot write to them. Nor is bytecode of a module
    written that is first imported meanwhile: Python 3.11 keeps a file that was cut off.
    """
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with _silent_output(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def _silent_output() -> Iterator[None]:
    kept = [os.dup(number) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nowhere, number)
        yield
    finally:
        os.close(nowhere)
        for number, before in zip((1, 2), kept, strict=True):
            os.dup2(before, number)
            os.close(before)


@contextmanager
def without_privileges(*reachable: Path) -> Iterator[None]:
    """Act as a user without rights, whom the folders ``reachable`` and those above them
    let pass.
    """
    if sys.platform == "win32":
        pytest.skip("Windows has other permissions")
    if os.geteuid() != 0:
        yield
        return
    before = {}
    for folder in {parent for place in reachable for parent in (place, *place.parents)}:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            before[folder] = mode
            folder.chmod(mode | 0o011)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for folder, mode in before.items():
            folder.chmod(mode)
