"""A small limit of the address space is one sentence, before anything that would hang is loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import resources
from solvers.system import address_space

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = resources.FOLDER / "samples"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep this limit")
@pytest.mark.parametrize("megabytes", [150, 400, 1000])
def test_a_limit_that_is_too_low_is_one_sentence(megabytes):
    script = f'ulimit -v {megabytes * 1000}; exec "$@"'
    command = ["bash", "-c", script, "bash", sys.executable, str(ROOT / "main.py"), "variants"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "ulimit -v unlimited" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep this limit")
@pytest.mark.parametrize("variant", ["dijkstra-heap", "fw-omp-loop", "bf-vertex", "dijkstra-mpi"])
def test_with_the_least_that_is_accepted_there_is_an_answer_or_one_sentence(variant):
    script = f'ulimit -v {address_space.LEAST_BYTES // 1000}; exec "$@"'
    solve = [str(ROOT / "main.py"), "solve", str(SAMPLES / "textbook.gr"), "--variants", variant, "--source", "1"]
    ranks = ["--set", f"{variant}.ranks=2"] if variant == "dijkstra-mpi" else []
    command = ["bash", "-c", script, "bash", sys.executable, *solve, "--warmup", "0", "--trials", "1", *ranks]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert variant in done.stdout
    else:  # no MPI or OpenCL here
        assert done.returncode in (2, 3)
        assert "tautline: " in done.stderr


def test_with_a_limit_blas_starts_one_thread(monkeypatch):
    monkeypatch.setattr(address_space, "_limit", lambda: address_space.LEAST_BYTES)
    environment = {"MKL_NUM_THREADS": "2"}
    assert address_space.prepare_for_limit(environment) == ""
    assert environment == {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "2"}


def test_without_a_limit_nothing_is_set(monkeypatch):
    monkeypatch.setattr(address_space, "_limit", lambda: None)
    environment = {}
    assert address_space.prepare_for_limit(environment) == ""
    assert environment == {}
