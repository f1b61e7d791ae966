"""Types that msgspec checks values against, taken apart by one thread at a time."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

_lock = threading.Lock()
_known: set[Any] = set()


def known(kind: Kind) -> Kind:
    """``kind``, once msgspec knows the fields of all classes in it.

    msgspec takes a class apart when it first meets it, in Python, and another thread that
    meets the class meanwhile finds it half known, which ends the process.
    """
    if kind not in _known:
        with _lock:
            msgspec.msgpack.Decoder(kind)
            _known.add(kind)
    return kind
