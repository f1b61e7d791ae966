"""How much there is to read: modules, lines, modules with one importer, and files on the way of common actions.

``make lint`` prints the table (``python -m tests.tree_size``). A walk in ``walks.toml`` lists the files that somebody
opens to follow an action from its beginning to its end.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("gui", "solvers")
WALKS = ROOT / "tests" / "walks.toml"


@dataclass(frozen=True)
class TreeSize:
    """Numbers of modules (with package heads), of their lines, and of modules that one other module imports."""

    modules: int
    lines: int
    one_importer: int
    longest: int


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


def import_graph(*packages: str) -> dict[str, set[str]]:
    """The modules that each module of the packages imports from them, at its head or later, also for types alone."""
    files = {module_name(path): path for package in packages for path in (ROOT / package).rglob("*.py")}
    return {name: {m for m in imported_modules(path, files) if m in files} - {name} for name, path in files.items()}


def size_of(folder: str) -> TreeSize:
    """Sizes of all modules of a folder; importers are counted over the program, not its tests."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]
    counted = importers()
    alone = sum(path.name != "__init__.py" and counted[module_name(path)] == 1 for path in paths)
    return TreeSize(len(paths), sum(lengths), alone, max(lengths, default=0))


@cache
def importers() -> Counter[str]:
    """How many modules of the program import each of its modules, at their heads or later."""
    graph = import_graph(*PACKAGES)
    main = set(imported_modules(ROOT / "main.py", graph))
    return Counter(name for imported in (*graph.values(), main) for name in imported)


def walks() -> dict[str, list[Path]]:
    """Files on the way of each action, in the order in which they are opened."""
    listed: dict[str, list[str]] = tomllib.loads(WALKS.read_text(encoding="utf-8"))
    return {name: [ROOT / file for file in files] for name, files in listed.items()}


def main() -> None:
    print(f"{'':10}{'modules':>9}{'lines':>9}{'one importer':>14}{'longest':>9}")
    for folder in (*PACKAGES, "tests"):
        size = size_of(folder)
        print(f"{folder:10}{size.modules:9,}{size.lines:9,}{size.one_importer:14,}{size.longest:9,}")
    for name, files in walks().items():
        print(f"{name}: {len(files)} files")


if __name__ == "__main__":
    main()
