"""How much there is to read: modules, tokens, long lines, and files on the way of common actions.

``make lint`` prints the table (``python -m tests.tree_size``). Tokens count ideas: comments,
docstrings and line breaks cost nothing, so that nothing is gained by dense lines. A walk in
``walks.toml`` lists the files that somebody opens to follow an action from its beginning to its
end.
"""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("gui", "solvers")
WALKS = ROOT / "tests" / "walks.toml"


WIDTH = 100
"""The longest line, in characters."""

_SKIP = "fmt: skip"
_LAYOUT = {
    tokenize.ENCODING,
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class TreeSize:
    """Counts over the modules of a folder, package heads included.

    ``one_importer`` are the modules that one other module of the program imports, ``longest`` is
    the number of lines of the longest module.
    """

    modules: int
    tokens: int
    long_lines: int
    unformatted: int
    nested_conditionals: int
    one_importer: int
    longest: int


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path, known: Collection[str]) -> Iterator[str]:
    """Modules that a file names: of ``from package import module`` the module, not the package.

    Also those that it imports by `importlib.import_module`, by a literal name.
    """
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    # statements alone are a fifth of the nodes
    for node in ast.walk(tree) if "import_module" in text else _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in known else node.module for name in names)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            literals = (arg.value for arg in node.args if isinstance(arg, ast.Constant))
            yield from (name for name in literals if isinstance(name, str))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        within = getattr(node, field, None)
        for child in within if isinstance(within, list) else ():
            yield child
            yield from _statements(child)


@cache
def import_graph(*packages: str) -> dict[str, set[str]]:
    """The modules of the packages that each one imports, at its head or later, also for types."""
    files = {
        module_name(path): path for package in packages for path in (ROOT / package).rglob("*.py")
    }
    return {
        name: {m for m in imported_modules(path, files) if m in files} - {name}
        for name, path in files.items()
    }


def paths_of(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@cache
def texts_of(folder: str) -> tuple[str, ...]:
    """The texts of all modules of a folder."""
    return tuple(path.read_text(encoding="utf-8") for path in paths_of(folder))


@cache
def size_of(folder: str) -> TreeSize:
    """Sizes of all modules of a folder; importers are counted over the program, not its tests."""
    paths, texts = paths_of(folder), texts_of(folder)
    lines = [text.splitlines() for text in texts]
    counted = importers()
    return TreeSize(
        modules=len(paths),
        tokens=sum(map(token_count, texts)),
        long_lines=sum(len(line) > WIDTH for module in lines for line in module),
        unformatted=sum(map(unformatted_statements, texts)),
        nested_conditionals=sum(nested_conditionals(ast.parse(text)) for text in texts),
        one_importer=sum(
            path.name != "__init__.py" and counted[module_name(path)] == 1 for path in paths
        ),
        longest=max(map(len, lines), default=0),
    )


def token_count(text: str) -> int:
    """Number of Python's tokens in a module; a docstring is one, and comments are none."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type not in _LAYOUT for token in tokens)


def unformatted_statements(text: str) -> int:
    """Number of comments that keep the formatter from a statement."""
    if _SKIP not in text:
        return 0
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT and _SKIP in token.string for token in tokens)


def nested_conditionals(node: ast.AST, *, inside: bool = False) -> int:
    """Number of conditional expressions inside others of the same function or comprehension."""
    if isinstance(node, _SCOPES):
        inside = False
    is_conditional = isinstance(node, ast.IfExp)
    below = inside or is_conditional
    return (is_conditional and inside) + sum(
        nested_conditionals(child, inside=below) for child in ast.iter_child_nodes(node)
    )


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
    titles = ("modules", "tokens", f"over {WIDTH}", _SKIP, "nested if", "one importer", "longest")
    print(f"{'':10}" + "".join(f"{title:>14}" for title in titles))
    for folder in (*PACKAGES, "tests"):
        print(f"{folder:10}" + "".join(f"{count:14,}" for count in astuple(size_of(folder))))
    for name, files in walks().items():
        print(f"{name}: {len(files)} files")


if __name__ == "__main__":
    main()
