"""Imports that the core has of features: ``python -m tests.features``.

A feature has packages of its own in `solvers.features` and `gui.features`, or still stands among
the core and is listed in `features.toml`.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.tree_size import PACKAGES, ROOT, import_graph, token_count

TABLE = ROOT / "tests" / "features.toml"


@dataclass(frozen=True)
class FeatureImports:
    """The modules of a feature, and the imports that modules of the core have of it."""

    modules: frozenset[str]
    from_core: tuple[tuple[str, str], ...]
    most: int  # that `features.toml` allows; 0 for a feature with packages of its own
    is_moved: bool

    @property
    def tokens(self) -> int:
        files = (ROOT.joinpath(*name.split(".")) for name in self.modules)
        heads = (file / "__init__.py" for file in files)
        paths = (head if head.exists() else head.parent.with_suffix(".py") for head in heads)
        return sum(token_count(path.read_text("utf-8")) for path in paths)


def feature_imports() -> dict[str, FeatureImports]:
    """Each feature by its name."""
    graph, table = import_graph(*PACKAGES), tomllib.loads(TABLE.read_text("utf-8"))
    owner = {name: _owner(name, table) for name in graph}
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for importer, imported in graph.items():
        for name in sorted(imported):
            if not owner[importer] and owner[name]:
                found[owner[name]].append((importer, name))
    return {
        feature: FeatureImports(
            frozenset(name for name, of in owner.items() if of == feature),
            tuple(found[feature]),
            table.get(feature, {}).get("most", 0),
            feature not in table,
        )
        for feature in sorted(set(owner.values()) - {""})
    }


def _owner(module: str, table: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """The feature of a module; "" for the core."""
    _, *inside = module.split(".")
    if inside[:1] == ["features"]:
        return inside[1] if len(inside) > 1 else ""
    return next(
        (
            feature
            for feature, row in table.items()
            for name in row["modules"]
            if f"{module}.".startswith(f"{name}.")
        ),
        "",
    )


def main() -> None:
    found = feature_imports()
    print(f"{'feature':20}{'imports of the core':>20}{'modules':>10}{'tokens':>10}")
    for name, one in sorted(found.items(), key=lambda item: len(item[1].from_core)):
        folder = "  a package of its own" if one.is_moved else ""
        counts = f"{len(one.from_core):20}{len(one.modules):10}{one.tokens:10,}"
        print(f"{name:20}{counts}{folder}")
    print(f"{'all':20}{sum(len(one.from_core) for one in found.values()):20}")


if __name__ == "__main__":
    main()
