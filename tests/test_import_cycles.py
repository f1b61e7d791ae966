"""No file imports itself by way of others, not even inside a function or for type checking alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path, known: Collection[str]) -> Iterator[str]:
    """Modules that a file names: of ``from package import module`` the module, not the package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in known else node.module for name in names)


def import_graph(package: str) -> dict[str, set[str]]:
    files = {module_name(path): path for path in (ROOT / package).rglob("*.py")}
    return {name: {m for m in imported_modules(path, files) if m in files} - {name} for name, path in files.items()}


@pytest.mark.parametrize("package", ["solvers", "gui"])
def test_no_files_import_each_other_in_a_circle(package: str) -> None:
    try:
        TopologicalSorter(import_graph(package)).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))
