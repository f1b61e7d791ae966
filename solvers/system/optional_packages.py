"""Optional packages, imported when they are used; where one is missing, the error names
the extra that installs it.

One of them is pyarrow, which reads and writes Parquet: the extra ``parquet``.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from solvers.errors import PackageMissing


def optional_package(module: str, what: str, extra: str) -> ModuleType:
    """A module of a package that an extra of Tautpath installs.

    Raises PackageMissing if the package is not installed, or cannot be loaded.

    ``module``: its full name: "pyarrow.parquet". ``what``: what it is needed for, the
    subject of the error's sentence: "Reading roads.parquet".
    """
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:  # OSError: a library that it is linked with is missing
        raise PackageMissing(what, module.partition(".")[0].replace("_", "-"), extra) from error


def pyarrow_for(what: str) -> ModuleType:
    """``pyarrow.parquet``; ``what`` and errors as for `optional_package`."""
    return optional_package("pyarrow.parquet", what, "parquet")


def require_parquet(*names: str | None) -> None:
    """Before a long computation, raise `PackageMissing` if one of these files is
    Parquet and cannot be written.
    """
    for name in names:
        if name and Path(name).suffix.lower() == ".parquet":
            pyarrow_for(f"Writing {Path(name).name}")
