"""Displays of graphs and answers in notebooks, and kernels that are written in a cell.

``%load_ext solvers.features.notebooks`` adds ``%%kernel``; displays need no extension. `show`
chooses what they show.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from solvers.system.feature import Feature

FEATURE = Feature(
    "Notebooks",
    names={"Display": f"{__name__}.displays"},
    displays=f"{__name__}.displays",
    needs=("own_kernels", "page"),
)


def load_ipython_extension(shell: Any) -> None:
    """What IPython calls for ``%load_ext solvers.features.notebooks``."""
    from solvers.features.notebooks.kernel_cell import run_cell

    shell.register_magic_function(partial(run_cell, shell), "line_cell", "kernel")


def show(kind: str, limit: int | None = None) -> None:
    """Choose what the cells of this notebook show.

    Parameters
    ----------
    kind : str
        "pages" plays answers in pages, "pictures" draws all of them, "text" shows what a
        terminal does. The environment variable ``TAUTPATH_DISPLAYS`` chooses it for
        notebooks that do not.
    limit : int, optional
        Characters of all pages together, 4,000,000 by default; answers beyond them are
        pictures.

    Raises UnknownName for another kind.

    Examples
    --------
    >>> from solvers.features.notebooks import show
    >>> show("pictures")
    >>> show("pages", limit=20_000_000)
    """
    from solvers.features.notebooks.outputs import MOST_HELD, OUTPUTS

    OUTPUTS.choose(kind, MOST_HELD if limit is None else limit)
