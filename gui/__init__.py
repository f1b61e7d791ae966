"""The window, by Qt."""

import builtins

import PySide6.QtCore  # noqa: F401 - sets `__import__`

# PySide's own reads the source of each module that is imported from here on, to see
# whether it uses PySide's other ways of writing names, which no module of ours does.
if builtins.__import__ is getattr(builtins, "__feature_import__", None):
    builtins.__import__ = builtins.__orig_import__  # type: ignore[attr-defined]
