"""Compiled code is taken from the cache where it is that of the source, and compiled by
one process of several.
"""

from __future__ import annotations

import ast
import errno
import importlib
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from subprocess import PIPE
from types import ModuleType, SimpleNamespace

import numba
import pytest
from numba.core import compiler, errors

from solvers.system import compile_lock, jit, numba_private
from solvers.system.compile_lock import held, locked
from solvers.system.late import CompiledFunction, Later

ROOT = Path(__file__).resolve().parents[3]

CALLER = """
from solvers.system.jit import njit
from lab import sizes
from lab.callee import step
from lab.sizes import WIDTH

@njit
def walk(x):
    return step(x) + WIDTH + sizes.DEPTH

print(walk(0), sum(walk.stats.cache_hits.values()))
"""
CALLEE = """
from solvers.system.jit import njit
from lab.deeper import twice

@njit
def step(x):
    return twice(x + 1)
"""
DEEPER = """
from solvers.system.jit import njit

@njit
def twice(x):
    return 2 * x
"""
SIZES = "WIDTH = 10\nDEPTH = 100\n"


@pytest.fixture
def laboratory(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name, text in (
        ("__init__", ""),
        ("caller", CALLER),
        ("callee", CALLEE),
        ("deeper", DEEPER),
        ("sizes", SIZES),
    ):
        (folder / f"{name}.py").write_text(text)
    return folder


# imports a module, and all of its package, anew for every line of input
IMPORTS = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
for line in sys.stdin:
    folder, module = line.rstrip().split("\\t")
    package = module.partition(".")[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    importlib.invalidate_caches()
    sys.path.insert(0, folder)
    importlib.import_module(module)
    sys.path.remove(folder)
    sys.stdout.flush()
"""
Import = Callable[[Path, str], list[str]]
Walk = Callable[[], tuple[int, int]]


@contextmanager
def importer(**environment: str) -> Iterator[Import]:
    """A process that does nothing else; gives the words that a module prints."""
    command = [sys.executable, "-c", IMPORTS, str(ROOT)]
    with subprocess.Popen(
        command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, env=os.environ | environment
    ) as process:

        def printed(folder: Path, module: str) -> list[str]:
            process.stdin.write(f"{folder}\t{module}\n")
            process.stdin.flush()
            return process.stdout.readline().split() or pytest.fail(process.stderr.read())

        yield printed
        process.stdin.close()
        assert process.wait(60) == 0, process.stderr.read()


@pytest.fixture(scope="module")
def imported() -> Iterator[Import]:
    with importer() as printed:
        yield printed


@pytest.fixture
def walked(laboratory: Path, imported: Import) -> Walk:
    """Imports all modules of the laboratory anew; gives the caller's answer, and how
    often its code came from the cache.
    """

    def walk() -> tuple[int, int]:
        answer, hits = map(int, imported(laboratory.parent, "lab.caller"))
        return answer, hits

    return walk


def edit(laboratory: Path, name: str, old: str, new: str) -> None:
    file = laboratory / f"{name}.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_change_in_what_is_called_from_another_module_is_noticed(
    laboratory: Path, walked: Walk
) -> None:
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


def test_a_cached_type_that_has_another_name_now_is_no_error(
    laboratory: Path, walked: Walk
) -> None:
    """The index names the types of the arguments: what was cached for the old name is
    compiled anew.
    """
    edit(
        laboratory,
        "sizes",
        "WIDTH",
        "from typing import NamedTuple\n\nclass Size(NamedTuple):\n    w: int\n\nWIDTH",
    )
    edit(laboratory, "caller", "return step(x)", "return step(x.w)")
    edit(laboratory, "caller", "walk(0)", "walk(sizes.Size(0))")
    assert walked() == (112, 0)
    assert walked() == (112, 1)
    edit(laboratory, "sizes", "Size", "Extent")
    edit(laboratory, "caller", "Size", "Extent")
    assert walked() == (112, 0)


@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_damaged_index_is_compiled_anew(laboratory: Path, walked: Walk, kept: float) -> None:
    """As a full disk or a failing one leaves it; every later start ended in an error."""
    assert walked() == (112, 0)
    indices = [*laboratory.rglob("*.nbi")]
    assert indices
    for index in indices:
        content = index.read_bytes()
        index.write_bytes(content[: int(kept * len(content))])
    assert walked() == (112, 0)
    assert walked() == (112, 1)


def test_functions_run_uncompiled_where_numba_is_told_so(laboratory: Path) -> None:
    edit(laboratory, "caller", "sum(walk.stats.cache_hits.values())", "0")
    with importer(NUMBA_DISABLE_JIT="1") as imported:
        assert imported(laboratory.parent, "lab.caller") == ["112", "0"]


def add_one(x: int) -> int:
    return x + 1


def add_two(x: int) -> int:
    return x + 2


def test_a_users_folder_is_used_and_his_settings_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    before = numba.config.CACHE_LOCATOR_CLASSES
    assert jit.njit(add_one)(1) == 2
    assert list(tmp_path.glob("*/*add_one*.nbi"))
    assert before == numba.config.CACHE_LOCATOR_CLASSES


def module_at(file: Path) -> ModuleType:
    """A module as a file has it now, which no other import finds."""
    specification = spec_from_file_location(file.stem, file)
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_checkouts_share_what_is_the_same_and_keep_apart_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(numba_private.SHARED_VARIABLE, str(tmp_path / "shared"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")

    def called(checkout: str, text: str, module: str = "shifting.py") -> tuple[int, int]:
        """The answer of a checkout's function, and how often it came from the cache."""
        monkeypatch.setattr(numba_private, "ROOT", tmp_path / checkout)
        file = tmp_path / checkout / module
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        loaded = module_at(file)
        monkeypatch.setitem(sys.modules, loaded.__name__, loaded)  # as an imported one
        compiled = jit.njit(loaded.shift)
        return compiled(1), sum(compiled.stats.cache_hits.values())

    by_one, by_two = (f"def shift(x):\n    return x + {step}\n" for step in (1, 2))
    assert called("first", by_one) == (2, 0)
    assert called("second", by_one) == (2, 1)
    assert called("branch", by_two) == (3, 0)
    assert called("first", by_one) == (2, 1)
    assert called("first", by_one, "features/shifting.py") == (2, 0), "it has moved"
    assert not list(tmp_path.rglob("__pycache__/*.nbi"))


@pytest.mark.parametrize("fault", ["read-only", "full"])
def test_without_a_folder_functions_run_all_the_same_and_it_is_said_once(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    if fault == "read-only":
        monkeypatch.setattr(numba_private.caching.os, "makedirs", refuse)
    else:
        monkeypatch.setattr(
            numba_private.shutil, "disk_usage", lambda path: SimpleNamespace(free=0)
        )
    monkeypatch.setattr(numba_private, "_writable", set())
    jit._say_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert jit.njit(add_one)(1) == 2
        assert jit.njit(add_two)(1) == 3
    (said,) = caplog.messages
    assert "NUMBA_CACHE_DIR" in said
    jit._say_once.cache_clear()


def test_scipys_linear_algebra_is_imported_only_where_a_function_needs_it() -> None:
    code = """
import sys, numpy as np
from solvers.system.jit import njit
from solvers.system.numba_private import load_array_functions
load_array_functions()
print("scipy.linalg" in sys.modules)
twice = njit(cache=False)(lambda a: np.dot(a, a))
print(twice(np.ones((2, 2)))[0, 0], "scipy.linalg" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=PIPE, text=True, check=True)
    assert done.stdout.split() == ["False", "2.0", "True"]


def test_every_cached_function_is_compiled_through_it() -> None:
    """Only `solvers.system.jit` takes numba's own njit, and two modules what is private."""
    allowed = {"solvers/system/numba_private.py", "solvers/system/packaged_code.py"}
    direct = [
        file.relative_to(ROOT).as_posix()
        for package in ("solvers", "gui")
        for file in (ROOT / package).rglob("*.py")
        if "numba" in (text := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        and (
            (node.module == "numba" and "njit" in {name.name for name in node.names})
            or (node.module or "").startswith(("numba.core", "numba.np"))
        )
        and file.relative_to(ROOT).as_posix() not in allowed
    ]
    assert direct == []


def test_numba_has_every_private_name_that_is_used() -> None:
    """What fails first when a new numba comes: the names that went, not their symptoms."""
    assert numba_private.missing_names(jit.njit(add_one).now()) == []


def test_a_private_name_that_went_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("numba.np.arraymath")  # which takes the name from the other
    monkeypatch.delattr("numba.np.linalg.ensure_blas")
    compiled = jit.njit(add_one).now()
    monkeypatch.delattr(type(compiled._cache._cache_file), "_save_index")
    assert numba_private.missing_names(compiled) == [
        "numba.np.linalg:ensure_blas",
        "_cache._cache_file._save_index",
    ]


BARE = """
from solvers.system.jit import njit

@njit
def step(x, by):
    return x + by

@njit
def walk(x):
    return step(x, 1) + step(x, 2) + step(x, x)

print(walk(3), len(step.overloads), step(5, 1), walk(3), sum(step.stats.cache_misses.values()))
"""


def test_for_compiled_callers_it_is_compiled_once_and_for_python_with_a_wrapper(
    tmp_path: Path, imported: Import
) -> None:
    """A literal number is no type of its own. At a second import, all comes from the cache."""
    (tmp_path / "bare.py").write_text(BARE)
    for compiled, missed in (("1", "2"), ("0", "0")):
        assert imported(tmp_path, "bare") == ["15", compiled, "6", "15", missed]


ALIKE = """
import gc
import numpy as np
from numba.core import event
from solvers.system.jit import njit

compiled, collected = [], []

class Listener(event.Listener):
    def on_start(self, ev):
        compiled.append(ev.data["dispatcher"].py_func.__qualname__)
        collected.append(gc.isenabled())
    def on_end(self, ev):
        pass

@njit
def inner(n):
    return np.empty((n, 1, 1, 1, 1), np.uint16).size

@njit
def outer(n):
    return inner(n) + np.empty((n, 1, 1, 1, 1), np.uint16).size

listener = Listener()
event.register("numba:compile", listener)
outer(3)
event.unregister("numba:compile", listener)
print(sum("np_empty" in name for name in compiled), any(collected), gc.isenabled())
"""


def test_numbas_own_functions_serve_callers_alike_and_nothing_is_collected_meanwhile(
    tmp_path: Path, imported: Import
) -> None:
    (tmp_path / "alike.py").write_text(ALIKE)
    assert imported(tmp_path, "alike") == ["1", "False", "True"]


def test_flags_that_numbas_own_functions_are_compiled_with_differ() -> None:
    flags = [compiler.Flags() for _ in range(3)]
    flags[0].no_cpython_wrapper, flags[2].error_model = True, "numpy"
    assert flags[0] == flags[1] != flags[2]
    assert hash(flags[0]) == hash(flags[1])
    assert flags[0] != "flags"


class Untouched:
    def isatty(self) -> bool:
        raise AssertionError("the terminal is asked")


def test_an_error_of_numba_leaves_the_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    untouched = Untouched()
    monkeypatch.setattr(sys, "stdout", untouched)
    assert "no such call" in errors.termcolor().errmsg("no such call")
    assert sys.stdout is untouched


# Compiling tells itself by a file; the first to do so keeps the others waiting long
# enough to be noticed.
PROGRAM = """
import os, sys, time
sys.path[:0] = [{folder!r}, {root!r}]
from numba.core import event
from solvers.system import jit
from function import twice

class Slow(event.Listener):
    def on_start(self, ev):
        if ev.data["dispatcher"] is twice.now():
            print("compiling", flush=True)
            time.sleep(0.3)
    def on_end(self, ev):
        pass

event.register("numba:compile", Slow())
print("ready", flush=True)
sys.stdin.readline()
print(twice(21), flush=True)
"""
FUNCTION = """
from solvers.system.jit import njit

@njit
def twice(x):
    return 2 * x
"""


def started(folder: Path) -> subprocess.Popen[str]:
    program = PROGRAM.format(folder=str(folder), root=str(ROOT))
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "function.py").write_text(FUNCTION)
    return tmp_path


def test_of_three_processes_one_compiles(folder: Path) -> None:
    processes = [started(folder) for _ in range(3)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=120)[0].split() for process in processes]
    assert sorted(printed) == [["42"], ["42"], ["compiling", "42"]]


def test_two_that_compile_for_different_types_do_not_share_a_file(folder: Path) -> None:
    """What numba's numbered files come to if both processes look before either saves,
    and the second's index is lost.
    """
    first, second, third = (module_at(folder / "function.py").twice.now() for _ in range(3))
    index = second._cache._cache_file
    index._load_index, index._save_index = dict, lambda index: None
    assert (first(21), second(1.5), third(21)) == (42, 3.0, 42)
    assert sum(third.stats.cache_hits.values()) == 1
    assert len(list(folder.rglob("*.nbc"))) == 2


def test_a_process_that_is_killed_while_it_compiles_keeps_nobody_waiting(folder: Path) -> None:
    first = started(folder)
    assert first.stdout is not None
    first.stdin.write("\n")
    first.stdin.flush()
    assert first.stdout.readline() == "compiling\n"
    first.kill()
    first.wait()
    assert started(folder).communicate("\n", timeout=60)[0].split() == ["compiling", "42"]


def assert_closed(*files: int) -> None:
    for file in files:
        with pytest.raises(OSError, match="descriptor"):
            os.fstat(file)


def test_a_folder_that_permits_no_locks_is_compiled_into_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with locked(str(tmp_path / "file"), "twice"):
        assert not held


def test_a_lock_file_of_another_user_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with locked(str(tmp_path), "twice"):
        assert not held


def test_a_folder_that_was_removed_is_locked_again(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with locked(str(folder), "once"), locked(str(folder), "twice"):
        (file,) = set(held.values())
        shutil.rmtree(folder)
    assert_closed(file)
    with locked(str(folder), "twice"):
        (file,) = held.values()
        assert waits(folder, "twice"), "others see the new file, not the one that is gone"
    assert_closed(file)
    assert not waits(folder, "twice")


def waits(folder: Path, name: str) -> bool:
    """Whether another process finds the name locked."""
    program = (
        "from solvers.system import compile_lock\n"
        "compile_lock._PATIENCE_S = 0.0\n"
        f"with compile_lock.locked({str(folder)!r}, {name!r}): print(not compile_lock.held)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return done.stdout == "True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_holds_no_lock_of_its_parent(tmp_path: Path) -> None:
    program = f"""
import os
from solvers.system import compile_lock
compile_lock._PATIENCE_S = 0.0
with compile_lock.locked({str(tmp_path)!r}, "twice"):
    if os.fork() == 0:
        free = not compile_lock.held
        with compile_lock.locked({str(tmp_path)!r}, "twice"):
            os._exit(0 if free and not compile_lock.held else 1)
    print(os.wait()[1], len(compile_lock.held))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.split() == ["0", "1"]


def test_after_its_patience_a_process_compiles_by_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    monkeypatch.setattr(compile_lock, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(compile_lock, "try_lock", lambda file, place: bool(tries.append(file)))
    with locked(str(folder), "twice"):
        assert not held
    assert tries
    assert_closed(*tries)


def test_a_name_that_could_not_be_looked_up_is_tried_again() -> None:
    """One that was taken as found would leave a function that numba cannot compile."""
    module = ModuleType("laboratory")
    exec("def answer():\n    return absent\n", vars(module))
    vars(module)["absent"] = Later("json:no_such_name")
    function = CompiledFunction(module.answer, lambda: module.answer)
    for _ in range(2):
        with pytest.raises(AttributeError):
            function()
    vars(module)["absent"] = 42
    assert function() == 42
