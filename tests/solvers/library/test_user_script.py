"""What a user can import, and what checkers of types make of it."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import solvers
from solvers import errors
from tests.solvers.library import user_script

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(user_script.__file__)
PARTS = {"Result", "Graph", "Device", "Variant", "Display"}  # whose own parts are no answers


def returned(name: str) -> Iterator[type]:
    """Classes of ours that a function returns, or a method or property of a class."""
    found = getattr(solvers, name)
    members = [found]
    if inspect.isclass(found):
        members = [inspect.getattr_static(found, one) for one in dir(found) if one[0] != "_"]
    for member in members:
        for kind in ("fget", "func", "__func__"):
            member = getattr(member, kind, member)
        if inspect.isfunction(member):
            hint = inspect.get_annotations(member).get("return", "None")
            module = inspect.getmodule(member)
            yield from classes(resolved(hint, module))


def resolved(hint: Any, module: Any) -> Any:
    """The type that an annotation says; names that only checkers import are looked up."""
    spaces = [vars(module), vars(typing), {name: getattr(solvers, name) for name in HOMES}]
    names = functools.reduce(lambda one, other: {**other, **one}, spaces)
    try:
        return eval(hint, names) if isinstance(hint, str) else hint
    except NameError:  # of pandas
        assert "pandas." in hint or hint in UNSAID, hint
        return None


HOMES = tuple(solvers._home())
UNSAID = {"PathAnswer", "AnswerTable"}  # how surfaces write an answer


def classes(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and hint.__module__.startswith("solvers"):
        yield hint
    for part in typing.get_args(hint):
        yield from classes(part)


def test_every_type_that_is_returned_and_every_error_is_public() -> None:
    assert set(solvers.__all__) == {*HOMES, *errors.__all__} == set(dir(solvers))
    stub = ast.parse(Path(solvers.__file__).with_suffix(".pyi").read_text("utf-8"))
    told = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {name: told.get(name) for name in HOMES} == solvers._home()  # for checkers of types
    for name in set(HOMES) - PARTS:
        for kind in returned(name):
            assert kind.__name__ in solvers.__all__, f"{name} gives {kind.__name__}"


def test_the_package_of_the_programs_name_has_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "solvers" / "installed"))
    tautpath = importlib.import_module("tautpath")
    assert dir(tautpath) == dir(solvers)
    assert tautpath.__all__ == solvers.__all__
    assert tautpath.NegativeCycle is errors.NegativeCycle


def test_the_script_of_a_user_runs(tmp_path: Path) -> None:
    pytest.importorskip("geopandas")
    found = "\n".join(user_script.main(tmp_path))
    assert "7 by auto-target" in found
    assert found.endswith("no vertex d\na cycle of 2")


@pytest.mark.slow
def test_mypy_is_content_with_the_script(tmp_path: Path) -> None:
    """In its strictest mode, and for every name; a package said to have all names would have
    others, too.
    """
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(f"from solvers import {', '.join(solvers.__all__)}, sovle\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    run = subprocess.run(
        [*command, str(SCRIPT), str(program)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert '"solvers" has no attribute "sovle"' in run.stdout
    assert "Found 1 error" in run.stdout


@pytest.mark.slow
def test_pyright_is_content_with_the_script(tmp_path: Path) -> None:
    program = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("basedpyright, of the extra “test”, is not installed")
    shutil.copy(SCRIPT, tmp_path / "script.py")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    run = subprocess.run(
        [program, "--pythonpath", sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "0 errors, 0 warnings" in run.stdout, run.stdout
