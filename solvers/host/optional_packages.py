"""Packages that only some need: imported when they are used, and asked for by the extra that installs them."""

from __future__ import annotations

import importlib
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
