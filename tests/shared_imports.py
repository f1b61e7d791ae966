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
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

_ALL_SLOW = re.compile(r"^pytestmark = (\[[^\]]*)?pytest\.mark\.slow\b", re.MULTILINE)


def import_share(config: pytest.Config) -> None:
    """In a worker, import its share of the modules that are to be collected; its own
    collection finds them imported.

    Errors are left to the collection, which imports again what could not be imported.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if not worker.isdecimal():
        return
    share = slice(int(worker), None, int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
    for path in modules_below(config.rootpath, map(Path, config.args))[share]:
        if not is_left_out(path, config):
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(module_name(path, config.rootpath))


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Whether none of a module's tests would run, as all are slow; some import much that
    no other module needs.
    """
    return config.option.markexpr == "not slow" and bool(_ALL_SLOW.search(path.read_text("utf-8")))


def modules_below(root: Path, folders: Iterable[Path]) -> list[Path]:
    """The test modules in those of ``folders`` that are folders below ``root``, sorted."""
    below = [(root / folder).resolve() for folder in folders if (root / folder).is_dir()]
    files = {
        path for folder in below for path in folder.rglob("test_*.py") if path.is_relative_to(root)
    }
    return sorted(files)


def module_name(path: Path, root: Path) -> str:
    """What a module below ``root`` is imported as."""
    return ".".join(path.relative_to(root).with_suffix("").parts)
