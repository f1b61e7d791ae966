"""One row of a file by its index, with its line number: for messages, and to look ahead of the reading."""

from __future__ import annotations

import numpy as np

from solvers.graphs.readers import scan
from solvers.graphs.readers.source import TextSource


def find_row(source: TextSource, index: int, skipped: bytes) -> tuple[int, str]:
    """Line number and text of a row.

    Parameters
    ----------
    source : TextSource
        A new one of the file, which is read up to the row.
    index : int
        From 0, among the lines that are neither blank nor begin with a byte of ``skipped``.
    skipped : bytes

    Returns
    -------
    line : int
    text : str
        Without blanks around it; "" if there is no such row.
    """
    marks = np.frombuffer(skipped, dtype=np.uint8)
    line = 1
    for block in source.blocks():
        at, lines, rows = scan.find_row(np.frombuffer(block, dtype=np.uint8), index, marks)
        line += lines
        index -= rows
        if at < len(block):
            stop = (block + b"\n").index(b"\n", at)
            return line, block[at:stop].decode("utf-8", "backslashreplace").strip()
    return line, ""
