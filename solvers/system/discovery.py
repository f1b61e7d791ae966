"""Modules found by importing every one of their package: adding one touches no list."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules_of(package: str) -> Iterator[ModuleType]:
    """Every module of a package, and the head of every package in it, in order of their names."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield importlib.import_module(f"{package}.{found.name}")
