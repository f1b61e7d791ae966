"""The library that reads and writes Parquet, which is an extra: ``tautline[parquet]``."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from solvers.host.optional_packages import optional_package


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
