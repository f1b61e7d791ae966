"""The check of `tests.conftest` notices what a test leaves behind, and workers share
out the test modules.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from solvers.features.notebooks import outputs
from solvers.system import openmp
from tests.shared_imports import is_left_out, module_name, modules_below
from tests.shared_state import SharedState, shadowed_methods


class _Device:
    key = "fake:0"

    def free_bytes(self) -> int:
        return 1


def _set_variable(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setenv("TAUTPATH_LEFT_BEHIND", "1")


def _unset_variable(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.delenv("PATH")


def _change_folder(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.chdir(folder)


def _extend_path(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.syspath_prepend(folder)


def _replace_module(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setitem(sys.modules, "tests.shared_state", ModuleType("tests.shared_state"))


def _remove_module(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.delitem(sys.modules, "tests.shared_state")


def _choose_pictures(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(outputs.OUTPUTS, "kind", outputs.PICTURES)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set_variable, "the environment variable TAUTPATH_LEFT_BEHIND was None and is '1'"),
        (
            _unset_variable,
            f"the environment variable PATH was {os.environ.get('PATH')!r} and is None",
        ),
        (_change_folder, "the working directory was"),
        (_extend_path, "sys.path was"),
        (_replace_module, "sys.modules['tests.shared_state'] was replaced or removed"),
        (_choose_pictures, "what cells of notebooks show was ('pages', "),
        (_remove_module, "sys.modules['tests.shared_state'] was replaced or removed"),
    ],
)
def test_a_change_is_named_and_gone_once_it_is_undone(
    change: Callable[[pytest.MonkeyPatch, Path], None], said: str, tmp_path: Path
) -> None:
    before = SharedState.now()
    with pytest.MonkeyPatch.context() as patch:
        change(patch, tmp_path)
        (line,) = before.changes(SharedState.now())
    assert line.startswith(said)
    assert before.changes(SharedState.now()) == []


def test_a_handler_of_ctrl_c_and_switched_garbage_collection_are_named() -> None:
    before, handler, collects = SharedState.now(), signal.getsignal(signal.SIGINT), gc.isenabled()
    try:
        signal.signal(signal.SIGINT, lambda *_: None)
        gc.disable() if collects else gc.enable()
        lines = before.changes(SharedState.now())
    finally:
        signal.signal(signal.SIGINT, handler)
        gc.enable() if collects else gc.disable()
    assert [line.partition(" was ")[0] for line in lines] == [
        "the handler of SIGINT",
        "gc.isenabled()",
    ]


def test_a_changed_number_of_numba_threads_is_named() -> None:
    numba = pytest.importorskip("numba")
    # starts numba's threads, and on OpenMP, which other tests need
    with openmp.team(0, "this test"):
        before_any = numba.get_num_threads()
    before = SharedState.now()
    if numba.config.NUMBA_NUM_THREADS == 1:
        pytest.skip("numba has a single thread here")
    numba.set_num_threads(1 if before_any > 1 else 2)
    try:
        (line,) = before.changes(SharedState.now())
    finally:
        numba.set_num_threads(before_any)
    assert line.startswith("numba's number of threads was")


def test_an_imported_module_is_no_change() -> None:
    before = SharedState.now()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "a_module_just_imported", ModuleType("a_module_just_imported"))
        assert before.changes(SharedState.now()) == []


def test_an_attribute_that_hides_a_method_of_a_device_is_named() -> None:
    device = _Device()
    device.live_bytes = 3  # type: ignore[attr-defined]
    assert shadowed_methods(device) == []
    device.free_bytes = device.free_bytes  # so older pytest undoes a patch
    assert shadowed_methods(device) == ["free_bytes"]


def test_modules_are_named_as_pytest_names_them(tmp_path: Path) -> None:
    for name in (
        "tests/b/test_two.py",
        "tests/test_one.py",
        "tests/helper.py",
        "other/test_three.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for folders in ([Path("tests")], [tmp_path / "tests", Path("other/test_three.py::test_it")]):
        found = [module_name(path, tmp_path) for path in modules_below(tmp_path, folders)]
        assert found == ["tests.b.test_two", "tests.test_one"]
    assert modules_below(tmp_path / "tests", [tmp_path / "other", Path("absent")]) == []


@pytest.mark.parametrize(
    ("marks", "left_out"),
    [
        ("pytestmark = pytest.mark.slow", True),
        ("pytestmark = [\n    pytest.mark.openmp,\n    pytest.mark.slow,\n]", True),
        ("pytestmark = pytest.mark.openmp", False),
        ("slow = 1", False),
    ],
)
def test_modules_that_are_slow_as_a_whole_are_left_out_where_no_slow_test_runs(
    tmp_path: Path, marks: str, left_out: bool
) -> None:
    module = tmp_path / "test_one.py"
    module.write_text(f"import pytest\n\n{marks}\n", encoding="utf-8")

    def config(chosen: str) -> SimpleNamespace:
        return SimpleNamespace(option=SimpleNamespace(markexpr=chosen))

    assert is_left_out(module, config("not slow")) == left_out
    assert not is_left_out(module, config(""))
