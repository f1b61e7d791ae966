"""A kernel that does not compile is an error with the compiler's log, and leaves no file behind."""

from __future__ import annotations

import os
import tempfile

import pytest

from solvers.devices.device import KernelSource
from solvers.errors import KernelBuildError


def test_a_kernel_that_does_not_compile_leaves_no_file(device, tmp_path, monkeypatch):
    source = tmp_path / "broken.cu"
    source.write_text("KERNEL void broken(GLOBAL int *a) { this is no C; }\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with pytest.raises(KernelBuildError, match=r"Kernel broken\.cu does not compile") as caught:
        device.compile(KernelSource(source))
    assert caught.value.log.strip()
    assert os.listdir(temporary) == []
