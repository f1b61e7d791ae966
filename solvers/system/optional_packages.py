"""Packages that only some need: imported when they are used, and asked for by the extra that installs them.

pyarrow, which reads and writes Parquet, is one of them: ``tautline[parquet]``.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from solvers.errors import PackageMissing


def optional_package(module: str, what: str, extra: str) -> ModuleType:
    """A module of a package that is an extra of Tautline.

    Parameters
    ----------
    module : str
        Its full name: "pyarrow.parquet".
    what : str
        What it is needed for, the subject of the error's sentence: "Reading roads.parquet".
    extra : str
        Which installs it.

    Raises
    ------
    PackageMissing
        If the package is not installed, or cannot be loaded.
    """
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:  # OSError: a library that it is linked with is missing
        raise PackageMissing(what, module.partition(".")[0].replace("_", "-"), extra) from error


def pyarrow_for(what: str) -> ModuleType:
    """``pyarrow.parquet``, imported only for such a file.

    Parameters
    ----------
    what : str
        What it is needed for, the subject of the error's sentence: "Reading roads.parquet".

    Raises
    ------
    PackageMissing
        If pyarrow is not installed, or cannot be loaded.
    """
    return optional_package("pyarrow.parquet", what, "parquet")


def require_parquet(*names: str | None) -> None:
    """Check, before a long computation, that the files of these names that are Parquet can be written.

    Raises
    ------
    PackageMissing
    """
    for name in names:
        if name and Path(name).suffix.lower() == ".parquet":
            pyarrow_for(f"Writing {Path(name).name}")
