"""The functions of NetworkX that the backend has, with its remarks on each."""

from __future__ import annotations

from itertools import groupby

import networkx

from solvers.library.networkx_backend.info import FUNCTIONS
from tests.documentation.markdown import code, table, text


def backend_functions() -> str:
    """Tables by the module of NetworkX that defines the functions, in the order of the list."""
    parts = []
    by_module = sorted(FUNCTIONS, key=module_of)  # stable: the order of the list within a module
    for module, names in groupby(by_module, key=module_of):
        rows = [(code(name), text(FUNCTIONS[name]).replace("\\`", "`")) for name in names]
        parts += [f"### {module}\n", table(("Function", "Here"), rows)]
    return "\n".join(parts)


def module_of(name: str) -> str:
    """Dotted name of the module in which NetworkX defines a function."""
    function = getattr(networkx.algorithms, name, None) or getattr(networkx, name)
    module: str = function.orig_func.__module__
    return module
