"""A guard for Python 3.11, where PySide6 6.12 wears out None, True and False.

Measured with PySide6-Essentials 6.12.0 on CPython 3.11: every call of a method without a result takes a reference of
None that it does not own, and every ``emit`` one of True, until the interpreter stops with "deallocating None" or
"deallocating True or False" (a thousand signals are enough). From Python 3.12 on these objects are immortal (PEP 683)
and nothing is lost; here they are given so many references that they are as good as that.
"""

from __future__ import annotations

import ctypes
import sys

PLENTY = sys.maxsize // 4


def keep_singletons() -> None:
    """Give None, True and False more references than any session can lose; from Python 3.12 on, do nothing."""
    if sys.version_info >= (3, 12) or sys.implementation.name != "cpython":
        return
    for singleton in (None, True, False):
        count = ctypes.c_ssize_t.from_address(id(singleton))  # the reference count is an object's first field
        if count.value < PLENTY:
            count.value += PLENTY
