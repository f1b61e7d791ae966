"""Threads that wait must sleep: set before the runtime is loaded, left alone where the
user has set it himself.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from solvers.system import openmp


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
        monkeypatch.setenv(name, "")  # remembered, so that what the test sets is undone
        monkeypatch.delenv(name)
    return monkeypatch


def test_waits_are_made_short(bare: pytest.MonkeyPatch) -> None:
    openmp.availability_error()
    assert (int(os.environ["GOMP_SPINCOUNT"]), os.environ["KMP_BLOCKTIME"]) == (1000, "0")


def test_what_the_user_set_stays(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("GOMP_SPINCOUNT", "7")
    openmp.availability_error()
    assert os.environ["GOMP_SPINCOUNT"] == "7"
    bare.delenv("GOMP_SPINCOUNT")
    bare.delenv("KMP_BLOCKTIME")
    bare.setenv("OMP_WAIT_POLICY", "active")
    openmp.availability_error()
    assert "GOMP_SPINCOUNT" not in os.environ


_FORK = """
import os
import subprocess
import sys
from solvers.errors import Unavailable
from solvers.system import openmp
with openmp.team(0, "test"):
    child = os.fork()
if child == 0:
    os._exit(0 if "spawn" in str(openmp.availability_error()) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), openmp.availability_error())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="OpenMP is GNU's on Linux")
def test_a_forked_process_is_told_that_openmp_would_end_it() -> None:
    assert (
        subprocess.run([sys.executable, "-c", _FORK], capture_output=True, text=True).stdout
        == "0 None\n"
    )
