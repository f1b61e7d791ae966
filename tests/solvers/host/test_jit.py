"""Compiled code is taken from the cache only where it is that of the source as it is now."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import numba
import pytest

from solvers.host import jit

ROOT = Path(__file__).resolve().parents[3]

CALLER = """
from solvers.host.jit import njit
from lab import sizes
from lab.callee import step
from lab.sizes import WIDTH

@njit(cache=True)
def walk(x):
    return step(x) + WIDTH + sizes.DEPTH

print(walk(0), sum(walk.stats.cache_hits.values()))
"""
CALLEE = """
from solvers.host.jit import njit
from lab.deeper import twice

@njit(cache=True)
def step(x):
    return twice(x + 1)
"""
DEEPER = """
from solvers.host.jit import njit

@njit(cache=True)
def twice(x):
    return 2 * x
"""
SIZES = "WIDTH = 10\nDEPTH = 100\n"


@pytest.fixture
def laboratory(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name, text in (("__init__", ""), ("caller", CALLER), ("callee", CALLEE), ("deeper", DEEPER), ("sizes", SIZES)):
        (folder / f"{name}.py").write_text(text)
    return folder


WALKS = """
import importlib, sys
sys.path[:0] = sys.argv[1:]
sys.dont_write_bytecode = True
for _ in sys.stdin:
    for name in [name for name in sys.modules if name.partition(".")[0] == "lab"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    importlib.import_module("lab.caller")
    sys.stdout.flush()
"""
Walk = Callable[[], tuple[int, int]]


@pytest.fixture
def walked(laboratory: Path) -> Iterator[Walk]:
    """Imports all modules of the laboratory anew, in a process that does nothing else.

    Gives the caller's answer, and how often its code came from the cache.
    """
    command = [sys.executable, "-c", WALKS, str(laboratory.parent), str(ROOT)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as process:

        def walk() -> tuple[int, int]:
            process.stdin.write("\n")
            process.stdin.flush()
            answer, hits = map(int, process.stdout.readline().split() or pytest.fail(process.stderr.read()))
            return answer, hits

        yield walk
        process.stdin.close()
        assert process.wait(60) == 0, process.stderr.read()


def edit(laboratory: Path, name: str, old: str, new: str) -> None:
    file = laboratory / f"{name}.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_change_in_what_is_called_from_another_module_is_noticed(laboratory: Path, walked: Walk) -> None:
    assert walked() == (112, 0)
    assert walked() == (112, 1)
    edit(laboratory, "callee", "x + 1", "x + 4")
    assert walked() == (118, 0)
    edit(laboratory, "deeper", "2 * x", "5 * x")  # called by what is called
    assert walked() == (130, 0)
    edit(laboratory, "sizes", "WIDTH = 10", "WIDTH = 30")  # imported by name
    assert walked() == (150, 0)
    edit(laboratory, "sizes", "DEPTH = 100", "DEPTH = 900")  # read from the imported module
    assert walked() == (950, 0)
    assert walked() == (950, 1)
    (laboratory / "__init__.py").write_text("# nothing that the functions use\n")
    assert walked() == (950, 1)


def test_a_cached_type_that_has_another_name_now_is_no_error(laboratory: Path, walked: Walk) -> None:
    """The index names the types of the arguments: what was cached for the old name is compiled anew."""
    edit(laboratory, "sizes", "WIDTH", "from typing import NamedTuple\n\nclass Size(NamedTuple):\n    w: int\n\nWIDTH")
    edit(laboratory, "caller", "return step(x)", "return step(x.w)")
    edit(laboratory, "caller", "walk(0)", "walk(sizes.Size(0))")
    assert walked() == (112, 0)
    assert walked() == (112, 1)
    edit(laboratory, "sizes", "Size", "Extent")
    edit(laboratory, "caller", "Size", "Extent")
    assert walked() == (112, 0)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def test_functions_run_uncompiled_where_numba_is_told_so(uncompiled: None, laboratory: Path, walked: Walk) -> None:
    edit(laboratory, "caller", "sum(walk.stats.cache_hits.values())", "0")
    assert walked() == (112, 0)


def add_one(x: int) -> int:
    return x + 1


def add_two(x: int) -> int:
    return x + 2


def test_a_users_folder_is_used_and_his_settings_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    before = numba.config.CACHE_LOCATOR_CLASSES
    assert jit.njit(cache=True)(add_one)(1) == 2
    assert list(tmp_path.glob("*/*add_one*.nbi"))
    assert before == numba.config.CACHE_LOCATOR_CLASSES


@pytest.mark.parametrize("fault", ["read-only", "full"])
def test_without_a_folder_functions_run_all_the_same_and_it_is_said_once(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    if fault == "read-only":
        monkeypatch.setattr(jit.caching.os, "makedirs", refuse)
    else:
        monkeypatch.setattr(jit.shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    jit._say_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert jit.njit(cache=True)(add_one)(1) == 2
        assert jit.njit(cache=True)(add_two)(1) == 3
    (said,) = caplog.messages
    assert "NUMBA_CACHE_DIR" in said
    jit._say_once.cache_clear()


def test_every_cached_function_is_compiled_through_it() -> None:
    """Only `solvers.host.jit` takes numba's own njit."""
    direct = [
        str(file.relative_to(ROOT))
        for package in ("solvers", "gui")
        for file in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "numba" and "njit" in {name.name for name in node.names}
    ]
    assert direct == []
