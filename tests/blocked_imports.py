"""Programs that run where some packages cannot be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_BLOCKED = """
import importlib, pkgutil, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if any(name == blocked or name.startswith(blocked + ".") for blocked in {blocked!r}):
            raise ModuleNotFoundError(f"{{name}} is blocked in this test", name=name)

sys.meta_path.insert(0, Block())
"""


def run_without(blocked: tuple[str, ...], program: str) -> None:
    """Run ``program`` in a Python of its own, in which the modules ``blocked`` and all
    below them are missing.

    The program finds importlib, pkgutil and sys imported.

    Raises
    ------
    AssertionError
        With what it wrote to stderr, where it fails.
    """
    done = subprocess.run(
        [sys.executable, "-c", _BLOCKED.format(blocked=blocked) + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
