"""Features by their tokens, and the imports that the core has of them, which must be none:
``python -m tests.features``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from tests.tree_size import PACKAGES, ROOT, import_graph, token_count


@dataclass(frozen=True)
class FeatureImports:
    """The modules of a feature, and the imports that modules of the core have of it."""

    modules: frozenset[str]
    from_core: tuple[tuple[str, str], ...]

    @property
    def tokens(self) -> int:
        files = (ROOT.joinpath(*name.split(".")) for name in self.modules)
        heads = (file / "__init__.py" for file in files)
        paths = (head if head.exists() else head.parent.with_suffix(".py") for head in heads)
        return sum(token_count(path.read_text("utf-8")) for path in paths)


def feature_names() -> list[str]:
    """Folders of features of the core and of the window."""
    heads = (
        head for package in PACKAGES for head in ROOT.glob(f"{package}/features/*/__init__.py")
    )
    return sorted({head.parent.name for head in heads})


@cache
def feature_imports() -> dict[str, FeatureImports]:
    """Each feature by its name."""
    graph = import_graph(*PACKAGES)
    owner = {name: _owner(name) for name in graph}
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for importer, imported in graph.items():
        for name in sorted(imported):
            if not owner[importer] and owner[name]:
                found[owner[name]].append((importer, name))
    return {
        feature: FeatureImports(
            frozenset(name for name, of in owner.items() if of == feature), tuple(found[feature])
        )
        for feature in sorted(set(owner.values()) - {""})
    }


def _owner(module: str) -> str:
    """The feature of a module; "" for the core."""
    _, *inside = module.split(".")
    return inside[1] if inside[:1] == ["features"] and len(inside) > 1 else ""


def main() -> None:
    found = feature_imports()
    print(f"{'feature':20}{'imports of the core':>20}{'modules':>10}{'tokens':>10}")
    for name, one in found.items():
        print(f"{name:20}{len(one.from_core):20}{len(one.modules):10}{one.tokens:10,}")
    imports = sum(len(one.from_core) for one in found.values())
    print(f"{'all':20}{imports:20}{'':10}{sum(one.tokens for one in found.values()):10,}")


if __name__ == "__main__":
    main()
