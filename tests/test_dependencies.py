"""The dependencies that pyproject.toml declares are those that the program imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("solvers", "gui")
OURS = {*PACKAGES, "resources", "main"}
IMPORT_NAMES = {
    "pyside6-essentials": {"PySide6", "shiboken6"},
    "pillow": {"PIL"},
    "cupy-cuda12x": {"cupy", "cupyx"},
    "nvidia-ml-py": {"pynvml"},
}


def declared(requirements: Iterable[str]) -> dict[str, set[str]]:
    """What each requirement is imported as, by its name in lower case."""
    names = [re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements]
    return {name: IMPORT_NAMES.get(name, {name.replace("-", "_")}) for name in names}


def imports(file: Path) -> Iterator[str]:
    """Top-level names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUN_TIME = declared(PROJECT["dependencies"])
EXTRAS = declared(line for name, extra in PROJECT["optional-dependencies"].items() if name != "test" for line in extra)


@pytest.fixture(scope="module")
def imported() -> dict[str, Path]:
    """A file that imports each top-level name."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {name: file for file in files for name in imports(file)}


def test_every_dependency_is_imported(imported: dict[str, Path]) -> None:
    unused = {name for name, modules in RUN_TIME.items() if not modules & imported.keys()}
    assert not unused


def test_every_import_is_declared(imported: dict[str, Path]) -> None:
    known = OURS | sys.stdlib_module_names | set().union(*RUN_TIME.values(), *EXTRAS.values())
    undeclared = {name: str(file.relative_to(ROOT)) for name, file in imported.items() if name not in known}
    assert not undeclared
