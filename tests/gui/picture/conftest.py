"""A server with a GPU need not have Qt: there only the raster's tests are collected, which need none of it."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("PySide6") else ["layout", "matrix", "scene"]
