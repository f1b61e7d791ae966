"""METIS in a process of its own: one call reads a graph from stdin and writes the answer to stdout.

METIS computes for seconds and cannot be stopped, holds the interpreter's lock
meanwhile, and ends the process if it cannot handle a graph. The caller ends this
process instead (``dissection.py``). It is run as a script::

    python -P metis_process.py order|bisect

Input: n and the number of neighbours as int64, then both arrays of an `Adjacency`.
Output of ``order``: the vertices in order of elimination, (n,) int32; of ``bisect``:
the half of each vertex, (n,) int8.
"""

from __future__ import annotations

import os
import sys

import numpy as np

_UNBALANCED = 50  # by how many thousandths a half may be larger than the other


def main() -> None:
    # here, because the catalogue imports every module of a family, with or without this
    # package
    import pymetis

    stream = sys.stdin.buffer
    n, ends = np.frombuffer(stream.read(16), np.int64).tolist()
    first = np.frombuffer(stream.read(8 * (n + 1)), np.int64)
    neighbours = np.frombuffer(stream.read(4 * ends), np.int32)
    wide = pymetis.zero_copy_dtype()
    graph = pymetis.CSRAdjacency(first.astype(wide, copy=False), neighbours.astype(wide))
    if sys.argv[1] == "order":
        answer = np.asarray(pymetis.nested_dissection(graph)[0]).astype(np.int32)
    else:
        options = pymetis.Options(ufactor=_UNBALANCED)
        answer = np.asarray(
            pymetis.part_graph(2, graph, recursive=True, options=options)[1]
        ).astype(np.int8)
    sys.stdout.buffer.write(answer.tobytes())
    sys.stdout.buffer.flush()
    os._exit(0)  # without taking the arrays down one by one


if __name__ == "__main__":
    main()
