"""Workers of pytest-xdist import the test modules in different orders, so that each
module is compiled by one of them.

All workers collect the same modules in the same order, at the same time. Without
bytecode files, as in a fresh clone, each would find that none of them is there yet, and
compile all modules and rewrite all assertions for itself.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterable
from pathlib import Path

import pytest


def import_share(config: pytest.Config) -> None:
    """In a worker, import its share of the modules that are to be collected; its own
    collection finds them imported.

    Errors are left to the collection, which imports again what could not be imported.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if not worker.isdecimal():
        return
    share = slice(int(worker), None, int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
    for name in list(modules_below(config.rootpath, map(Path, config.args)))[share]:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


def modules_below(root: Path, folders: Iterable[Path]) -> Iterable[str]:
    """Names of the test modules in those of ``folders`` that are folders below ``root``, sorted."""
    below = [(root / folder).resolve() for folder in folders if (root / folder).is_dir()]
    files = {
        path for folder in below for path in folder.rglob("test_*.py") if path.is_relative_to(root)
    }
    return (".".join(path.relative_to(root).with_suffix("").parts) for path in sorted(files))
