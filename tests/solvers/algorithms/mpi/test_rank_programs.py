"""The rank programs are right on every graph of the tests, on one rank and on more, also more than there are cores."""

from __future__ import annotations

import subprocess
import sys

import pytest

from solvers.core.availability import start_command
from tests.solvers.algorithms.mpi.started import ROOT, needs_ranks


@needs_ranks
@pytest.mark.parametrize("ranks", [1, 3])
def test_every_graph_in_every_type(ranks: int) -> None:
    command = [*start_command(ranks), sys.executable, "-m", "tests.solvers.algorithms.mpi.every_graph"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"graphs right on {ranks} ranks" in done.stdout
