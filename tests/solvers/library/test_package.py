"""The package shows seven functions, finds every error, loads nothing before it is used, and its examples hold."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import pytest

import solvers
from solvers import errors
from solvers.version import __version__

_LAZY = """
NAMES = ["all_sources", "from_networkx", "generate", "read", "solve", "to_networkx", "variants"]
import sys
import solvers
assert dir(solvers) == NAMES, dir(solvers)
heavy = {"numpy", "numba", "scipy", "networkx", "pyopencl", "cupy"} & set(sys.modules)
assert not heavy, heavy
from solvers import NegativeCycle
heavy = {"numpy", "numba", "scipy", "networkx", "pyopencl", "cupy"} & set(sys.modules)
assert not heavy, heavy
from solvers import generate, read, solve, variants
heavy = {"scipy.sparse", "networkx", "pyopencl", "cupy"} & set(sys.modules)
assert not heavy, heavy
assert dir(solvers) == NAMES
"""


def test_importing_the_package_loads_no_numerics() -> None:
    done = subprocess.run([sys.executable, "-c", _LAZY], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_every_name_is_found_and_no_other() -> None:
    for name in dir(solvers):
        assert callable(getattr(solvers, name))
        assert getattr(solvers, name).__name__ == name
    with pytest.raises(AttributeError, match="sovle"):
        solvers.sovle  # noqa: B018  # type: ignore[attr-defined]


def test_every_error_and_warning_is_found_in_the_package() -> None:
    assert solvers.NegativeCycle is errors.NegativeCycle
    for name in errors.__all__:
        assert issubclass(getattr(solvers, name), errors.TautlineError | errors.TautlineWarning)


def test_the_version_is_the_packages() -> None:
    assert solvers.__version__ == __version__


@pytest.mark.parametrize("module", ["all_sources", "graphs", "solving"])
def test_the_examples_in_the_docstrings_hold(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"solvers.library.{module}"))
    assert (failed, tried > 0) == (0, True)
