"""What a variant declares is checked by mypy, keyword by keyword."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_mypy_checks_what_a_variant_declares(tmp_path: Path) -> None:
    """A missing and a misspelt keyword and a value of the wrong type are found at the use."""
    pytest.importorskip("mypy")
    declaration = tmp_path / "declared.py"
    declaration.write_text(
        "from solvers.core.variant import Algorithm, Answers, RunsOn, variant\n"
        "variant(id='x', title='x', algorithm=Algorithm.MODERN, answers=Answers.SSSP, runs_on=RunsOn.GPU, idea='')\n"
        "variant(id=1, wotch='')\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(declaration)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 'Unexpected keyword argument "wotch"' in run.stdout, run.stdout
    assert 'Missing named argument "mapping"' in run.stdout
    assert 'expected "str"' in run.stdout
