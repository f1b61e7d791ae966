"""Code that was compiled elsewhere for the processor's family is loaded, not compiled again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.system.packaged_code import NATIVE_VARIABLE, family_of_machine

# Compiles or loads one function; prints how often numba loaded it, and how often it did not.
PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
from solvers.system import packaged_code
packaged_code.FOLDER = Path(sys.argv[1])
family = replace(packaged_code.family_of_machine(), needs=frozenset(sys.argv[2:]))
packaged_code.family_of_machine = lambda: family
from solvers.graphs.isochrone import _covered
assert _covered(1.0, 2.0, 2.0) == 0.5
stats = _covered.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def loaded_and_compiled(
    packaged: Path, cache: Path, *needs: str, **settings: str
) -> tuple[int, int]:
    """Call a function in a program of its own; ``needs`` are features of the processor."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), NATIVE_VARIABLE: ""} | settings
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, packaged, *needs],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    hits, misses = map(int, done.stdout.split())
    return hits, misses


@pytest.fixture(scope="module")
def packaged(tmp_path_factory) -> Path:
    """Machine code of the function for the family, where an installation has it."""
    folder = tmp_path_factory.mktemp("installation")
    settings = family_of_machine().settings()
    assert loaded_and_compiled(folder / "none", folder / "cache", **settings) == (0, 1)
    target = folder / "machine_code" / "solvers" / "graphs"
    target.mkdir(parents=True)
    for file in (folder / "cache").rglob("*.nb[ic]"):
        file.rename(target / file.name)
    return folder / "machine_code"


def test_packaged_code_is_loaded_and_nothing_is_written(packaged, tmp_path):
    assert loaded_and_compiled(packaged, tmp_path) == (1, 0)
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_processor_that_lacks_a_feature_compiles(packaged, tmp_path):
    assert loaded_and_compiled(packaged, tmp_path, "no such feature") == (0, 1)


def test_whoever_compiles_for_this_processor_gets_none_and_is_preferred_later(packaged, tmp_path):
    assert loaded_and_compiled(packaged, tmp_path, **{NATIVE_VARIABLE: "1"}) == (0, 1)
    assert loaded_and_compiled(packaged / "none", tmp_path) == (1, 0)


def test_a_damaged_file_is_compiled_anew(packaged, tmp_path):
    damaged = tmp_path / "machine_code" / "solvers" / "graphs"
    damaged.mkdir(parents=True)
    for file in (packaged / "solvers" / "graphs").iterdir():
        content = file.read_bytes()
        (damaged / file.name).write_bytes(content[:50] if file.suffix == ".nbc" else content)
    assert loaded_and_compiled(tmp_path / "machine_code", tmp_path / "cache") == (0, 1)
