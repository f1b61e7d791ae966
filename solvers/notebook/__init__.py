"""Displays of graphs and answers in notebooks, and kernels that are written in a cell.

``%load_ext solvers.notebook`` adds ``%%kernel``; displays need no extension.
"""

from __future__ import annotations

from functools import partial
from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """What IPython calls for ``%load_ext solvers.notebook``."""
    from solvers.notebook.kernel_cell import run_cell  # imports numba

    shell.register_magic_function(partial(run_cell, shell), "line_cell", "kernel")
