"""Without a cache that can be written, kernels compile all the same, and that is said once."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import textwrap
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from solvers.devices import discover, kernel, opencl
from solvers.devices.device import KernelSource
from solvers.devices.kernel import (
    _say_once,
    distance_defines,
    opencl_cache,
    prepare_cupy,
    prepare_pyopencl,
)
from solvers.graphs.weights import INT32
from tests.faults import small_disk
from tests.quick import first_quick

ROOT = Path(__file__).resolve().parents[3]

SOLVE = """
    import logging, sys
    logging.basicConfig(format="%(message)s")
    from solvers import generate, solve
    from solvers.devices import discover
    if not discover().devices:
        print(*discover().problems, sep="; ")
        sys.exit(77)
    for variant in ("sssp-near-far", "bf-edge"):
        assert solve(generate("grid", rows=9, columns=9), variant, source=1, target=81).verified
"""


@pytest.fixture(autouse=True)
def fresh():
    yield
    opencl_cache.cache_clear()
    _say_once.cache_clear()


def solve_at(home, temporary):
    """Solve with kernels in a process of its own; its stderr."""
    temporary.mkdir()
    environment = {
        k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "OCL_ICD_VENDORS")
    }
    environment |= {"HOME": str(home), "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", textwrap.dedent(SOLVE)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    if done.returncode == 77:
        assert not discover().devices, done.stdout
        pytest.skip(f"no device runs kernels here: {done.stdout.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stderr


@contextmanager
def full_home(folder):
    with small_disk(folder, 1 << 14) as home:
        (home / "fill").write_bytes(bytes(1 << 13))
        yield home


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache lies in HOME on Linux")
@pytest.mark.parametrize(
    "home_in",
    first_quick([lambda folder: nullcontext("/dev/null/home"), full_home]),
    ids=["read-only", "full"],
)
def test_a_home_without_a_cache_is_said_once_and_leaves_nothing(home_in, tmp_path):
    with home_in(tmp_path / "home") as home:
        said = solve_at(home, tmp_path / "temporary")
    assert said.count("Compiled kernels cannot be cached") == 1
    assert "Traceback" not in said
    assert os.listdir(tmp_path / "temporary") == []


def test_pyopencl_gets_a_folder_that_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(
        kernel, "_opencl_folders", lambda: (tmp_path / "ours", tmp_path / "pytools")
    )
    monkeypatch.setattr(os, "environ", {})
    opencl_cache.cache_clear()
    prepare_pyopencl()
    assert opencl_cache() == str(tmp_path / "ours")
    assert os.environ == {"PYOPENCL_CACHE_FAILURE_FATAL": ""}


def test_environments_share_what_was_built(tmp_path, monkeypatch):
    pyopencl = pytest.importorskip("pyopencl")
    devices = [found for found in discover().devices if found.kind == "opencl" and found._cache()]
    if not devices:
        pytest.skip("no OpenCL device here whose kernels PyOpenCL keeps")
    monkeypatch.setattr(opencl, "opencl_cache", lambda: str(tmp_path / "kept"))
    path = tmp_path / "mine.cu"
    path.write_text("KERNEL void f(GLOBAL int *a) { a[0] = 1; }")
    for place in ("here", "elsewhere"):
        headers = ["-I", str(tmp_path / place)]
        monkeypatch.setattr(pyopencl, "_DEFAULT_INCLUDE_OPTIONS", headers, raising=False)
        opencl.OpenCLDevice(pyopencl, devices[0].handle, "opencl:0").compile(
            KernelSource.beside(str(path), path.name, **distance_defines(INT32))
        )
    assert len([entry for entry in (tmp_path / "kept").iterdir() if entry.is_dir()]) == 1


def test_a_lock_of_a_killed_program_is_removed_and_one_in_use_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel, "_opencl_folders", lambda: (tmp_path, tmp_path / "pytools"))
    (tmp_path / "lock").touch()
    opencl_cache.cache_clear()
    opencl_cache()
    assert (tmp_path / "lock").exists()
    os.utime(tmp_path / "lock", (1e9, 1e9))
    opencl_cache.cache_clear()
    opencl_cache()
    assert not (tmp_path / "lock").exists()


def test_cupy_keeps_kernels_in_memory_where_its_folder_cannot_be_written(
    tmp_path, caplog, monkeypatch
):
    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "environ", {"CUPY_CACHE_DIR": str(tmp_path / "cupy")})
    prepare_cupy()
    assert "CUPY_CACHE_IN_MEMORY" not in os.environ
    os.environ["CUPY_CACHE_DIR"] = str(tmp_path / "file" / "below")
    with caplog.at_level(logging.WARNING):
        prepare_cupy()
    assert os.environ["CUPY_CACHE_IN_MEMORY"] == "1"
    assert Path(os.environ["CUPY_CACHE_DIR"]).is_dir(), "CuPy makes it when it is imported"
    assert "CUPY_CACHE_DIR" in caplog.text
