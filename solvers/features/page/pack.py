"""What goes into the one file of a page: arrays in few bytes.

They have the form that ``player/decode.js`` reads: one deflated block, as
base64. Whole numbers become variable-length bytes of their differences, with the sign
in the lowest bit (LEB128 and zigzag). Everything that is text lies in the JSON within
the block, and base64 has no character that means something in HTML: whatever a vertex
is called, a page cannot be left by it.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.system.cancel import SILENT, Progress

_PIECE = 1_000_000  # numbers or bytes between two cancellation checks
_MOST_BYTES = 10  # of a number
_EXACT = 2**53  # whole numbers below it are exact in JavaScript


class Packer:
    """Collects named arrays and writes them with a description."""

    def __init__(self) -> None:
        # kind, number of elements, number of bytes
        self._index: dict[str, tuple[str, int, int]] = {}
        self._blocks: list[bytes] = []

    def integers(self, name: str, values: NDArray[Any], *, steps: bool = True) -> None:
        """Add whole numbers; ``steps`` stores each as its difference from the one before."""
        whole = np.ascontiguousarray(values, dtype=np.int64).reshape(-1)
        if len(whole) and int(np.abs(whole).max()) >= _EXACT:
            self.floats(name, values)
            return
        stored = np.diff(whole, prepend=0) if steps else whole
        self._add(name, "d" if steps else "v", len(whole), varints(stored))

    def floats(self, name: str, values: NDArray[Any], kind: str = "f8") -> None:
        """Add numbers as they are: "f8", "f4", "u1" or "u4", little-endian."""
        data = np.ascontiguousarray(values, dtype="<" + kind).reshape(-1)
        self._add(name, kind, len(data), data.tobytes())

    def values(self, name: str, values: NDArray[np.float64]) -> None:
        """Add numbers in the shorter form that is exact; inf is kept, as -1 of kind "l"."""
        finite = np.isfinite(values)
        whole = values[finite]
        small = bool((np.abs(whole) < _EXACT / 2).all())
        if small and bool((whole == np.rint(whole)).all()) and bool((whole >= 0).all()):
            stored = np.where(finite, values, -1).astype(np.int64).reshape(-1)
            self._add(name, "l", len(stored), varints(np.diff(stored, prepend=0)))
        else:
            self.floats(name, values)

    def _add(self, name: str, kind: str, count: int, data: bytes) -> None:
        self._index[name] = (kind, count, len(data))
        self._blocks.append(data)

    def finish(self, description: dict[str, object], progress: Progress = SILENT) -> str:
        """Everything as base64 of a zlib stream: the length of the JSON, the JSON, and
        the arrays one after another.
        """
        arrays = [
            {"name": name, "kind": k, "count": c, "bytes": b}
            for name, (k, c, b) in self._index.items()
        ]
        head = json.dumps(
            {**description, "arrays": arrays}, ensure_ascii=False, allow_nan=False
        ).encode()
        deflate, parts = zlib.compressobj(9), []
        for block in (len(head).to_bytes(4, "little"), head, *self._blocks):
            for first in range(0, len(block), _PIECE):
                progress.checkpoint()
                parts.append(deflate.compress(block[first : first + _PIECE]))
        return base64.b64encode(b"".join((*parts, deflate.flush()))).decode()


def varints(values: NDArray[np.int64]) -> bytes:
    """Each number in 7 bits a byte, the lowest first; the eighth bit says that more follow."""
    folded = ((values << 1) ^ (values >> 63)).astype(np.uint64)
    lengths = np.ones(len(folded), np.int64)
    for place in range(1, _MOST_BYTES):
        lengths += folded >= np.uint64(1) << np.uint64(7 * place)
    ends = np.cumsum(lengths)
    starts, data = ends - lengths, np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    for place in range(int(lengths.max(initial=0))):
        has = lengths > place
        more = (lengths[has] > place + 1).astype(np.uint8) << np.uint8(7)
        data[starts[has] + place] = ((folded[has] >> np.uint64(7 * place)) & np.uint64(127)).astype(
            np.uint8
        ) | more
    return data.tobytes()
